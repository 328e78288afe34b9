"""Models that ONNX's checker lets pass: each is refused in a sentence, and none ends the process or takes for ever."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.graph.prepare import to_draft
from ingot.graph.read.check import check_structure
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL

F, I64, U8 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.UINT8


def model(
    op: str,
    *shapes: tuple[int, ...],
    outputs: int = 1,
    opset: int = 21,
    kinds: tuple[int, ...] = (),
    **attributes: object,
) -> onnx.ModelProto:
    """One node on inputs of these shapes, float32 where `kinds` says nothing else."""
    kinds = (*kinds, *[F] * (len(shapes) - len(kinds)))
    names = [f"x{at}" for at in range(len(shapes))]
    inputs = [helper.make_tensor_value_info(*one) for one in zip(names, kinds, shapes, strict=True)]
    made = [f"y{at}" for at in range(outputs)]
    node = helper.make_node(op, names, made, **attributes)
    graph = helper.make_graph(
        [node], "m", inputs, [helper.make_tensor_value_info(made[0], kinds[0] if kinds else F, None)]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (model("BitShift", (3,), (3,), kinds=(U8, U8), direction="left-ish"), "direction is 'left-ish'"),
        (model("RoiAlign", (1, 1, 4, 4), (1, 4), (1,), kinds=(F, F, I64), mode="SAME"), "ONNX has avg, max"),
        (model("Resize", (1, 1, 2, 2), mode="linaer"), "did you mean 'linear'"),
        (
            model("Conv", (1, 2, 6, 6), (3, 2, 3, 3), auto_pad="SAME"),
            "did you mean 'SAME_UPPER' or 'SAME_LOWER'",
        ),
        (
            model("MaxPool", (1, 2, 6, 6), kernel_shape=[2, 2], auto_pad="ALL"),
            "ONNX has NOTSET, SAME_LOWER, SAME_UPPER, VALID",
        ),
        (model("Mod", (3,), (3,), fmod=-1), "fmod is -1, expected 0 to 1"),
        (
            model("Attention", (1, 2, 4, 8), (1, 2, 4, 8), (1, 2, 4, 8), opset=23, is_causal=5),
            "is_causal is 5",
        ),
        (
            model("Attention", (1, 2, 4, 8), (1, 2, 4, 8), (1, 2, 4, 8), opset=23, qk_matmul_output_mode=-3),
            "expected 0 to 3",
        ),
        (model("MaxPool", (1, 1, 4, 4), kernel_shape=[2, 2], ceil_mode=-3), "ceil_mode is -3"),
    ],
)
def test_an_attribute_of_few_values_has_one_of_them(made: onnx.ModelProto, said: str) -> None:
    with pytest.raises(ingot.ModelError) as caught:
        read_model(made)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (model("LayerNormalization", (2, 3), (3,), outputs=3, axis=2**31), "axis is 2147483648"),
        (model("GatherND", (2, 2), (2, 1), kinds=(F, I64), batch_dims=-7), "batch_dims is -7"),
        (model("Split", (7,), outputs=2, num_outputs=3), "num_outputs is 3, and it has 2 outputs"),
        (model("Split", (7,), outputs=2, num_outputs=2**31), "num_outputs is 2147483648"),
        (model("Einsum", (), equation="é" * 40), "its equation"),
    ],
)
def test_what_ends_onnx_inference_of_shapes_is_refused_before(made: onnx.ModelProto, said: str) -> None:
    """In a process of its own: these read outside of memory, abort, or never come back."""
    script = (
        "import sys, ingot\ntry:\n    ingot.build(sys.stdin.buffer.read(), 'interp', cache=None)\n"
        "except ingot.ModelError as error:\n    print(error)\n"
    )
    arguments = [sys.executable, "-c", script]
    done = subprocess.run(
        arguments, input=made.SerializeToString(), capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert said in done.stdout.decode()


def calling(
    nodes: list[onnx.NodeProto], shape: tuple[int, ...], outputs: int = 1, **attributes: object
) -> onnx.ModelProto:
    """A call, with these attributes, of a function of x0 whose attributes they are."""
    made = model("F", shape, outputs=outputs, domain="my", **attributes)
    own = [helper.make_opsetid("", 21)]
    results = [f"y{at}" for at in range(outputs)]
    made.functions.append(helper.make_function("my", "F", ["x0"], results, nodes, own, list(attributes)))
    made.opset_import.append(helper.make_opsetid("my", 1))
    return made


def referring(
    op: str, name: str, kind: onnx.AttributeProto.AttributeType, outputs: int = 1
) -> onnx.NodeProto:
    """A node whose attribute is what the call of its function says."""
    node = helper.make_node(op, ["x0"], [f"y{at}" for at in range(outputs)])
    node.attribute.append(onnx.AttributeProto(name=name, ref_attr_name="given", type=kind))
    return node


def split_in_a_branch(parts: int) -> list[onnx.NodeProto]:
    ends = [helper.make_tensor_value_info("a", F, None)]
    branch = helper.make_graph(
        [helper.make_node("Split", ["x0"], ["a", "b"], num_outputs=parts)], "b", [], ends
    )
    true = helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.array(True)))
    return [true, helper.make_node("If", ["c"], ["y0"], then_branch=branch, else_branch=branch)]


TEXT, NUMBER = onnx.AttributeProto.STRING, onnx.AttributeProto.INT


@pytest.mark.parametrize(
    "made",
    [
        calling([referring("Gelu", "approximate", TEXT)], (4,), given="tanh"),
        calling([referring("Split", "num_outputs", NUMBER, 2)], (4,), 2, given=2),
        calling([referring("Einsum", "equation", TEXT)], (4,), given="i->i"),
        calling(split_in_a_branch(2), (4,)),
    ],
)
def test_a_function_takes_attributes_from_its_call(made: onnx.ModelProto) -> None:
    assert to_draft(read_model(made), ALL).types["y0"].shape in ((4,), (2,))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            calling([referring("Gelu", "approximate", TEXT)], (4,), given="tan"),
            "approximate is 'tan'; did you mean 'tanh'",
        ),
        (
            calling([referring("Split", "num_outputs", NUMBER, 2)], (4,), 2, given=2**31),
            "num_outputs is 2147483648",
        ),
        (calling([referring("Einsum", "equation", TEXT)], (), given="é" * 40), "its equation"),
        (calling(split_in_a_branch(2**31), (4,)), "num_outputs is 2147483648"),
        (
            calling([referring("Softmax", "axis", NUMBER)], (4,), given="1"),
            "axis is of the type STRING, expected INT",
        ),
        (
            calling([referring("Gelu", "approximate", NUMBER)], (4,), given=1),
            "approximate is of the type INT, expected STRING",
        ),
    ],
)
def test_what_a_call_gives_a_function_is_checked(made: onnx.ModelProto, said: str) -> None:
    with pytest.raises(ingot.ModelError) as caught:
        check_structure(made, "model")  # what comes after it would not come back
    assert said in str(caught.value)


def within(place: str, op: str, shape: tuple[int, ...], constants: dict[str, np.ndarray]) -> onnx.ModelProto:
    """One node on x0 and constants, inside a function or a branch that is taken; an empty constant is an input left out."""
    given = {name: numpy_helper.from_array(value) for name, value in constants.items() if value.size}
    nodes = [helper.make_node("Constant", [], [name], value=value) for name, value in given.items()]
    nodes.append(helper.make_node(op, ["x0", *(name if name in given else "" for name in constants)], ["y0"]))
    if place == "function":
        return calling(nodes, shape)
    made = model("If", (), shape, kinds=(TensorProto.BOOL,))
    branch = helper.make_graph(nodes, "b", [], [helper.make_tensor_value_info("y0", F, None)])
    branch.output[0].name = branch.node[-1].output[0] = "r"
    for name in ("then_branch", "else_branch"):
        made.graph.node[0].attribute.append(helper.make_attribute(name, branch))
    del made.graph.node[0].input[1], made.graph.input[0]
    made.graph.input[0].name = "x0"
    made.graph.node[0].input[0] = "taken"
    made.graph.initializer.append(numpy_helper.from_array(np.array(True), "taken"))
    made.graph.output[0].type.tensor_type.elem_type = F
    return made


NONE = np.zeros(0, np.float32)


@pytest.mark.parametrize("place", ["function", "branch"])
def test_what_inference_misunderstands_is_said_plainly_in_functions_and_branches_too(place: str) -> None:
    made = within(place, "STFT", (1, 128, 1), {"step": np.array(8), "window": NONE, "length": np.array(16)})
    assert to_draft(read_model(made), ALL).types["y0"].shape == (1, 15, 9, 2)
    made = within(
        place, "Pad", (2, 3), {"pads": np.array([1, 2]), "value": NONE, "axes": np.array([1], np.int32)}
    )
    assert to_draft(read_model(made), ALL).types["y0"].shape == (2, 6)


@pytest.mark.parametrize("place", ["function", "branch"])
def test_scales_in_functions_and_branches_are_as_many_as_blocks(place: str) -> None:
    made = within(place, "Identity", (8,), {})
    inner = made.functions[0].node if place == "function" else made.graph.node[0].attribute[0].g.node
    codes = numpy_helper.from_array(np.zeros((32, 8), np.int8))
    result = inner[0].output[0]
    del inner[:]
    inner.extend(
        [
            helper.make_node("Constant", [], ["codes"], value=codes),
            helper.make_node(
                "Constant", [], ["scales"], value=numpy_helper.from_array(np.ones((3, 8), np.float32))
            ),
            helper.make_node("DequantizeLinear", ["codes", "scales"], ["w"], axis=0, block_size=16),
            helper.make_node("Add", ["x0", "w"], [result]),
        ]
    )
    with pytest.raises(ingot.ModelError, match=r"in blocks of 16 along axis 0, expected \[2, 8\]"):
        to_draft(read_model(made), ALL)


@pytest.mark.parametrize(
    "made",
    [
        model("RNN", (1, 2, 3), (1, 4, 3), (1, 4, 5), hidden_size=4),  # an optional output has no name
        model("GRU", (1, 2, 3), (1, 15, 3), (15, 5), hidden_size=5),
        model("LSTM", (1, 2, 3), (1, 20, 3), (1, 20, 5), hidden_size=-(2**63)),
        model("Attention", (1, 6, 24), (1, 6, 24, 1), (1, 6, 24), opset=23, q_num_heads=3, kv_num_heads=3),
        model("Attention", (1, 2, 4, 8), (1, 2, 4), (1, 2, 4, 8), opset=23),
        model("ReverseSequence", (3, 4), (4,), kinds=(F, I64), batch_axis=3),
        model("ReverseSequence", (4, 4), (4,), kinds=(F, I64), batch_axis=0, time_axis=0),
        model("GatherElements", (3, 4, 1), (3, 4), kinds=(F, I64), axis=1),
        model("DeformConv", (1, 1, 3, 3), (1, 1, 2, 2), (1, 8, 2, 2), (1, 1, 3, 3), opset=19),
        model("DeformConv", (1, 1, 3, 3), (1, 1, 2, 2), (1, 8, 2, 2), opset=19, offset_group=0),
        model("MaxUnpool", (1, 1, 2, 2), (1, 1, 2, 3), kinds=(F, I64), kernel_shape=[2, 2]),
        model("TensorScatter", (2, 0, 5), (2, 2, 5), (2,), kinds=(F, F, I64), opset=24),
        model("Trilu", (3, 3), (2,), kinds=(F, I64)),
        model(
            "MaxUnpool", (1, 1, 2, 2), (1, 1, 2, 2), kinds=(F, I64), kernel_shape=[2, 2], pads=[3, 3, 3, 3]
        ),
        model("MeanVarianceNormalization", (2, 3, 4), kinds=(I64,), opset=13, axes=[0, 2]),
    ],
)
def test_shapes_that_do_not_fit_an_operator_are_no_defect_of_ours(made: onnx.ModelProto) -> None:
    with pytest.raises((ingot.ModelError, ingot.UnsupportedError)):
        to_draft(read_model(made), ALL)


@pytest.mark.parametrize(
    ("op", "shapes", "constant"),
    [
        ("CumSum", [(5,)], np.zeros(0, np.int32)),
        ("TopK", [(5,)], np.array([1, 2], np.int64)),
        ("STFT", [(1, 128, 1)], np.zeros(0, np.int64)),
    ],
)
def test_a_constant_of_one_element_has_one(
    op: str, shapes: list[tuple[int, ...]], constant: np.ndarray
) -> None:
    made = model(op, *shapes)
    made.graph.node[0].input.append("c")
    made.graph.initializer.append(numpy_helper.from_array(constant, "c"))
    if op == "TopK":
        made.graph.node[0].output.append("indices")
    with pytest.raises((ingot.ModelError, ingot.UnsupportedError)):
        to_draft(read_model(made), ALL)


def test_axes_of_a_sum_may_be_in_any_shape() -> None:
    made = model("ReduceSum", (2, 3))
    made.graph.node[0].input.append("axes")
    made.graph.initializer.append(numpy_helper.from_array(np.array([[1]]), "axes"))
    assert to_draft(read_model(made), ALL).types["y0"].shape == (2, 1)


def test_a_transform_is_one_sided_unless_it_says_otherwise() -> None:
    """ONNX's inference says two-sided, against the operator's default."""
    made = model("STFT", (1, 128, 1))
    made.graph.node[0].input.extend(["step", "", "length"])
    for name, value in (("step", 8), ("length", 16)):
        made.graph.initializer.append(numpy_helper.from_array(np.array(value), name))
    assert to_draft(read_model(made), ALL).types["y0"].shape == (1, 15, 9, 2)


def test_axes_of_a_pad_may_be_int32() -> None:
    made = model("Pad", (2, 3))
    made.graph.node[0].input.extend(["pads", "", "axes"])
    made.graph.initializer.append(numpy_helper.from_array(np.array([1, 2]), "pads"))
    made.graph.initializer.append(numpy_helper.from_array(np.array([1], np.int32), "axes"))
    assert to_draft(read_model(made), ALL).types["y0"].shape == (2, 6)


@pytest.mark.parametrize("kind", [TensorProto.DOUBLE, TensorProto.FLOAT16])
def test_mean_and_variance_may_be_of_any_float(kind: int) -> None:
    """ONNX's inference follows a function with constants of float32."""
    made = model("MeanVarianceNormalization", (2, 3, 4), kinds=(kind,), opset=13, axes=[0, 2])
    assert to_draft(read_model(made), ALL).types["y0"].shape == (2, 3, 4)


