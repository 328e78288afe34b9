"""Text for people: tables and sizes. Rich on a terminal, plain columns elsewhere, so that other programs can read them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table


def is_terminal() -> bool:
    """Whether a person reads standard output as it appears."""
    return sys.stdout.isatty()


def show(line: str = "") -> None:
    """A line of text. What a terminal would obey, not print, is spelled: names from a file may hold anything."""
    print(plain(line))


def show_text(text: str) -> None:
    """Lines of text, exactly as given."""
    print(text.removesuffix("\n"))


def show_json(value: Any) -> None:
    """The one thing that `--json` writes to standard output."""
    print(json.dumps(value, indent=2))


def plain(text: str) -> str:
    """`a\\x1b[2J`: the text with everything spelled that a terminal does not just print."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text)


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table; a column whose name begins with `>` is aligned to the right."""
    right = [column.startswith(">") for column in columns]
    rows = [[plain(cell) for cell in row] for row in rows]
    names = [column.removeprefix(">") for column in columns]
    if is_terminal():
        table = Table(title=title or None, title_justify="left", title_style="bold")
        for name, is_right in zip(names, right, strict=True):
            table.add_column(name, justify="right" if is_right else "left", overflow="fold")
        for row in rows:
            table.add_row(*(cell.replace("[", "\\[") for cell in row))
        Console().print(table)
        return
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    if title:
        print(title)
    for row in (names, *rows):
        cells = (
            cell.rjust(width) if is_right else cell.ljust(width) for cell, width, is_right in zip(row, widths, right, strict=True)
        )
        print("  ".join(cells).rstrip())


def size(size_bytes: int) -> str:
    """`512 B`, `14.2 KB`, `45.0 MB`: with the units of 1,000."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if size_bytes >= scale:
            return f"{size_bytes / scale:.1f} {unit}"
    return f"{size_bytes} B"


def seconds(value: float) -> str:
    """`1.53 s`, `12.4 ms`, `3.80 µs`: three digits that count."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"
