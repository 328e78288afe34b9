"""Images and signals whose extents vary: windows of convolutions and pooling along an extent with room."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest

import ingot

_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m '
_IMAGE = "(float[1,4,H,W] x) => (float[1,4,P,Q] y) { e = Exp(x) "
MODELS = {
    "strides": "a = Conv<pads=[1,1,1,1], strides=[2,2]>(e, w) y = Conv<pads=[2,2,2,2], dilations=[2,2]>(a, w) }",
    "largest of windows": "y = MaxPool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1], ceil_mode=1>(e) }",
    "two neutral values": (
        "c = Conv<pads=[1,1,1,1]>(e, w) p = MaxPool<kernel_shape=[3,3], pads=[1,1,1,1]>(e) y = Add(c, p) }"
    ),
    "each channel": "y = Conv<pads=[1,1,1,1], group=4>(e, v) }",
    "means of windows": (
        "y = AveragePool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1], count_include_pad=1>(e) }"
    ),
    "upwards": "a = Conv<pads=[1,1,1,1]>(e, w) y = ConvTranspose<strides=[2,2], pads=[1,1,1,1]>(a, w) }",
    "the mean of all": "a = Conv<pads=[1,1,1,1], strides=[2,2]>(e, w) y = GlobalAveragePool(a) }",
}
RANGES = {"H": range(1, 20), "W": range(1, 25)}
SIZES = ((1, 1), (2, 7), (13, 2), (18, 23), (19, 24))


def _model(case: str) -> onnx.ModelProto:
    """The model, with weights as initializers."""
    model = onnx.parser.parse_model(_HEADER + _IMAGE + MODELS[case])
    random = np.random.default_rng(0)
    for name, shape in (("w", (4, 4, 3, 3)), ("v", (4, 1, 3, 3))):
        weights = random.standard_normal(shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(weights, name))
    return model


def _executor(case: str, target: str, **dims: object) -> ingot.Executor:
    return ingot.build(_model(case), target, dims=dims, cache=None).load()["m"](ingot.cpu(0))


def _input(*extents: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((1, 4, *extents)).astype(np.float32)


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
@pytest.mark.parametrize("case", MODELS)
def test_images_of_every_size_have_the_answers_of_a_build_for_it(case: str, target: str) -> None:
    executor = _executor(case, target, **RANGES)
    for height, width in SIZES:
        with np.errstate(all="ignore"):
            executor.predict(
                x=np.full((1, 4, 19, 24), np.nan, np.float32)
            )  # what lies behind reaches nothing
        x = _input(height, width)
        expected = _executor(case, "interp", H=height, W=width).predict(x=x)
        result = executor.predict(x=x)
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-3)


def test_sizes_that_are_multiples_may_be_halved_and_doubled() -> None:
    text = (
        "(float[1,4,H,W] x) => (float[1,4,H,W] y) { a = MaxPool<kernel_shape=[2,2], strides=[2,2]>(x)"
        " b = MaxPool<kernel_shape=[2,2], strides=[2,2]>(a) u = ConvTranspose<strides=[2,2], pads=[0,0,1,1]>(b, w)"
        " s = Add(u, a) y = ConvTranspose<strides=[2,2], pads=[0,0,1,1]>(s, w) }"
    )
    model = onnx.parser.parse_model(_HEADER + text)
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.ones((4, 4, 3, 3), np.float32), "w"))
    dims = {"H": ingot.dim(4, 20, multiple_of=4), "W": ingot.dim(4, 80, multiple_of=4)}
    executor = ingot.build(model, "interp", dims=dims, cache=None).load()["m"](ingot.cpu(0))
    for height, width in ((4, 4), (8, 36), (20, 80)):
        exact = ingot.build(model, "interp", dims={"H": height, "W": width}, cache=None).load()["m"](
            ingot.cpu(0)
        )
        x = _input(height, width)
        np.testing.assert_allclose(executor.predict(x=x), exact.predict(x=x), rtol=1e-4)


def test_means_that_are_divided_by_other_numbers_at_the_end_are_refused() -> None:
    text = "(float[1,4,8,W] x) => (float[1,4,P,Q] y) { y = AveragePool<kernel_shape=[3,3], strides=[2,2], ceil_mode=1>(x) }"
    model = onnx.parser.parse_model(_HEADER + text)
    with pytest.raises(ingot.ModelError, match="average pool over axis 3 combines places"):
        ingot.build(model, "interp", dims={"W": range(1, 25)}, cache=None)
