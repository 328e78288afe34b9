"""Names for values that no model knows: a model's own may be anything, these too."""

from __future__ import annotations

from collections.abc import Container


def unused(wish: str, taken: Container[str]) -> str:
    """`wish`, or with a number behind it where a value is called that already."""
    name, number = wish, 1
    while name in taken:
        name, number = f"{wish}.{number}", number + 1
    return name
