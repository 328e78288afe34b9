from __future__ import annotations

import dataclasses

import numpy as np
import onnx
import pytest

from ingot.base.errors import InternalError, UnsupportedError
from ingot.graph.prepare import to_draft
from ingot.graph.read.definitions import said_of
from ingot.graph.read.read import read_model
from ingot.ops.facts import Element, Folding, Trust
from ingot.ops.opdef import Emitter, OpCall, OpDef
from ingot.ops.registry import ALL
from tests.support.onnx_text import parse

LSTM = "float[2,3,5] x, float[1,16,5] w, float[1,16,4] r"
WRONG = {
    "bias": (
        "float[1,2,6,6] x, float[3,2,3,3] w, float[4] b",
        "y = Conv(x, w, b)",
        r"\(bias\) has the shape",
    ),
    "bias of one": ("float[1,2,6,6] x, float[3,2,3,3] w, float[1] b", "y = Conv(x, w, b)", r"expected \[3\]"),
    "transposed": (
        "float[1,2,6,6] x, float[2,3,3,3] w, float[2] b",
        "y = ConvTranspose(x, w, b)",
        r"\(bias\)",
    ),
    "product": (
        "float[2,3] a, float[3,2] b, float[3,2] c",
        "y = Gemm(a, b, c)",
        r"\[3, 2\] does not broadcast to \[2, 2\]",
    ),
    "scale of channels": ("float[1,3,4] x, float[2] s", "y = InstanceNormalization(x, s, s)", r"\(scale\)"),
    "groups": (
        "float[1,4,4] x, float[2] s",
        "y = GroupNormalization<num_groups = 2>(x, s, s)",
        r"expected \[4\]",
    ),
    "no neighbours": ("float[1,4,4] x", "y = LRN<size = 0>(x)", "size must be at least 1"),
    "neither batch nor channels": (
        "float[4] x",
        "y = LRN<size = 3>(x)",
        r"has the shape \[4\], expected a batch and channels",
    ),
    "groups of nothing": (
        "float[4] x",
        "y = GroupNormalization<num_groups = 2>(x, x, x)",
        "expected a batch and channels",
    ),
    "bias of a cell": (
        f"{LSTM}, float[1,16] b",
        "y = LSTM<hidden_size = 4>(x, w, r, b)",
        r"expected \[1, 32\]",
    ),
    "state": (
        f"{LSTM}, float[1,1,4] h",
        'y = LSTM<hidden_size = 4>(x, w, r, "", "", h)',
        r"\(initial state\)",
    ),
    "hidden": (LSTM, "y = LSTM<hidden_size = 5>(x, w, r)", "hidden_size is 5, the weights are those of 4"),
    "lengths": ("float[4,3] x, int64[2] l", "y = ReverseSequence(x, l)", r"expected \[3\]"),
    "codes": (
        "uint8[1,2,5,5] x, float s, uint8 z, int8[3,2,3,3] w, float[2] t, int8 v",
        "y = QLinearConv(x, s, z, w, t, v, s, z)",
        r"the scale of shape \[2\] does not fit axis 1",
    ),
    "mask": ("float[1,2,4,8] x, float[5,5] m", "y = Attention(x, x, x, m)", "a mask of the shape"),
    "keys": (
        "float[1,2,4,8] x, float[1,2,4,6] k",
        "y = Attention(x, k, k)",
        "queries of shape .* with keys of",
    ),
    "past": (
        "float[1,2,4,8] x, float[1,3,2,8] p",
        'y, k, v = Attention(x, x, x, "", p, p)',
        "keys or values of the past",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused_in_words(name: str) -> None:
    inputs, nodes, why = WRONG[name]
    nodes = nodes.replace('""', "")  # an omitted input
    read = read_model(parse(f"({inputs}) => (y)", nodes, 23))
    with pytest.raises(UnsupportedError, match=why):
        to_draft(read, ALL)


@pytest.mark.parametrize("count", [0, 2])
def test_a_constant_of_a_shape_has_one_element_to_fill_it_with(count: int) -> None:
    proto = parse("(float[3] x) => (y)", "s = Shape(x) c = ConstantOfShape(s) y = Add(x, c)", 23)
    filling = onnx.numpy_helper.from_array(np.ones(count, np.float32))
    proto.graph.node[1].attribute.append(onnx.helper.make_attribute("value", filling))
    with pytest.raises(UnsupportedError, match=f"'value' has {count} elements, expected one"):
        to_draft(read_model(proto), ALL)


def test_all_versions_of_an_operator_say_the_same_of_it() -> None:
    """Passes look at the newest one, whatever the model's opset: what a version has of its own stands before."""
    names = [each.name for each in dataclasses.fields(OpDef)]
    facts = names[names.index("reads_element") + 1 :]
    newest = {(operator.domain, operator.name): operator for operator in ALL}
    for operator in ALL:
        other = newest[operator.domain, operator.name]
        for name in facts:
            assert getattr(operator, name) == getattr(other, name), (
                f"{operator.name} {operator.since_version}: {name}"
            )


def test_an_operator_that_says_nothing_has_the_defaults_of_one_without_a_definition() -> None:
    """So a plug-in's or a new operator is folded in small amounts, never moved, tabled or removed."""
    unknown = said_of(onnx.helper.make_node("Unheard", ["x"], ["y"], domain="of"))
    assert unknown == OpDef("", "", 1, unknown.lower)
    with pytest.raises(InternalError, match="without a definition"):
        unknown.lower(OpCall("of", "Unheard", 1, "n", (), (), {}), Emitter("n"))
    mish = said_of(onnx.helper.make_node("Mish", ["x"], ["y"]))
    assert (mish.element, mish.folding, mish.evaluated) == (Element.COSTLY, Folding.ELEMENTS, Trust.ALWAYS)
    assert said_of(onnx.helper.make_node("Mish", ["x"], ["y"], domain="ai.onnx")) is mish
