"""Tables and powers of two by instructions of x86's own: the same results as without them, or nearly so."""

from __future__ import annotations

import math
import platform
import re

import numpy as np
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
    call,
    compare,
    index,
    load,
    maximum,
    store,
)
from tests.support.kernel_llvm import BASELINE, assembly, check_kernel, compile_kernel, needs_cc

V = Var("v")
SIXTEEN = "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=znver5"
FOUR = "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3"
NO_INTEGERS = "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=sandybridge"  # vectors of 32 bytes are of floats
EIGHT = "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=skylake-avx512"
TARGETS = [BASELINE, "llvm -mcpu=native"]
if platform.machine() == "x86_64":
    TARGETS.append("llvm -mcpu=native -mattr=-avx512f")  # as much as AVX2 where the machine has that


def table_kernel(lanes: int, codes: DType, held: DType, size: int = 256) -> Kernel:
    table, x, y = buffer("table", held, (size,)), buffer("x", codes, (lanes,)), buffer("y", held, (lanes,))
    at: Expr = Cast(load(x, V), DType.INT64)
    if codes.is_signed:
        at = maximum(at, 0)
    return Kernel(
        "k", (table, x), (y,), (For(V, index(lanes), (store(y, (V,), load(table, at)),), LoopKind.VECTOR),)
    )


@needs_cc
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("lanes", [2, 3, 8, 11, 16, 24, 64, 70, 200])
def test_any_number_of_codes_is_looked_up(lanes: int, target: str) -> None:
    rng = np.random.default_rng(lanes)
    for codes, held in ((DType.UINT8, DType.UINT8), (DType.INT32, DType.INT8)):
        table = rng.permutation(256).astype(np.uint8).view(held.numpy)
        x = rng.integers(0, 256, lanes).astype(codes.numpy)
        (y,) = check_kernel(table_kernel(lanes, codes, held), table, x, target=target)
        np.testing.assert_array_equal(y, table[x])


def test_a_table_of_all_codes_stays_in_registers_and_no_other_does() -> None:
    assert re.search(r"vperm[it]2b", assembly(table_kernel(64, DType.UINT8, DType.UINT8), SIXTEEN))
    for kernel, target in (
        (table_kernel(64, DType.UINT8, DType.UINT8), EIGHT),
        (table_kernel(64, DType.UINT8, DType.UINT8, 300), SIXTEEN),
        (table_kernel(16, DType.UINT8, DType.FLOAT32), SIXTEEN),
    ):
        assert not re.search(r"vperm[it]2b", assembly(kernel, target))


@pytest.mark.parametrize("target", [EIGHT, FOUR])
def test_without_that_a_table_of_all_codes_is_looked_up_in_halves_of_registers(target: str) -> None:
    for lanes in (8, 16, 32):
        text = assembly(table_kernel(lanes, DType.UINT8, DType.UINT8), target)
        assert len(re.findall(r"vpshufb\s.*%ymm", text)) == 8 * -(-lanes // 16)
        assert "vpinsrb" not in text
    for kernel in (
        table_kernel(4, DType.UINT8, DType.UINT8),
        table_kernel(16, DType.UINT8, DType.UINT8, 300),
        table_kernel(16, DType.UINT8, DType.FLOAT32),
    ):
        assert not re.search(r"vpshufb\s.*%ymm", assembly(kernel, target))
    assert "pshufb" not in assembly(table_kernel(16, DType.UINT8, DType.UINT8), NO_INTEGERS)


def exp_kernel(lanes: int, name: str = "exp") -> Kernel:
    x, y = buffer("x", DType.FLOAT32, (lanes,)), buffer("y", DType.FLOAT32, (lanes,))
    return Kernel(
        "k", (x,), (y,), (For(V, index(lanes), (store(y, (V,), call(name, load(x, V))),), LoopKind.VECTOR),)
    )


@needs_cc
@pytest.mark.parametrize("written_for", ["", EIGHT])
@pytest.mark.parametrize("lanes", [2, 3, 8, 11, 16, 24, 40])
def test_any_number_of_error_functions_is_the_same_as_one_by_one(lanes: int, written_for: str) -> None:
    middles = np.float32(0.26 * (np.arange(-17, 17) + 0.5))  # where one interval meets the next
    x = np.concatenate(
        [middles, np.nextafter(middles, np.float32(9)), np.float32([np.nan, np.inf, -0.0, 1e-41])]
    )
    together, alone = (
        compile_kernel(exp_kernel(count, "erf"), "llvm -mcpu=native", written_for) for count in (lanes, 1)
    )
    y, one = np.empty(lanes, np.float32), np.empty(1, np.float32)
    for start in range(0, len(x), lanes):
        some = np.resize(x[start:], lanes)
        together(some, y)
        for value, got in zip(some, y, strict=True):
            alone(np.array([value]), one)
            np.testing.assert_array_equal(one[0], got)
            if not np.isnan(value):
                np.testing.assert_array_almost_equal_nulp(got, np.float32(math.erf(value)), 2)
                assert np.signbit(got) == np.signbit(value)


def test_error_functions_look_their_polynomials_up_where_16_floats_fit_in_a_register() -> None:
    for target in (SIXTEEN, EIGHT):
        text = assembly(exp_kernel(16, "erf"), target)
        assert len(re.findall(r"vpermps\s.*%zmm", text)) == 7 and "vdivps" not in text
    assert "vpermps" not in assembly(exp_kernel(16, "erf"), FOUR)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16, 32])
def test_exponentials_are_scaled_by_one_instruction(lanes: int) -> None:
    for target in (SIXTEEN, EIGHT):
        assert "vscalefps" in assembly(exp_kernel(lanes), target)
    assert "scalef" not in assembly(
        exp_kernel(lanes), "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3"
    )


@needs_cc
@pytest.mark.parametrize("lanes", [1, 2, 3, 8, 16, 20, 64])
def test_exponentials_are_the_same_for_any_number_of_lanes(lanes: int) -> None:
    x = np.random.default_rng(0).uniform(-110, 95, 64).astype(np.float32)
    x[:4] = np.inf, -np.inf, np.nan, -1e9
    whole, some = np.empty(64, np.float32), np.empty(lanes, np.float32)
    compile_kernel(exp_kernel(64))(x, whole)
    compile_kernel(exp_kernel(lanes))(x[:lanes].copy(), some)
    np.testing.assert_array_equal(some, whole[:lanes])
    np.testing.assert_array_equal(whole[[0, 1, 3]], np.array([np.inf, 0, 0], np.float32))
    assert np.isnan(whole[2])


@pytest.mark.parametrize("dtype", [DType.INT64, DType.FLOAT32, DType.INT8])
def test_truths_are_made_of_registers_and_not_read_under_a_mask(dtype: DType) -> None:
    lanes = 64 // dtype.size_bytes
    a, b, y = (
        buffer(name, kind, (lanes,)) for name, kind in zip("aby", (dtype, dtype, DType.BOOL), strict=True)
    )
    less = For(V, index(lanes), (store(y, (V,), compare("lt", load(a, V), load(b, V))),), LoopKind.VECTOR)
    text = assembly(Kernel("k", (a, b), (y,), (less,)), SIXTEEN)
    assert "{z}" in text
    assert not re.search(r"\(%rip\).*\{z\}|\{z\}.*\[rip", text)