@pytest.mark.parametrize("blocks", [1, 3])
def test_scales_are_as_many_as_blocks(blocks: int) -> None:
    made = model("DequantizeLinear", axis=0, block_size=16)
    made.graph.node[0].input.extend(["codes", "scales"])
    made.graph.initializer.append(numpy_helper.from_array(np.zeros((32, 8), np.int8), "codes"))
    made.graph.initializer.append(numpy_helper.from_array(np.ones((blocks, 8), np.float32), "scales"))
    with pytest.raises(ingot.ModelError, match=r"in blocks of 16 along axis 0, expected \[2, 8\]"):
        read_model(made)


def test_a_shape_that_the_model_states_and_its_node_does_not_have_is_the_models_fault() -> None:
    made = model("GroupNormalization", (1, 4, 2), (4,), (4,), num_groups=2)
    made.graph.output[0].CopyFrom(helper.make_tensor_value_info("y0", F, [1]))
    with pytest.raises(
        ingot.ModelError, match=r"is float32\[1, 4, 2\], and the model says that it is float32\[1\]"
    ):
        to_draft(read_model(made), ALL)


def test_a_long_name_of_a_graph_becomes_one_that_fits() -> None:
    made = model("Relu", (2,))
    made.graph.name = "a" * 100
    names = [read_model(made).graph.name]
    made.graph.name = "a" * 101
    names.append(read_model(made).graph.name)
    assert len(set(names)) == 2 and all(len(name or "") == 64 for name in names)
    with pytest.raises(ingot.ModelError, match="at most 64 letters, got 65"):
        read_model(made, name="b" * 65)


