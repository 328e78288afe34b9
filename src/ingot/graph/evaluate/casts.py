"""Conversions to short floats for `evaluator`: each number is rounded once, and E8M0 is as the tables of ONNX's Cast say."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx.reference.op_run import OpRun
from onnx.reference.ops.op_cast import cast_to

_SHORT = frozenset(
    getattr(onnx.TensorProto, name)
    for name in (
        "FLOAT8E4M3FN",
        "FLOAT8E4M3FNUZ",
        "FLOAT8E5M2",
        "FLOAT8E5M2FNUZ",
        "FLOAT6E2M3",
        "FLOAT6E3M2",
        "FLOAT4E2M1",
    )
    if hasattr(onnx.TensorProto, name)
)
_E8M0_MAX = 254  # the code of its largest number


def converted(x: np.ndarray, to: int, saturate: bool, round_mode: str = "up") -> np.ndarray:
    """An array as another element type of ONNX."""
    if to == onnx.TensorProto.FLOAT8E8M0:
        return powers_of_two(x, saturate, round_mode)
    if to in _SHORT and x.dtype == np.float64:
        x = to_odd(x)
    array: np.ndarray = cast_to(x, to, saturate, round_mode)  # type: ignore[arg-type]  # a number will do
    return array


def to_odd(x: np.ndarray) -> np.ndarray:
    """A float64 as a float32, which a shorter float is made of as of the number itself: what is no float32 becomes the one beside
    it whose last bit is 1, from which a half is told apart.
    """
    near = x.astype(np.float32)
    bits = near.view(np.int32)
    is_even = (bits & 1 == 0) & (near.astype(np.float64) != x) & np.isfinite(near)
    is_larger = np.abs(near.astype(np.float64)) > np.abs(x)
    return np.asarray(np.where(is_even, np.where(is_larger, bits - 1, bits + 1), bits), np.int32).view(
        np.float32
    )


def powers_of_two(x: np.ndarray, saturate: bool, round_mode: str) -> np.ndarray:
    """Numbers as E8M0, without their sign. The evaluator's takes an infinity for no number, and a power of two below float32's
    normal numbers for another.
    """
    size = np.abs(x.astype(np.float64))
    fraction, exponent = np.frexp(size)  # of a fraction from 1/2 on
    up = {"up": fraction > 0.5, "nearest": fraction >= 0.75, "down": np.zeros(x.shape, bool)}[round_mode]
    code = np.where(size == 0, -1, np.where(np.isinf(size), _E8M0_MAX + 1, exponent - 1 + 127 + up))
    is_lost = (size < 2.0**-127) | (size > 2.0**127)
    within = np.clip(code, 0, _E8M0_MAX) if saturate else np.where(is_lost, 255, code)
    return np.asarray(np.where(np.isnan(size), 255, within), np.uint8).view(ml_dtypes.float8_e8m0fnu)


class Cast(OpRun):
    """The evaluator's rounds float64 twice on its way to a short float."""

    op_domain = ""

    def _run(
        self, x: np.ndarray, to: int = 0, saturate: int | None = 1, round_mode: str | None = "up"
    ) -> tuple[np.ndarray]:
        return (converted(x, to, saturate is None or bool(saturate), round_mode or "up"),)


class CastLike(OpRun):
    """As `Cast`."""

    op_domain = ""

    def _run(
        self, x: np.ndarray, like: np.ndarray, saturate: int | None = 1, round_mode: str | None = "up"
    ) -> tuple[np.ndarray]:
        to = onnx.helper.np_dtype_to_tensor_dtype(like.dtype)
        return (converted(x, to, saturate is None or bool(saturate), round_mode or "up"),)


def quantized(quotient: np.ndarray, zero_point: Any, dtype: np.dtype[Any], saturate: bool) -> np.ndarray:
    """Quotients quantized to a short float type."""
    if zero_point is not None and np.any(zero_point.astype(np.float32)):
        quotient = quotient + zero_point.astype(quotient.dtype)
    return converted(quotient, onnx.helper.np_dtype_to_tensor_dtype(dtype), saturate)
