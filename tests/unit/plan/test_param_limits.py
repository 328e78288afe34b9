"""Limits of parameters that have several axes of a value as one."""

from ingot.base.tensor import DType, TensorType, row_major
from ingot.loops.analyse.counts import Count, Limit
from ingot.loops.nodes import buffer
from ingot.plan.param_limits import param_limits
from ingot.plan.program import HOST, Value

ROWS = Limit(1, Count(0))


def value(shape, strides=None):
    strides = row_major(shape) if strides is None else strides
    return Value("v", TensorType(DType.FLOAT32, shape), strides, "v", 0, HOST)


def limits(given, shape, limit=ROWS, strides=None):
    return param_limits(given, buffer("p", DType.FLOAT32, shape, strides), [limit])


def test_a_parameter_of_the_same_shape_has_the_same_limits():
    assert limits(value((2, 5, 3)), (2, 5, 3)) == (ROWS,)


def test_axes_behind_the_places_make_each_longer_and_those_before_make_rounds():
    assert limits(value((1, 5, 3)), (15,)) == (Limit(0, Count(0), each=3),)
    assert limits(value((2, 5, 3)), (30,)) == (Limit(0, Count(0), each=3, rounds=2),)
    assert limits(value((2, 5, 3)), (10, 3)) == (Limit(0, Count(0), rounds=2),)
    assert limits(value((2, 5, 3)), (2, 15)) == (Limit(1, Count(0), each=3),)


def test_the_order_in_memory_counts():
    last = value((2, 5, 3), (15, 1, 5))  # places are neighbours
    assert limits(last, (30,)) == (Limit(0, Count(0), rounds=6),)


def test_places_in_no_single_axis_have_no_limit():
    assert limits(value((2, 6, 3)), (4, 9)) == ()