def test_nodes_of_branches_are_checked_too() -> None:
    result = helper.make_tensor_value_info("r", F, [2])
    branch = helper.make_graph([helper.make_node("Abs", ["x1"], ["r"], axis=3)], "b", [], [result])
    made = model("If", (), (2,), kinds=(TensorProto.BOOL,), then_branch=branch, else_branch=branch)
    del made.graph.node[0].input[1]
    made.graph.output[0].CopyFrom(helper.make_tensor_value_info("y0", F, [2]))
    with pytest.raises(ingot.ModelError, match="axis"):
        read_model(made)


@pytest.mark.parametrize("constant", [False, True])
def test_the_condition_of_an_if_is_one_element(constant: bool) -> None:
    result = helper.make_tensor_value_info("r", F, [2])
    branch = helper.make_graph([helper.make_node("Abs", ["x1"], ["r"])], "b", [], [result])
    made = model("If", (2,), (2,), kinds=(TensorProto.BOOL,), then_branch=branch, else_branch=branch)
    del made.graph.node[0].input[1]
    made.graph.output[0].CopyFrom(helper.make_tensor_value_info("y0", F, [2]))
    if constant:
        del made.graph.input[0]
        made.graph.initializer.append(numpy_helper.from_array(np.ones(2, bool), "x0"))
    with pytest.raises(
        ingot.ModelError, match=r"its condition 'x0' has the shape \[2\], expected one element"
    ):
        to_draft(read_model(made), ALL)


