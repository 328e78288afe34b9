"""Which loops are worth sharing out: what they compute, and whose lines they would have to fetch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.base.target import Target
from ingot.base.tensor import DType, TensorType, row_major
from ingot.codegen.llvm import generator
from ingot.codegen.llvm.build.targets import resolve
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.generator import module_names, modules
from ingot.codegen.llvm.parallel.cost import iteration_cycles
from ingot.codegen.llvm.parallel.grain import fetched_cycles, grain, is_shared_out, task_cycles
from ingot.codegen.record import BuildContext
from ingot.loops.nodes import Expr, Fma, For, Kernel, LoopKind, Var, buffer, index, load, store
from ingot.plan.program import Call, CompileUnit, MemoryPlan, Program, Value
from tests.support import machines

CHIP = Chip(machine=replace(machines.VECTORS, vector_bytes=64), has_half=True)
SHAPE = (12, 384)
LINES = 12 * 384 * 4 // 64
LONG, SHORT = 64, 1  # multiply-adds for each element


def kernel_of(name: str, steps: int, rows: int = SHAPE[0], loops: int = 1) -> Kernel:
    """A map of the first rows, with so many multiply-adds for each element, so many times."""
    row, column = Var("row"), Var("column")
    x, y = buffer("x", DType.FLOAT32, SHAPE), buffer("y", DType.FLOAT32, SHAPE)
    element = load(x, row, column)
    value: Expr = element
    for _ in range(steps):
        value = Fma(value, element, element)
    body = For(column, index(SHAPE[1]), (store(y, (row, column), value),), LoopKind.VECTOR)
    return Kernel(name, (x,), (y,), (For(row, index(rows), (body,), LoopKind.PARALLEL),) * loops)


def chain(*steps: int, **changed: Kernel) -> Program:
    """Maps one after another; those with as many multiply-adds are one kernel. `changed`: other kernels in place of such."""
    kernels = {each: changed.get(f"k{each}") or kernel_of(f"k{each}", each) for each in steps}
    names = [f"t{number}" for number in range(len(steps) + 1)]
    values = {
        name: Value(name, TensorType(DType.FLOAT32, SHAPE), row_major(SHAPE), name, 0) for name in names
    }
    calls = tuple(
        Call(kernels[each], (names[at], names[at + 1]), (f"n{at}",)) for at, each in enumerate(steps)
    )
    return Program("chain", values, {}, (names[0],), (names[-1],), calls)


@pytest.mark.parametrize(
    ("steps", "counts"),
    [
        pytest.param((LONG, SHORT, LONG), True, id="between loops that are shared out"),
        pytest.param((SHORT, SHORT, SHORT), False, id="between others that are not"),
        pytest.param((LONG, SHORT), False, id="at the end"),
        pytest.param((SHORT, LONG), False, id="at the beginning"),
        pytest.param((LONG, SHORT, LONG, SHORT), False, id="not always between such"),
    ],
)
def test_lines_of_others_are_work_between_loops_that_are_shared_out(
    steps: tuple[int, ...], counts: bool
) -> None:
    program = chain(*steps)
    fetched = fetched_cycles(program, CHIP)["k1"]
    expected = LINES * CHIP.machine.tuning.threads.line_cycles
    assert fetched == (expected if counts else 0), "half of what is read, half of what is written"
    short = next(kernel for kernel in program.kernels if kernel.name == "k1")
    assert ("@ingot_pool_for" in emit_kernel(short, "k", CHIP, fetched)) is counts


def test_what_is_shared_out_in_any_case_counts_with_what_it_computes() -> None:
    assert "k64" not in fetched_cycles(chain(LONG, SHORT, LONG), CHIP)


def test_a_loop_that_makes_no_two_tasks_is_short_whatever_it_computes() -> None:
    """Three iterations of more than half a task, each of which is handed over with another one."""
    rows, steps = (
        3,
        next(steps for steps in range(1, 99) if 0.7 < _row_cycles(steps) / task_cycles(CHIP) < 0.95),
    )
    assert rows * _row_cycles(steps) > 2 * task_cycles(CHIP)
    program = chain(LONG, steps, LONG, **{f"k{steps}": kernel_of(f"k{steps}", steps, rows)})
    assert fetched_cycles(program, CHIP)[f"k{steps}"] > 0
    alone = emit_kernel(program.kernel_calls[1].kernel, "k", CHIP)
    assert "@ingot_pool_for" not in alone


def _row_cycles(steps: int) -> float:
    (loop,) = kernel_of("k", steps).body
    assert isinstance(loop, For)
    return iteration_cycles(loop, CHIP)


def test_two_loops_share_no_lines_of_others() -> None:
    """Whose they are is not known, and each would count all of them."""
    program = chain(LONG, SHORT, LONG, k1=kernel_of("k1", SHORT, loops=2))
    assert "k1" not in fetched_cycles(program, CHIP)


def test_lines_of_others_are_no_work_of_a_loop_in_steps() -> None:
    """Which comes again in each of them, when its lines are where they are."""
    kernel = kernel_of("k", SHORT)
    steps = replace(kernel, body=(For(Var("step"), index(9), kernel.body, LoopKind.SERIAL),))
    assert "@ingot_pool_for" in emit_kernel(kernel, "k", CHIP, 1e6)
    assert "@ingot_pool_for" not in emit_kernel(steps, "k", CHIP, 1e6)


def test_a_build_shares_out_what_its_program_makes_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "paired_calls", lambda *_: ())  # paired threads share all their loops
    target = resolve(Target.parse("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512"))

    def text_of(name: str, program: Program) -> str:
        unit = CompileUnit("g", program, MemoryPlan({}, 0, 0, 0))
        written = zip(module_names(unit), modules(unit, target, BuildContext()), strict=True)
        return next(job.text for file_name, job in written if file_name == f"g/{name}")

    assert "@ingot_pool_for" in text_of("k1", chain(LONG, SHORT, LONG))
    assert "@ingot_pool_for" not in text_of("k1", chain(LONG, SHORT))


@pytest.mark.parametrize(
    ("count", "cycles", "shared"), [(2, 1500, True), (3, 1400, False), (4, 1400, True), (1, 9000, False)]
)
def test_two_tasks_are_whole_iterations(count: int, cycles: float, shared: bool) -> None:
    assert is_shared_out(count, cycles, 1500) is shared


GRAINS = [(100.0, 15), (1500.0, -1), (1499.0, 2), (4600.0, -3), (1e-9, 1_500_000_000_000)]


@pytest.mark.parametrize(("cycles", "iterations"), GRAINS)
def test_a_grain_is_how_many_iterations_are_worth_handing_over(cycles: float, iterations: int) -> None:
    assert grain(cycles, 1500) == iterations
