"""Calls of a model's own functions: defaults of attributes, and functions in another opset than the model."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest

from ingot.base.errors import UnsupportedError
from ingot.graph.prepare import prepare
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.onnx_text import run

X = np.array([[-1, 2, -3], [4, -5, 6]], np.float32)


def model(nodes, functions, opsets='"": 21, "l": 1', outputs="y"):
    return onnx.parser.parse_model(
        f"<ir_version: 10, opset_import: [{opsets}]> g (float[2,3] x) => ({outputs}) {{ {nodes} }} {functions}"
    )


def function(text, opset=21):
    return f'<domain: "l", opset_import: ["": {opset}, "l": 1]> {text}'


def assert_same(made, **feeds):
    feeds = feeds or {"x": X}
    expected = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"]).run(
        None, feeds
    )
    for got, wanted in zip(run(made, **feeds), expected, strict=True):
        assert got.shape == wanted.shape and got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
    return expected


SLOPE = function("slope <a: float = 3.0> (x) => (y) { y = LeakyRelu<alpha: float = @a>(x) }")
CHOICE = """b = Constant<value = bool {1}>() y = If (b) <
    then_branch = t () => (r) { r = l.slope(x) }, else_branch = e () => (r) { r = Neg(x) }>"""


@pytest.mark.parametrize(
    ("nodes", "functions", "slope"),
    [
        ("y = l.slope(x)", SLOPE, 3),
        ("y = l.slope<a = 2.0>(x)", SLOPE, 2),
        (CHOICE, SLOPE, 3),
        ("y = l.outer(x)", SLOPE + function(f"outer (x) => (y) {{ {CHOICE} }}"), 3),
        (
            "y = l.outer(x)",
            SLOPE + function("outer <b: float = 5.0> (x) => (y) { y = l.slope<a: float = @b>(x) }"),
            5,
        ),
        (
            "y = l.outer<b = 4.0>(x)",
            SLOPE + function("outer <b> (x) => (y) { y = l.slope<a: float = @b>(x) }"),
            4,
        ),
        # Attributes that are handed on, and that nobody gives.
        ("y = l.outer(x)", SLOPE + function("outer <b> (x) => (y) { y = l.slope<a: float = @b>(x) }"), 3),
        (
            "y = l.most(x)",
            SLOPE
            + function("outer <b> (x) => (y) { y = l.slope<a: float = @b>(x) }")
            + function("most <c> (x) => (y) { y = l.outer<b: float = @c>(x) }"),
            3,
        ),
    ],
)
def test_an_attribute_that_a_call_leaves_out_has_its_functions_default(nodes, functions, slope):
    (y,) = run(model(nodes, functions), x=X)
    np.testing.assert_array_equal(y, np.where(X < 0, X * slope, X))


def test_calls_of_one_function_give_its_attribute_and_leave_it_out():
    functions = SLOPE + function("outer <b> (x) => (y) { y = l.slope<a: float = @b>(x) }")
    given, omitted = run(model("y = l.outer<b = 2.0>(x) z = l.outer(x)", functions, outputs="y, z"), x=X)
    assert given[0, 0] == -2 and omitted[0, 0] == -3


def test_defaults_of_other_kinds_of_attributes():
    assert_same(
        model(
            "y = l.f(x)",
            function(
                "f <a: float = 3.0> (x) => (y) { k = Constant<value_float: float = @a>() y = Add(x, k) }"
            ),
        )
    )
    text = "f <ax: int = 1, kd: int = 0> (x) => (y) { y = ArgMax<axis: int = @ax, keepdims: int = @kd>(x) }"
    assert_same(model("y = l.f(x)", function(text)))


@pytest.mark.parametrize("opsets", ['"": 21, "l": 1', '"l": 1'])
def test_a_function_in_another_opset_whose_operators_mean_the_same_is_inlined(opsets):
    functions = function("f (x) => (y) { t = l.h(x) y = Neg(t) }", 21) + function(
        "h (x) => (y) { y = Gelu(x) }", 20
    )
    made = model("y = l.f(x)", functions, opsets)
    assert_same(made)
    assert {node.op_type for node in prepare(read_model(made), ALL).graph} == {"Gelu", "Neg"}


@pytest.mark.parametrize(
    ("text", "opset", "words"),
    [
        (
            "f (x) => (y) { y = Softmax(x) }",
            11,
            "'f' of the domain 'l' is written in opset 11 of ai.onnx, the model in 21, where Softmax means",
        ),
        (
            "f (x) => (y) { y = l.h(x) } " + function("h (x) => (y) { y = Softmax(x) }", 11),
            21,
            "'h' of the domain 'l' is .* Softmax means",
        ),
        ("f (x) => (y) { y = HardSwish(x) }", 13, "does not say that HardSwish means the same there"),
        (
            "f (x) => (y) { y = Relu(x) }",
            999,
            "written in opset 999 of ai.onnx, the model in 21, and ONNX does not say that Relu",
        ),
    ],
)
def test_a_function_in_another_opset_whose_operators_mean_something_else_is_refused(text, opset, words):
    with pytest.raises(UnsupportedError, match=words):
        prepare(read_model(model("y = l.f(x)", function(text, opset))), ALL)


def test_a_function_that_nobody_calls_may_be_in_any_opset():
    run(model("y = Relu(x)", function("f (x) => (y) { y = Softmax(x) }", 11)), x=X)


def test_functions_alone_are_in_an_opset_that_ingot_compiles():
    with pytest.raises(
        UnsupportedError, match=r"functions are written in opset 6 of ai\.onnx; ingot compiles opsets 7 to"
    ):
        prepare(read_model(model("y = l.f(x)", function("f (x) => (y) { y = Relu(x) }", 6), '"l": 1')), ALL)
