"""Sequences and optionals as inputs and outputs: lists and None in Python, tensors in the library."""

import numpy as np
import pytest

import ingot
from ingot.base.errors import InputError, ModelError
from tests.support.models import model

PAIRS = """g (seq(float[N]) s, float[2] x) => (seq(float[M]) y, float[2] first) <int64 zero = {0}> {
    first = SequenceAt(s, zero) y = SequenceInsert(s, x)
}"""
MAYBE = """g (optional(float[2]) o, float[2] x) => (optional(float[2]) y, bool there) {
    y = Identity(o) there = OptionalHasElement(o)
}"""
ONE, TWO = np.array([1, 2], np.float32), np.array([3, 4, 5], np.float32)


def made(body, target="interp", **options):
    return ingot.build(model(body, opset=18), target, name="g", cache=None, **options).load()["g"]


@pytest.mark.parametrize("target", ["interp", "llvmjit", pytest.param("c", marks=pytest.mark.cc)])
def test_sequences_are_lists(target):
    run = made(PAIRS, target, dims={"s:length": 2, "s[0]:0": 2, "s[1]:0": 3})()
    y, first = run.predict(s=[ONE, TWO], x=ONE)
    assert [one.tolist() for one in y] == [[1, 2], [3, 4, 5], [1, 2]] and first.tolist() == [1, 2]
    run.set_input(s=(ONE, TWO), x=ONE)
    run.run()
    assert len(run.get_output("y")) == 3
    assert str(run.inputs[0]) == "s: sequence(float32[2], float32[3])"


def test_extents_of_all_elements_are_said_at_once():
    run = made(PAIRS, dims={"s:length": 2, "s:0": 2})()
    assert len(run.predict(s=[ONE, ONE], x=ONE)[0]) == 3
    assert len(made(PAIRS, dims={"s:length": 3, "N": 2})().predict(s=[ONE] * 3, x=ONE)[0]) == 4


def test_a_library_has_plain_tensors_and_says_what_they_belong_to():
    info = made(PAIRS, dims={"s:length": 1, "s:0": 2}).info
    assert [one.name for one in info.inputs] == ["s[0]", "x"]
    assert [one.name for one in info.outputs] == ["y[0]", "y[1]", "first"]
    assert not info.border.front and not info.border.back and not info.border.has_text


@pytest.mark.parametrize("there", [0, 1])
def test_an_optional_is_what_is_in_it_or_none(there):
    run = made(MAYBE, dims={"o:present": there})()
    y, has = run.predict(o=ONE if there else None, x=ONE)
    assert bool(has) == bool(there)
    assert y.tolist() == [1, 2] if there else y is None
    with pytest.raises(InputError, match="and the model was built for"):
        run.predict(o=None if there else ONE, x=ONE)


def test_an_empty_sequence_goes_in_and_out():
    body = "g (seq(float[2]) s, float[2] x) => (seq(float[2]) y, float[2] z) { y = Identity(s) z = Neg(x) }"
    y, z = made(body, dims={"s:length": 0})().predict(s=[], x=ONE)
    assert y == [] and z.tolist() == [-1, -2]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (ONE, "is a ndarray; give a list"),
        ([ONE], "has 1 elements, and the model was built for 2"),
        ([ONE, ONE], r"input 's\[1\]' has the shape \[2\]"),
        ([ONE, None], r"input 's\[1\]' is a Python NoneType"),
    ],
)
def test_what_is_no_such_sequence_is_refused(given, why):
    run = made(PAIRS, dims={"s:length": 2, "s[0]:0": 2, "s[1]:0": 3})()
    with pytest.raises(InputError, match=why):
        run.predict(s=given, x=ONE)


@pytest.mark.parametrize(
    ("body", "dims", "why"),
    [
        (
            PAIRS,
            {},
            "how many elements has the sequence 's' must be known while building; say it by dims={'s:length'",
        ),
        (PAIRS, {"s:length": -1}, "got -1"),
        (PAIRS, {"s:length": 1, "s:1": 2, "N": 2}, r"no input has such an extent"),
        (MAYBE, {"o:present": 2}, "a number from 0 to 1"),
        ("g (seq(float) s) => (seq(float) y) { y = Identity(s) }", {"s:length": 1}, None),
    ],
)
def test_what_is_not_known_of_sequences_while_building_is_said(body, dims, why):
    if why is None:
        proto = model(body)
        proto.graph.input[0].type.sequence_type.elem_type.tensor_type.ClearField("shape")
        why = r"the model declares no shape of 's\[0\]'"
    else:
        proto = model(body, opset=18)
    with pytest.raises(ModelError, match=why):
        ingot.build(proto, "interp", dims=dims, cache=None)


def test_a_leading_extent_of_a_part_of_a_sequence_becomes_a_range():
    notes = []
    observer = ingot.Observer(on_note=notes.append)
    artifacts = ingot.build(
        model(PAIRS, opset=18), "interp", dims={"s:length": 1}, cache=None, observer=observer
    )
    assert [dim.name for dim in artifacts.models()["g"].dims] == ["N"]
    assert any("N may be 1..64" in note for note in notes)


def test_a_constant_for_a_part_of_a_sequence_is_refused():
    with pytest.raises(ModelError, match=r"a part of the input 's', which callers give as a whole"):
        made(PAIRS, dims={"s:length": 1}, constants={"s[0]": ONE})


def test_a_sequence_is_profiled_and_looked_into():
    run = made(PAIRS, executor=("graph", "aot"), dims={"s:length": 1, "s:0": 2})()
    run.predict(s=[ONE], x=ONE)
    assert isinstance(run, ingot.Executor) and run.kind == "graph" and isinstance(run.core.values(), dict)
    assert run.profile(s=[ONE], x=ONE, repeat=1)
