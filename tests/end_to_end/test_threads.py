"""What a model gives does not depend on how many threads work on it."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot

pytestmark = pytest.mark.cc


def model() -> onnx.ModelProto:
    """x [1, 16, 40, 40] → convolution → ReLU → means of columns → product with [40, 700] → softmax: work for several threads."""
    random = np.random.default_rng(11)
    kernel = random.standard_normal((32, 16, 3, 3)).astype(np.float32) / 12
    weights = random.standard_normal((40, 700)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "kernel"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("ReduceMean", ["r"], ["m"], "mean", axes=[2], keepdims=0),
        helper.make_node("MatMul", ["m", "weights"], ["p"], "product"),
        helper.make_node("Softmax", ["p"], ["y"], "softmax", axis=-1),
    ]
    graph = helper.make_graph(
        nodes,
        "shared",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 40, 40])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 32, 700])],
        [numpy_helper.from_array(kernel, "kernel"), numpy_helper.from_array(weights, "weights")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_every_number_of_threads_gives_the_same_bytes() -> None:
    artifacts = ingot.build(model(), "llvm", name="shared")
    objects = [each.content for each in artifacts if each.file_name.endswith(".o")]
    assert sum(b"ingot_pool_for" in bytes(content) for content in objects) >= 3, "nothing is shared out: the test shows nothing"
    library = artifacts.load()
    x = np.random.default_rng(5).standard_normal((1, 16, 40, 40)).astype(np.float32)
    alone = library["shared"](ingot.cpu(0), threads=1).predict({"x": x}).tobytes()
    for threads in (2, 3, 8):
        executor = library["shared"](ingot.cpu(0), threads=threads)
        for _ in range(20):
            assert executor.predict({"x": x}).tobytes() == alone
