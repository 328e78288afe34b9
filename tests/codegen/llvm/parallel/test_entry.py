"""The entry of a model: calls in turn, and branches by two threads, whatever they do and whichever call fails."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from ingot.base.tensor import TensorType
from ingot.codegen.llvm.build.engine import Engine, start_assembler
from ingot.codegen.llvm.build.objects import Processor, compiled
from ingot.codegen.llvm.parallel import entry
from ingot.codegen.llvm.parallel.entry import emit_entry
from ingot.codegen.llvm.parallel.paired_threads import PairedCalls
from ingot.codegen.llvm.parallel.pool import POOL_FOR, POOL_PAIR, POOL_THREADS
from ingot.plan.program import Branch, CompileUnit, MemoryPlan, Program, Region, Slot, Value
from tests.codegen.units import F32, small_unit

CALLS = 6
# Each kernel notes its place among all that ran, and the pool that it was given; the one that is to fail, by the first number of
# the input, gives its number. The pool does the iterations from the last one to the first. A team has as its pool ten times
# the pool, a hundred times its loops and a thousand times its grains, together.
WORLD = """
@time = global i64 0
define i32 @k.m.note(ptr %x, ptr %w, ptr %t, ptr %pool) {{
  %before = load i64, ptr @time
  %now = add i64 %before, 1
  store i64 %now, ptr @time
  store i64 %now, ptr %t
  %second = getelementptr i64, ptr %t, i64 1
  %number = ptrtoint ptr %pool to i64
  store i64 %number, ptr %second
  %wanted = load i64, ptr %x
  %own = load i64, ptr %w
  %fails = icmp eq i64 %wanted, %own
  %short = trunc i64 %own to i32
  %status = select i1 %fails, i32 %short, i32 0
  ret i32 %status
}}
define i32 @{threads}(ptr %pool) {{
  %address = ptrtoint ptr %pool to i64
  %number = trunc i64 %address to i32
  ret i32 %number
}}
define void @{pool_for}(ptr %pool, ptr %body, ptr %args, i64 %extent, i64 %grain) {{
entry:
  br label %head
head:
  %end = phi i64 [ %extent, %entry ], [ %begin, %work ]
  %some = icmp sgt i64 %end, 0
  br i1 %some, label %work, label %out
work:
  %begin = sub i64 %end, 1
  call void %body(ptr %args, i64 %begin, i64 %end)
  br label %head
out:
  ret void
}}
define i32 @{pair}(ptr %pool, ptr %body, ptr %bases, i32 %count, i32 %loops, i64 %length) {{
  %number = ptrtoint ptr %pool to i64
  %tens = mul i64 %number, 10
  %wide = zext i32 %loops to i64
  %hundreds = mul i64 %wide, 100
  %thousands = mul i64 %length, 1000
  %some = add i64 %tens, %hundreds
  %sum = add i64 %some, %thousands
  %member = inttoptr i64 %sum to ptr
  %status = call i32 %body(ptr %bases, ptr %member)
  ret i32 %status
}}
"""


@pytest.fixture(autouse=True, params=[256, 2], ids=["one function", "several functions"])
def part_calls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test runs with an entry that is one function, and with one of several."""
    monkeypatch.setattr(entry, "PART_CALLS", request.param)


def unit() -> CompileUnit:
    """Six calls of one kernel: the four in the middle are two branches."""
    kernel = replace(small_unit("m").program.kernels[0], name="note")
    names = ["x", "w", *(f"t{number}" for number in range(CALLS)), "y"]
    values = {name: Value(name, TensorType(F32, (4,)), (1,), name) for name in names}
    branches = [None, *(Branch("both", number) for number in (0, 0, 1, 1)), None]
    template = small_unit("m").program.kernel_calls[0]
    values |= {
        f"w{number}": replace(values["w"], name=f"w{number}", offset=4 * number) for number in range(CALLS)
    }
    calls = tuple(
        replace(template, kernel=kernel, args=("x", f"w{number}", f"t{number}"), branch=branch)
        for number, branch in enumerate(branches)
    )
    slots = {
        "x": Slot(Region.INPUT, 0, 0, 16),
        "y": Slot(Region.OUTPUT, 0, 0, 16),
        "w": Slot(Region.PARAMS, 0, 0, 16 * CALLS),
        **{f"t{number}": Slot(Region.ARENA, 0, 16 * number, 16) for number in range(CALLS)},
    }
    return CompileUnit(
        "m", Program("m", values, {}, ("x",), ("y",), calls), MemoryPlan(slots, 16 * CALLS, 16 * CALLS, 16)
    )


