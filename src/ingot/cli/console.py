"""Text for people: tables and sizes, in plain columns that other programs can read too."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

GAP = "  "  # between two columns
MIN_COLUMN = 12  # letters: a column that is narrower than this is not folded


def show(line: str = "") -> None:
    """A line of text. What a terminal would obey, not print, is spelled: names from a file may hold anything."""
    print(plain(line))


def show_words(line: str, indent: int) -> None:
    """A line of words. On a terminal it is folded to its width, with what follows the first line indented."""
    if sys.stdout.isatty():
        folded = textwrap.wrap(
            plain(line), shutil.get_terminal_size().columns, subsequent_indent=" " * indent
        )
        print("\n".join(folded))
    else:
        show(line)


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
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text
    )


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table; a column whose name begins with `>` is aligned to the right. On a terminal long cells are folded to its width."""
    right = [column.startswith(">") for column in columns]
    table = [
        [column.removeprefix(">") for column in columns],
        *([plain(cell) for cell in row] for row in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    if sys.stdout.isatty():
        widths = fitting(widths, shutil.get_terminal_size().columns)
    if title:
        print(title)
    for row in table:
        for line in _lines(row, widths):
            cells = (
                cell.rjust(width) if is_right else cell.ljust(width)
                for cell, width, is_right in zip(line, widths, right, strict=True)
            )
            print(GAP.join(cells).rstrip())


def fitting(widths: Sequence[int], total: int) -> list[int]:
    """The widths with the widest ones cut until all fit into `total` letters, as far as `MIN_COLUMN` allows."""
    widths = list(widths)
    while sum(widths) + len(GAP) * (len(widths) - 1) > total and max(widths) > MIN_COLUMN:
        widths[widths.index(max(widths))] -= 1
    return widths


def _lines(row: Sequence[str], widths: Sequence[int]) -> Iterator[Sequence[str]]:
    """The lines that a row takes where cells are folded."""
    folded = [
        textwrap.wrap(cell, width) if len(cell) > width else [cell]
        for cell, width in zip(row, widths, strict=True)
    ]
    for number in range(max(map(len, folded))):
        yield [cell[number] if number < len(cell) else "" for cell in folded]


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
