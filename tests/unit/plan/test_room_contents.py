"""Tests of constants whose contents follow from a size, as expressions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ingot.base.tensor import DType
from ingot.kernels.template import index_vars
from ingot.loops.nodes import buffer
from ingot.loops.text import expr_text
from ingot.plan.room_contents import contents_of_size
from ingot.plan.room_numbers import Extents, Sample

LARGEST = 12


def _text(contents: Callable[[int], np.ndarray]) -> str | None:
    """The expression, of which `contents` are those of the constant for a size."""
    largest = contents(LARGEST)
    extents, sizes = Extents((LARGEST,), [range(LARGEST + 1)]), buffer("sizes", DType.INT64, (1,))
    others = [Sample(0, size, contents(size)) for size in (11, 10, 4)]
    value = contents_of_size(largest, others, extents, sizes, index_vars(largest.ndim))
    return None if value is None else expr_text(value)


def _seen(past: int) -> np.ndarray:
    """Which of `past + 4` keys the last 4 queries see."""
    return np.arange(past + 4) <= past + np.arange(4)[:, None]


def test_a_causal_mask_of_what_is_new_is_a_comparison() -> None:
    assert _text(_seen) == "select((i1 < (min(max((sizes[0] + 1), 0), 13) + i0)), true, false)"


def test_a_mask_of_numbers_and_one_along_the_first_axis_are_comparisons_too() -> None:
    text = _text(lambda past: np.where(_seen(past), 0, np.float32(-np.inf)).T)
    assert text == "select((i0 < (min(max((sizes[0] + 1), 0), 13) + i1)), 0.0:f32, -inf:f32)"


@pytest.mark.parametrize(
    "contents",
    [
        lambda past: _seen(past) ^ (np.arange(past + 4) == 2),
        lambda past: np.arange(past + 4) <= past + np.arange(4)[:, None] ** 2,
        lambda past: np.where(_seen(past), past, -1.5),
    ],
    ids=["a hole", "steps that grow", "another content for each size"],
)
def test_what_is_no_staircase_is_not_followed(contents: Callable[[int], np.ndarray]) -> None:
    assert _text(contents) is None
