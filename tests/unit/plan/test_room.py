"""Tests of drafts with room: what is limited, where neutral places are put, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.kernels.template import Pointwise
from ingot.loops.analyse.counts import Count, count_of_count
from ingot.plan.items import Mixed
from ingot.plan.program import Draft
from ingot.plan.room import with_room
from ingot.plan.room_numbers import Extents, Sample, begin_alike, constant_limits, fitted_count
from ingot.plan.room_state import SIZES
from tests.unit.plan.test_items import draft_of


def _room(text: str) -> Draft | Mixed:
    largest = draft_of(text, 12)
    samples: list[Sample[Draft]] = [Sample(0, size, draft_of(text, size)) for size in (11, 10, 4)]
    places = [
        (name, axis)
        for name in largest.inputs
        for axis, extent in enumerate(largest.types[name].shape)
        if extent == 12
    ]
    return with_room(largest, samples, [places], [range(1, 13)])


def test_neutral_places_are_put_before_what_combines_places() -> None:
    room = _room("(float[2,N] x) => (float[2,N] y) { e = Exp(x) y = Softmax<axis=1>(e) }")
    assert isinstance(room, Draft)
    names = [step.definition.name for step in room.steps]
    assert names == ["exp", "fill", "softmax"]
    assert room.inputs[-1] == SIZES
    assert room.limits["y"][0].fill == 0.0


def test_neutral_places_are_put_where_a_value_is_computed_not_where_it_is_moved() -> None:
    room = _room(
        "(float[2,N,4] x) => (float[2,4] y) { e = Exp(x) t = Transpose<perm=[0,2,1]>(e)"
        " a = Constant<value_ints=[2]>() y = ReduceSum<keepdims=0>(t, a) }"
    )
    assert isinstance(room, Draft)
    assert [step.definition.name for step in room.steps] == ["exp", "fill", "transpose", "reduce_sum"]


def test_a_value_is_filled_once_for_two_that_combine_alike() -> None:
    room = _room(
        "(float[2,N] x) => (float[2] y, float[2] z) { e = Exp(x) a = Constant<value_ints=[1]>()"
        " y = ReduceSum<keepdims=0>(e, a) z = ReduceSum<keepdims=0>(e, a) }"
    )
    assert isinstance(room, Draft)
    assert [step.definition.name for step in room.steps].count("fill") == 1


def test_what_needs_two_kinds_of_neutral_places_gets_both() -> None:
    room = _room(
        "(float[2,N] x) => (float[2] y, float[2] z) { e = Exp(x) a = Constant<value_ints=[1]>()"
        " y = ReduceSum<keepdims=0>(e, a) z = ReduceMax<keepdims=0>(e, a) }"
    )
    assert isinstance(room, Draft)
    fills = [step for step in room.steps if step.definition.name == "fill"]
    assert len(fills) == 2


def test_a_number_that_follows_from_the_size_becomes_an_expression() -> None:
    room = _room("(float[N,2] x) => (float[N,2] y) { s = Shape<end=1>(x) f = Cast<to=1>(s) y = Mul(x, f) }")
    assert isinstance(room, Draft)
    assert any(SIZES in step.inputs and isinstance(step.definition, Pointwise) for step in room.steps)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(float[N,N] x) => (float y) { y = Det(x) }", "determinant"),
        (
            "(float[N,2] x) => (float[N,2] y) { s = Shape<end=1>(x) f = Cast<to=1>(s) q = Sqrt(f) y = Mul(x, q) }",
            "follows from the size in a way that is not followed",
        ),
        (
            "(float[N,2] x, float[20] k) => (float[N,2] y, float[R] z) { y = Softmax<axis=0>(x) s = Shape<end=1>(x)"
            " e = Constant<value_ints=[20]>() a = Constant<value_ints=[0]>() m = Neg(k) z = Slice(m, s, e, a) }",
            "axis 0 of the result has more places for smaller sizes",
        ),
    ],
)
def test_what_cannot_be_followed_is_named(text: str, why: str) -> None:
    mixed = _room(text)
    assert isinstance(mixed, Mixed)
    assert why in str(mixed)
    assert mixed.nodes


def test_counts_follow_from_what_is_seen() -> None:
    assert fitted_count(0, (64, 128), [(63, 126), (2, 4)]) == Count(0, 2)
    assert fitted_count(0, (64, 61), [(63, 60), (9, 6)]) == Count(0, 1, -3)
    assert fitted_count(0, (64, 32), [(62, 31), (8, 4)]) == Count(0, 1, 0, 2)
    assert fitted_count(0, (64, 64), [(63, 32), (2, 1)]) is None
    assert fitted_count(0, (64, 64), [(63, 63)]) is None  # one other size says nothing


def test_counts_are_never_below_0() -> None:
    assert Count(0, 1, -3).at(2) == 0


def test_a_constant_for_fewer_is_the_beginning_of_that_for_more() -> None:
    places = np.arange(12)
    others = [Sample(0, size, np.arange(size)) for size in (11, 4)]
    limits = constant_limits("c", places, others, Extents((12,), [range(2, 13)]))
    assert limits[0].count == Count(0) and begin_alike(places, others)
    others = [Sample(0, size, np.arange(size)[::-1].copy()) for size in (11, 4)]
    assert not begin_alike(places, others)
    assert begin_alike(np.array(1.0), [Sample(0, 4, np.array(1.0))])


def test_counts_of_counts_are_equal_where_they_are_for_all_sizes() -> None:
    every, even = range(1, 25), range(2, 25, 2)
    assert count_of_count(Count(0, 1, 1, 2), every, plus=1, over=2) == Count(0, 1, 3, 4)
    assert count_of_count(Count(0), even, plus=1, over=2) == count_of_count(Count(0), even, over=2)
    assert count_of_count(Count(0, 1, 0, 2), even, times=2) == Count(0)
    assert count_of_count(Count(0, 1, 0, 2), every, times=2) is None  # 3 // 2 * 2 is not 3


def test_windows_that_are_longer_than_what_is_there_are_named() -> None:
    mixed = _room("(float[1,2,N] x) => (float[1,2,M] y) { y = MaxPool<kernel_shape=[2], strides=[2]>(x) }")
    assert isinstance(mixed, Mixed)
    assert "for the size 1 there are 1 places, of which max pool needs 2" in str(mixed)
