"""Memory that an iteration uses for itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ingot.loops.analyse.private import _are_within, _runs


@pytest.mark.parametrize(
    "steps",
    [[], [(1, 5)], [(8, 3), (1, 4)], [(4, 3), (1, 4)], [(-1, 4), (10, 2)], [(3, 5), (-7, 3)], [(2, 0)]],
)
def test_runs_are_all_sums_of_the_steps(steps: list[tuple[int, int]]) -> None:
    sums = {
        7 + sum(factor * number for (factor, _), number in zip(steps, numbers, strict=True))
        for numbers in itertools.product(*(range(count) for _, count in steps))
    }
    runs = _runs(7, steps)
    assert runs is not None
    assert {place for start, stop in runs for place in range(start, stop)} == sums


def test_long_rows_are_one_run_each() -> None:
    runs = _runs(0, [(8208, 13), (16, 512), (1, 16)])
    assert runs is not None
    assert runs.shape == (13, 2)


def test_runs_lie_in_others_that_touch_but_not_in_those_with_gaps() -> None:
    others = np.array([[10, 20], [0, 10], [30, 40], [12, 15]])
    assert _are_within(np.array([[0, 20], [33, 35]]), others)
    assert not _are_within(np.array([[15, 31]]), others)
    assert not _are_within(np.array([[-1, 3]]), others)
