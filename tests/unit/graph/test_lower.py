"""Lowering: what comes out, and how everything that cannot be compiled is reported at once."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from ingot.base.errors import InternalError, UnsupportedError
from ingot.base.tensor import DType
from ingot.graph.lower import why_no_operator
from ingot.graph.operator_table import OperatorTable
from ingot.graph.prepare import to_draft
from ingot.graph.read.check import check_outputs
from ingot.graph.read.read import read_model
from ingot.ops.opdef import OpDef
from ingot.ops.registry import ALL
from tests.support.draft_eval import evaluate_draft
from tests.support.models import model


def draft(body, **kwargs):
    return to_draft(read_model(model(body, **kwargs)), ALL)


def test_all_nodes_that_cannot_be_compiled_are_listed_at_once():
    body = "g (float[2] x) => (float[2] y) { a = Reluu(x) b = Exp(a) c = my.Foo(x) y = Add(b, c) }"
    with pytest.raises(UnsupportedError) as caught:
        draft(body, imports=', "my": 3')
    assert [(one.name, one.op_type, one.version) for one in caught.value.facts["nodes"]] == [
        ("Reluu_0", "Reluu", 17),
        ("Foo_2", "Foo", 3),
    ]
    assert "did you mean" in str(caught.value) and "Foo_2 (my.Foo, opset 3)" in str(caught.value)


def test_a_node_that_leaves_outputs_out_is_refused_like_others():
    body = "g (float[2] x) => (float[2] y) { a, , s = my.Foo(x) y = Add(a, s) }"
    with pytest.raises(UnsupportedError, match=r"Foo_0 \(my.Foo, opset 3\)"):
        draft(body, imports=', "my": 3')


def test_text_that_numbers_are_made_of_while_building_is_no_obstacle():
    body = """g (float[1] x) => (float[1] y) <int64[1] second = {1}> {
        t = Constant<value_strings = ["1.5", "2.5"]>() u = Gather(t, second) v = Cast<to = 1>(u) y = Add(x, v)
    }"""
    (y,) = evaluate_draft(draft(body), {"x": np.array([1], np.float32)})
    np.testing.assert_array_equal(y, np.float32([3.5]))


def test_branches_on_a_running_value_that_give_other_shapes_are_refused():
    body = """g (bool c, float[2] x) => (float[m] y) {
        y = If(c) <
            then_branch = a () => (float[2] t) { t = Relu(x) },
            else_branch = b () => (float[6] e) { e = Concat<axis = 0>(x, x, x) }>
    }"""
    why = r"If_0 \(If, opset 17\): which branch it takes is only known while running, .* output 'y' is not known, or not the same"
    with pytest.raises(UnsupportedError, match=why):
        draft(body)
    # One element stretches to the other branch's four, and the model states that both give four: no shape contradicts another.
    stated = """g (bool c, float[2] x) => (float[4] y) {
        y = If(c) <
            then_branch = a () => (float[k] t) { t = ReduceSum(x) },
            else_branch = b () => (float[4] e) { e = Concat<axis = 0>(x, x) }>
    }"""
    with pytest.raises(
        UnsupportedError, match=r"stands for the node If_0 \(If\).* they give the shapes \(1,\) and \(4,\)"
    ):
        draft(stated)


def test_names_are_only_guessed_for_what_is_no_operator_of_onnx():
    without = OperatorTable(tuple(one for one in ALL if one.name != "Selu"))
    assert why_no_operator(without, ir.Node("", "Selu", []), 20) == "ingot has no operator of this name"
    with pytest.raises(UnsupportedError, match=r"did you mean .*'Relu'"):
        draft("g (float[2] x) => (float[2] y) { y = Rellu(x) }")


def test_the_newest_definition_not_newer_than_the_opset_is_taken():
    def lower(call, emit):
        return ()

    table = OperatorTable((OpDef("", "A", 1, lower), OpDef("", "A", 13, lower), OpDef("", "A", 11, lower)))
    assert [table.find("ai.onnx", "A", opset).since_version for opset in (1, 10, 11, 12, 13, 20)] == [
        1,
        1,
        11,
        11,
        13,
        13,
    ]
    assert table.find("", "A", 0) is None


def test_values_that_a_lowering_makes_never_have_the_name_of_a_model_s_own():
    """However many it makes: here the model has a value of the name that the hundredth would get."""

    def lower(call, emit):
        value = call.input(0)
        for _ in range(200):
            value = emit.pointwise([value], value.type, lambda where, read: read(*where) * -1.0, "negate")
        return (value,)

    proto = model("g (float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Relu(x) }")
    proto.graph.node[0].name = "n"
    proto.graph.node[1].name = "m"
    proto.graph.node[1].output[0] = proto.graph.output[1].name = "n.100"
    made = to_draft(read_model(proto), (OpDef("", "Relu", 6, lower),))
    written = [name for step in made.steps for name in step.outputs]
    assert len(written) == len(set(written)) == 400
    for result in evaluate_draft(made, {"x": np.array([1, -2], np.float32)}):
        np.testing.assert_array_equal(result, np.float32([1, -2]))


def test_a_lowering_that_makes_another_type_than_the_model_states_is_a_defect_of_ours():
    wrong = OpDef("", "Relu", 6, lambda call, emit: (emit.reshape(call.input(0), (1, 2)),))
    with pytest.raises(InternalError, match="node Relu_0"):
        to_draft(read_model(model("g (float[2] x) => (float[2] y) { y = Relu(x) }")), (wrong,))


@pytest.mark.parametrize(
    "body",
    [
        "g (float[2] x) => (float[2] y) { y = Identity(x) }",
        "g (float[2] x) => (float[2] y) { y = Constant<value = float[2] {1, 2}>() }",
        "g (float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Identity(y) }",
        "g (float[2] x) => (float[2] y, float[2] z) { y = Identity(x) z = Identity(x) }",
        "g (float[2] x) => (float[2] x) { y = Relu(x) }",
        "g (float[2] x) => (float[2] w) <float[2] w = {1, 2}> { y = Relu(x) }",
    ],
)
def test_every_output_is_written_by_a_step_and_by_one_only(body):
    made = draft(body)
    written = [name for step in made.steps for name in step.outputs]
    assert len(set(written)) == len(written)
    assert set(made.outputs) <= set(written) and len(set(made.outputs)) == len(made.outputs)
    assert not set(written) & {*made.inputs, *made.constants}


def test_outputs_keep_their_names():
    made = draft(
        "g (float[2] x) => (float[2] y, float[2] z) { y = Identity(x) z = Constant<value = float[2] {1, 2}>() }"
    )
    assert made.outputs == ("y", "z")


def test_lowering_twice_gives_the_same_names():
    body = "g (float[2,3] x) => (float[2,3] y) { a = Softmax(x) y = Gelu(a) }"
    first, second = draft(body, opset=20), draft(body, opset=20)
    assert [(step.inputs, step.outputs, step.nodes) for step in first.steps] == [
        (step.inputs, step.outputs, step.nodes) for step in second.steps
    ]


def test_bfloat16_weights_are_bit_patterns():
    made = draft(
        "g (bfloat16[2] x) => (bfloat16[2] y) { c = Constant<value = bfloat16[2] {1, 2}>() y = Add(x, c) }"
    )
    ((name, array),) = made.constants.items()
    assert made.types[name].dtype is DType.BFLOAT16 and array.dtype == np.uint16


def test_a_model_is_computed_as_written():
    made = draft("g (float[2] x) => (float[2] y) <float[2] w = {1, -9}> { a = Add(x, w) y = Relu(a) }")
    assert evaluate_draft(made, {"x": np.array([1, 2], np.float32)})[0].tolist() == [2, 0]


@pytest.mark.parametrize(
    "node", ["ReduceL1<keepdims = 3>(x)", "ReduceMean<keepdims = 3>(x)", "ArgMax<keepdims = 3>(x)"]
)
def test_dimensions_are_kept_where_the_attribute_is_one(node):
    """As ONNX's inference has it, with which the shapes of results must agree."""
    made = draft(f"g (float[2,3] x) => (y) {{ y = {node} }}")
    assert made.types[made.outputs[0]].rank == (1 if "ArgMax" in node else 0)


def test_a_pass_that_gives_an_output_another_shape_is_a_defect_of_ours():
    value = ir.Value(name="y", shape=ir.Shape([3, 4]))
    check_outputs([value, value], [(3, 4), None], "m")
    with pytest.raises(
        InternalError, match=r"m: its output 'y' has the shape \(1, 3, 4\), and passes made it \(3, 4\)"
    ):
        check_outputs([value], [(1, 3, 4)], "m")