@contextmanager
def running(paired_calls: Sequence[PairedCalls] = ()) -> Iterator[Engine]:
    start_assembler()
    made = unit()
    if paired_calls:
        calls = tuple(replace(call, branch=None) for call in made.program.kernel_calls)
        made = replace(made, program=replace(made.program, calls=calls))
    import llvmlite.binding as llvm

    processor = Processor(llvm.get_default_triple(), "", "")
    world = WORLD.format(threads=POOL_THREADS, pool_for=POOL_FOR, pair=POOL_PAIR)
    objects = [compiled(text, processor, True).content for text in (emit_entry(made, paired_calls), world)]
    engine = Engine(objects, {}, ("ingot_m_run", "ingot_m_call"), "entry")
    yield engine
    engine.close()


def run(engine: Engine, threads: int, fails: int = -1) -> tuple[int, list[int], list[int]]:
    """The status, when each call was done among all that were (0: it was not), and which pool each of those had."""
    function = engine.function("ingot_m_run")
    assert function is not None
    weights = np.repeat(np.arange(1, CALLS + 1), 2)
    notes = np.zeros((CALLS, 2), np.int64)
    x, y = np.array([fails, 0], np.int64), np.zeros(2, np.int64)
    bases = (ctypes.c_void_p * 5)(
        weights.ctypes.data, notes.ctypes.data, threads, x.ctypes.data, y.ctypes.data
    )
    status = function(bases)
    order = np.where(notes[:, 0] > 0, notes[:, 0] - notes[notes[:, 0] > 0, 0].min() + 1, 0)
    return status, order.tolist(), [int(pool) for done, pool in notes if done]


@pytest.mark.parametrize("threads", [1, 3, 8])
def test_with_other_numbers_of_threads_all_share_out_each_call(threads: int) -> None:
    with running() as engine:
        assert run(engine, threads) == (0, [1, 2, 3, 4, 5, 6], [threads] * 6)


def test_two_threads_do_a_branch_each_alone() -> None:
    with running() as engine:
        assert run(engine, 2) == (0, [1, 4, 5, 2, 3, 6], [2, 0, 0, 0, 0, 2])


@pytest.mark.parametrize(
    ("fails", "order"),
    [
        (1, [1, 0, 0, 0, 0, 0]),
        (2, [1, 4, 0, 2, 3, 0]),
        (4, [1, 3, 4, 2, 0, 0]),
        (5, [1, 4, 5, 2, 3, 0]),
        (6, [1, 4, 5, 2, 3, 6]),
    ],
)
def test_nothing_behind_a_call_that_fails_is_done_but_in_the_other_branch(
    fails: int, order: list[int]
) -> None:
    with running() as engine:
        status, done, _ = run(engine, 2, fails)
        assert (status, done) == (fails, order)


def test_in_turn_nothing_behind_a_call_that_fails_is_done() -> None:
    with running() as engine:
        assert run(engine, 1, 3)[:2] == (3, [1, 2, 3, 0, 0, 0])


def test_the_calls_of_a_team_get_what_it_gives_them_as_a_pool() -> None:
    with running(
        [PairedCalls(range(1, 4), loops=3, grains=4), PairedCalls(range(4, 5), loops=2, grains=5)]
    ) as engine:
        assert run(engine, 7) == (0, [1, 2, 3, 4, 5, 6], [7, 4370, 4370, 4370, 5270, 7])


def test_all_calls_of_a_team_are_done_though_one_fails_and_nothing_behind_it() -> None:
    with running([PairedCalls(range(1, 4), loops=3, grains=4)]) as engine:
        assert run(engine, 1, 2)[:2] == (2, [1, 2, 3, 4, 0, 0])
        assert run(engine, 1, 1)[:2] == (1, [1, 0, 0, 0, 0, 0])
        assert run(engine, 1, 5)[:2] == (5, [1, 2, 3, 4, 5, 0])
