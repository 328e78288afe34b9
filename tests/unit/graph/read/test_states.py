"""Which pairs of an input and an output are state."""

from __future__ import annotations

import pytest

from ingot.artifact.model_info import StateInfo
from ingot.base.errors import ModelError, TargetError
from ingot.base.tensor import DType, TensorType
from ingot.graph.read.states import checked_state, require_fixed, states_of

FLOAT = TensorType(DType.FLOAT32, (2, 8))
OTHER = TensorType(DType.FLOAT32, (3, 8))
INTEGERS = TensorType(DType.INT32, (2, 8))


def pairs(state, inputs, outputs):
    types = [dict.fromkeys(names, FLOAT) for names in (inputs, outputs)]
    return [(pair.input, pair.output) for pair in states_of(state, "m", *types)]


@pytest.mark.parametrize(
    ("given", "produced"),
    [
        ("h", "hn"),
        ("h0", "hn"),
        ("state", "stateN"),
        ("h1", "hn1"),
        ("past_key_values.3.key", "present.3.key"),
        ("past.1.value", "present.1.value"),
        ("cache_in", "cache_out"),
        ("h_in_2", "h_out_2"),
        ("in_state", "out_state"),
        ("h", "new_h"),
        ("h", "h_next"),
        ("h", "h_out"),
    ],
)
def test_names_that_exporters_write_are_pairs(given, produced):
    assert pairs("auto", ["x", given], ["y", produced]) == [(given, produced)]


def test_names_alone_make_no_pair_of_two_types():
    inputs, outputs = {"h": FLOAT, "c": FLOAT}, {"hn": OTHER, "cn": FLOAT}
    assert states_of("auto", "m", inputs, outputs) == (StateInfo("c", "cn"),)


def test_an_output_is_taken_for_one_input():
    assert pairs("auto", ["h", "h0"], ["hn"]) == [("h", "hn")]


def test_nothing_that_fits_is_an_error_that_shows_what_there_is():
    with pytest.raises(
        ModelError, match=r"finds no input .* \(inputs: x: float32\[2, 8\]; outputs: y: float32\[2, 8\]\)"
    ):
        pairs("auto", ["x"], ["y"])


def test_a_star_stands_for_the_same_text_in_both_names():
    inputs = ["x", "past.0.key", "past.1.key"]
    outputs = ["present.1.key", "present.0.key", "y"]
    expected = [("past.0.key", "present.0.key"), ("past.1.key", "present.1.key")]
    assert pairs({"past.*": "present.*"}, inputs, outputs) == expected


def test_pairs_come_in_the_order_of_inputs():
    assert pairs({"c": "a", "b": "d"}, ["b", "c"], ["a", "d"]) == [("b", "d"), ("c", "a")]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"g": "hn"}, "no input is called like the state 'g'"),
        ({"h": "hm"}, "the model has no output 'hm'; did you mean 'hn'"),
        ({"q*": "hn*"}, "no input is called like the state 'q\\*'"),
        ({"h*": "hn"}, "one '\\*' in both names, or none"),
        ({"**": "**"}, "one '\\*' in both names, or none"),
        ({"h": "hn", "x": "hn"}, "the output 'hn' in two pairs"),
        ({"h": "hn", "*": "*n"}, "no output 'xn'"),
    ],
)
def test_what_names_no_pair_is_refused(state, words):
    with pytest.raises(ModelError, match=words):
        pairs(state, ["x", "h"], ["y", "hn"])


@pytest.mark.parametrize("other", [OTHER, INTEGERS])
def test_a_pair_of_two_types_is_refused(other):
    with pytest.raises(ModelError, match="both must have one type"):
        states_of({"h": "hn"}, "m", {"h": FLOAT}, {"hn": other})


def test_a_state_whose_extents_vary_is_refused():
    states = (StateInfo("h", "hn"),)
    ends = ({"h": FLOAT}, {"hn": FLOAT})
    require_fixed("m", states, [ends, ends], {"x"})
    for variants, varying in (([ends, ({"h": OTHER}, {"hn": OTHER})], ()), ([ends], {"h"}), ([ends], {"hn"})):
        with pytest.raises(ModelError, match="has extents that vary"):
            require_fixed("m", states, variants, varying)


@pytest.mark.parametrize("state", ["all", 3, {"h": 1}, ["h"]])
def test_an_argument_of_another_kind_is_refused(state):
    with pytest.raises(TargetError, match="give the name of an output for each input that is state"):
        checked_state(state)
