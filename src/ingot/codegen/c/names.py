"""C identifiers: from any names, without clashes, always the same."""

from __future__ import annotations

import re

from ingot.codegen.c.prelude import MATH, PRELUDE

_WORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof main memcpy
fmod fmodf fma fmaf fabs fabsf j0 j1 jn y0 y1 yn gamma signgam div abs labs index"""
KEYWORDS = frozenset(_WORDS.split())
"""Words of C, and functions that a name must not hide."""

RESERVED = (
    KEYWORDS
    | frozenset(PRELUDE)
    | {name + suffix for name in MATH.values() for suffix in ("", "f", "l")}
    | {f"{'' if sign else 'u'}int{bits}_t" for sign in (True, False) for bits in (8, 16, 32, 64)}
)
"""Every word of C99 that a name of ours must not be."""


def identifier(text: str) -> str:
    """The text with everything that C does not allow in a name replaced by `_`."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", text)
    # A leading underscore belongs to the compiler, a capital word may be a macro.
    return (
        name
        if re.match(r"[A-Za-z]", name) and not re.fullmatch(r"[A-Z0-9_]+", name)
        else f"v{name}"
        if name
        else "v"
    )


class Names:
    """Gives each key a C name of its own within one scope of names."""

    def __init__(self, taken: frozenset[str] = RESERVED) -> None:
        self._taken = set(taken)
        self._names: dict[str, str] = {}

    def __getitem__(self, key: str) -> str:
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self.new(key)
        return name

    def new(self, wish: str) -> str:
        """A name that nobody has, near the wish."""
        base = identifier(wish)
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


def comment(text: str, indent: str = "", width: int = 110) -> str:
    """The text as a C comment: only printable ASCII, nothing that ends it early, lines broken at words."""
    plain = re.sub(r"[^\x20-\x7e\n]", "?", text).replace("\\", "/")
    while True:
        safe = plain.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
        if safe == plain:
            break
        plain = safe
    lines: list[str] = []
    for paragraph in plain.split("\n"):
        line = ""
        for word in paragraph.split():
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = "  " + word
            else:
                line = f"{line} {word}" if line else word
        lines.append(line)
    body = f"\n{indent} * ".join(lines)
    return f"{indent}/* {body} */\n"
