"""Which loops are worth sharing out: what they compute, and whose lines they would have to fetch."""

from __future__ import annotations

import pytest

from ingot.codegen.llvm_emit import emit_kernel
from ingot.codegen.llvm_forms import Chip
from ingot.codegen.llvm_grain import LINE_CYCLES, fetched_cycles, grain
from ingot.loops.nodes import Expr, Fma, For, Kernel, LoopKind, Var, buffer, index, load, store
from ingot.plan.program import Call, Program, Value
from ingot.tensor import DType, TensorType, row_major

CHIP = Chip(64, has_fma=True, has_half=True)
SHAPE = (12, 384)
LINES = 12 * 384 * 4 // 64
LONG, SHORT = 64, 1  # multiply-adds for each element


def kernel_of(name: str, steps: int) -> Kernel:
    """A map in rows, with so many multiply-adds for each element."""
    row, column = Var("row"), Var("column")
    x, y = buffer("x", DType.FLOAT32, SHAPE), buffer("y", DType.FLOAT32, SHAPE)
    value: Expr = load(x, row, column)
    for _ in range(steps):
        value = Fma(value, value, value)
    body = For(column, index(SHAPE[1]), (store(y, (row, column), value),), LoopKind.VECTOR)
    return Kernel(name, (x,), (y,), (For(row, index(SHAPE[0]), (body,), LoopKind.PARALLEL),))


def chain(*steps: int) -> Program:
    """Maps one after another; those with as many multiply-adds are one kernel."""
    kernels = {each: kernel_of(f"k{each}", each) for each in steps}
    names = [f"t{number}" for number in range(len(steps) + 1)]
    values = {name: Value(name, TensorType(DType.FLOAT32, SHAPE), row_major(SHAPE), name, 0) for name in names}
    calls = tuple(Call(kernels[each], (names[at], names[at + 1]), (f"n{at}",)) for at, each in enumerate(steps))
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
def test_lines_of_others_are_work_between_loops_that_are_shared_out(steps: tuple[int, ...], counts: bool) -> None:
    program = chain(*steps)
    fetched = fetched_cycles(program, CHIP)["k1"]
    assert fetched == (LINES * LINE_CYCLES if counts else 0), "half of what is read, half of what is written"
    short = next(kernel for kernel in program.kernels if kernel.name == "k1")
    assert ("@ingot_pool_for" in emit_kernel(short, "k", CHIP, fetched)) is counts


def test_what_is_shared_out_in_any_case_counts_with_what_it_computes() -> None:
    assert "k64" not in fetched_cycles(chain(LONG, SHORT, LONG), CHIP)


GRAINS = [(100.0, 15), (1500.0, -1), (1499.0, 2), (4600.0, -3), (1e-9, 1_500_000_000_000)]


@pytest.mark.parametrize(("cycles", "iterations"), GRAINS)
def test_a_grain_is_how_many_iterations_are_worth_handing_over(cycles: float, iterations: int) -> None:
    assert grain(cycles, 1500) == iterations
