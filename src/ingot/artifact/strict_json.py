"""Reads JSON of untrusted bytes: strictly, and without the module `json` where that can be avoided.

`json` takes as long to import as a small model takes to load. All the work is done by the scanner that CPython has in C for it,
and this uses that scanner, with the same results.
"""

from __future__ import annotations

from _json import make_scanner
from typing import Any, NoReturn

_SPACE = " \t\n\r"


def read_json(text: str) -> Any:
    """The value that the text says.

    Raises:
        ValueError: not JSON, NaN or Infinity, or an object with the same key twice.
        RecursionError: nested too deeply.
    """
    content = text.strip(_SPACE)
    try:
        value, end = _scan(content, 0)
    except StopIteration as error:
        raise ValueError(f"a value is missing at character {error.value}") from None
    if end != len(content):
        raise ValueError(f"something stands behind the value, at character {end}")
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("an object has the same key twice")
    return made


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


class _Rules:
    """What the scanner asks its maker for, by the names that `json.JSONDecoder` uses."""

    strict = True  # no control characters in strings
    object_hook = None
    object_pairs_hook = staticmethod(_no_duplicates)
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_no_constant)


_rules: Any = _Rules()
_scan = make_scanner(_rules)
