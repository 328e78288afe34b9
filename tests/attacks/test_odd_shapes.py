"""Shapes and types that operators do not take, found by fuzzing: each is refused in a sentence, or right."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import ingot
from ingot.base.errors import IngotError, InternalError
from tests.support.models import model

REFUSED = [
    ("g (double x, int32 a) => (double y) { y = CumSum (x, a) }", 14, "CumSum.*no dimension to go along"),
    ("g (double x, int32 a) => (double y) { y = CumProd (x, a) }", 26, "CumProd.*no dimension to go along"),
    ("g (float x) => (float y) { y = LpNormalization (x) }", 22, "LpNormalization.*no dimension"),
    (
        "g (float[3] x, int64[2,3] i, float[2,3] u) => (float[3] y) { y = ScatterElements (x, i, u) }",
        18,
        "do not fit the shape",
    ),
    (
        "g (float[1,3,1] x, int64[1,2] i, float[1,2] u) => (float[1,3,1] y) { y = ScatterElements (x, i, u) }",
        18,
        "do not fit",
    ),
    (
        "g (float[2] x, int64 i, float[1] u) => (float[2] y) { y = ScatterND (x, i, u) }",
        18,
        "do not fit the shape",
    ),
    (
        "g (float[2,2,2] x, int64[2] i) => (float y) { y = GatherND <batch_dims = 1> (x, i) }",
        12,
        "do not fit the shape",
    ),
    (
        "g (float[1,1,9,0] x, float[2,4] r, int64[2] b) => (float[2,1,1,1] y) { y = RoiAlign (x, r, b) }",
        16,
        "empty shape .* has no regions",
    ),
    (
        "g (float16 x, float16[3] z) => (float16 y) { y = Min (x, z) }",
        7,
        "before opset 8 they have one shape",
    ),
    (
        "g (float[3] x, float[1] z) => (float[3] y) { y = Mean (x, z) }",
        7,
        "before opset 8 they have one shape",
    ),
    (
        "g (float[1,8,0] x) => (float[1,1,5,2] y) <int64 s = {8}, int64 n = {8}> { y = STFT (x, s, , n) }",
        17,
        "a signal of shape",
    ),
]


@pytest.mark.parametrize(("text", "opset", "words"), REFUSED)
def test_a_shape_that_an_operator_does_not_take_is_refused(text, opset, words):
    with pytest.raises(IngotError, match=words) as caught:
        ingot.build(model(text, opset=opset), "interp", cache=None)
    assert not isinstance(caught.value, InternalError)


@pytest.mark.parametrize("equation", ["bij,bjk->bik", "bij,bjk,b->", "...ij,...jk->...ik", "ij,ik"])
def test_an_einsum_stretches_an_extent_of_one_in_any_operand(equation):
    shapes = [(1, 2, 3), (5, 3, 4), (1,)] if equation[0] in "b." else [(1, 3), (2, 4)]
    random = np.random.default_rng(1)
    feeds = {f"x{at}": random.random(shapes[at], np.float32) for at in range(equation.count(",") + 1)}
    inputs = ", ".join(f"float[{','.join(map(str, array.shape))}] {name}" for name, array in feeds.items())
    text = f'g ({inputs}) => (float y) {{ y = Einsum <equation = "{equation}"> ({", ".join(feeds)}) }}'
    proto = model(text)
    proto.graph.output[0].type.tensor_type.ClearField("shape")
    got = ingot.build(proto, "interp", cache=None).load()["g"]().predict(**feeds)
    np.testing.assert_allclose(got, np.einsum(equation, *feeds.values()), rtol=1e-5)


@pytest.mark.parametrize("opset", [12, 22])
def test_a_pool_whose_window_has_no_place_has_no_results(opset):
    text = "g (float[1,1,4,1] x) => (float y) { y = MaxPool <kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1> (x) }"
    proto = model(text, opset=opset)
    proto.graph.output[0].type.tensor_type.ClearField("shape")
    executor = ingot.build(proto, "interp", cache=None).load()["g"]()
    assert executor.predict(x=np.ones((1, 1, 4, 1), np.float32)).shape == (1, 1, 2, 0)


def test_no_element_of_a_packed_type_is_shifted():
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.FLOAT16)],
        "g",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT4E2M1, [0, 5])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT16, [0, 5])],
    )
    proto = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 25)])
    assert ingot.build(proto, "interp", cache=None).load()["g"]().predict(
        x=np.zeros((0, 5), np.uint8)
    ).shape == (0, 5)
