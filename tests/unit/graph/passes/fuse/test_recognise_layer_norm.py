"""Normalisations that are written out are found, and only these; what is computed stays the same."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.draft_eval import evaluate_draft
from tests.support.models import model
from tests.unit.graph.passes.control_flow.test_unroll import assert_same, normal

CENTRED = """
    m = ReduceMean<axes = [-1]>(x) d = Sub(x, m) s = Pow(d, two) v = ReduceMean<axes = [-1]>(s)
    e = Add(v, eps) r = Sqrt(e) n = Div(d, r)"""
ROOT = "s = Pow(x, two) v = ReduceMean<axes = [-1]>(s) e = Add(v, eps) r = Sqrt(e) n = Div(x, r)"
NORMS = {"LayerNormalization", "SimplifiedLayerNormalization", "RMSNormalization"}


def network(
    nodes,
    outputs="float[2,3,8] y",
    opset=13,
    numbers="float two = {2}, float one = {1}, float eps = {0.00001}",
):
    return model(
        f"g (float[2,3,8] x, float[8] g, float[8] b) => ({outputs}) <{numbers}> {{ {nodes} }}", opset=opset
    )


def operators(proto):
    feeds = {"x": normal(2, 3, 8) + 1, "g": normal(8), "b": normal(8)}
    return assert_same(proto, **{one.name: feeds[one.name] for one in proto.graph.input})


def with_axes(nodes):
    """As opset 18 has them."""
    return nodes.replace("<axes = [-1]>(x)", "(x, last)").replace("<axes = [-1]>(s)", "(s, last)")


@pytest.mark.parametrize(
    "behind",
    [
        "f = Mul(n, g) y = Add(f, b)",
        "f = Mul(g, n) y = Add(b, f)",
        "y = Mul(n, g)",
        "y = Add(n, b)",
        "y = Tanh(n)",
    ],
)
def test_a_layer_normalisation_with_what_is_behind_it(behind):
    left = operators(network(CENTRED + behind))
    assert left["LayerNormalization"] == 1
    assert set(left) <= {"LayerNormalization", "Tanh"}


@pytest.mark.parametrize(
    "nodes",
    [
        CENTRED.replace("Pow(d, two)", "Mul(d, d)"),
        CENTRED.replace("axes = [-1]", "axes = [2]"),
        CENTRED.replace("s = Pow(d, two)", "d2 = Sub(x, m) s = Pow(d2, two)"),
        CENTRED.replace("Add(v, eps)", "Add(eps, v)"),
        CENTRED.replace("n = Div(d, r)", "i = Reciprocal(r) n = Mul(d, i)"),
        CENTRED.replace("n = Div(d, r)", "i = Div(one, r) n = Mul(i, d)"),
    ],
)
def test_other_ways_to_write_it(nodes):
    left = operators(network(nodes + "f = Mul(n, g) y = Add(f, b)"))
    assert dict(left) == {"LayerNormalization": 1}


def test_axes_that_are_an_input():
    proto = network(
        with_axes(CENTRED) + "f = Mul(n, g) y = Add(f, b)",
        opset=18, numbers="float two = {2}, float eps = {0.00001}, int64[1] last = {-1}",
    )  # fmt: skip
    assert dict(operators(proto)) == {"LayerNormalization": 1}


@pytest.mark.parametrize("opset", [13, 17])
@pytest.mark.parametrize("nodes", [ROOT, ROOT.replace("n = Div(x, r)", "i = Reciprocal(r) n = Mul(x, i)")])
def test_a_root_mean_square_normalisation(nodes, opset):
    assert dict(operators(network(nodes + "y = Mul(g, n)", opset=opset))) == {
        "SimplifiedLayerNormalization": 1
    }


def test_a_root_mean_square_normalisation_of_what_lacks_its_mean_and_a_summand_of_its_own():
    """Whose mean was subtracted before, for others too: the division is one of a root of a mean of squares all the same."""
    left = operators(network(CENTRED + "y = Add(n, b) z = Exp(d)", "float[2,3,8] y, float[2,3,8] z"))
    assert left["SimplifiedLayerNormalization"] == 1 and left["Sub"] == 1


@pytest.mark.parametrize(
    "nodes",
    [
        CENTRED.replace("axes = [-1]", "axes = [1]") + "y = Mul(n, g)",
        CENTRED.replace("axes = [-1]", "axes = [1, 2]") + "y = Mul(n, g)",
        CENTRED.replace("Pow(d, two)", "Pow(d, one)") + "y = Mul(n, g)",
        CENTRED.replace("Add(v, eps)", "Add(v, g0)").replace("m =", "g0 = ReduceMax<keepdims = 0>(g) m =")
        + "y = Mul(n, g)",
        CENTRED.replace("Sqrt", "Exp") + "y = Mul(n, g)",
        ROOT.replace("s = Pow(x, two)", "t = Abs(x) s = Pow(t, two)") + "y = Mul(n, g)",
        ROOT.replace("Div(x, r)", "Div(r, x)") + "y = Mul(n, g)",
    ],
)
def test_what_only_looks_like_one_stays(nodes):
    assert not NORMS & set(operators(network(nodes)))


def test_parts_that_others_read_stay():
    left = operators(network(ROOT + "y = Mul(n, g) z = Tanh(r)", "float[2,3,8] y, float[2,3,1] z"))
    assert not NORMS & set(left)
    left = operators(network(ROOT + "y = Mul(n, g)", "float[2,3,8] y, float[2,3,1] v"))
    assert not NORMS & set(left)


def test_a_factor_of_another_shape_and_a_result_that_others_read_stay_behind_it():
    proto = model(
        f"g (float[2,3,8] x, float[3,1] g) => (float[2,3,8] y, float[2,3,8] z) <float two = {{2}}, float eps = {{0.00001}}> "
        f"{{ {CENTRED} y = Mul(n, g) z = Neg(n) }}",
        opset=13,
    )
    feeds = {"x": normal(2, 3, 8), "g": normal(3, 1)}
    left = assert_same(proto, **feeds)
    assert left["LayerNormalization"] == 1 and left["Mul"] == 1


@pytest.mark.parametrize(
    "nodes",
    [
        "m = ReduceMean<axes = [-1]>(x) d = Sub(x, m) s = Mul(d, d) v = ReduceMean<axes = [-1]>(s) e = Add(v, far) r = Sqrt(e) "
        "n = Div(d, r)",
        "s = Pow(x, two) v = ReduceMean<axes = [-1]>(s) e = Add(v, eps) r = Sqrt(e) n = Div(x, r)",
        "s = Mul(x, x) v = ReduceMean<axes = [-1]>(s) e = Add(v, eps) r = Sqrt(e) i = Div(one, r) n = Mul(i, x)",
    ],
)
@pytest.mark.parametrize("stated", ["", "float[1,3,4]"])
def test_a_constant_of_more_dimensions_gives_them_to_the_result(nodes, stated):
    numbers = (
        "float[1,1,1] far = {0.00001}, float[1,1,1] two = {2}, float[1,1,1] one = {1}, float eps = {0.00001}"
    )
    proto = model(f"g (float[3,4] x) => ({stated} y) <{numbers}> {{ {nodes} y = Neg(n) }}", opset=13)
    x = normal(3, 4)
    (got,) = evaluate_draft(to_draft(read_model(proto), ALL), {"x": x})
    (expected,) = ReferenceEvaluator(proto).run(None, {"x": x})  # onnxruntime makes the mistake
    assert got.shape == expected.shape == (1, 3, 4)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_float64_stays_as_it_is_written():
    proto = model(
        f"g (double[2,8] x) => (double[2,8] n) <double two = {{2}}, double eps = {{0.00001}}> {{ {CENTRED} }}",
        opset=13,
    )
    assert not NORMS & set(assert_same(proto, x=normal(2, 8).astype("float64")))
