"""Numbers as text and text as numbers, as ONNX's `Cast` has them.

*Source:* Cast of ai.onnx: what is read is plain ("1000.5"), scientific ("1e-5"), or INF, +INF, -INF and NaN in any case. Written
is what ONNX's reference writes: the shortest text that is read as the same number, `nan`, `inf`, `True`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ingot.base.tensor import DType
from ingot.border.program import NUMBERS

READ = NUMBERS[1:]  # all but bool
MAX_LETTERS = 4096  # of a number that is read
_NUMERAL = frozenset("0123456789+-.eE")
_WORDS = frozenset({"inf", "nan", "infinity"})

Array = np.ndarray[Any, Any]


def writer(dtype: str) -> Callable[[Any], str]:
    """A function from a number, as plain Python, to its text."""
    if dtype in ("float16", "float32"):  # the shortest text differs from that of the same number as double
        kind = np.dtype(dtype).type
        return lambda number: str(kind(number))
    return str


def reader(dtype: str) -> Callable[[Array], Array]:
    """A function from text to numbers of that type.

    Raises:
        ValueError: no type that text is read as; the function raises it for text that is no number of the type.
    """
    if dtype not in READ:
        raise ValueError(f"text is not read as {dtype}, expected one of {', '.join(READ)}")
    kind = DType(dtype)
    convert = _real if kind.is_float else _whole(kind)

    def read(given: Array) -> Array:
        numbers = [convert(text) for text in given.reshape(-1).tolist()]
        with np.errstate(over="ignore"):  # beyond the type is infinity
            return (
                np.array(numbers, np.float64 if kind.is_float else kind.numpy)
                .astype(kind.numpy)
                .reshape(given.shape)
            )

    return read


def _real(text: str) -> float:
    plain = text.strip()
    if len(plain) > MAX_LETTERS or not (set(plain) <= _NUMERAL or plain.lstrip("+-").lower() in _WORDS):
        _no_number(text, "a number")
    try:
        return float(plain)
    except ValueError:
        _no_number(text, "a number")


def _whole(kind: DType) -> Callable[[str], int]:
    limits = np.iinfo(kind.numpy)  # type: ignore[type-var]

    def convert(text: str) -> int:
        digits = text.strip().removeprefix("+")
        plain = digits.removeprefix("-")
        if not plain.isascii() or not plain.isdigit() or len(plain) > MAX_LETTERS:
            _no_number(text, "a whole number")
        number = int(digits)
        if not limits.min <= number <= limits.max:
            _no_number(text, f"a number from {limits.min} to {limits.max}")
        return number

    return convert


def _no_number(text: str, expected: str) -> NoReturn:
    raise ValueError(f"got the text {text[:80]!r}, expected {expected}")
