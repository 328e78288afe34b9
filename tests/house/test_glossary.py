"""The words of `docs/develop/glossary.md` go, room by room, and do not come back.

Where this fails: use the term of the second column. Where code has moved from one room to another, its number may move with it.
It reads all files of the repository, which takes five seconds; half of that is shared with the other tests of this folder.
"""

from __future__ import annotations

import pytest

from .glossary import PAGE, Use, counts, limits, uses, uses_in, words, written


def test_no_room_uses_an_old_word_more_often_than_it_may() -> None:
    allowed, instead = limits(), {word.key: word.instead for word in words()}
    over = [
        f"{room}: {key} {count} times, at most {allowed.get(room, {}).get(key, 0)}; write: {instead[key]}. {_places(room, key)}"
        for room, row in counts().items()
        for key, count in row.items()
        if count > allowed.get(room, {}).get(key, 0)
    ]
    assert not over, "\n".join(over)


def _places(room: str, key: str) -> str:
    """Where a room uses a word, the files with fewest uses first: a new one is likely to be there."""
    places = [use.where for use in uses() if (use.room, use.key) == (room, key)]
    files = [place.partition(":")[0] for place in places]
    return ", ".join(sorted(places, key=lambda place: files.count(place.partition(":")[0]))[:12])


def test_the_limits_are_written_as_the_command_writes_them() -> None:
    assert PAGE.with_name("glossary.md").exists()
    assert written(limits()) == (PAGE.parents[2] / "tests/house/glossary.toml").read_text(encoding="utf-8")


def test_a_limit_is_of_a_room_and_of_a_word_that_are_there() -> None:
    keys = {word.key for word in words()}
    assert len(keys) == len(words()) > 15
    assert {key for row in limits().values() for key in row} <= keys


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("def is_turned(codes): ...", ["turned", "codes"]),
        ("for one in range(3): pass", ["found"]),
        ("self._LINES_MOST = 1", ["most"]),
        ("class TeamOfTwo: ...", ["team"]),
        ("print(found, one, turned)", []),  # used, not defined here
        ("one_more = foundation = almost = 1", []),
        ("x = 1  # by strands\n", ["strand"]),
        ("# of a register\n# tile\n", ["register"]),
        ("raise E(f'{x} few words of {y} turned round')", ["turned"]),
        ("'''What turned out, and exit codes.'''", []),
        ("key = 'strand'", []),  # a word of a format, not of a sentence
    ],
)
def test_names_where_they_are_defined_and_words_of_texts_count(source: str, keys: list[str]) -> None:
    assert [use.key for use in uses_in("src/ingot/kernels/conv/x.py", source)] == keys


def test_comments_of_c_and_whole_pages_count() -> None:
    assert list(uses_in("src/ingot/native/x.c", "int team; /* a team */")) == [
        Use("native", "team", "src/ingot/native/x.c:text")
    ]
    assert [use.room for use in uses_in("README.md", "a crew")] == ["pages"]
