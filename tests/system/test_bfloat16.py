"""Products with constant weights of bfloat16, which are put in another order while building."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import ingot
from tests.support.models import model

PRODUCTS = {
    "a convolution": ("Conv<pads=[1, 1, 1, 1]>(x, w)", (20, 4, 3, 3)),
    "a convolution of channels alone": ("Conv<group=4, pads=[1, 1, 1, 1]>(x, w)", (4, 1, 3, 3)),
    "a transposed convolution": ("ConvTranspose<strides=[2, 2]>(x, w)", (4, 9, 3, 3)),
    "a product": ("MatMul(x, w)", (6, 40)),
    "a product by the transposed": ("Gemm<transB=1>(f, w)", (11, 120)),
}


def proto(of: str, weights: np.ndarray, kind: str) -> onnx.ModelProto:
    made = model(f"g ({kind}[1, 4, 5, 6] x) => (y) {{ f = Flatten(x) y = {of} }}", opset=22, ir_version=10)
    made.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    return made


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("target", ["llvm", pytest.param("c", marks=pytest.mark.cc), "interp"])
def test_packed_weights_are_still_bfloat16(target: str, name: str) -> None:
    rng = np.random.default_rng(2)
    body, shape = PRODUCTS[name]
    x, weights = (rng.integers(-3, 4, size).astype(np.float32) for size in ((1, 4, 5, 6), shape))
    (expected,) = ReferenceEvaluator(proto(body, weights, "float")).run(
        None, {"x": x}
    )  # of few whole numbers: exact
    kind = ml_dtypes.bfloat16
    library = ingot.build(proto(body, weights.astype(kind), "bfloat16"), target, cache=None).load()
    got = library["g"](ingot.cpu(0)).predict(x=x.astype(kind))
    np.testing.assert_array_equal(got.view(kind).astype(np.float32), expected)


def test_constant_scales_of_codes_are_numbers_of_bfloat16() -> None:
    x = np.random.default_rng(0).integers(0, 256, (5, 8)).astype(np.uint8)
    results = []
    for kind in (np.float32, ml_dtypes.bfloat16):
        made = model(
            "g (uint8[5, 8] x) => (y) { y = QLinearMatMul(x, xs, z, w, ws, z, ys, z) }",
            opset=21,
            ir_version=10,
        )
        numbers = {"xs": kind(0.25), "ws": kind(0.5), "ys": kind(32), "z": np.uint8(3)}
        numbers["w"] = np.arange(56, dtype=np.uint8).reshape(8, 7)
        made.graph.initializer.extend(
            onnx.numpy_helper.from_array(np.asarray(one), name) for name, one in numbers.items()
        )
        results.append(ingot.build(made, "llvm", cache=None).load()["g"](ingot.cpu(0)).predict(x=x))
    np.testing.assert_array_equal(results[1], results[0])
    assert len(np.unique(results[0])) > 9
