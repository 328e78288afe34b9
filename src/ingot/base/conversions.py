"""Numbers of Python as arrays of an element type: nothing is lost but what rounding a float takes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_WORDS = {"true": True, "false": False}


def array_of(value: object, dtype: np.dtype[Any]) -> np.ndarray | None:
    """Numbers, or lists and tuples of them, as an array of `dtype`; None if it cannot hold them.

    Floats are rounded to the nearest number of the type, and must not become infinite. Whole numbers must be in the range of the
    type, and what becomes a whole number must be one; a bool is 0 or 1.
    """
    try:
        given = np.asarray(value)
    except (TypeError, ValueError, OverflowError):  # lists of different lengths, or what is no number
        return None
    if given.dtype.kind not in "biuf" or dtype.kind not in "biuf":
        return None
    with np.errstate(all="ignore"):
        converted = given.astype(dtype)
        kept = np.isfinite(converted) == np.isfinite(given) if dtype.kind == "f" else converted == given
    return converted if bool(np.all(kept)) else None


def array_of_text(text: str, dtype: np.dtype[Any]) -> np.ndarray | None:
    """A number, or several with commas between, as an array of `dtype`: `16000`, `1,2,3`, `true`; None if it is none."""
    words = [word.strip().lower() for word in text.split(",")]
    numbers = [_number(word) for word in words]
    if None in numbers:
        return None
    converted = array_of(numbers, dtype)
    return converted if converted is None or len(words) > 1 else converted.reshape(())


def _number(word: str) -> bool | int | float | None:
    if word in _WORDS:
        return _WORDS[word]
    if re.fullmatch(r"[+-]?[0-9]+", word):
        return int(word)
    try:
        return float(word)
    except ValueError:
        return None
