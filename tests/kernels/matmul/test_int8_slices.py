"""Products of rows in three slices of int8 with weights in groups: as near to the real numbers as float32 is, for any row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.matmul.grouped_weights import Blocks, WeightOnly
from ingot.kernels.matmul.int8_slices import refuses_int8_slices
from ingot.kernels.matmul.weight_only import block_matmul
from ingot.kernels.template import Site
from tests.kernels.templates import run_template, site_of
from tests.support import machines

DOTS = replace(machines.VECTORS, vector_registers=32, dot_i8x4=True)
SIGNED = replace(machines.NEON, dot_i8x4=True, dot_i8x4_signed=True)
GROUP, DEPTH, COLUMNS = 32, 80, 5
ROUNDING = 2.0**-24


def weights(bits: int, zero: float | None) -> tuple[np.ndarray, ...]:
    """Quantized values `[K, N]`, scales and, where groups have zero points of their own, offsets `[groups, N]`."""
    random = np.random.default_rng(bits)
    values = random.integers(0, 2**bits, (DEPTH, COLUMNS)).astype(np.uint8)
    scales = random.uniform(0.005, 0.02, (3, COLUMNS)).astype(np.float32)
    return values, scales, *(() if zero is not None else (scales * np.float32(5.5),))


def product(
    a: np.ndarray, bits: int = 4, zero: float | None = None, algorithm: str = "int8_slices", machine=DOTS
) -> np.ndarray:
    template = block_matmul(
        TensorType(DType.FLOAT32, a.shape), COLUMNS, Blocks(bits=bits, size=GROUP, depth=DEPTH, zero=zero)
    )
    arrays = (a, *weights(bits, zero))
    known, wanted = range(1, len(arrays)), {"matmul_nbits": algorithm}
    (result,) = run_template(template, *arrays, machine=machine, known=known, wanted=wanted)
    return result


def units_off(result: np.ndarray, a: np.ndarray, bits: int, zero: float | None) -> float:
    """The largest error, in roundings of the sum of the sizes of a result's products."""
    values, scales, *offsets = (array.astype(np.float64) for array in weights(bits, zero))
    spread = np.arange(DEPTH) // GROUP
    plain = values * scales[spread]
    taken = offsets[0][spread] if offsets else zero * scales[spread]
    sizes = np.abs(a).astype(np.float64) @ (np.abs(plain) + np.abs(taken))
    return float((np.abs(result - a.astype(np.float64) @ (plain - taken)) / (sizes * ROUNDING)).max())


def normal(rows: int) -> np.ndarray:
    return np.random.default_rng(rows).standard_normal((rows, DEPTH)).astype(np.float32)


def of_many_sizes(rows: int) -> np.ndarray:
    """Elements whose sizes differ by 2^40."""
    return np.ldexp(normal(rows), np.random.default_rng(1).integers(-20, 20, (rows, DEPTH))).astype(
        np.float32
    )


def just_below_powers_of_two(rows: int) -> np.ndarray:
    """The largest numbers of their power of two, where a fourth digit would be needed without the next power."""
    return np.nextafter(np.exp2(np.arange(DEPTH) % 7), 0).astype(np.float32) * np.ones((rows, 1), np.float32)


@pytest.mark.parametrize("machine", [DOTS, SIGNED], ids=["dots", "signed dots"])
@pytest.mark.parametrize("make", [normal, of_many_sizes, just_below_powers_of_two])
@pytest.mark.parametrize(("bits", "zero"), [(2, 2.0), (4, None), (4, 0.0)])
def test_errors_are_near_those_of_float32(bits, zero, make, machine):
    a = make(2)
    sliced = units_off(product(a, bits, zero, machine=machine), a, bits, zero)
    summed = units_off(product(a, bits, zero, "in_registers", machine), a, bits, zero)
    assert sliced <= max(2 * summed, 3.0)


def test_values_of_8_bits_are_multiplied_whole():
    a = normal(1)
    assert units_off(product(a, 8), a, 8, None) <= 2.0


@pytest.mark.parametrize("scale", [1e-44, 1e-38, 1e-30, 1e30, 1e35])
def test_rows_near_the_ends_of_float32_neither_overflow_nor_vanish(scale):
    a = (normal(1) * np.float32(scale)).astype(np.float32)
    result = product(a, zero=0.0)
    assert np.isfinite(result).all()
    if scale >= 1e-30:
        assert units_off(result, a, 4, 0.0) <= 2.0


def test_zeros_give_zero():
    assert not product(np.zeros((2, DEPTH), np.float32)).any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("zero", [None, 0.0])
def test_what_is_not_finite_makes_nan_of_its_row_alone(bad, zero):
    a = normal(2)
    a[0, 40] = bad
    result = product(a, zero=zero)
    assert np.isnan(result[0]).all()
    np.testing.assert_array_equal(result[1:], product(a, zero=zero)[1:])
    assert np.isfinite(result[1]).all()


@pytest.mark.parametrize(
    ("machine", "bits", "rows", "why"),
    [
        (replace(DOTS, math="exact"), 4, 1, "math=exact"),
        (SIGNED, 8, 1, "unsigned"),
        (DOTS, 4, 5, "5 rows"),
        (SIGNED, 4, 1, ""),
        (DOTS, 8, 4, ""),
    ],
)
def test_what_it_does_not_compute_is_refused(machine, bits, rows, why):
    problem = WeightOnly(rows, COLUMNS, Blocks(bits, GROUP, DEPTH, None))
    refusal = refuses_int8_slices(Site(machine, [], [], []), problem)
    assert why in refusal
    assert bool(refusal) == bool(why)


@pytest.mark.parametrize(("machine", "taken"), [(DOTS, "int8_slices"), (machines.AVX2, "in_registers")])
def test_it_is_taken_where_an_instruction_multiplies_four_values(machine, taken):
    a = normal(1)
    template = block_matmul(TensorType(DType.FLOAT32, a.shape), COLUMNS, Blocks(4, GROUP, DEPTH, None))
    site = site_of(template, machine, [None, *weights(4, None)])
    template.build(site)
    assert site.chosen["matmul_nbits"] == taken
