"""Stores of every n-th element that are put side by side first, against the interpreter."""

from __future__ import annotations

import re

import pytest

from ingot.base.tensor import DType
from ingot.loops.nodes import (
    Cast,
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
P, V = Var("p"), Var("v")
pytestmark = needs_cc


def parts_of(count: int, lanes: int, value: Expr, out, at: Expr = P) -> For:
    inner = For(V, index(lanes), (store(out, (V, at), value),), LoopKind.VECTOR)
    return For(P, index(count), (inner,), LoopKind.UNROLLED)


@pytest.mark.parametrize("target", (BASELINE, "llvm -mcpu=native"))
@pytest.mark.parametrize("dtype", [F, DType.UINT8, DType.BOOL, DType.INT64, DType.FLOAT16, DType.BFLOAT16])
@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_planes_are_interleaved(count: int, dtype: DType, target: str) -> None:
    for lanes in (2, 3, 16):
        planes, y = buffer("x", dtype, (count, lanes)), buffer("y", dtype, (lanes, count))
        check_kernel(
            Kernel("k", (planes,), (y,), (parts_of(count, lanes, load(planes, P, V), y),)), target=target
        )


def test_parts_may_be_computed_and_differ() -> None:
    x, z, y = buffer("x", F, (8,)), buffer("z", F, (4,)), buffer("y", F, (8, 4))
    value = load(x, V) * load(z, P) + Cast(P, F)
    check_kernel(Kernel("k", (x, z), (y,), (parts_of(4, 8, value, y),)))
    guarded = select(compare("lt", V, 5), load(x, V), 0.0) + load(z, P)
    check_kernel(Kernel("k", (x, z), (y,), (parts_of(4, 8, guarded, y),)))


def test_gaps_stay_as_they_were() -> None:
    x, wide, turned = buffer("x", F, (8,)), buffer("y", F, (8, 3)), buffer("y", F, (8, 2))
    check_kernel(Kernel("k", (x,), (wide,), (parts_of(2, 8, load(x, V), wide),)))
    check_kernel(Kernel("k", (x,), (turned,), (parts_of(2, 8, load(x, V) + Cast(P, F), turned, 1 - P),)))


def test_whole_vectors_are_stored() -> None:
    x, y = buffer("x", F, (16,)), buffer("y", F, (16, 2))
    text = assembly(
        Kernel("k", (x,), (y,), (parts_of(2, 16, load(x, V), y),)),
        "llvm -mtriple=x86_64-linux-gnu -mcpu=znver4",
    )
    assert len(re.findall(r"vmov\w+\s+%zmm\d+, .*\(%r", text)) == 2
    assert not re.search(r"vextractps|vmovss|vmovlps", text)
