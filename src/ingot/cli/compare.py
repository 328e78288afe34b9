"""How two answers to the same question differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingot.cli.console import show_table
from ingot.package.c_test_program import ATOL, RTOL


@dataclass(frozen=True, slots=True)
class Difference:
    """One output. The errors are None where the shapes differ; NaN agrees with NaN, and infinity with the same infinity."""

    name: str
    max_abs: float | None
    max_rel: float | None
    agrees: bool
    note: str = ""


def difference(name: str, ours: np.ndarray, theirs: np.ndarray, rtol: float = RTOL, atol: float = ATOL) -> Difference:
    """Compares one output: |ours - theirs| ≤ atol + rtol · |theirs|, and for integers and bool |ours - theirs| ≤ atol."""
    if ours.shape != theirs.shape:
        return Difference(name, None, None, False, f"shape {list(ours.shape)}, expected {list(theirs.shape)}")
    is_bfloat16 = theirs.dtype.name == "bfloat16"  # NumPy has no such type: ours are its bits as uint16
    is_float = is_bfloat16 or theirs.dtype.kind == "f"
    wide = np.float64 if is_float else np.longdouble  # integers of 64 bits are exact in it
    left: Any = (ours.view(theirs.dtype) if is_bfloat16 else ours).astype(wide)
    right: Any = theirs.astype(wide)
    with np.errstate(all="ignore"):
        same = (left == right) | (np.isnan(left) & np.isnan(right))
        error = np.where(same, 0, np.abs(left - right))
        relative = np.where(same, 0, error / np.abs(right))
        close = same | (np.isfinite(right) & (error <= atol + (rtol * np.abs(right) if is_float else 0)))
    agrees = bool(close.all())
    note = "" if agrees else f"{int((~close).sum())} of {close.size} elements"
    return Difference(name, _largest(error), _largest(relative), agrees, note)


def differences(
    ours: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray], rtol: float = RTOL, atol: float = ATOL
) -> list[Difference]:
    """Compares every output of ours with the one of the same name."""
    return [
        difference(name, array, np.asarray(theirs[name]), rtol, atol)
        if name in theirs
        else Difference(name, None, None, False, "the other has no such output")
        for name, array in ours.items()
    ]


def show_differences(engine: str, found: list[Difference], rtol: float, atol: float) -> None:
    """A line for each output."""
    show_table(
        f"compared with {engine} (rtol {rtol:g}, atol {atol:g})",
        ("output", ">max abs error", ">max rel error", ""),
        [(one.name, _text(one.max_abs), _text(one.max_rel), "agrees" if one.agrees else f"DIFFERS: {one.note}") for one in found],
    )


def _largest(values: np.ndarray) -> float | None:
    """None where an element is no number, since JSON has none for it."""
    largest = float(values.max()) if values.size else 0.0
    return largest if math.isfinite(largest) else None


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.2e}"
