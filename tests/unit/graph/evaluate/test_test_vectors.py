"""Test vectors are inputs by a fixed rule with the answers of ONNX's evaluator."""

import tarfile

import ml_dtypes
import numpy as np
import onnx
import pytest

import ingot
from ingot.base.tensor import DType, TensorType
from ingot.graph.evaluate.evaluator import evaluator
from ingot.graph.evaluate.test_vectors import vector
from tests.support.models import model


def test_a_vector_is_the_same_every_time_and_another_for_another_number():
    content = model("agraph (float[4] x) => (float[4] y) { y = Relu (x) }").SerializeToString()
    inputs = {"x": TensorType(DType.FLOAT32, (4,))}
    outputs = {"y": TensorType(DType.FLOAT32, (4,))}
    first, again, other = (vector(content, inputs, outputs, number) for number in (0, 0, 1))
    np.testing.assert_array_equal(first[0]["x"], again[0]["x"])
    assert (first[0]["x"] != other[0]["x"]).any() and (np.abs(first[0]["x"]) <= 1).all()
    np.testing.assert_array_equal(first[1]["y"], np.maximum(first[0]["x"], 0))


def test_operators_that_the_evaluator_has_in_a_newer_version_only_are_run_in_that():
    body = "agraph (int8[4] x) => (float[4] y) <float s = {0.5}, int8 z = {1}> { y = DequantizeLinear (x, s, z) }"
    arrays = vector(model(body, opset=13).SerializeToString(), {"x": TensorType(DType.INT8, (4,))}, {}, 3)
    np.testing.assert_array_equal(arrays[1]["y"], (arrays[0]["x"].astype(np.float32) - 1) / 2)


def test_a_model_that_the_evaluator_cannot_run_has_no_vector():
    content = model("agraph (float[4] x) => (float[4] y) { y = Relu (x) }")
    content.graph.node[0].op_type = "Unheard"
    assert vector(content.SerializeToString(), {"x": TensorType(DType.FLOAT32, (4,))}, {}, 0) is None


def test_an_answer_in_another_shape_than_the_model_gives_is_no_vector():
    content = model("agraph (float[4] x) => (float[4] y) { y = Relu (x) }").SerializeToString()
    inputs, outputs = {"x": TensorType(DType.FLOAT32, (4,))}, {"y": TensorType(DType.FLOAT32, (1, 4))}
    assert vector(content, inputs, outputs, 0) is None


@pytest.mark.parametrize("shape", ["2, 7, 5", "1, 7, 2, 3", "2, 7, 2, 3", "2, 6, 3, 2, 4"])
@pytest.mark.parametrize(
    "operator", ["GlobalMaxPool(x)", "LRN <size = 4, alpha = 0.5> (x)", "LRN <size = 5, alpha = 0.5> (x)"]
)
def test_the_evaluator_is_right_where_the_one_of_onnx_is_not(operator, shape):
    made = model(
        f"agraph (float[{shape}] x) => (float[{shape if 'LRN' in operator else ''}] y) {{ y = {operator} }}"
    )
    if "LRN" not in operator:
        made.graph.output[0].type.tensor_type.ClearField("shape")
    x = (
        np.random.default_rng(0)
        .standard_normal([int(extent) for extent in shape.split(",")])
        .astype(np.float32)
    )
    expected = ingot.build(made, "interp", name="m").load()["m"](ingot.cpu(0)).predict(x=x)
    (got,) = evaluator(made).run(None, {"x": x})
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


ROWS = [[0, -0.0, 2, -3], [np.inf, 1, -200, 88], [-np.inf] * 4, [np.nan, 1, 0, -1], [0] * 4]
CONSTANTS = (
    "float[4] slope = {inf, inf, -inf, 0.5}, float s = {1e-38}, int8 z = {-128}, float[4] each = {1, 2, 1e-30, 4}, "
    "uint8[4] zeros = {0, 1, 128, 255}, int64[1] axes = {1}"
)


