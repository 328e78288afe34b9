"""Words of the command line that need more reading than Typer does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import typer

from ingot.errors import nearest


def bound_dims(words: Sequence[str]) -> dict[str, int]:
    """Reads `--dim batch=1 --dim time=16` into a dictionary.

    Raises:
        typer.BadParameter: a word is not of the form NAME=NUMBER, or a name is given twice.
    """
    dims: dict[str, int] = {}
    for word in words:
        name, found, value = word.rpartition("=")
        if not found or not name or not value.isdecimal():
            raise typer.BadParameter(f"--dim {word!r}: expected NAME=NUMBER, such as batch=1")
        if dims.setdefault(name, int(value)) != int(value):
            raise typer.BadParameter(f"--dim {name!r} is given twice, as {dims[name]} and {value}")
    return dims


def one_of(what: str, word: str, known: Iterable[str]) -> str:
    """Returns `word` if it is known.

    Raises:
        typer.BadParameter: it is not; the message has the nearest names.
    """
    names = tuple(known)
    if word not in names:
        listed = ", ".join(names) if len(names) <= 12 else f"{len(names)} are known"
        raise typer.BadParameter(f"{what} {word!r} is unknown{nearest(word, names)} (known: {listed})")
    return word
