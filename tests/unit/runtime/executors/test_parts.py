"""Which part of inputs and outputs a program reads and writes, and where."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.artifact.model_info import TensorInfo
from ingot.base.tensor import DType
from ingot.runtime.executors.parts import Cut, copied_by, offset_bytes


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
