"""The largest elements, by one pass and a list, batches or a heap, or by a pass for each: of equal ones the first comes first."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.ops.top import _LOCAL_MOST, top_template
from ingot.ops.top_sorted import _BLOCKS_MOST
from ingot.tensor import DType, TensorType
from tests.ops.templates import SCALARS, VECTORS, run_template
from tests.ops.test_grid_templates import run_grid

_LISTED = _BLOCKS_MOST * VECTORS.lanes(DType.INT64)


def expected(x, axis, count, largest):
    order = np.argsort(-x.astype(np.float64) if largest else x.astype(np.float64), axis=axis, kind="stable")
    order = order.take(np.arange(count), axis=axis)
    return np.take_along_axis(x, order, axis), order


def check(x, axis, count, largest=True, machine=VECTORS):
    template = top_template(TensorType(DType.from_numpy(x.dtype), x.shape), axis, count, largest)
    got = run_template(template, x, machine=machine)
    for one, other in zip(got, expected(x, axis, count, largest), strict=True):
        np.testing.assert_array_equal(one, other)


def some(shape, dtype=np.float32, different=9):
    return (np.random.default_rng(3).integers(0, different, shape) - 4).astype(dtype)


@pytest.mark.parametrize("machine", [VECTORS, SCALARS], ids=["vectors", "scalars"])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("count", [0, 1, 2, 16, 17, _BLOCKS_MOST, _BLOCKS_MOST + 1, _LISTED, _LISTED + 1, 299, 300])
def test_few_and_many_of_a_row_with_many_ties(machine, largest, count):
    check(some((1, 300)), 1, count, largest, machine)


def test_columns_and_short_rows():
    check(some((2, 40, 3)), 1, _BLOCKS_MOST + 3)
    check(some((5, 1)), 1, 1)
    check(some((4, 7)), 0, 3)


def test_more_than_fit_into_the_kernel_s_own_memory():
    check(some((2, _LOCAL_MOST + 5), different=5000), 1, _LOCAL_MOST + 1)


@pytest.mark.parametrize("count", [17, 40, 64, 65, 512, 513])
@pytest.mark.parametrize("order", ["rising", "falling", "mixed"])
def test_batches_of_numbers_in_any_order(order, count):
    x = np.random.default_rng(5).permutation(700).astype(np.float32)[None] - 300
    if order != "mixed":
        x = np.sort(x)[:, :: 1 if order == "rising" else -1].copy()
    check(x, 1, count)
    check(x[:, : max(count + 1, 33)].copy(), 1, count, False)


def test_a_batch_that_is_not_full_is_filled_up_with_what_comes_behind_all():
    x = np.full((2, 70), np.iinfo(np.int32).min, np.int32)
    x[1, 50] = 3
    check(x, 1, 40)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float16, np.int32, np.uint32, np.int64, np.uint64, np.float64])
def test_every_type(dtype):
    x = some((2, 300))
    x = (x + 4 if np.issubdtype(dtype, np.unsignedinteger) else x).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        x[0, 200:203] = np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).min
    template = top_template(TensorType(DType.from_numpy(x.dtype), x.shape), 1, 5, False)
    _, places = run_template(template, x)
    np.testing.assert_array_equal(places, np.argsort(x, axis=1, kind="stable")[:, :5])


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("count", [1, 2, 9, 16, 17, 32, 33, 40, 600])
def test_keys_of_64_bits_in_either_memory(count, largest):
    check(some((2, 640), np.int64), 1, count, largest)
    check(some((640, 2), np.float64), 0, count, largest, SCALARS)


def test_the_least_number_of_all_has_its_place():
    least = np.iinfo(np.int64).min
    x = np.array([[least, least, 5, least]])
    values, places = run_template(top_template(TensorType(DType.INT64, x.shape), 1, 3, True), x)
    assert values.tolist() == [[5, least, least]] and places.tolist() == [[2, 0, 1]]


def test_a_nan_is_larger_than_infinity_and_zeros_are_equal():
    x = np.array([[1, np.inf, 0.0, np.nan, -0.0, -np.inf, 0.0, -1]], np.float32)
    _, places = run_template(top_template(TensorType(DType.FLOAT32, x.shape), 1, 8, True), x)
    assert places.tolist() == [[3, 1, 0, 2, 4, 6, 7, 5]]


def test_items_of_a_group_find_the_same():
    x = some((3, 50))
    got = run_grid(top_template(TensorType(DType.FLOAT32, x.shape), 1, 6, True), x)
    for one, other in zip(got, expected(x, 1, 6, True), strict=True):
        np.testing.assert_array_equal(one, other)