def test_a_mask_of_bool_means_what_one_of_whole_numbers_does() -> None:
    seen = np.array([[True, False, True, True]])
    x = np.random.default_rng(0).standard_normal((1, 4, 8)).astype(np.float32)
    answers = []
    for kind, mask in ((TensorProto.BOOL, seen), (TensorProto.INT32, seen.astype(np.int32))):
        made = model(
            "MultiHeadAttention", (1, 4, 8), (1, 4), kinds=(F, kind), domain="com.microsoft", num_heads=2
        )
        made.graph.node[0].input[:] = ["x0", "x0", "x0", "", "x1"]
        made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        answers.append(ingot.build(made, "interp", cache=None).load()["m"]().predict(x0=x, x1=mask))
    assert np.array_equal(*answers)


def test_a_scan_of_no_steps_keeps_its_batch() -> None:
    row, rows = (helper.make_tensor_value_info(name, F, [2]) for name in ("s", "v"))
    ends = [helper.make_tensor_value_info(name, F, [2]) for name in ("t", "o")]
    nodes = [helper.make_node("Add", ["s", "v"], ["t"]), helper.make_node("Identity", ["t"], ["o"])]
    body = helper.make_graph(nodes, "body", [row, rows], ends)
    made = model("Scan", (3, 2), (3, 0, 2), outputs=2, opset=8, num_scan_inputs=1, body=body)
    made.graph.node[0].input.insert(0, "")
    made.graph.output.append(helper.make_tensor_value_info("y1", F, None))
    assert to_draft(read_model(made), ALL).types["y1"].shape == (3, 0, 2)


@pytest.mark.parametrize("op", ["LeakyRelu", "Loop"])
def test_an_attribute_of_a_function_is_refused_where_there_is_none(op: str) -> None:
    text = {
        "LeakyRelu": "(float[3] x) => (float[3] y) { y = LeakyRelu<alpha = 0.5>(x) }",
        "Loop": """(float[3] x, bool c) => (float[3] y) <int64 n = {3}>
        { y = Loop(n, c, x) <body = b (int64 i, bool d, float[3] s) => (bool e, float[3] t) { e = Identity(d) t = Neg(s) }> }""",
    }[op]
    made = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 17]> g {text}')
    made.graph.node[0].attribute[0].ref_attr_name = "slope"
    with pytest.raises(ingot.ModelError, match="is the attribute 'slope' of a function, and it is in none"):
        read_model(made)


@pytest.mark.parametrize("version", [-(2**63), 0, 2**31, 2**63 - 1])
def test_any_version_of_the_format_is_a_number(version: int) -> None:
    made = model("Neg", (3,))
    made.ir_version = version
    check_structure(made, "the model")
