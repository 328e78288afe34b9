"""Sequences and optionals whose positions are known leave nothing behind; the others are refused by name."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import ingot
from ingot.base.errors import ModelError
from ingot.graph.prepare import prepare, to_draft
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.draft_eval import evaluate_draft
from tests.support.models import model
from tests.support.node_tests import load_node_tests, node_test_names
from tests.unit.graph.passes.control_flow.test_unroll import assert_same, normal, refusal


def test_elements_go_from_where_they_were_put_to_where_they_are_read():
    body = """g (float[2] x, float[3] z) => (float[3] p, float[2] q, int64 n, float[3] last)
    <int64 one = {1}, int64 back = {-2}, int64 zero = {0}> {
        a = SequenceConstruct(x, z) b = SequenceEmpty() c = SequenceInsert(b, x) d = SequenceInsert(c, z, zero)
        e = SequenceInsert(d, z, back) f = Identity(e) g0 = SequenceErase(f, zero)
        i = SequenceAt(a, one) p = Sin(i) j = SequenceAt(g0, one) q = Cos(j) n = SequenceLength(g0)
        h = SequenceErase(g0) k = SequenceAt(h, back) last = Neg(k)
    }"""
    with pytest.raises(ModelError, match="got the position -2 in a sequence of 1, expected -1 to 0"):
        prepare(read_model(model(body)), ALL)
    left = assert_same(
        model(body.replace("SequenceAt(h, back)", "SequenceAt(h, zero)")), x=normal(2), z=normal(3)
    )
    assert left == {"Sin": 1, "Cos": 1, "Neg": 1}


@pytest.mark.parametrize("opset", [11, 13, 18])
@pytest.mark.parametrize(("split", "keepdims"), [("", 0), ("", 1), (", two", 1), (", sizes", 1)])
@pytest.mark.parametrize("axis", [0, -1])
def test_a_tensor_is_split_and_put_together_again(opset, split, keepdims, axis):
    body = f"""g (float[5,3,5] x) => (y, z) <int64 two = {{2}}, int64[3] sizes = {{1, 3, 1}}, int64 first = {{0}}> {{
        s = SplitToSequence<axis = {axis}, keepdims = {keepdims}>(x{split}) one = SequenceAt(s, first) y = Sin(one)
        z = ConcatFromSequence<axis = {axis}, new_axis = {int(not split and not keepdims)}>(s)
    }}"""
    left = assert_same(typed(model(body, opset=opset)), x=normal(5, 3, 5))
    assert left["SplitToSequence"] == left["ConcatFromSequence"] == 0


def typed(proto):
    """With outputs of known type, which onnxruntime wants."""
    for output in proto.graph.output:
        output.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    return proto


@pytest.mark.parametrize("size", [2, 3])
def test_a_constant_is_split_into_parts_that_a_running_value_may_join(size):
    """A sequence of constants is no constant: NumPy made one array of equal parts, and refused others."""
    body = f"""g (float[2] x) => (float[n] y, int64 count) <float[4] c = {{1, 2, 3, 4}}, int64 size = {{{size}}}> {{
        s = SplitToSequence<axis = 0>(c, size) t = SequenceInsert(s, x) joined = ConcatFromSequence<axis = 0>(t) y = Sin(joined)
        count = SequenceLength(s)
    }}"""
    proto = model(body)
    result, count = (
        ingot.build(proto, "interp", cache=None).load()["g"]().predict(x=np.array([5, 6], np.float32))
    )
    np.testing.assert_allclose(result, np.sin(np.arange(1, 7)), rtol=1e-5)
    assert count == 2


def test_a_loop_may_collect_its_results_in_a_sequence():
    """As torch.jit.script writes a list that is appended to."""
    body = """g (float[4,3] x) => (float[4,3] y, int64 n) <int64 trips = {4}, bool go = {1}> {
        empty = SequenceEmpty()
        s = Loop <body = b (int64 i, bool c, seq(float[3]) s0) => (bool c1, seq(float[3]) s1) {
            c1 = Identity(c) row = Gather(x, i) e = Exp(row) s1 = SequenceInsert(s0, e)
        }> (trips, go, empty)
        y = ConcatFromSequence<axis = 0, new_axis = 1>(s) n = SequenceLength(s)
    }"""
    left = assert_same(model(body), x=normal(4, 3))
    assert left["Exp"] == 4 and left["Loop"] == 0


def test_a_loop_may_walk_through_a_sequence():
    body = """g (float[2] x, float[2] z) => (float[2] y) <bool go = {1}> {
        s = SequenceConstruct(x, z, x) n = SequenceLength(s)
        y = Loop <body = b (int64 i, bool c, float[2] t) => (bool c1, float[2] t1) {
            c1 = Identity(c) e = SequenceAt(s, i) t1 = Sub(e, t)
        }> (n, go, x)
    }"""
    assert assert_same(model(body), x=normal(2), z=normal(2)) == {"Sub": 3}


def test_optionals_that_are_made_in_the_model_are_what_they_hold():
    body = """g (float[2] x) => (float[2] y, bool has) {
        o = Optional(x) e = OptionalGetElement(o) y = Sin(e) has = OptionalHasElement(o)
    }"""
    proto = model(body, opset=18)
    (y, has) = evaluate_draft(to_draft(read_model(proto), ALL), {"x": np.array([1, 2], np.float32)})
    assert has and np.allclose(y, np.sin([1, 2]))


def test_an_optional_that_holds_nothing_cannot_be_read():
    proto = model(
        "g (float[2] x) => (float[2] y) { o = Identity(x) e = OptionalGetElement(o) y = Add(x, e) }", opset=18
    )
    proto.graph.node[0].CopyFrom(
        onnx.helper.make_node(
            "Optional", [], ["o"], type=onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, [2])
        )
    )
    with pytest.raises(ModelError, match=r"OptionalGetElement.*: there is nothing in its optional"):
        prepare(read_model(proto), ALL)


def test_a_position_chooses_among_elements_of_one_rank():
    body = "g (float[2] x, float[2] z, int64 i) => (float[2] y) { s = SequenceConstruct(x, z) y = SequenceAt(s, i) }"
    said = refusal(model(body.replace("float[2] z", "float[1, 2] z")))
    assert "SequenceAt_1 (SequenceAt, opset 17): an element may have the shape [1, 2] or [2]" in said
    draft = to_draft(read_model(model(body), constants={"i": np.array(-2)}), ALL)
    x = normal(2)
    assert np.array_equal(evaluate_draft(draft, {"x": x, "z": normal(2)})[0], x)


# ─── ONNX's own tests, with their sequences handed over element by element ─────────────────────────────────────────

WRAPPED = [
    name
    for name in node_test_names()
    if name.startswith(
        ("test_sequence_", "test_split_to_sequence", "test_loop13_seq", "test_identity_sequence")
    )
]


def wrapped(test):
    """The test's model with its sequences made from inputs and read into outputs; inputs that are numbers are bound."""
    graph = onnx.GraphProto()
    graph.CopyFrom(test.model.graph)
    given, expected, nodes, bound = {}, [], [], {}
    inputs, outputs = list(graph.input), list(graph.output)
    del graph.input[:], graph.output[:]
    for one, value in zip(inputs, test.inputs, strict=True):
        parts = value if isinstance(value, list) else [value]
        names = (
            [f"{one.name}.{number}" for number in range(len(parts))]
            if isinstance(value, list)
            else [one.name]
        )
        for name, part in zip(names, parts, strict=True):
            dtype = onnx.helper.np_dtype_to_tensor_dtype(np.asarray(part).dtype)
            graph.input.append(onnx.helper.make_tensor_value_info(name, dtype, np.asarray(part).shape))
            given[name] = np.asarray(part)
        if isinstance(value, list) and parts:
            nodes.append(onnx.helper.make_node("SequenceConstruct", names, [one.name]))
        elif isinstance(value, list):
            dtype = one.type.sequence_type.elem_type.tensor_type.elem_type
            nodes.append(onnx.helper.make_node("SequenceEmpty", [], [one.name], dtype=dtype))
        elif np.asarray(value).dtype.kind in "ib":
            bound[one.name] = given.pop(one.name)
    for one, value in zip(outputs, test.outputs, strict=True):
        parts = value if isinstance(value, list) else [value]
        for number, part in enumerate(parts):
            name = f"{one.name}.{number}"
            dtype = onnx.helper.np_dtype_to_tensor_dtype(np.asarray(part).dtype)
            graph.output.append(onnx.helper.make_tensor_value_info(name, dtype, np.asarray(part).shape))
            expected.append(np.asarray(part))
            if isinstance(value, list):
                at = onnx.numpy_helper.from_array(np.array(number, np.int64), f"{name}.at")
                graph.initializer.append(at)
                graph.node.append(onnx.helper.make_node("SequenceAt", [one.name, at.name], [name]))
            else:
                graph.node.append(onnx.helper.make_node("Identity", [one.name], [name]))
    rest = list(graph.node)
    del graph.node[:]
    graph.node.extend([*nodes, *rest])
    proto = onnx.helper.make_model(
        graph, opset_imports=test.model.opset_import, ir_version=test.model.ir_version
    )
    return proto, given, bound, expected


