"""Operators that move elements, and those that ONNX took back: against onnxruntime's kernels for a CPU."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.errors import UnsupportedError
from tests.support.contrib import agree, by_ingot, contrib_node

RANDOM = np.random.default_rng(0)
F = np.float32


def real(*shape):
    return np.asarray(RANDOM.standard_normal(shape), F)


def codes(*shape, dtype=np.uint8):
    return RANDOM.integers(0, 100, shape).astype(dtype)


def whole(*numbers):
    return np.array(numbers, np.int64)


@pytest.mark.parametrize("opset", [11, 17])
@pytest.mark.parametrize(("upper", "k"), [(1, 0), (0, 0), (1, -1), (0, 2)])
def test_triangles_are_there_before_opset_14(opset, upper, k):
    agree("Trilu", {"X": real(2, 3, 4), "k": whole(k).reshape(())}, fed=["X"], opset=opset, upper=upper)


@pytest.mark.parametrize("axis", [0, 2, -1])
def test_a_dimension_is_put_where_the_axis_says(axis):
    agree("ExpandDims", {"X": real(2, 3), "axis": np.array(axis, np.int32)}, fed=["X"])


@pytest.mark.parametrize(("dim", "size", "step"), [(-1, 3, 1), (1, 2, 2), (0, 2, 1)])
def test_windows_lie_side_by_side(dim, size, step):
    agree("UnfoldTensor", {"input": real(2, 5, 7)}, dim=dim, size=size, step=step)


@pytest.mark.parametrize("opset", [11, 18])
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_distances_are_those_of_rows(metric, opset):
    agree("CDist", {"A": real(4, 6), "B": real(5, 6)}, opset=opset, metric=metric)


def test_operators_that_onnx_has_by_now_are_its_own():
    agree(
        "Pad",
        {"data": real(2, 3), "pads": whole(0, 1, 2, 0), "value": np.array(7, F)},
        fed=["data"],
        mode="constant",
    )
    agree("GatherND", {"data": real(2, 3), "indices": whole([0, 1], [1, 2])}, opset=12)
    agree("Range", {"start": np.array(1, F), "limit": np.array(5, F), "delta": np.array(2, F)}, fed=[])
    agree(
        "GridSample",
        {"X": real(1, 2, 4, 5), "Grid": RANDOM.uniform(-1, 1, (1, 3, 3, 2)).astype(F)},
        mode="bilinear",
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_pools_with_channels_last(dtype):
    attributes = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}
    agree("NhwcMaxPool", {"x": codes(1, 7, 6, 5, dtype=dtype)}, (dtype,), **attributes)


@pytest.mark.parametrize(("last", "group"), [(0, 1), (1, 1), (1, 2)])
def test_quantised_convolutions_with_channels_last(last, group):
    x = codes(1, 6, 5, 4) if last else codes(1, 4, 6, 5)
    weights = codes(6, 4 // group, 3, 3, dtype=np.int8) - 50
    inputs = {
        **{
            "x": x,
            "xs": F(0.02),
            "xz": np.uint8(30),
            "w": weights,
            "ws": np.linspace(0.01, 0.02, 6, dtype=F),
        },
        **{
            "wz": np.zeros(6, np.int8),
            "ys": F(0.1),
            "yz": np.uint8(120),
            "b": RANDOM.integers(-500, 500, 6).astype(np.int32),
        },
    }
    arrays = {name: np.asarray(array) for name, array in inputs.items()}
    got = agree(
        "QLinearConv",
        arrays,
        (np.uint8,),
        fed=["x"],
        atol=1,
        channels_last=last,
        group=group,
        pads=[1, 1, 1, 1],
    )
    assert len(np.unique(got[0])) > 30


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("Affine", {"alpha": 2.0, "beta": 0.5}),
        ("Scale", {"scale": 1.5}),
        ("ParametricSoftplus", {"alpha": 1.5, "beta": 0.5}),
        ("ScaledTanh", {"alpha": 1.5, "beta": 0.5}),
        ("ImageScaler", {"scale": 2.0, "bias": [0.5, 1.0, -1.0]}),
        ("Crop", {"border": [1, 2, 1, 0]}),
        ("Crop", {"border": [1, 2, 0, 0], "scale": [2, 3]}),
    ],
)
def test_operators_that_onnx_took_back_are_as_onnxruntime_has_them(op, attributes):
    inputs = {"input": real(2, 3, 6, 5)}
    (expected,) = agree(op, inputs, domain="", version=7, opset=7, **attributes)
    (later,) = by_ingot(contrib_node(op, inputs, domain="", version=13, opset=13, **attributes), inputs)
    np.testing.assert_allclose(later, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "words"),
    [
        ("Crop", {"x": real(1, 1, 4, 4)}, {"border": [1, 2]}, "border has not four numbers"),
        ("Crop", {"x": real(1, 1, 4, 4)}, {"border": [1, 2, 3, 4]}, "are not in an image of 4 x 4"),
        ("UnfoldTensor", {"x": real(3)}, {"size": 4}, "windows of 4 every 1 of 3 elements"),
        (
            "CDist",
            {"a": real(2, 2), "b": real(2, 2)},
            {"metric": "cosine"},
            "expected 'euclidean' or 'sqeuclidean'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(op, inputs, attributes, words):
    domain = "" if op == "Crop" else "com.microsoft"
    with pytest.raises(UnsupportedError, match=words):
        by_ingot(
            contrib_node(op, inputs, domain=domain, version=17 if op == "Crop" else 1, **attributes),
            inputs,
            "interp",
        )
