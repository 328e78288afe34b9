"""Numbers at which arithmetic goes wrong, for each element type."""

from __future__ import annotations

import numpy as np

from ingot.base.tensor import DType


def corners(dtype: DType) -> np.ndarray:
    """Stored elements: limits, zeros of both signs, infinities, NaN, subnormals, ties of rounding, and some plain numbers."""
    if dtype is DType.BOOL:
        return np.array([False, True])
    if dtype.is_integer:
        info = np.iinfo(dtype.numpy)
        few = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 7, 100, info.max // 2]
        return np.array([*few, *([-1, -2, -7, -100] if dtype.is_signed else [])], dtype.numpy)
    if dtype is DType.BFLOAT16:
        return (corners(DType.FLOAT32).view(np.uint32) >> 16).astype(np.uint16)
    with np.errstate(over="ignore"):
        info_f = np.finfo(dtype.numpy)
        numbers = [
            0.0,
            1.0,
            0.5,
            1.5,
            2.5,
            3.0,
            0.1,
            7.25,
            100.0,
            1e-3,
            0.99,
            1.0 + 2.0**-10,
            5.0,
            1.0 / 3.0,
            65504.0,
            np.inf,
        ]
        numbers += [
            float(info_f.max),
            float(info_f.tiny),
            float(info_f.smallest_subnormal),
            float(info_f.tiny) * 0.75,
        ]
        return np.array([*numbers, *(-number for number in numbers), np.nan], dtype.numpy)


def pairs(dtype: DType) -> tuple[np.ndarray, np.ndarray]:
    """Every corner with every corner."""
    values = corners(dtype)
    return np.repeat(values, len(values)), np.tile(values, len(values))
