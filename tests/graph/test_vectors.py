"""Test vectors are inputs by a fixed rule with the answers of ONNX's evaluator."""

import numpy as np

from ingot.graph.vectors import vector
from ingot.tensor import DType, TensorType
from tests.support.models import model


def test_a_vector_is_the_same_every_time_and_another_for_another_number():
    content = model("agraph (float[4] x) => (float[4] y) { y = Relu (x) }").SerializeToString()
    inputs = {"x": TensorType(DType.FLOAT32, (4,))}
    first, again, other = (vector(content, inputs, number) for number in (0, 0, 1))
    np.testing.assert_array_equal(first[0]["x"], again[0]["x"])
    assert (first[0]["x"] != other[0]["x"]).any() and (np.abs(first[0]["x"]) <= 1).all()
    np.testing.assert_array_equal(first[1]["y"], np.maximum(first[0]["x"], 0))


def test_operators_that_the_evaluator_has_in_a_newer_version_only_are_run_in_that():
    body = "agraph (int8[4] x) => (float[4] y) <float s = {0.5}, int8 z = {1}> { y = DequantizeLinear (x, s, z) }"
    arrays = vector(model(body, opset=13).SerializeToString(), {"x": TensorType(DType.INT8, (4,))}, 3)
    np.testing.assert_array_equal(arrays[1]["y"], (arrays[0]["x"].astype(np.float32) - 1) / 2)


def test_a_model_that_the_evaluator_cannot_run_has_no_vector():
    content = model("agraph (float[4] x) => (float[4] y) { y = Relu (x) }")
    content.graph.node[0].op_type = "Unheard"
    assert vector(content.SerializeToString(), {"x": TensorType(DType.FLOAT32, (4,))}, 0) is None


def test_whole_numbers_are_small_where_they_may_be_indices():
    types = {"b": DType.BOOL, "i": DType.INT64, "c": DType.INT8, "u": DType.UINT8, "h": DType.BFLOAT16}
    kinds = {DType.BOOL: "bool", DType.INT64: "int64", DType.INT8: "int8", DType.UINT8: "uint8", DType.BFLOAT16: "bfloat16"}
    args = ", ".join(f"{kinds[dtype]}[99] {name}" for name, dtype in types.items())
    nodes = " ".join(f"{name}{name} = Identity ({name})" for name in types)
    outs = ", ".join(f"{kinds[dtype]}[99] {name}{name}" for name, dtype in types.items())
    content = model(f"agraph ({args}) => ({outs}) {{ {nodes} }}").SerializeToString()
    inputs, outputs = vector(content, {name: TensorType(dtype, (99,)) for name, dtype in types.items()}, 0)
    assert inputs["h"].dtype == np.uint16 and set(inputs["i"]) == {0, 1} and inputs["c"].min() < -64 < 64 < inputs["c"].max()
    for name in types:
        np.testing.assert_array_equal(inputs[name], outputs[name + name])
