"""How two answers to the same question differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingot.cli.console import show_table
from ingot.package.c_test_program import ATOL, RTOL
from ingot.tensor import DType

BFLOAT16_RTOL = 2.0**-7  # from one number of that type to the next it may be as far: a smaller one would let no rounding differ


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
    """The numbers of an array: of bfloat16, which NumPy lacks and of which it keeps the bits as uint16, in float32."""
    if dtype is not DType.BFLOAT16:
        return array
    bits = array.astype(np.uint32)
    bits <<= 16
    return bits.view(np.float32)


def difference(
    name: str, ours: np.ndarray, theirs: np.ndarray, rtol: float | None = None, atol: float = ATOL
) -> Difference:
    """Compares the numbers of one output: |ours - theirs| ≤ atol + rtol · |theirs|, and for integers and bool
    |ours - theirs| ≤ atol. Without an `rtol` it is the usual one: `RTOL`, or `BFLOAT16_RTOL` where theirs are bfloat16.
    """
    is_bfloat16 = theirs.dtype.name == "bfloat16"  # a type of ml_dtypes
    if rtol is None:
        rtol = BFLOAT16_RTOL if is_bfloat16 else RTOL
    if ours.shape != theirs.shape:
        return Difference(name, None, None, False, f"shape {list(ours.shape)}, expected {list(theirs.shape)}", rtol)
    is_float = is_bfloat16 or theirs.dtype.kind == "f"
    wide = np.float64 if is_float else np.longdouble  # integers of 64 bits are exact in it
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
    ours: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray], rtol: float | None = None, atol: float = ATOL
) -> list[Difference]:
    """Compares every output of ours with the one of the same name."""
    return [
        difference(name, array, np.asarray(theirs[name]), rtol, atol)
        if name in theirs
        else Difference(name, None, None, False, "the other has no such output")
        for name, array in ours.items()
    ]


def show_differences(engine: str, found: list[Difference], atol: float) -> None:
    """A line for each output."""
    rtol = " and ".join(f"{one:g}" for one in sorted({one.rtol for one in found}))
    show_table(
        f"compared with {engine} (rtol {rtol}, atol {atol:g})",
        ("output", ">max abs error", ">max rel error", ""),
        [(one.name, _text(one.max_abs), _text(one.max_rel), "agrees" if one.agrees else f"DIFFERS: {one.note}") for one in found],
    )


def _largest(values: np.ndarray) -> float | None:
    """None where an element is no number, since JSON has none for it."""
    largest = float(values.max()) if values.size else 0.0
    return largest if math.isfinite(largest) else None


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.2e}"
