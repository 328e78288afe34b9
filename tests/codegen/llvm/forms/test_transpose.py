"""Squares that are read along memory and turned in registers, against the interpreter."""

from __future__ import annotations

import re

import pytest

from ingot.base.tensor import DType
from ingot.loops.nodes import (
    Binary,
    Expr,
    For,
    Kernel,
    LoopKind,
    Var,
    buffer,
    compare,
    index,
    load,
    select,
    store,
)
from tests.support.kernel_llvm import BASELINE, assembly, check_kernel, needs_cc

F = DType.FLOAT32
C, V = Var("c"), Var("v")
pytestmark = needs_cc


def square(extent: int, value: Expr, out) -> For:
    lanes = For(V, index(extent), (store(out, (C, V), value),), LoopKind.VECTOR)
    return For(C, index(extent), (lanes,), LoopKind.UNROLLED)


def turn(extent: int, dtype: DType = F, pitch: int = 0) -> Kernel:
    """y[c, v] = x[v, c], where a row of x is `pitch` elements long."""
    x, y = buffer("x", dtype, (extent, pitch or extent)), buffer("y", dtype, (extent, extent))
    return Kernel("k", (x,), (y,), (square(extent, load(x, V, C), y),))


@pytest.mark.parametrize("target", (BASELINE, "llvm -mcpu=native"))
@pytest.mark.parametrize("dtype", [F, DType.UINT8, DType.BOOL, DType.INT64, DType.FLOAT16, DType.BFLOAT16])
@pytest.mark.parametrize("extent", [2, 3, 4, 8, 16])
def test_a_square_is_turned(extent: int, dtype: DType, target: str) -> None:
    check_kernel(turn(extent, dtype, extent + 3), target=target)


def test_the_turned_square_meets_what_else_is_computed() -> None:
    x, z, y = buffer("x", F, (8, 8)), buffer("z", F, (8,)), buffer("y", F, (8, 8))
    value = load(x, V, C) * load(z, V) + load(x, C, V) + load(z, C)
    check_kernel(Kernel("k", (x, z), (y,), (square(8, value, y),)))


def test_what_a_condition_guards_is_not_read_beyond_it() -> None:
    x, y = buffer("x", F, (8, 4)), buffer("y", F, (8, 8))
    inside = compare("lt", C, 4)
    value = select(inside, load(x, V, select(inside, C, 0)), 0.0)
    check_kernel(Kernel("k", (x,), (y,), (square(8, value, y),)))
    guarded = select(Binary("and", inside, compare("lt", V, 4)), load(x, V, C), 0.0)
    check_kernel(Kernel("k", (x,), (y,), (square(8, guarded, y),)))


def test_a_square_that_is_turned_in_its_own_place_is_turned_step_by_step() -> None:
    """What one step stores the next ones read: the loads cannot all come first."""
    x, y = buffer("x", F, (8, 8)), buffer("y", F, (8, 8))
    check_kernel(
        Kernel("k", (x,), (y,), (square(8, load(x, V, C), y), square(8, load(y, V, C) + load(x, C, V), y)))
    )


def test_bytes_are_turned_by_interleaving_alone() -> None:
    text = assembly(turn(16, DType.UINT8, pitch=100), "llvm -mcpu=haswell")
    assert len(re.findall(r"punpck", text)) == 4 * 16 and "pshuf" not in text


def test_half_floats_are_turned_as_the_floats_that_they_are_in_registers() -> None:
    text = assembly(turn(8, DType.FLOAT16, pitch=100), "llvm -mcpu=haswell")
    assert len(re.findall(r"vunpck|vinsertf128|vperm2f128|vshuf|vpermpd|vblend", text)) == 3 * 8


def test_a_line_of_the_cache_is_loaded_once() -> None:
    text = assembly(turn(16, pitch=100), "llvm -mcpu=skylake-avx512")
    assert len(re.findall(r"\(%rdi\)", text)) == 16, "one load for each row"
