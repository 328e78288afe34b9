"""The sequence models that PyTorch exported agree with onnxruntime's recorded answers, on every code generator and executor."""

from __future__ import annotations

import numpy as np
import pytest

import ingot
from tests.support.paths import MODELS

DIMS = {"transformer_encoder": {"batch": 1}}


@pytest.mark.cc
@pytest.mark.parametrize("target", ["llvm", "c", "interp"])
@pytest.mark.parametrize("name", ["transformer_encoder", "gpt_decoder", "lstm", "gru"])
def test_a_model_agrees_with_onnxruntime(name: str, target: str) -> None:
    with np.load(MODELS / f"{name}.npz") as arrays:
        inputs = {key.removeprefix("in_"): arrays[key] for key in arrays.files if key.startswith("in_")}
        expected = {key.removeprefix("out_"): arrays[key] for key in arrays.files if key.startswith("out_")}
    library = ingot.build(
        MODELS / f"{name}.onnx", target, dims=DIMS.get(name, {}), executor=("aot", "graph")
    ).load()
    for executor in ("aot", "graph"):
        model = library[name](ingot.cpu(0), threads=2, executor=executor)
        model.set_input(inputs)
        model.run()
        for number, tensor in enumerate(model.outputs):
            np.testing.assert_allclose(
                model.get_output(number),
                expected[tensor.name],
                rtol=1e-4,
                atol=1e-5,
                err_msg=f"{executor}: {tensor.name}",
            )
