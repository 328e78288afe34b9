"""How two answers to the same question differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingot.base.short_floats import FORMS, numbers
from ingot.base.tensor import ML_DTYPES, DType
from ingot.base.tolerance import ATOL, RTOL
from ingot.cli.console import show_table

BFLOAT16_RTOL = (
    2.0**-7
)  # from one number of that type to the next it may be as far: a smaller one would let no rounding differ
# By the names of ml_dtypes.
_SHORT = {"bfloat16": DType.BFLOAT16, **ML_DTYPES}


def step(dtype: DType) -> float:
    """From one number of a short float to the next, relative to the smaller one, it is at most so far."""
    if dtype is DType.BFLOAT16:
        return BFLOAT16_RTOL
    return 1.0 if dtype not in FORMS else 2.0 ** -FORMS[dtype].mantissa


@dataclass(frozen=True, slots=True)
class Difference:
    """One output, and the relative tolerance that it had. The errors are None where the shapes differ; NaN agrees with NaN, and
    infinity with the same infinity.
    """

    name: str
    max_abs: float | None
    max_rel: float | None
    agrees: bool
    note: str = ""
    rtol: float = RTOL


def values(dtype: DType, array: np.ndarray) -> np.ndarray:
    """The numbers of an array of `dtype.numpy`: of floats that NumPy lacks, and of which it keeps the bits, in float32."""
    if dtype.is_float and dtype.is_carried:
        known: np.ndarray = numbers(dtype)[array]
        return known
    if dtype is not DType.BFLOAT16:
        return array
    bits = array.astype(np.uint32)
    bits <<= 16
    return bits.view(np.float32)


def difference(
    name: str, ours: np.ndarray, theirs: np.ndarray, rtol: float | None = None, atol: float = ATOL
) -> Difference:
    """Compares the numbers of one output: |ours - theirs| ≤ atol + rtol · |theirs|, and for integers and bool
    |ours - theirs| ≤ atol. Without an `rtol` it is the usual one: `RTOL`, or a `step` where theirs are of a shorter float.
    """
    kind = _SHORT.get(theirs.dtype.name)  # of ml_dtypes
    if rtol is None:
        rtol = RTOL if kind is None else step(kind)
    if ours.shape != theirs.shape:
        return Difference(
            name, None, None, False, f"shape {list(ours.shape)}, expected {list(theirs.shape)}", rtol
        )
    if ours.dtype == object:  # text
        differs = int((ours != theirs.astype(object)).sum())
        return Difference(
            name, None, None, not differs, f"{differs} of {ours.size} texts" if differs else "", rtol
        )
    is_float = kind is not None or theirs.dtype.kind in "fc"
    wide = (
        np.complex128 if theirs.dtype.kind == "c" else np.float64 if is_float else np.longdouble
    )  # exact: integers of 64 bits
    left: Any = ours.astype(wide)
    right: Any = theirs.astype(wide)
    with np.errstate(all="ignore"):
        same = (left == right) | (np.isnan(left) & np.isnan(right))
        error = np.where(same, 0, np.abs(left - right))
        relative = np.where(same, 0, error / np.abs(right))
        close = same | (np.isfinite(right) & (error <= atol + (rtol * np.abs(right) if is_float else 0)))
    agrees = bool(close.all())
    note = "" if agrees else f"{int((~close).sum())} of {close.size} elements"
    return Difference(name, _largest(error), _largest(relative), agrees, note, rtol)


def differences(
    ours: Mapping[str, np.ndarray],
    theirs: Mapping[str, np.ndarray],
    rtol: float | None = None,
    atol: float = ATOL,
) -> list[Difference]:
    """Compares every output of ours with the one of the same name."""
    return [
        difference(name, array, np.asarray(theirs[name]), rtol, atol)
        if name in theirs
        else Difference(name, None, None, False, "the other has no such output")
        for name, array in ours.items()
    ]


def show_differences(engine: str, differences: list[Difference], atol: float) -> None:
    """A line for each output."""
    rtol = " and ".join(f"{each:g}" for each in sorted({each.rtol for each in differences}))
    show_table(
        f"compared with {engine} (rtol {rtol}, atol {atol:g})",
        ("output", ">max abs error", ">max rel error", ""),
        [
            (
                each.name,
                _text(each.max_abs),
                _text(each.max_rel),
                "agrees" if each.agrees else f"DIFFERS: {each.note}",
            )
            for each in differences
        ],
    )


def _largest(values: np.ndarray) -> float | None:
    """None where an element is no number, since JSON has none for it."""
    largest = float(values.max()) if values.size else 0.0
    return largest if math.isfinite(largest) else None


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.2e}"
