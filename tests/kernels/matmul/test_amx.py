"""Products of float32 in matrix tiles: as near to the exact ones as is said, whatever rows, columns and depths leave over."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.bf16x3 import PARTS, PRODUCTS
from ingot.kernels.matmul.matmul import matmul_template
from ingot.kernels.template import Site
from ingot.loops.nodes import Kernel, buffer
from ingot.machines.machine import Machine
from tests.kernels.templates import template_kernel
from tests.support import machines
from tests.support.kernel_llvm import needs_cc
from tests.support.tiles import needs_float_tiles, output_in_tiles

MACHINE = replace(machines.AVX512, amx_bf16=True, l2_bytes=2**21)
RUNS = [
    pytest.param(False, id="interpreted"),
    pytest.param(True, marks=[needs_cc, needs_float_tiles], id="native"),
]


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def made(a: np.ndarray, b: np.ndarray, machine: Machine = MACHINE) -> tuple[Kernel, dict[str, np.ndarray]]:
    """The kernel of a product in tiles with constant weights, and its memory."""
    types = [TensorType(DType.FLOAT32, one.shape) for one in (a, b)]
    template = matmul_template(*types, TensorType(DType.FLOAT32, (*a.shape[:-1], b.shape[1])))
    return template_kernel(template, a, b, machine=machine, known=(1,), wanted={"matmul": "amx"})


def product(a: np.ndarray, b: np.ndarray, native: bool, machine: Machine = MACHINE) -> np.ndarray:
    kernel, memory = made(a, b, machine)
    return output_in_tiles(kernel, memory, native).reshape(*a.shape[:-1], b.shape[1])


def allowed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far a result may be off: 2⁻²¹ of the products' absolute values for what is left out, 2⁻²⁴ of them for each of
    2 + 2 log₂ K roundings of sums (there are more, but they are as likely up as down), and 2⁻¹²⁵ of a factor for parts of the
    other that are subnormal, as products and sums may be.
    """
    one, other = np.abs(a.astype(np.float64)), np.abs(b.astype(np.float64))
    roundings = 2 + 2 * np.log2(a.shape[-1])
    small = one.sum(-1, keepdims=True) + other.sum(0) + a.shape[-1]
    return (2.0**-21 + roundings * 2.0**-24) * (one @ other) + 2.0**-125 * small


def check(a: np.ndarray, b: np.ndarray, native: bool, machine: Machine = MACHINE) -> None:
    error = np.abs(product(a, b, native, machine) - a.astype(np.float64) @ b.astype(np.float64))
    assert (error <= allowed(a, b)).all(), float((error / allowed(a, b)).max())


# ─── sizes ─────────────────────────────────────────────────────────────────────────────────────────────────────────

SMALL = [(16, 16, 16), (17, 33, 40), (35, 17, 33)]
SIZES = [
    (33, 31, 64),
    (49, 64, 96),
    (64, 63, 100),
    (65, 130, 31),
    (97, 48, 300),
    (129, 35, 288),
    (130, 257, 257),
]


@pytest.mark.parametrize(("rows", "depth", "columns"), SMALL)
def test_sums_are_near_those_of_the_definition(rows: int, depth: int, columns: int) -> None:
    check(numbers(rows, depth), numbers(depth, columns, seed=1), native=False)


@needs_cc
@needs_float_tiles
@pytest.mark.parametrize(("rows", "depth", "columns"), [*SMALL, *SIZES])
def test_a_processor_with_tiles_makes_sums_as_near(rows: int, depth: int, columns: int) -> None:
    check(numbers(rows, depth), numbers(depth, columns, seed=1), native=True)


@needs_cc
@needs_float_tiles
@pytest.mark.parametrize("rows", range(16, 131))
def test_rows_left_over(rows: int) -> None:
    check(numbers(rows, 21), numbers(21, 40, seed=1), native=True)


@needs_cc
@needs_float_tiles
@pytest.mark.parametrize("depth", [16, 17, 30, 31, 32, 33, 34, 35, 63, 64, 65, 66, 95, 96, 97])
def test_depths_left_over(depth: int) -> None:
    check(numbers(33, depth), numbers(depth, 64, seed=1), native=True)


@needs_cc
@pytest.mark.parametrize(
    "columns", [16, 17, 31, 32, 33, 48, 63, 64, 65, 127, 128, 255, 256, 257, 300, 321, 600, 1100]
)
def test_columns_left_over(columns: int) -> None:
    """Three threads have some panels each, of up to 34. Where there are no matrix tiles, vectors do what is written for them."""
    check(numbers(40, 24), numbers(24, columns, seed=1), native=True)


@pytest.mark.parametrize("native", RUNS)
def test_dimensions_in_front_are_rows(native: bool) -> None:
    check(numbers(2, 3, 7, 20), numbers(20, 33, seed=1), native)


