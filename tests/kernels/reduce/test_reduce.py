"""Reductions, on every storage order and for values at the edges."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import ingot
from ingot.base.tensor import KERNEL_DTYPES, DType, TensorType
from ingot.kernels.reduce.argmax import arg_extreme, one_at_largest
from ingot.kernels.reduce.reduce import FOLDS, reduction
from tests.kernels.templates import run_template
from tests.support import machines
from tests.support.onnx_text import parse

NUMPY = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}


def type_of(array: np.ndarray) -> TensorType:
    return TensorType(DType.from_numpy(array.dtype), array.shape)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)])
def test_a_sum_does_not_depend_on_how_its_operand_is_stored(order, axes):
    x = np.random.default_rng(1).integers(-50, 50, (3, 5, 11)).astype(np.float32)
    (got,) = run_template(reduction(type_of(x), axes, FOLDS["sum"], True), x, orders={"in0": order})
    np.testing.assert_array_equal(got, x.sum(axes, keepdims=True))


@pytest.mark.parametrize("shape", [(3, 9, 5), (2, 1, 4), (2, 3, 2, 6)])
def test_short_rows_are_folded_side_by_side(shape):
    x = np.random.default_rng(3).integers(-50, 50, shape).astype(np.float32)
    axes = tuple(range(1, len(shape)))
    for fold in ("sum", "max"):
        (got,) = run_template(reduction(type_of(x), axes, FOLDS[fold], False), x)
        np.testing.assert_array_equal(got, NUMPY[fold](x, axis=axes))


@pytest.mark.parametrize("fold", sorted(FOLDS))
@pytest.mark.parametrize(
    "dtype", [d for d in KERNEL_DTYPES if d not in (DType.BOOL, DType.BFLOAT16)], ids=lambda d: d.value
)
def test_every_fold_of_every_number_type(fold, dtype):
    x = np.random.default_rng(2).integers(1, 3, (2, 9)).astype(dtype.numpy)
    (got,) = run_template(reduction(type_of(x), (1,), FOLDS[fold], False), x)
    np.testing.assert_array_equal(got, NUMPY[fold](x, axis=1).astype(x.dtype))


@pytest.mark.parametrize("fold", ["max", "min"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("where", [0, 4, 8])
def test_a_nan_comes_through_an_extreme_wherever_it_is(fold, axis, where):
    x = np.arange(81, dtype=np.float32).reshape(9, 9)
    x[(where, 3) if axis == 0 else (3, where)] = np.nan
    (got,) = run_template(reduction(type_of(x), (axis,), FOLDS[fold], False), x)
    np.testing.assert_array_equal(got, NUMPY[fold](x, axis=axis))
    assert np.isnan(got).sum() == 1


@pytest.mark.parametrize(("fold", "expected"), [("sum", 0), ("prod", 1), ("max", -np.inf), ("min", np.inf)])
def test_a_fold_of_nothing_is_the_neutral_element(fold, expected):
    x = np.zeros((2, 0, 3), np.float32)
    (got,) = run_template(reduction(type_of(x), (1,), FOLDS[fold], True), x)
    np.testing.assert_array_equal(got, np.full((2, 1, 3), expected, np.float32))


def test_a_long_sum_keeps_more_digits_than_one_running_total():
    x = np.full((1, 40000), 0.1, np.float32)
    (got,) = run_template(reduction(type_of(x), (1,), FOLDS["sum"], False), x)
    running = np.add.accumulate(x[0])[-1]
    assert abs(got[0] - 4000) < abs(running - 4000) / 4


@pytest.mark.parametrize("machine", [machines.SCALARS, machines.VECTORS], ids=["scalars", "vectors"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("shape", [(7, 7), (5, 75), (3, 64), (75, 3), (16, 15)])
def test_of_equal_extremes_the_first_or_the_last_counts(machine, axis, last, shape):
    x = np.random.default_rng(3).integers(0, 3, shape).astype(np.int32)
    (got,) = run_template(arg_extreme(type_of(x), axis, True, last, False), x, machine=machine)
    expected = x.shape[axis] - 1 - np.flip(x, axis).argmax(axis) if last else x.argmax(axis)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("machine", [machines.SCALARS, machines.VECTORS], ids=["scalars", "vectors"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(7, 7), (5, 75), (3, 64), (75, 3), (16, 15)])
def test_the_first_of_the_largest_is_1_and_all_others_are_0(machine, axis, shape):
    x = np.random.default_rng(7).integers(0, 3, shape).astype(np.float32)
    (got,) = run_template(one_at_largest(type_of(x), axis), x, machine=machine)
    at = np.arange(shape[axis]).reshape([-1 if one == axis else 1 for one in range(2)])
    np.testing.assert_array_equal(got, at == np.expand_dims(x.argmax(axis), axis))


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64, np.float16])
@pytest.mark.parametrize("shape", [(2, 37, 5), (2, 70, 50), (90, 1, 7), (3, 2, 9)])
def test_short_rows_side_by_side_are_right_for_every_type(dtype, shape):
    x = np.random.default_rng(8).integers(0, 9, shape).astype(dtype)
    (got,) = run_template(arg_extreme(type_of(x), 2, False, False, True), x, machine=machines.VECTORS)
    np.testing.assert_array_equal(got, np.expand_dims(x.argmin(2), 2))


@pytest.mark.parametrize("machine", [machines.SCALARS, machines.VECTORS], ids=["scalars", "vectors"])
@pytest.mark.parametrize("extent", [4, 75])
def test_the_first_or_last_nan_is_the_position_of_an_extreme(machine, extent):
    x = np.random.default_rng(4).integers(0, 4, (40, extent)).astype(np.float32)
    x[x == 3] = np.where(
        np.random.default_rng(5).integers(0, extent, np.count_nonzero(x == 3)) == 0, np.nan, 3
    )
    for largest, numpy in ((True, np.argmax), (False, np.argmin)):
        (first,) = run_template(arg_extreme(type_of(x), 1, largest, False, False), x, machine=machine)
        np.testing.assert_array_equal(first, numpy(x, axis=1))
        (last,) = run_template(arg_extreme(type_of(x), 1, largest, True, False), x, machine=machine)
        np.testing.assert_array_equal(last, extent - 1 - numpy(x[:, ::-1], axis=1))


# Shapes and axes of reductions whose results lie side by side: rows, images in channels-last order, long and short dimensions.
MANY = {
    "rows": ((70001, 8), (0,)),
    "images": ((2, 90, 130, 16), (1, 2)),
    "short inner": ((4000, 3, 8), (0, 1)),
    "long inner": ((5, 3000, 8), (0, 1)),
    "two long": ((300, 300, 4), (0, 1)),
}


def test_sums_of_many_elements_side_by_side_do_not_lose_digits() -> None:
    """Equal elements are rounded in one direction all: added one after another, 70,001 of them were off by 7e-4. 2 s."""
    cases = [(f"x{number}", f"y{number}", shape, axes) for number, (shape, axes) in enumerate(MANY.values())]
    inputs = ", ".join(f"float{list(shape)} {x}" for x, _, shape, _ in cases)
    outputs = ", ".join(f"float{np.delete(shape, axes).tolist()} {y}" for _, y, shape, axes in cases)
    nodes = " ".join(f"{y} = ReduceMean<axes = {list(axes)}, keepdims = 0>({x})" for x, y, _, axes in cases)
    executor = ingot.build(parse(f"({inputs}) => ({outputs})", nodes, 17), "llvmjit", name="g").load()["g"]()
    results = executor.predict(**{x: np.full(shape, 0.1, np.float32) for x, _, shape, _ in cases})
    for y in results:
        np.testing.assert_allclose(y, np.float32(0.1), rtol=5e-6)
