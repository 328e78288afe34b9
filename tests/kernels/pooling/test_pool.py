"""Pooling on row-major and channels-last feature maps."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.window import Window, interior
from ingot.kernels.pooling.pool import max_pool_indices, pool_template
from ingot.loops.build.nest import add, larger
from ingot.loops.nodes import Const, cast
from tests.kernels.templates import run_template
from tests.support import machines
from tests.support.onnx_text import parse, run

CHANNELS_LAST = (0, 2, 3, 1)


def window(extents, kernel, strides, dilations, pads):
    half = len(kernel)
    begins, ends = tuple(pads[:half]), tuple(pads[half:])
    out = tuple(
        (extent + b + e - (size - 1) * gap - 1) // step + 1
        for extent, size, step, gap, b, e in zip(
            extents, kernel, strides, dilations, begins, ends, strict=True
        )
    )
    return Window(tuple(extents), out, kernel, strides, dilations, begins, ends)


def slow_max(x, w):
    result = np.full((*x.shape[:2], *w.output), -np.inf, x.dtype)
    for out in np.ndindex(*w.output):
        for tap in np.ndindex(*w.kernel):
            at = [
                o * s - b + t * d
                for o, s, b, t, d in zip(out, w.strides, w.begins, tap, w.dilations, strict=True)
            ]
            if all(0 <= a < e for a, e in zip(at, w.input, strict=True)):
                where = (slice(None), slice(None), *out)
                result[where] = np.maximum(result[where], x[(slice(None), slice(None), *at)])
    return result


@pytest.mark.parametrize(
    ("extents", "kernel", "strides", "dilations", "pads"),
    [
        ((9, 37), (5, 5), (1, 1), (1, 1), (2, 2, 2, 2)),
        ((19, 21), (3, 3), (2, 2), (1, 1), (1, 1, 1, 1)),
        ((4, 70), (3, 2), (1, 1), (1, 1), (0, 1, 2, 0)),
        ((12, 20), (2, 3), (1, 3), (2, 1), (1, 1, 1, 1)),
        ((3, 4, 9), (2, 3, 3), (1, 2, 1), (1, 1, 1), (0, 1, 1, 1, 0, 1)),
        ((12, 18), (6, 6), (6, 6), (1, 1), (0, 0, 0, 0)),
    ],
)
def test_rows_of_overlapping_or_wide_windows_are_folded_in_two_steps(
    extents, kernel, strides, dilations, pads
):
    x = np.random.default_rng(4).integers(-99, 99, (2, 2, *extents)).astype(np.float32)
    w = window(extents, kernel, strides, dilations, pads)

    def share(found):
        count = found[0].count
        for one in found[1:]:
            count = count * one.count
        return Const(1.0, DType.FLOAT32) / cast(count, DType.FLOAT32)

    type_ = TensorType(DType.FLOAT32, x.shape)
    (got,) = run_template(pool_template("max_pool", type_, w, -np.inf, larger), x)
    np.testing.assert_array_equal(got, slow_max(x, w))
    for machine in (machines.VECTORS, machines.SCALARS):
        (got,) = run_template(
            pool_template("average_pool", type_, w, 0, add, share, "mean"), x, machine=machine
        )
        expected = slow_mean(x, w)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def slow_mean(x, w):
    total, count = np.zeros((*x.shape[:2], *w.output)), np.zeros((*x.shape[:2], *w.output))
    for out in np.ndindex(*w.output):
        for tap in np.ndindex(*w.kernel):
            at = [
                o * s - b + t * d
                for o, s, b, t, d in zip(out, w.strides, w.begins, tap, w.dilations, strict=True)
            ]
            if all(0 <= a < e for a, e in zip(at, w.input, strict=True)):
                where = (slice(None), slice(None), *out)
                total[where] += x[(slice(None), slice(None), *at)]
                count[where] += 1
    return total / count


@pytest.mark.parametrize("order", [(0, 1, 2, 3), CHANNELS_LAST])
@pytest.mark.parametrize(
    ("kernel", "strides", "dilations", "pads"),
    [
        ((3, 3), (1, 1), (1, 1), (1, 1, 1, 1)),
        ((3, 2), (2, 3), (1, 1), (0, 1, 2, 0)),
        ((2, 3), (1, 1), (2, 2), (0, 2, 1, 2)),
        ((1, 1), (2, 2), (1, 1), (0, 0, 0, 0)),
    ],
)
def test_max_pool_is_what_its_definition_says_in_both_layouts(order, kernel, strides, dilations, pads):
    x = np.random.default_rng(1).normal(size=(2, 6, 9, 11)).astype(np.float32)
    w = window(x.shape[2:], kernel, strides, dilations, pads)
    template = pool_template("max_pool", TensorType(DType.FLOAT32, x.shape), w, -np.inf, larger)
    (got,) = run_template(template, x, orders={"in0": order, "out0": order})
    np.testing.assert_array_equal(got, slow_max(x, w))


@pytest.mark.parametrize("order", [(0, 1, 2, 3), CHANNELS_LAST])
def test_a_nan_fills_every_window_that_sees_it(order):
    x = np.zeros((1, 5, 6, 6), np.float32)
    x[0, 2, 3, 3] = np.nan
    w = window((6, 6), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1))
    template = pool_template("max_pool", TensorType(DType.FLOAT32, x.shape), w, -np.inf, larger)
    (got,) = run_template(template, x, orders={"in0": order, "out0": order})
    assert np.isnan(got[0, 2, 2:5, 2:5]).all()
    assert np.isnan(got).sum() == 9


@pytest.mark.parametrize("order", [(0, 1, 2, 3), CHANNELS_LAST])
def test_the_indices_of_a_max_pool_find_its_results(order):
    x = np.random.default_rng(2).normal(size=(2, 3, 5, 7)).astype(np.float32)
    w = window((5, 7), (2, 2), (2, 2), (1, 1), (0, 0, 1, 1))
    template = max_pool_indices(TensorType(DType.FLOAT32, x.shape), w, False)
    values, places = run_template(template, x, orders={"in0": order})
    np.testing.assert_array_equal(values, slow_max(x, w))
    np.testing.assert_array_equal(x.reshape(-1)[places], values)


def test_a_window_of_lowest_values_still_has_an_index_inside():
    x = np.full((1, 1, 2, 2), -np.inf, np.float32)
    w = window((2, 2), (2, 2), (2, 2), (1, 1), (1, 1, 1, 1))
    _, places = run_template(max_pool_indices(TensorType(DType.FLOAT32, x.shape), w, False), x)
    np.testing.assert_array_equal(places.reshape(-1), [0, 1, 2, 3])


def test_the_interior_of_a_window_never_touches_the_padding():
    for extent, size, step, gap, pad in itertools.product((1, 4, 9), (1, 3), (1, 2, 5), (1, 2), (0, 1, 4)):
        out = (extent + 2 * pad - (size - 1) * gap - 1) // step + 1
        if out < 1:
            continue
        w = Window((extent,), (out,), (size,), (step,), (gap,), (pad,), (pad,))
        first, stop = interior(w, 0)
        inside = [
            at for at in range(out) if all(0 <= at * step - pad + tap * gap < extent for tap in range(size))
        ]
        assert list(range(first, stop)) == inside, w


@pytest.mark.parametrize("operator", ["MaxPool", "AveragePool", "LpPool"])
def test_a_window_larger_than_the_input_has_no_place(operator):
    model = parse(
        "(float[1,2,2,2] x) => (float[1,2,0,0] y)",
        f"y = {operator}<kernel_shape = [5,5], strides = [2,2]>(x)",
    )
    (y,) = run(model, x=np.zeros((1, 2, 2, 2), np.float32))
    assert y.shape == (1, 2, 0, 0)


def test_a_window_larger_by_less_than_a_step_sees_what_there_is():
    model = parse(
        "(float[1,1,2] x) => (float[1,1,1] y, float[1,1,1] z)",
        """
        y = MaxPool<kernel_shape = [3], strides = [2]>(x)
        z = AveragePool<kernel_shape = [3], strides = [2]>(x)
    """,
    )
    y, z = run(model, x=np.array([[[-3, -1]]], np.float32))
    assert y.tolist() == [[[-1]]] and z.tolist() == [[[-2]]]