def check_in_chunks(rows: int, depth: int, cache: int, native: bool) -> None:
    machine = replace(MACHINE, l2_bytes=cache)
    a, b = numbers(rows, depth), numbers(depth, 70, seed=1)
    assert [space.name for space in made(a, b, machine)[0].workspaces] == ["rows", "weights", "kept"]
    check(a, b, native, machine)


def test_rows_that_do_not_stay_in_the_cache_are_multiplied_in_chunks() -> None:
    check_in_chunks(18, 41, 6 * 1024, native=False)


@needs_cc
@needs_float_tiles
@pytest.mark.parametrize(
    ("rows", "depth", "cache"),
    [(18, 41, 6144), (40, 70, 16384), (24, 642, 12288), (50, 44, 4096), (64, 768, 32768)],
)
def test_a_processor_with_tiles_multiplies_them_in_chunks(rows: int, depth: int, cache: int) -> None:
    check_in_chunks(rows, depth, cache, native=True)


@pytest.mark.parametrize(
    ("rows", "depth"),
    [(64, 768), (16, 3072), (64, 1024), (784, 64), (312, 22), (128, 512), (49, 256), (21, 642)],
)
def test_chunks_cover_the_depth_and_none_is_empty(rows: int, depth: int) -> None:
    kernel, _ = made(
        np.zeros((rows, depth), np.float32),
        np.zeros((depth, 32), np.float32),
        replace(MACHINE, l2_bytes=2**15),
    )
    panels, steps, each, _ = kernel.inputs[1].shape
    _, chunk, _, _, words = kernel.workspaces[0].shape
    chunks = steps // chunk
    assert (panels, each, steps % chunk) == (1, 2 * words, 0)
    assert (chunks - 1) * chunk * each < depth <= chunks * chunk * each
    assert min(depth / 2, 16) / 2 < words <= 16


@needs_cc
@needs_float_tiles
@pytest.mark.parametrize(("rows", "depth"), [(300, 40), (449, 33), (530, 33), (700, 90)])
def test_rows_are_cut_into_strips(rows: int, depth: int) -> None:
    check(
        numbers(rows, depth),
        numbers(depth, 70, seed=1),
        native=True,
        machine=replace(MACHINE, l2_bytes=2**14),
    )


def test_a_strip_of_fewer_rows_may_have_higher_blocks() -> None:
    """Of 449 rows 225 are eight blocks of at most 29, 224 are seven of 32."""
    kernel, memory = made(numbers(449, 16), numbers(16, 16, seed=1), replace(MACHINE, l2_bytes=2**14))
    assert [memory["rows"].size, kernel.workspaces[0].shape[3]] == [8 * PARTS * 32 * 8, 32]


# ─── numbers ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_all_parts_that_are_not_left_out_are_multiplied_once() -> None:
    assert sorted(PRODUCTS) == [
        (one, other) for one in range(PARTS) for other in range(PARTS) if one + other < PARTS
    ]


def uniform(*shape: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(1, 2, shape).astype(np.float32)


@pytest.mark.parametrize("native", RUNS)
def test_the_last_digits_of_each_factor_count(native: bool) -> None:
    """All products of a sum have the same sign: nothing that is left out is made up for by another."""
    a, b = (
        np.nextafter(np.full(shape, 2, np.float32), np.float32(1)) for shape in ((32, 16), (16, 32))
    )  # all digits are one
    check(a, b, native)
    check(uniform(32, 32, seed=1), uniform(32, 32, seed=2), native)


@pytest.mark.parametrize("native", RUNS)
def test_factors_of_few_digits_are_multiplied_without_error(native: bool) -> None:
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-700, 701, shape).astype(np.float32) for shape in ((20, 19), (19, 33)))
    np.testing.assert_array_equal(product(a, b, native), a @ b)  # sums are below 2²⁴


@pytest.mark.parametrize("native", RUNS)
def test_sums_that_cancel_are_off_by_no_more(native: bool) -> None:
    half, b = numbers(24, 20), numbers(20, 48, seed=1)
    a = np.concatenate([half, -half], 1)
    check(a, np.concatenate([b, b + numbers(20, 48, seed=2) * np.float32(1e-6)]), native)


@pytest.mark.parametrize("native", RUNS)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        *[(1e30, 1.0), (1e30, 1e-30), (1e-30, 1.0), (1e-30, 1e25), (1e-20, 1e-20), (1e18, 1e18)],
        *[(1e-40, 1.0), (1.0, 1e-40), (3e37, 1e-38)],
    ],
)
def test_large_and_small_factors(left: float, right: float, native: bool) -> None:
    a, b = (numbers(17, 16) * left).astype(np.float32), (numbers(16, 40, seed=1) * right).astype(np.float32)
    check(a, b, native)