@pytest.mark.parametrize(
    ("opset", "node"),
    [
        (8, "LpNormalization<p = 1>(x)"),
        (21, "LpNormalization<p = 1, axis = 0>(x)"),
        (21, "LpNormalization(x)"),
        (8, "LogSoftmax(x)"),
        (12, "LogSoftmax<axis = 0>(x)"),
        (13, "LogSoftmax(x)"),
        (21, "LogSoftmax<axis = 0>(x)"),
        (12, "ReduceLogSumExp<axes = [1]>(x)"),
        (17, "ReduceLogSumExp<keepdims = 0>(x)"),
        (18, "ReduceLogSumExp<keepdims = 0>(x, axes)"),
        (21, "ReduceLogSumExp<noop_with_empty_axes = 1>(x)"),
        (8, "PRelu(x, slope)"),
        (21, "PRelu(x, slope)"),
        (8, "LeakyRelu(x)"),
        (21, "Elu(x)"),
        (13, "QuantizeLinear(x, s, z)"),
        (21, "QuantizeLinear(x, s)"),
        (21, "QuantizeLinear<axis = 1>(x, each, zeros)"),
    ],
)
def test_the_evaluator_is_right_about_what_is_large_or_no_number(opset, node):
    made = model(f"agraph (float[5,4] x) => (y) <{CONSTANTS}> {{ y = {node} }}", opset=opset)
    if node in ("LeakyRelu(x)", "Elu(x)"):
        made.graph.node[0].attribute.append(onnx.helper.make_attribute("alpha", np.inf))
    x = np.array(ROWS, np.float32)
    expected = ingot.build(made, "interp", name="m").load()["m"](ingot.cpu(0)).predict(x=x)
    with np.errstate(all="ignore"):
        (got,) = evaluator(made).run(None, {"x": x})
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("kind", ["int16", "uint4", "bfloat16"])
def test_codes_in_blocks_or_of_other_sizes_are_kept_within_their_type(kind):
    x = np.array([[1e30, -1e30, 7, np.inf, np.nan]], np.float32)
    if kind == "bfloat16":
        node = "QuantizeLinear<block_size = 2, output_dtype = 3>(x, s)"
        body = f"agraph (bfloat16[1,5] x, bfloat16[1,3] s) => (int8[1,5] y) {{ y = {node} }}"
        feeds = {"x": x.astype(ml_dtypes.bfloat16), "s": np.array([[1, 2, 4]], ml_dtypes.bfloat16)}
        expected = [127, -128, 4, 127, -128]  # half to even
    else:
        body = f"agraph (float[1,5] x) => ({kind}[1,5] y) <float s = {{2}}, {kind} z = {{1}}> {{ y = QuantizeLinear(x, s, z) }}"
        feeds = {"x": x}
        expected = {"int16": [32767, -32768, 5, 32767, -32768], "uint4": [15, 0, 5, 15, 0]}[kind]
    with np.errstate(all="ignore"):
        (got,) = evaluator(model(body, opset=21)).run(None, feeds)
    assert got.astype(np.int32).ravel().tolist() == expected


HALF = "float one = {1}, float half = {0.5}, int8 z = {3}, uint8 odd = {1}, int8[1,1,1] w = {1}"
TAPS = "int8[3,1,2] w = {1, 2, 3, 4, 5, 6}"
EACH = (
    "float one = {1}, float[3] each = {0.5, 1, 2}, int8 z = {0}, int8[3] zeros = {1, -2, 3}, uint8 odd = {7}"
)


@pytest.mark.parametrize(
    ("shape", "constants", "node"),
    [
        ((1, 1, 256), HALF, "QLinearConv(x, half, z, w, one, z, one, odd)"),
        ((1, 3, 7), f"{EACH}, {TAPS}", "QLinearConv<group = 3>(x, one, z, w, each, zeros, one, odd)"),
        ((1, 3, 7), f"{EACH}, {TAPS}", "ConvInteger<group = 3, pads = [1, 0]>(x, w, z, zeros)"),
        ((256, 1), f"{HALF}, int8[1,1] v = {{1}}", "QLinearMatMul(x, half, z, v, one, z, one, odd)"),
        (
            (2, 3, 2),
            f"{EACH}, int8[2,2] w = {{1, 2, 3, 4}}",
            "QLinearMatMul(x, each, zeros, w, one, z, one, odd)",
        ),
        ((2, 3, 3), f"{EACH}, int8[3,2] w = {{1, 2, 3, 4, 5, 6}}", "MatMulInteger(x, w, zeros, z)"),
    ],
)
def test_the_evaluator_gives_the_codes_that_every_target_gives(shape, constants, node):
    """Sums and halves of every code, with odd zero points, and parameters of channels and of rows."""
    made = model(
        f"agraph (int8[{','.join(map(str, shape))}] x) => (y) <{constants}> {{ y = {node} }}", opset=21
    )
    x = (np.arange(np.prod(shape)) * (1 if max(shape) == 256 else 11) - 128).astype(np.int8).reshape(shape)
    expected = ingot.build(made, "interp", name="m").load()["m"](ingot.cpu(0)).predict(x=x)
    (got,) = evaluator(made).run(None, {"x": x})
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def gru_vector(attributes, lengths=""):
    weights = ", ".join(f"float[1,6,2] {name} = {{1,2,3,4,5,6,7,8,9,10,11,12}}" for name in "wr")
    node = f"GRU<hidden_size = 2{attributes}>(x, w, r{lengths})"
    made = model(
        f"agraph (float[4,1,2] x) => (float[4,1,1,2] y) <{weights}, int32[1] n = {{2}}> {{ y = {node} }}",
        opset=21,
    )
    return vector(made.SerializeToString(), {"x": TensorType(DType.FLOAT32, (4, 1, 2))}, {}, 0)


