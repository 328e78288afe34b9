"""Contents of constants are compared by their bytes."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.plan.uniform import have_same_bytes

MEMORY = np.arange(12, dtype=np.float32)


@pytest.mark.parametrize(
    ("first", "second", "are_same"),
    [
        (np.array([np.nan]), np.array([np.nan]), True),
        (np.array([0.0]), np.array([-0.0]), False),
        (np.array([1], np.int32), np.array([1], np.uint32), False),
        (np.zeros((2, 3)), np.zeros((3, 2)), False),
        (np.zeros((0, 3)), np.zeros((0, 3)), True),
        (MEMORY, MEMORY[:], True),
        (MEMORY[:6], MEMORY[::2], False),
        (MEMORY[::2], MEMORY[::2].copy(), True),
        (MEMORY.reshape(3, 4), MEMORY.reshape(4, 3).T, False),
    ],
)
def test_arrays_have_the_same_bytes_or_not(first: np.ndarray, second: np.ndarray, are_same: bool) -> None:
    assert have_same_bytes(first, second) is are_same