@pytest.mark.parametrize("native", RUNS)
def test_magnitudes_that_differ_within_a_sum(native: bool) -> None:
    spread = np.exp2(np.random.default_rng(3).integers(-20, 21, (24, 32))).astype(np.float32)
    check(numbers(24, 32) * spread, numbers(32, 24, seed=1) * spread.T, native)


@pytest.mark.parametrize("native", RUNS)
def test_zeros_make_zeros(native: bool) -> None:
    a, b = numbers(20, 17), numbers(17, 33, seed=1)
    a[3], a[5], b[:, 32] = 0, -0.0, 0
    y = product(a, b, native)
    assert not y[3].any() and not y[5].any() and not y[:, 32].any()
    assert np.delete(np.delete(y, (3, 5), 0), 32, 1).all()


@pytest.mark.parametrize("native", RUNS)
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_a_row_with_an_infinity_or_nan_is_nan_and_no_other_row(value: float, native: bool) -> None:
    a, b = numbers(18, 17), np.abs(numbers(17, 24, seed=1)) + 1
    rest = product(a, b, native)
    bits = np.array([0x7F800001], np.uint32).view(np.float32)  # a NaN whose upper half is an infinity's
    a[7, 16], a[11, 0], a[17, 5] = value, value, bits[0]
    y = product(a, b, native)
    assert np.isnan(y[[7, 11, 17]]).all()
    np.testing.assert_array_equal(np.delete(y, (7, 11, 17), 0), np.delete(rest, (7, 11, 17), 0))


@pytest.mark.parametrize("native", RUNS)
def test_the_largest_numbers_are_no_infinities(native: bool) -> None:
    """Parts are cut off and not rounded: what is rounded up would be infinite."""
    largest = np.finfo(np.float32).max
    a, b = np.zeros((16, 16), np.float32), np.zeros((16, 16), np.float32)
    a[0, 0], b[0, :8], b[0, 8:] = largest, 1, -0.5
    y = product(a, b, native)
    assert (y[0, :8] == largest).all() and (y[0, 8:] == -largest / 2).all() and not y[1:].any()


# ─── where tiles are taken ─────────────────────────────────────────────────────────────────────────────────────────


def offered(
    a: tuple[int, ...],
    b: tuple[int, ...],
    machine: Machine = MACHINE,
    weights: np.ndarray | None = None,
    dtype: DType = DType.FLOAT32,
) -> tuple[str, ...]:
    """What there is to choose between for sums, the cost model's answer first."""
    types = [TensorType(dtype, shape) for shape in (a, b)]
    output = TensorType(dtype, (*np.broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-1]))
    array = np.ones(b, dtype.numpy) if weights is None else weights
    operands = [buffer(name, one.dtype, one.shape) for name, one in zip("ab", types, strict=True)]
    site = Site(machine, operands, [buffer("y", dtype, output.shape)], [None, array if array.size else None])
    matmul_template(*types, output).build(site)
    return site.offered["matmul"]


def test_products_large_enough_are_in_tiles_and_may_be_in_vectors() -> None:
    assert offered((128, 384), (384, 384)) == ("amx", "panels")
    assert offered((128, 384), (384, 384), replace(MACHINE, math="normwise")) == ("amx", "strassen", "panels")
    assert offered((2, 64, 384), (384, 384)) == ("amx", "panels")


@pytest.mark.parametrize(
    ("a", "b", "machine"),
    [
        ((128, 384), (384, 384), replace(MACHINE, math="exact")),
        ((128, 384), (384, 384), replace(MACHINE, amx_bf16=False)),
        ((128, 384), (384, 384), replace(MACHINE, amx_bf16=False, amx_int8=True)),
        ((15, 384), (384, 384), MACHINE),
        ((128, 15), (15, 384), MACHINE),
        ((128, 384), (384, 15), MACHINE),
        ((2, 128, 384), (2, 384, 384), MACHINE),
    ],
    ids=["exact", "no tiles", "tiles of codes", "few rows", "small depth", "few columns", "weights for each"],
)
def test_other_products_are_in_vectors(a: tuple[int, ...], b: tuple[int, ...], machine: Machine) -> None:
    assert offered(a, b, machine) == ("panels",)


def test_products_of_other_types_or_of_weights_known_late_are_in_vectors() -> None:
    assert offered((128, 384), (384, 384), dtype=DType.FLOAT64) == ("panels",)
    assert offered((128, 384), (384, 384), dtype=DType.FLOAT16) == ("panels",)
    assert offered((128, 384), (384, 384), weights=np.zeros(0, np.float32)) == ("panels",)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_weights_that_are_no_numbers_are_in_vectors(value: float) -> None:
    weights = np.ones((384, 384), np.float32)
    weights[383, 1] = value
    assert offered((128, 384), (384, 384), weights=weights) == ("panels",)
