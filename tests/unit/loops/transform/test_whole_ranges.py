"""Parallel loops that go by ranges: the same results however the ranges are cut."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingot.base.errors import InternalError
from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.llvm.build.targets import chip, resolve
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.codegen.llvm.parallel.cost import iteration_cycles
from ingot.codegen.llvm.parallel.pool import POOL_THREADS
from ingot.loops.analyse.cost import cost
from ingot.loops.build.nest import loop, loop_by_ranges, places
from ingot.loops.interpret import run
from ingot.loops.nodes import For, Kernel, Let, LoopKind, Store, Var, buffer, cast, index, load, store
from ingot.loops.parse import from_text
from ingot.loops.text import to_text
from ingot.loops.transform.rewrite import statements
from ingot.loops.transform.simplify import simplify_kernel
from ingot.loops.transform.to_grid import to_grid
from ingot.loops.transform.whole_ranges import one_by_one, whole
from ingot.loops.verify import verify
from ingot.machines.tuning import DEFAULT
from tests.support import kernel_c, kernel_cuda, kernel_llvm, machines
from tests.support.kernel_cuda import driver, gpu
from tests.support.machines import GPU_SHAPE

PARTS_MAX = DEFAULT.threads.range_max_parts

__all__ = ["driver", "gpu"]
F32 = DType.FLOAT32
COUNT, STEPS = 8011, 3  # as many as are worth sharing out
X, Y = buffer("x", F32, (STEPS, COUNT)), buffer("y", F32, (STEPS, COUNT))
W = buffer("w", F32, (places(COUNT, machines.SCALARS),))


def kernel(steps: int = STEPS) -> Kernel:
    """y = (step + 1) x, where step + 1 is computed once for each range, and kept in its place."""

    def step_of(step):
        def some(place, first, last):
            begin, number = Var("first"), Var("number")
            times = store(Y, (step, begin + number), load(X, step, begin + number) * load(W, place))
            return (
                Let(begin, first),
                store(W, (place,), cast(step + 1, F32)),
                For(number, last - begin, (times,)),
            )

        return loop_by_ranges("part", COUNT, machines.SCALARS, some)

    return Kernel("by_ranges", (X,), (Y,), loop("step", steps, step_of), workspaces=(W,))


def by_ranges(made: Kernel) -> list[For]:
    return [stmt for stmt in statements(made.body) if isinstance(stmt, For) and stmt.end is not None]


def numbers() -> np.ndarray:
    return np.random.default_rng(0).standard_normal(STEPS * COUNT).astype(np.float32)


WANTED = (numbers().reshape(STEPS, COUNT) * np.arange(1, STEPS + 1, dtype=np.float32)[:, None]).reshape(-1)


@pytest.mark.parametrize("cut", [whole, one_by_one, None], ids=["whole", "one by one", "as it is"])
def test_the_interpreter_gives_the_same_however_ranges_are_cut(cut):
    made = kernel() if cut is None else replace(kernel(), body=cut(kernel().body))
    memory = {"x": numbers(), "y": np.zeros_like(WANTED), "w": np.zeros(W.span, np.float32)}
    run(made, memory)
    np.testing.assert_array_equal(memory["y"], WANTED)
    assert by_ranges(kernel()) and (cut is None or not by_ranges(made))


def test_one_range_is_begun_once_and_one_by_one_each_place_is():
    begun = []
    for cut in (whole, one_by_one):
        memory = {"x": numbers(), "y": np.zeros_like(WANTED), "w": np.zeros(W.span, np.float32)}
        run(replace(kernel(), body=cut(kernel().body)), memory)
        begun.append(np.count_nonzero(memory["w"]))
    assert begun == [1, PARTS_MAX]


@kernel_llvm.needs_cc
@pytest.mark.cc
@pytest.mark.parametrize("steps", [1, STEPS])
def test_compiled_code_gives_the_same_for_ranges_of_a_pool(steps):
    """The pool of these tests has three threads, and does the last task first."""
    made = simplify_kernel(kernel(steps))
    assert POOL_THREADS in emit_kernel(made, "kernel", chip(resolve(Target.parse("llvm -mcpu=native"))))
    y, w = np.zeros_like(WANTED), np.zeros(W.span, np.float32)
    kernel_llvm.compile_kernel(made)(numbers(), y, w)
    np.testing.assert_array_equal(y[: steps * COUNT], WANTED[: steps * COUNT])
    assert 3 <= np.count_nonzero(w) < PARTS_MAX


@kernel_c.needs_cc
@pytest.mark.cc
def test_c_code_has_one_range():
    kernel_c.agrees_with_interpreter(kernel(), numbers())


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("steps", [1, STEPS])
def test_a_gpu_has_an_item_for_each_place(steps):
    made = to_grid(kernel(steps), GPU_SHAPE)
    assert not by_ranges(made)
    kernel_cuda.agrees_with_interpreter(made, numbers())


def test_the_text_says_both_names():
    text = to_text(kernel())
    assert f"parallel part, part_end < {PARTS_MAX} by 1 {{" in text
    assert to_text(from_text(text)) == text
    assert by_ranges(from_text(text))
    several = replace(kernel(1), body=(replace(by_ranges(kernel(1))[0], run_min=5),))
    (found,) = by_ranges(from_text(to_text(several)))
    assert found.run_min == 5


def test_a_passage_through_the_passes_keeps_ranges():
    (loop_,) = by_ranges(simplify_kernel(kernel()))
    assert loop_.kind is LoopKind.PARALLEL and loop_.end == Var("part_end")


def test_all_iterations_count_once():
    (loop_,) = by_ranges(kernel(1))
    assert cost(kernel(1)).flops == COUNT
    several = For(
        Var("i"),
        index(COUNT),
        (Store(Y, (index(0), Var("i")), load(X, 0, Var("i")) * 2.0),),
        LoopKind.PARALLEL,
    )
    chip_ = chip(Target.parse("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3"))
    together, alone = (iteration_cycles(one, chip_) * int(one.extent.value) for one in (loop_, several))
    assert alone <= together <= 2 * alone


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        (lambda one: replace(one, kind=LoopKind.SERIAL), "only a parallel one may"),
        (lambda one: replace(one, end=one.var), "by two names"),
        (
            lambda one: replace(one, extent=load(buffer("n", DType.INT64, ()))),
            "nothing is known of the extent",
        ),
        (lambda one: replace(one, end=Var("end", DType.INT32)), "variable of a loop is i32"),
        (lambda one: replace(one, run_min=0), "should have 0 iterations"),
    ],
)
def test_the_verifier_says_what_is_wrong_with_ranges(changed, match):
    n = buffer("n", DType.INT64, ())
    (loop_,) = by_ranges(kernel(1))
    verify(replace(kernel(1), inputs=(X, n)))
    with pytest.raises(InternalError, match=match):
        verify(replace(kernel(1), inputs=(X, n), body=(changed(loop_),)))


@pytest.mark.parametrize(
    ("count", "parts", "least"), [(1, 1, 6), (12, 12, 6), (48, 16, 2), (96, 16, 1), (1000, 16, 1)]
)
def test_a_range_has_six_iterations_where_each_thread_has_some(count, parts, least):
    (made,) = loop_by_ranges(
        "part", count, machines.SCALARS, lambda place, first, last: (store(W, (place,), 1.0),)
    )
    assert (made.extent.value, made.run_min) == (parts, least)


@pytest.mark.parametrize(("cores", "parts"), [(0, PARTS_MAX), (1, 1), (3, 3), (64, PARTS_MAX)])
def test_a_target_that_says_how_many_cores_there_are_has_as_many_places(cores, parts):
    machine = replace(machines.SCALARS, cores=cores)
    (made,) = loop_by_ranges("part", 100, machine, lambda place, first, last: (store(W, (place,), 1.0),))
    assert made.extent.value == places(100, machine) == parts


def test_no_iterations_are_no_loop():
    assert loop_by_ranges("part", 0, machines.SCALARS, lambda place, first, last: ()) == ()
