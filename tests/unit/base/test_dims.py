"""Tests of the sizes of extents that vary: what callers may give, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import ingot
from ingot.base.dims import Dim, dim, dim_of


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (4, 4),
        (np.int64(4), 4),
        ([4], 4),
        (range(4, 5), 4),
        ([4, 1, 16], Dim(1, 16, 1, (1, 4, 16))),
        ((1, 2), Dim(1, 2, 1, (1, 2))),
        (range(1, 65), Dim(1, 64)),
        (range(0, 33, 8), Dim(0, 32, 8)),
        (dim(1, 512, multiple_of=8), Dim(8, 512, 8)),
    ],
)
def test_sizes_are_a_number_a_list_or_a_range(given: object, read: object) -> None:
    assert dim_of("n", given) == read


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("1..4", "a number, a list of sizes, a range"),
        (True, "a number, a list of sizes, a range"),
        (1.5, "a number, a list of sizes, a range"),
        ([], "at least one size"),
        ([1, 1], "none twice"),
        ([1, -1], "from 0 to"),
        (["1"], "from 0 to"),
        (list(range(65)), "at most 64 sizes"),
        (range(4, 4), "not empty"),
        (range(8, 1, -1), "goes up"),
        (range(1, 64, 8), "begins at a multiple of it"),
        (range(1, 1 << 40), "the largest extent"),
    ],
)
def test_what_is_no_size_is_refused_by_name(given: object, why: str) -> None:
    with pytest.raises(ingot.ModelError, match=r"dims={'n': ") as caught:
        dim_of("n", given)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("low", "high", "step", "why"),
    [
        (5, 4, 1, "empty"),
        (-1, 4, 1, "lower bound"),
        (1, 1 << 31, 1, "upper bound"),
        (1, 4, 0, "multiple_of"),
        (1, 7, 8, "no multiple of 8"),
        (1.0, 4, 1, "lower bound"),
    ],
)
def test_a_range_has_sizes(low: int, high: int, step: int, why: str) -> None:
    with pytest.raises(ingot.ModelError, match=why):
        dim(low, high, multiple_of=step)


def test_sizes_are_shown_as_the_command_line_has_them() -> None:
    assert [str(size) for size in (Dim(1, 64), Dim(8, 512, 8), Dim(1, 4, 1, (1, 4)))] == [
        "1..64",
        "8..512:8",
        "1,4",
    ]
