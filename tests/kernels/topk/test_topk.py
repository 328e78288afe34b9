"""The largest elements, by one pass with a list or a selection, or by a pass for each: of equal ones the first comes first."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.topk.topk import top_template
from ingot.machines.tuning import TopK
from tests.kernels.templates import run_template
from tests.kernels.test_grid_templates import run_grid
from tests.support import machines

_TUNING = TopK()
_LISTED = _TUNING.list_max_vectors * machines.VECTORS.lanes(DType.INT64)


def expected(x, axis, count, largest):
    order = np.argsort(-x.astype(np.float64) if largest else x.astype(np.float64), axis=axis, kind="stable")
    order = order.take(np.arange(count), axis=axis)
    return np.take_along_axis(x, order, axis), order


def check(x, axis, count, largest=True, machine=machines.VECTORS):
    template = top_template(TensorType(DType.from_numpy(x.dtype), x.shape), axis, count, largest)
    got = run_template(template, x, machine=machine)
    for one, other in zip(got, expected(x, axis, count, largest), strict=True):
        np.testing.assert_array_equal(one, other)


def some(shape, dtype=np.float32, different=9):
    return (np.random.default_rng(3).integers(0, different, shape) - 4).astype(dtype)


@pytest.mark.parametrize("machine", [machines.VECTORS, machines.SCALARS], ids=["vectors", "scalars"])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("count", [0, 1, 2, _LISTED, _LISTED + 1, 16, 17, 33, 64, 65, 129, 299, 300])
def test_few_and_many_of_a_row_with_many_ties(machine, largest, count):
    check(some((1, 300)), 1, count, largest, machine)


def test_columns_and_short_rows():
    check(some((2, 40, 3)), 1, 35)
    check(some((2, _TUNING.min_room + 2 * _TUNING.block + 5, 2)), 1, 35)
    check(some((5, 1)), 1, 1)
    check(some((4, 7)), 0, 3)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_more_than_fit_into_the_kernel_s_own_memory(dtype):
    check(some((2, 1400), dtype, 5000), 1, 1101)


@pytest.mark.parametrize("count", [17, 40, 64, 65, 127, 300])
@pytest.mark.parametrize("order", ["rising", "falling", "mixed", "equal"])
def test_selections_of_numbers_in_any_order(order, count):
    """Rising ones are all put aside; of equal ones none is but the first, which fill the room."""
    x = np.random.default_rng(5).permutation(1500).astype(np.float32)[None] - 700
    if order != "mixed":
        x = np.sort(x)[:, :: 1 if order == "rising" else -1].copy()
    if order == "equal":
        x[:] = 2
    check(x, 1, count)
    check(x[:, : count + 1].copy(), 1, count, False)
    check(x.astype(np.int64), 1, count, False)


@pytest.mark.parametrize("more", [-1, 0, 1, _TUNING.block - 1, _TUNING.block, _TUNING.block + 1])
def test_as_many_as_there_is_room_for(more):
    room = _TUNING.min_room + _TUNING.block
    check(some((1, room + more), different=1000), 1, 40)
    check(some((1, room + more), np.float64, 50), 1, 40, False)
    check(some((1, _TUNING.room * 80 + _TUNING.block + more), different=60), 1, 80)


def test_ties_at_the_bar_come_from_the_front_whenever_it_is_raised():
    """So many equal ones that the bar is one of them, again and again, between larger ones that come ever later."""
    x = np.zeros((1, 1200), np.float32)
    x[0, ::7] = 1
    x[0, 900::50] = np.arange(6) + 2
    for count in (33, 100, 171, 172, 173, 250):
        check(x, 1, count)
        check(-x, 1, count, False)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_what_fills_up_a_block_comes_behind_the_least_number_of_all(dtype):
    """Its keys are filled up with the least one too."""
    ends = np.iinfo(dtype)
    x = np.full((3, 400), ends.min, dtype)
    x[1, 50], x[2, 60::3] = ends.max, ends.max
    for largest in (True, False):
        template = top_template(TensorType(DType.from_numpy(x.dtype), x.shape), 1, 45, largest)
        values, places = run_template(template, x)
        order = np.argsort(~x if largest else x, axis=1, kind="stable")[:, :45]
        np.testing.assert_array_equal(places, order)
        np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1))


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.float16, np.int32, np.uint32, np.int64, np.uint64, np.float64]
)
@pytest.mark.parametrize("count", [5, 50])
def test_every_type(dtype, count):
    x = some((2, 340))
    x = (x + 4 if np.issubdtype(dtype, np.unsignedinteger) else x).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        x[0, 200:203] = np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).min
    template = top_template(TensorType(DType.from_numpy(x.dtype), x.shape), 1, count, False)
    _, places = run_template(template, x)
    np.testing.assert_array_equal(places, np.argsort(x, axis=1, kind="stable")[:, :count])


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize(
    "count", [1, 2, 9, 16, 17, _TUNING.list_max_places, _TUNING.list_max_places + 1, 40, 600]
)
def test_keys_of_64_bits_in_either_memory(count, largest):
    check(some((2, 640), np.int64), 1, count, largest)
    check(some((640, 2), np.float64), 0, count, largest, machines.SCALARS)


def test_the_least_number_of_all_has_its_place():
    least = np.iinfo(np.int64).min
    x = np.array([[least, least, 5, least]])
    values, places = run_template(top_template(TensorType(DType.INT64, x.shape), 1, 3, True), x)
    assert values.tolist() == [[5, least, least]] and places.tolist() == [[2, 0, 1]]


def test_a_nan_is_larger_than_infinity_and_zeros_are_equal():
    x = np.array([[1, np.inf, 0.0, np.nan, -0.0, -np.inf, 0.0, -1]], np.float32)
    _, places = run_template(top_template(TensorType(DType.FLOAT32, x.shape), 1, 8, True), x)
    assert places.tolist() == [[3, 1, 0, 2, 4, 6, 7, 5]]
    many = np.tile(x, 60)
    _, places = run_template(top_template(TensorType(DType.FLOAT32, many.shape), 1, 150, True), many)
    assert places[0].tolist() == [8 * at + one for one in (3, 1) for at in range(60)] + [
        8 * at for at in range(30)
    ]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 3, 40, 200])
def test_a_nan_with_the_sign_of_a_negative_number_is_larger_too(dtype, count):
    """It is the one that an x86 makes of infinity minus infinity."""
    x = np.tile(np.array([-np.inf, -np.nan, np.inf, -1], dtype), (2, 60))
    for largest in (True, False):
        template = top_template(TensorType(DType.from_numpy(x.dtype), x.shape), 1, count, largest)
        _, places = run_template(template, x)
        order = [4 * at + one for one in ((1, 2, 3, 0) if largest else (0, 3, 2, 1)) for at in range(60)]
        assert places.tolist() == [order[:count]] * 2


def test_items_of_a_group_find_the_same():
    x = some((3, 50))
    got = run_grid(top_template(TensorType(DType.FLOAT32, x.shape), 1, 6, True), x)
    for one, other in zip(got, expected(x, 1, 6, True), strict=True):
        np.testing.assert_array_equal(one, other)
