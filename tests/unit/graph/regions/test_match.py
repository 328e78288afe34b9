import onnx_ir as ir
import pytest

from ingot.graph.regions.match import matches, parsed
from ingot.plan.regions import Pattern
from tests.support.models import model

CONV_RELU = "(x, w) => (y) { c = Conv(x, w)  y = Relu(c) }"


def matched(pattern: str, nodes: str, outputs: str = "float[N] y") -> list[list[str]]:
    graph = ir.from_proto(model(f"g (float[N] x, float[N] w, float[N] b) => ({outputs}) {{ {nodes} }}")).graph
    some = matches(parsed(Pattern("p", pattern), "mine"), graph, set(graph))
    return [sorted(node.name or "" for node in match.nodes.values()) for match in some]


def test_every_place_of_a_pattern_is_matched_once():
    nodes = "[a] p = Conv(x, w) [b] q = Relu(p) [c] r = Conv(q, w) [d] y = Relu(r)"
    assert matched(CONV_RELU, nodes) == [["a", "b"], ["c", "d"]]


def test_nodes_are_known_by_the_names_in_the_pattern():
    graph = ir.from_proto(
        model("g (float[N] x, float[N] w) => (float[N] y) { [a] p = Conv(x, w) [b] y = Relu(p) }")
    ).graph
    (match,) = matches(parsed(Pattern("p", CONV_RELU), "mine"), graph, set(graph))
    assert {name: node.name for name, node in match.nodes.items()} == {"c": "a", "y": "b"}


def test_a_value_inside_that_others_read_too_is_no_match():
    assert not matched(
        CONV_RELU, "[a] p = Conv(x, w) [b] y = Relu(p) [c] z = Neg(p)", "float[N] y, float[N] z"
    )
    assert not matched(CONV_RELU, "[a] p = Conv(x, w) [b] y = Relu(p)", "float[N] y, float[N] p")


def test_inputs_that_are_left_out_must_be_left_out():
    assert not matched(CONV_RELU, "[a] p = Conv(x, w, b) [b] y = Relu(p)")
    assert matched("(x, l) => (y) { y = Clip(x, , l) }", "[a] y = Clip(x, , w)") == [["a"]]
    assert not matched("(x, l) => (y) { y = Clip(x, , l) }", "[a] y = Clip(x, w, b)")


def test_an_attribute_of_the_pattern_is_one_of_the_node():
    pattern = "(x) => (y) { y = Softmax <axis = 1> (x) }"
    assert matched(pattern, "[a] y = Softmax <axis = 1> (x)") == [["a"]]
    assert not matched(pattern, "[a] y = Softmax <axis = 0> (x)")
    assert not matched(pattern, "[a] y = Softmax (x)")
    assert matched("(x) => (y) { y = Softmax(x) }", "[a] y = Softmax <axis = 0> (x)") == [["a"]]


def test_the_same_value_twice_must_be_the_same_value():
    pattern = "(x) => (y) { y = Sub(x, x) }"
    assert matched(pattern, "[a] y = Sub(x, x)") == [["a"]]
    assert not matched(pattern, "[a] y = Sub(x, w)")


@pytest.mark.parametrize(
    ("nodes", "fits"), [("y = Add(p, b)", True), ("y = Add(b, p)", True), ("y = Sub(b, p)", False)]
)
def test_operands_of_a_sum_may_come_in_either_order(nodes, fits):
    operator = "Add" if "Add" in nodes else "Sub"
    pattern = f"(x, b) => (y) {{ n = Neg(x) y = {operator}(n, b) }}"
    assert bool(matched(pattern, f"[a] p = Neg(x) [b] {nodes}")) is fits


def test_two_branches_that_meet_are_matched_with_their_common_input():
    gelu = "(x) => (y) { s = Sigmoid(x) y = Mul(x, s) }"
    assert matched(gelu, "[a] p = Sigmoid(x) [b] y = Mul(p, x)") == [["a", "b"]]
    assert not matched(gelu, "[a] p = Sigmoid(x) [b] y = Mul(p, w)")


def test_an_operator_of_another_domain_has_its_domain_in_the_pattern():
    graph = ir.from_proto(
        model("g (float[N] x) => (float[N] y) { [a] y = com.acme.Relu(x) }", imports=', "com.acme": 1')
    ).graph
    for text, count in (("(x) => (y) { y = Relu(x) }", 0), ("(x) => (y) { y = com.acme.Relu(x) }", 1)):
        assert len(list(matches(parsed(Pattern("p", text), "mine"), graph, set(graph)))) == count
