"""Windows over images and signals whose extents vary, where kernels transform several places at once: by Winograd's algorithm."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest

import ingot

TARGET = "llvmjit -mcpu=x86-64-v3"  # the interpreter, for machines without vectors, has no such kernels
_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m '
_IMAGE = "(float[1,16,H,W] x) => (float[1,16,P,Q] y) { e = Exp(x) "
_SIGNAL = "(float[1,16,W] x) => (float[1,16,Q] y) { e = Exp(x) "
MODELS = {
    "one after another": _IMAGE + "a = Conv<pads=[1,1,1,1]>(e, w33) y = Conv<pads=[1,1,1,1]>(a, w33) }",
    "more behind than before": _IMAGE + "a = Conv<pads=[0,0,2,2]>(e, w33) y = Conv<pads=[2,2,1,1]>(a, w33) }",
    "before a pool": (
        _IMAGE + "a = Conv<pads=[1,1,1,1]>(e, w33) r = Relu(a)"
        " y = MaxPool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(r) }"
    ),
    "five taps": _IMAGE + "y = Conv<pads=[2,2,2,2]>(e, w55) }",
    "along rows": _IMAGE + "y = Conv<pads=[0,1,0,1]>(e, w13) }",
    "taps apart": _IMAGE + "y = Conv<pads=[2,2,2,2], dilations=[2,2]>(e, w33) }",
    "a mean behind": _IMAGE + "a = Conv<pads=[1,1,1,1]>(e, w33) y = GlobalAveragePool(a) }",
    "a signal": _SIGNAL + "a = Conv<pads=[1,1]>(e, w3) y = Conv<pads=[2,2], dilations=[2]>(a, w3) }",
}
ALGORITHMS = {"five taps": "winograd_f2", "before a pool": "winograd_f2"}
SHAPES = {"w33": (3, 3), "w55": (5, 5), "w13": (1, 3), "w3": (3,)}
HEIGHT, WIDTH = 21, 30
SIZES = ((3, 3), (4, 17), (13, 5), (20, 29), (21, 30))


def _model(text: str) -> onnx.ModelProto:
    model = onnx.parser.parse_model(_HEADER + text)
    random = np.random.default_rng(0)
    for name, kernel in SHAPES.items():
        weights = random.standard_normal((16, 16, *kernel)).astype(np.float32) / 8
        if name in text:
            model.graph.initializer.append(onnx.numpy_helper.from_array(weights, name))
    return model


def _executor(text: str, algorithm: str, **dims: object) -> ingot.Executor:
    dims = {name: size for name, size in dims.items() if name in text.split(")", maxsplit=1)[0]}
    return ingot.build(_model(text), TARGET, dims=dims, cache=None, force={"conv": algorithm}).load()["m"](
        ingot.cpu(0)
    )


def _input(text: str, height: int, width: int, value: float | None = None) -> np.ndarray:
    shape = (1, 16, height, width) if "H" in text.split(")", maxsplit=1)[0] else (1, 16, width)
    if value is not None:
        return np.full(shape, value, np.float32)
    return np.random.default_rng(height).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("case", MODELS)
def test_tiles_of_every_size_have_the_answers_of_the_definition(case: str) -> None:
    text = MODELS[case]
    ranges = {"H": range(3, HEIGHT + 1), "W": range(3, WIDTH + 1)}
    executor = _executor(text, ALGORITHMS.get(case, "winograd_f4"), **ranges)
    definition = _executor(text, "direct", **ranges)
    for height, width in SIZES:
        with np.errstate(all="ignore"):
            executor.predict(x=_input(text, HEIGHT, WIDTH, np.nan))  # what lies behind reaches nothing
        x = _input(text, height, width)
        expected, result = definition.predict(x=x), executor.predict(x=x)
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-3)
