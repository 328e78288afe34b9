"""Scalars that one load brings and shuffles spread, against the interpreter."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from ingot.base.tensor import DType
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Buffer,
    Const,
    Expr,
    Fma,
    For,
    Kernel,
    LoopKind,
    Stmt,
    Var,
    buffer,
    index,
    load,
    store,
)
from tests.support.kernel_llvm import assembly, check_kernel, needs_cc

F = DType.FLOAT32
K, PART, V = Var("k"), Var("part"), Var("v")
NATIVE = "llvm -mcpu=native"
RAPIDS = "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"
pytestmark = needs_cc


def sums(
    vectors: int = 2,
    lanes: int = 16,
    depth: int = 24,
    parts: int = 4,
    factor: Callable[[Buffer, Buffer, int], Expr] | None = None,
) -> Kernel:
    """`y[c] = Σ_k x[k] * w[k, c]`, `parts` steps in an unrolled loop; `factor(x, sums, vector)` in place of `x[k]`."""
    x, w, y = (
        buffer("x", F, (depth + 1,)),
        buffer("w", F, (depth, vectors * lanes)),
        buffer("y", F, (vectors * lanes,)),
    )
    acc = buffer("acc", F, (vectors * lanes,))
    at = K * parts + PART

    def each(body: Callable[[Expr, int], Stmt]) -> tuple[Stmt, ...]:
        return tuple(
            For(V, index(lanes), (body(V + vector * lanes, vector),), LoopKind.VECTOR)
            for vector in range(vectors)
        )

    def add_up(column: Expr, vector: int) -> Stmt:
        left = factor(x, acc, vector) if factor else load(x, at)
        return store(acc, (column,), Fma(left, load(w, at, column), load(acc, column)))

    unrolled = For(PART, index(parts), each(add_up), LoopKind.UNROLLED)
    clear = each(lambda column, _: store(acc, (column,), Const(0.0, F)))
    keep = each(lambda column, _: store(y, (column,), load(acc, column)))
    return Kernel("k", (x, w), (y,), (Alloc(acc), *clear, For(K, index(depth // parts), (unrolled,)), *keep))


@pytest.mark.parametrize("written_for", ["", RAPIDS])
@pytest.mark.parametrize(
    "shape", [(1, 16, 4, 4), (3, 16, 24, 4), (2, 8, 8, 4), (2, 6, 8, 4), (2, 16, 8, 2), (1, 4, 8, 4)]
)
def test_sums_are_as_written(shape: tuple[int, int, int, int], written_for: str) -> None:
    check_kernel(sums(*shape), target=NATIVE, written_for=written_for)


def test_a_load_brings_four_scalars_where_loads_are_dear() -> None:
    assert loads_of(assembly(sums(), RAPIDS)) == (1, 0)
    assert loads_of(assembly(sums(), "llvm -mtriple=x86_64-linux-gnu -mcpu=znver4")) == (0, 4)


def test_neon_takes_a_scalar_from_a_lane() -> None:
    text = assembly(sums(1, 4), "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")
    assert sorted(re.findall(r"fmla\tv\d+\.4s, v\d+\.4s, v\d+\.s\[(\d)\]", text)) == ["0", "1", "2", "3"]
    assert not re.search(r"ldr\ts\d|ld1r|dup", text)


def test_a_place_that_is_divided_is_still_a_place() -> None:
    kernel = sums(factor=lambda x, acc, vector: load(x, index(0) + (K // 2) * 4 + PART))
    assert loads_of(assembly(kernel, RAPIDS)) == (1, 0)
    check_kernel(kernel, target=NATIVE, written_for=RAPIDS)


def test_a_place_that_the_steps_themselves_divide_is_loaded_one_by_one() -> None:
    kernel = sums(factor=lambda x, acc, vector: load(x, (K * 4 + PART) // 2))
    assert loads_of(assembly(kernel, RAPIDS))[0] == 0
    check_kernel(kernel, target=NATIVE, written_for=RAPIDS)


def loads_of(text: str) -> tuple[int, int]:
    """Loads of four floats into all blocks of a register, and of one into all lanes."""
    return len(re.findall(r"vbroadcastf32x4\s+[^%\n]*\(", text)), len(
        re.findall(r"vbroadcastss\s+[^%\n]*\(", text)
    )


@pytest.mark.parametrize(("lanes", "together"), [(4, True), (8, True), (12, False), (32, False), (96, False)])
def test_only_what_fills_one_register_comes_together(lanes: int, together: bool) -> None:
    kernel = sums(1, lanes)
    assert (
        bool(re.search(r"vbroadcastf\d+x|vbroadcastf128|vpermilps|vshufps", assembly(kernel, RAPIDS)))
        == together
    )
    check_kernel(kernel, target=NATIVE, written_for=RAPIDS)


@pytest.mark.parametrize(
    "at", [index(24) - K * 4 - PART, Binary("rem", K + PART * 5, index(24)), K * 4, K + PART * 2]
)
def test_factors_that_do_not_lie_side_by_side_are_loaded_one_by_one(at: Expr) -> None:
    kernel = sums(factor=lambda x, acc, vector: load(x, at))
    assert loads_of(assembly(kernel, RAPIDS))[0] == 0
    check_kernel(kernel, target=NATIVE, written_for=RAPIDS)


def test_what_the_loop_itself_changes_is_read_each_time() -> None:
    kernel = sums(factor=lambda x, acc, vector: load(acc, PART + (1 - vector) * 16))
    assert loads_of(assembly(kernel, RAPIDS))[0] == 0
    check_kernel(kernel, target=NATIVE, written_for=RAPIDS)
