"""A file holds one idea: one over 600 lines needs a reason that stands here."""

from __future__ import annotations

from .source import sources

MOST_LINES = 600

LONG: dict[str, str] = {}


def test_long_files_have_a_reason() -> None:
    lengths = {
        source.where: len(source.path.read_text(encoding="utf-8").splitlines()) for source in sources()
    }
    long = {where: length for where, length in lengths.items() if length > MOST_LINES}
    assert set(long) - set(LONG) == set(), f"split by idea, or give a reason in LONG: {long}"


def test_reasons_stand_only_for_long_files() -> None:
    lengths = {
        source.where: len(source.path.read_text(encoding="utf-8").splitlines()) for source in sources()
    }
    assert {where for where in LONG if lengths.get(where, 0) <= MOST_LINES} == set()
