"""Quantized products for `evaluator`, by the rules that `ops.integer` states, so that both give the same results."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun
from onnx.reference.ops.op_conv import Conv

_convolve: Any = Conv._run  # it uses nothing of its operator


def _along(parameter: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """A scale or zero point in a shape that broadcasts: one for all, for each place of an axis, or of so many dimensions."""
    if parameter.size == 1:
        return parameter.reshape(())
    if parameter.ndim == 1:
        return parameter.reshape([-1 if dimension == axis % rank else 1 for dimension in range(rank)])
    return parameter


def _centred(values: np.ndarray, zero_point: np.ndarray | None, axis: int) -> np.ndarray:
    """Quantized values minus their zero point, as float64, in which all sums of their products are exact."""
    if values.dtype not in (np.int8, np.uint8):
        raise NotImplementedError(f"quantized values of type {values.dtype}")
    wide = values.astype(np.float64)
    return wide if zero_point is None else wide - _along(zero_point, values.ndim, axis).astype(np.float64)


def _whole(sums: np.ndarray) -> np.ndarray:
    return np.asarray(sums.astype(np.int64).astype(np.int32))


def _requantised(
    sums: np.ndarray,
    scales: list[tuple[np.ndarray, int]],
    y_scale: np.ndarray,
    y_zero: np.ndarray,
    y_axis: int,
) -> np.ndarray:
    first, second = (_along(scale, sums.ndim, axis).astype(np.float32) for scale, axis in scales)
    multiplier = first * second / _along(y_scale, sums.ndim, y_axis).astype(np.float32)
    whole = np.rint(sums.astype(np.float32) * multiplier) + _along(y_zero, sums.ndim, y_axis).astype(
        np.float32
    )
    limits = np.iinfo(y_zero.dtype)
    return np.asarray(np.clip(np.nan_to_num(whole, nan=-np.inf), limits.min, limits.max), y_zero.dtype)


class ConvInteger(OpRun):
    """The evaluator's takes the zero points of weights along a wrong dimension, unless there are two spatial ones."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        w: np.ndarray,
        x_zero: np.ndarray | None = None,
        w_zero: np.ndarray | None = None,
        **window: Any,
    ) -> tuple[np.ndarray]:
        (sums,) = _convolve(self, _centred(x, x_zero, 1), _centred(w, w_zero, 0), None, **window)
        return (_whole(sums),)


class QLinearConv(OpRun):
    """Replaces the evaluator's QLinearConv, which has two faults. It rounds after it added the zero point, so ties go to the
    wrong quantized value where the zero point is odd. It takes the scales of weights along a wrong dimension unless there are
    two spatial ones.
    """

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        x_scale: np.ndarray,
        x_zero: np.ndarray,
        w: np.ndarray,
        w_scale: np.ndarray,
        w_zero: np.ndarray,
        y_scale: np.ndarray,
        y_zero: np.ndarray,
        bias: np.ndarray | None = None,
        **window: Any,
    ) -> tuple[np.ndarray]:
        (sums,) = _convolve(self, _centred(x, x_zero, 1), _centred(w, w_zero, 0), None, **window)
        if bias is not None:
            sums = sums + _along(bias, x.ndim, 1)
        return (_requantised(_whole(sums), [(x_scale, 1), (w_scale, 1)], y_scale, y_zero, 1),)


class MatMulInteger(OpRun):
    """The evaluator's takes the zero points of rows for those of columns."""

    op_domain = ""

    def _run(
        self, a: np.ndarray, b: np.ndarray, a_zero: np.ndarray | None = None, b_zero: np.ndarray | None = None
    ) -> tuple[np.ndarray]:
        return (_whole(_centred(a, a_zero, -2 if a.ndim > 1 else -1) @ _centred(b, b_zero, -1)),)


class QLinearMatMul(OpRun):
    """The evaluator's rounds after it added the zero point, and takes parameters of rows for those of columns."""

    op_domain = ""

    def _run(
        self,
        a: np.ndarray,
        a_scale: np.ndarray,
        a_zero: np.ndarray,
        b: np.ndarray,
        b_scale: np.ndarray,
        b_zero: np.ndarray,
        y_scale: np.ndarray,
        y_zero: np.ndarray,
    ) -> tuple[np.ndarray]:
        sums = _whole(_centred(a, a_zero, -2 if a.ndim > 1 else -1) @ _centred(b, b_zero, -1))
        return (_requantised(sums, [(a_scale, -2), (b_scale, -1)], y_scale, y_zero, -2),)
