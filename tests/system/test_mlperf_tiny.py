"""The models of MLPerf Tiny agree with their recorded answers on real inputs. They are no part of the repository."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import ingot

FOLDER = Path(os.environ.get("INGOT_TEST_MODELS", "nowhere")) / "mlperf_tiny"


NEEDED = pytest.mark.skipif(
    not FOLDER.is_dir(),
    reason="needs the MLPerf Tiny models: INGOT_TEST_MODELS names no folder that has them",
)


@pytest.mark.cc
@pytest.mark.models
@NEEDED
@pytest.mark.parametrize("target", ["llvm", "llvm -mcpu=native", "c"])
@pytest.mark.parametrize("name", ["ad", "ic", "kws", "vww"])
def test_a_model_agrees_with_its_reference(name: str, target: str) -> None:
    with np.load(FOLDER / "ref" / f"{name}.npz") as arrays:
        inputs, expected = arrays["x_f32"], arrays["y_f32_ort"]
    model = ingot.build(FOLDER / "onnx" / f"{name}_fp32.onnx", target, name=name).load()[name](ingot.cpu(0))
    (tensor,) = model.inputs
    for x, y in zip(inputs, expected, strict=True):
        answer = model.predict({tensor.name: x.reshape(tensor.shape)})
        np.testing.assert_allclose(answer.reshape(y.shape), y, rtol=1e-4, atol=1e-5)


@pytest.mark.cc
@pytest.mark.models
@NEEDED
@pytest.mark.parametrize("target", ["llvm", "c"])
@pytest.mark.parametrize("form", ["qdq", "qop"])
@pytest.mark.parametrize("name", ["ad", "ic", "kws", "vww"])
def test_codes_equal_those_of_onnxruntime(name: str, form: str, target: str) -> None:
    with np.load(FOLDER / "ref" / f"{name}.npz") as arrays:
        inputs, expected = arrays["x_i8"], arrays["y_i8_ort_qdq"]
    model = ingot.build(FOLDER / "onnx" / f"{name}_int8_{form}.onnx", target, name=name).load()[name](
        ingot.cpu(0)
    )
    (tensor,) = model.inputs
    for x, y in zip(inputs, expected, strict=True):
        np.testing.assert_array_equal(
            model.predict({tensor.name: x.reshape(tensor.shape)}).reshape(y.shape), y
        )
