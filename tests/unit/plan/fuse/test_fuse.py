"""Fusion: what becomes one step, what must not, and that results stay the same."""

from __future__ import annotations

import pytest

from ingot.kernels.template import Pointwise
from ingot.loops.transform.rewrite import nodes_and_depth
from ingot.machines.machine import Machine
from ingot.plan.fuse.fuse import MAX_DEPTH, fuse
from ingot.plan.program import Fused
from tests.support import machines
from tests.support.drafts import assert_same_results, draft_of

MACHINES = [pytest.param(machines.AVX2, id="vectors"), pytest.param(machines.SCALARS, id="scalar")]

CHAIN = """g (float[2,3,5] x, float[3,1] s) => (float[2,3,5] y) {
    a = Mul(x, s)  b = Exp(a)  c = Add(b, x)  y = Relu(c)
}"""

RESIDUAL_BLOCK = """g (float[1,4,6,6] x, float[8,4,3,3] w1, float[4,8,1,1] w2, float[8] b1) => (float[1,4,6,6] y) {
    c1 = Conv<pads = [1,1,1,1]>(x, w1, b1)  r1 = Relu(c1)  c2 = Conv(r1, w2)  s = Add(c2, x)  y = Relu(s)
}"""

TWO_READERS = """g (float[4,4] x) => (float[4,4] y, float[4,4] z) {
    a = Exp(x)  y = Relu(a)  z = Neg(a)
}"""

BEHIND_RESHAPE = """g (float[2,3,4] x, float[4,5] w, float[5] b) => (float[2,3,5] y) {
    m = MatMul(x, w)  a = Add(m, b)  y = Relu(a)
}"""

INTO_SUM = """g (float[3,7] x) => (float[3,1] y) {
    a = Abs(x)  b = Sqrt(a)  axes = Constant<value_ints = [1]>()  y = ReduceSum<keepdims = 1>(b, axes)
}"""


STACKED = """g (float[3,11] a, float[3,11] b) => (float[3,22] y) {
    axes = Constant<value_ints = [2]>()  shape = Constant<value_ints = [3,22]>()
    n = Neg(b)  e = Unsqueeze(n, axes)  f = Unsqueeze(a, axes)  s = Concat<axis = 2>(e, f)  y = Reshape(s, shape)
}"""

ONE_MORE_READER = """g (float[3,11] a, float[3,11] b) => (float[3,11,2] y, float[3,11] z) {
    axes = Constant<value_ints = [2]>()
    n = Neg(b)  e = Unsqueeze(n, axes)  f = Unsqueeze(a, axes)  y = Concat<axis = 2>(e, f)  z = Exp(n)
}"""


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    "text", [CHAIN, RESIDUAL_BLOCK, TWO_READERS, BEHIND_RESHAPE, INTO_SUM, STACKED, ONE_MORE_READER]
)
def test_a_fused_and_planned_model_computes_what_its_definitions_say(text: str, machine: Machine) -> None:
    assert_same_results(draft_of(text), machine)


def test_an_elementwise_chain_becomes_one_kernel() -> None:
    assert len(fuse(draft_of(CHAIN)).steps) == 1


@pytest.mark.parametrize("first", ["v0 = Exp(x)", "v0 = MatMul(x, x)"])
def test_a_long_chain_is_cut_where_its_expression_gets_deep(first: str) -> None:
    lines = "  ".join(f"v{i + 1} = Sin(v{i})" for i in range(4 * MAX_DEPTH))
    steps = fuse(draft_of(f"g (float[4,4] x) => (float[4,4] v{4 * MAX_DEPTH}) {{ {first}  {lines} }}")).steps
    values = [
        step.definition.value
        if isinstance(step.definition, Pointwise)
        else step.definition.epilogue.pointwise.value
        for step in steps
        if isinstance(step.definition, Pointwise)
        or (isinstance(step.definition, Fused) and step.definition.epilogue)
    ]
    assert max(nodes_and_depth(value)[1] for value in values) <= MAX_DEPTH
    assert len(steps) <= 6  # and is cut nowhere else


def test_bias_activation_and_residual_become_epilogues_of_their_convolutions() -> None:
    steps = fuse(draft_of(RESIDUAL_BLOCK)).steps
    convolutions = [step for step in steps if isinstance(step.definition, Fused)]
    assert [step.definition.name for step in convolutions] == ["conv", "conv"]
    assert all(step.definition.epilogue is not None for step in convolutions)
    assert [step.outputs[0] for step in convolutions] == ["r1", "y"]


def test_a_costly_value_with_two_readers_is_computed_once() -> None:
    steps = fuse(draft_of(TWO_READERS)).steps
    assert sum("exp" in str(step.definition.name) for step in steps) == 1
    assert "a" in {name for step in steps for name in step.outputs}


def test_a_model_output_is_stored_even_if_its_reader_could_take_it_in() -> None:
    draft = draft_of("g (float[4] x) => (float[4] a, float[4] y) { a = Exp(x)  y = Relu(a) }")
    assert {name for step in fuse(draft).steps for name in step.outputs} == {"a", "y"}
    assert_same_results(draft)


def test_pointwise_work_behind_a_reshape_becomes_an_epilogue_too() -> None:
    program = assert_same_results(draft_of(BEHIND_RESHAPE))
    assert len(program.calls) == 1


def test_a_pointwise_producer_goes_into_the_reduction_that_reads_it() -> None:
    (step,) = fuse(draft_of(INTO_SUM)).steps
    assert isinstance(step.definition, Fused)
    assert step.inputs == ("x",)


CODES = """g (uint8[4,8] x, uint8[8,6] w, float[6,6] v) => (float[4,6] y)
<float s = {0.1}, uint8 z = {3}, float t = {0.5}>
{ p = QLinearMatMul(x, s, z, w, s, z, t, z)  r = DequantizeLinear(p, t, z)  y = %s }"""


def test_codes_become_real_numbers_in_the_template_that_reads_nothing_else() -> None:
    draft = draft_of(CODES % "Softmax(r)")
    assert [step.outputs[0] for step in fuse(draft).steps] == ["p", "y"]
    assert_same_results(draft)


def test_codes_become_real_numbers_in_front_of_all_other_readers() -> None:
    for reader in ("MatMul(r, v)", "Relu(r)"):
        draft = draft_of(CODES % reader)
        assert "p" not in [step.outputs[0] for step in fuse(draft).steps]
        assert_same_results(draft)


def test_a_producer_in_front_of_a_new_dimension_goes_into_the_stack_that_reads_it() -> None:
    program = assert_same_results(draft_of(STACKED))
    assert len(program.calls) == 1


def test_a_broadcast_producer_is_not_computed_again_for_every_element() -> None:
    draft = draft_of("g (float[8,1] x, float[8,64] z) => (float[8,64] y) { a = Exp(x)  y = Mul(a, z) }")
    assert len(fuse(draft).steps) == 2
    assert_same_results(draft)


def test_a_step_whose_result_nobody_reads_is_left_out() -> None:
    draft = draft_of("g (float[4] x) => (float[4] y) { a = Exp(x)  y = Relu(x) }")
    assert all("a" not in step.outputs for step in fuse(draft).steps)


def test_every_onnx_node_is_named_by_some_kernel() -> None:
    draft = draft_of(RESIDUAL_BLOCK)
    before = {node for step in draft.steps for node in step.nodes}
    after = {node for step in fuse(draft).steps for node in step.nodes}
    assert after == before
