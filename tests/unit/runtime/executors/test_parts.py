"""Which part of inputs and outputs a program reads and writes, and where."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.artifact.model_info import TensorInfo
from ingot.base.tensor import DType
from ingot.runtime.executors.parts import Cut, Part, copied_by, offset_bytes, piece, split, stride_bytes


def _tensor(*shape: int) -> TensorInfo:
    return TensorInfo("x", DType.FLOAT32, shape)


@pytest.mark.parametrize(
    ("own", "whole", "cuts", "offset"),
    [
        ((8, 3), (19, 3), {0: (8, 8)}, 8 * 3 * 4),
        ((8, 3), (19, 3), {0: (11, 8)}, 11 * 3 * 4),
        ((1, 8, 3), (1, 19, 3), {1: (16, 8)}, 16 * 3 * 4),
        ((2, 3), (2, 3), {}, 0),
        ((1, 4, 3), (5, 19, 3), {0: (2, 1), 1: (8, 4)}, (2 * 19 + 8) * 3 * 4),
    ],
)
def test_items_that_lie_together_are_read_where_they_are(
    own: tuple[int, ...], whole: tuple[int, ...], cuts: dict[int, Cut], offset: int
) -> None:
    assert offset_bytes(_tensor(*own), whole, cuts) == offset


@pytest.mark.parametrize(
    ("own", "whole", "cuts"),
    [
        ((2, 8, 3), (2, 19, 3), {1: (8, 8)}),  # gaps between rows
        ((8, 3), (3, 3), {0: (0, 3)}),  # fewer items than the program computes
        ((2, 4, 3), (5, 19, 3), {0: (2, 2), 1: (8, 4)}),
    ],
)
def test_items_with_gaps_between_them_or_too_few_are_copied(
    own: tuple[int, ...], whole: tuple[int, ...], cuts: dict[int, Cut]
) -> None:
    assert offset_bytes(_tensor(*own), whole, cuts) is None


def test_the_last_item_stands_for_those_that_are_not_there() -> None:
    copied, given = copied_by(_tensor(5, 2), {0: (0, 3)}), np.arange(6.0).reshape(3, 2)
    own = np.zeros((5, 2))
    own[copied.own] = given[copied.place]
    for place, source in copied.fills:
        own[place] = own[source]
    np.testing.assert_array_equal(own, given[[0, 1, 2, 2, 2]])


def test_no_items_are_filled_up_with_zeros() -> None:
    copied, own = copied_by(_tensor(2, 2), {0: (0, 0)}), np.ones((2, 2))
    for place, source in copied.fills:
        own[place] = 0 if source is None else own[source]
    np.testing.assert_array_equal(own, 0)


@pytest.mark.parametrize(
    ("extent", "cycles", "parts"),
    [
        (0, {1: 1}, []),
        (19, {1: 10, 8: 40}, [Part(0, 8, 8, 2), Part(16, 1, 1, 3)]),
        (15, {1: 10, 8: 40}, [Part(0, 8, 8), Part(7, 8, 8)]),  # 7 alone take longer than 8 together
        (3, {1: 10, 8: 20}, [Part(0, 3, 8)]),
        (2, {4: 10, 6: 20}, [Part(0, 2, 4)]),
        (10**12 + 1, {1: 10, 8: 40}, [Part(0, 8, 8, 125 * 10**9), Part(10**12, 1, 1)]),
    ],
)
def test_items_are_split_into_rounds_of_programs(
    extent: int, cycles: dict[int, float], parts: list[Part]
) -> None:
    assert list(split(extent, cycles)) == parts


def test_what_is_copied_for_a_larger_program_counts() -> None:
    cycles = {1: 10, 8: 20}
    assert list(split(3, cycles, 11)) == [Part(0, 1, 1, 3)]
    assert list(split(11, cycles, 11)) == [Part(0, 8, 8), Part(3, 8, 8)]  # where they are


def test_the_next_round_begins_behind_the_one_before() -> None:
    whole = np.arange(2 * 19 * 3, dtype=np.float32).reshape(2, 19, 3)
    tensor = _tensor(1, 8, 3)
    offset = offset_bytes(tensor, whole.shape, {0: (1, 1), 1: (0, 8)})
    assert offset is not None
    behind = offset + stride_bytes(tensor, whole.shape, (1, 8))
    np.testing.assert_array_equal(piece(whole, behind, tensor), whole[1:, 8:16])
    assert stride_bytes(tensor, whole.shape, None) == 0