@pytest.mark.parametrize("name", WRAPPED)
def test_onnx_s_tests_of_sequences_pass_element_by_element(name):
    (test,) = load_node_tests([name])
    proto, given, bound, expected = wrapped(test)
    got = evaluate_draft(to_draft(read_model(proto, constants=bound), ALL), given)
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.cc
@pytest.mark.parametrize("target", ["llvm", "c", "interp"])
def test_sequences_leave_nothing_behind_on_every_target(target):
    body = """g (float[2,5] x) => (float[3,2,2] y) <int64[3] sizes = {2, 1, 2}, int64 two = {2}, int64 zero = {0}> {
        s = SplitToSequence<axis = 1>(x, sizes) a = SequenceAt(s, zero) b = SequenceAt(s, two) c = Mul(a, b)
        t = SequenceConstruct(a, c) u = SequenceInsert(t, b, zero) y = ConcatFromSequence<axis = 0, new_axis = 1>(u)
    }"""
    x = normal(2, 5)
    y = ingot.build(model(body), target=target, cache=None).load()["g"]().predict(x=x)
    assert np.array_equal(y, np.stack([x[:, 3:], x[:, :2], x[:, :2] * x[:, 3:]]))


def test_of_split_sizes_the_dimension_stays_whatever_keepdims_says():
    body = """g (float[4] x) => (float[2] y) <int64 two = {2}, int64 first = {0}> {
        s = SplitToSequence<keepdims = 0>(x, two) y = SequenceAt(s, first)
    }"""
    x = normal(4)
    assert np.array_equal(evaluate_draft(to_draft(read_model(model(body)), ALL), {"x": x})[0], x[:2])


def test_a_position_is_one_number():
    body = """g (float[2] x) => (float[2] y) <int64[2] both = {0, 1}> {
        s = SequenceConstruct(x, x) y = SequenceAt(s, both)
    }"""
    with pytest.raises(ModelError, match=r"got a position of the shape \[2\], expected one number"):
        prepare(read_model(model(body)), ALL)
