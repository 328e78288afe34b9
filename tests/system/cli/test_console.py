"""Tables and numbers for people."""

from __future__ import annotations

import pytest

from ingot.cli.console import fitting, seconds, show_table, show_words, size


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 KB"),
        (14_200, "14.2 KB"),
        (45_000_000, "45.0 MB"),
        (3_100_000_000, "3.1 GB"),
    ],
)
def test_sizes(value: int, text: str) -> None:
    assert size(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1.534, "1.53 s"), (0.0124, "12.4 ms"), (3.8e-6, "3.8 µs"), (1e-9, "0.001 µs")]
)
def test_times(value: float, text: str) -> None:
    assert seconds(value) == text


def test_a_table_that_is_no_terminal_is_plain_columns(capsys: pytest.CaptureFixture[str]) -> None:
    show_table("title", ("name", ">size"), [("a", "10 B"), ("longer [red]", "5 KB")])
    assert capsys.readouterr().out == "title\nname          size\na             10 B\nlonger [red]  5 KB\n"


def test_a_table_without_rows_has_its_heads(capsys: pytest.CaptureFixture[str]) -> None:
    show_table("", ("name", ">size"), [])
    assert capsys.readouterr().out == "name  size\n"


def test_a_table_on_a_terminal_is_folded_to_its_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    show_table("", ("name", ">size"), [("conv " * 12, "5 KB"), ("b", "10 B")])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40 and len(lines) == 4
    assert lines[1].endswith("5 KB") and lines[2] == "conv conv conv conv conv"
    assert lines[3].split() == ["b", "10", "B"]


def test_words_are_folded_on_a_terminal_and_nowhere_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "varies  " + "word " * 11 + "\x1b"
    show_words(line, 8)
    assert capsys.readouterr().out == line.replace("\x1b", "\\x1b\n")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    show_words(line, 8)
    first, second = capsys.readouterr().out.splitlines()
    assert max(len(first), len(second)) <= 40
    assert (
        first.startswith("varies  word") and second.startswith(" " * 8 + "word") and second.endswith("\\x1b")
    )


def test_columns_that_cannot_be_folded_keep_their_letters() -> None:
    assert fitting([12, 30, 8], 20) == [12, 12, 8]
    assert fitting([3, 4], 80) == [3, 4]
