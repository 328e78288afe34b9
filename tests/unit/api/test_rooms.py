"""Tests of how many places the programs of a range have room for."""

from __future__ import annotations

import pytest

from ingot.api.rooms import capacities
from ingot.base.dims import Dim


@pytest.mark.parametrize(
    ("dim", "expected"),
    [
        (Dim(1, 512), [8, 64, 512]),
        (Dim(1, 64), [8, 64]),
        (Dim(32, 320, 8), [96, 320]),
        (Dim(16, 128), [128]),
        (Dim(300, 320), [320]),
    ],
)
def test_no_size_is_computed_with_much_more_room_than_it_needs(dim: Dim, expected: list[int]) -> None:
    assert list(capacities(dim, True)) == expected


def test_several_dims_with_room_have_one_program() -> None:
    assert list(capacities(Dim(1, 512), False)) == [512]