def test_what_the_evaluator_ignores_has_no_vector():
    assert gru_vector("") is not None
    assert gru_vector(', activations = ["Sigmoid", "Tanh"], direction = "reverse"') is not None
    assert gru_vector(', activations = ["Sigmoid", "Relu"]') is None
    assert gru_vector(", clip = 0.1") is None
    assert gru_vector("", ", , n") is None


def test_whole_numbers_are_small_where_they_may_be_indices():
    types = {"b": DType.BOOL, "i": DType.INT64, "c": DType.INT8, "u": DType.UINT8, "h": DType.BFLOAT16}
    kinds = {
        DType.BOOL: "bool",
        DType.INT64: "int64",
        DType.INT8: "int8",
        DType.UINT8: "uint8",
        DType.BFLOAT16: "bfloat16",
    }
    args = ", ".join(f"{kinds[dtype]}[99] {name}" for name, dtype in types.items())
    nodes = " ".join(f"{name}{name} = Identity ({name})" for name in types)
    outs = ", ".join(f"{kinds[dtype]}[99] {name}{name}" for name, dtype in types.items())
    content = model(f"agraph ({args}) => ({outs}) {{ {nodes} }}").SerializeToString()
    inputs, outputs = vector(
        content, {name: TensorType(dtype, (99,)) for name, dtype in types.items()}, {}, 0
    )
    assert (
        inputs["h"].dtype == np.uint16
        and set(inputs["i"]) == {0, 1}
        and inputs["c"].min() < -64 < 64 < inputs["c"].max()
    )
    for name in types:
        np.testing.assert_array_equal(inputs[name], outputs[name + name])


@pytest.mark.parametrize("opset", [8, 9, 12])
def test_vectors_of_older_versions_have_their_answers(opset):
    nodes = "b = BatchNormalization(x, w, w, w, w) s = Softmax(b) y = Hardmax(s)"
    text = f"agraph (float[2,3,4] x) => (float[2,3,4] b, float[2,3,4] s, float[2,3,4] y) <float[3] w = {{1, 2, 3}}> {{ {nodes} }}"
    made = model(text, opset=opset)
    kinds = {"x": TensorType(DType.FLOAT32, (2, 3, 4))}
    outputs = dict.fromkeys(("b", "s", "y"), kinds["x"])
    inputs, answers = vector(made.SerializeToString(), kinds, outputs, 0)
    computed = ingot.build(made, "interp", name="m").load()["m"](ingot.cpu(0)).predict(**inputs)
    for got, expected in zip(answers.values(), computed, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


SEQUENCE = """g (seq(float[n]) s, optional(float[2]) o, float[2] x) => (seq(float[m]) y, float[2] z) {
    y = SequenceInsert(s, x) v = OptionalGetElement(o) z = Add(v, x)
}"""


def test_a_model_of_sequences_and_optionals_has_vectors_of_its_tensors():
    dims = {"s:length": 2, "s[0]:0": 1, "s[1]:0": 3, "o:present": 1}
    made = ingot.build(model(SEQUENCE, opset=18), "interp", name="g", dims=dims, cache=None)
    info = made.models()["g"]
    (source,) = (one.content for one in made.select(loader="source") if one.file_name == "g.onnx")
    inputs, outputs = ({one.name: one.type for one in tensors} for tensors in (info.inputs, info.outputs))
    given, expected = vector(bytes(source), inputs, outputs, 0, info.border.outputs)
    assert list(given) == ["s[0]", "s[1]", "o.value", "x"] and list(expected) == ["y[0]", "y[1]", "y[2]", "z"]
    np.testing.assert_array_equal(expected["y[2]"], given["x"])
    np.testing.assert_array_equal(expected["z"], given["o.value"] + given["x"])


def test_an_archive_of_a_model_with_sequences_has_its_vectors(tmp_path):
    dims = {"s:length": 1, "s[0]:0": 1, "o:present": 1}
    made = ingot.build(model(SEQUENCE, opset=18), "c", name="g", dims=dims, cache=None)
    made.export_model_library_format(tmp_path / "g.tar")
    with tarfile.open(tmp_path / "g.tar") as archive:
        names = [name.removeprefix("./") for name in archive.getnames()]
    assert [name for name in names if name.startswith("test/vectors/g/0/")] == [
        *(f"test/vectors/g/0/input{at}.bin" for at in range(3)),
        *(f"test/vectors/g/0/output{at}.bin" for at in range(3)),
    ]
    assert "test/g_test.c" in names
