"""The words of `docs/develop/glossary.md`, counted room by room.

`python -m tests.house.glossary` lowers the limits to what is there.
"""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .source import ROOT, Source, sources

PAGE = ROOT / "docs" / "develop" / "glossary.md"
LIMITS = Path(__file__).with_name("glossary.toml")
FOLDERS = ("src/ingot", "tests", "docs", "benchmarks", "examples", "tools")
# These have to name what is counted.
UNCOUNTED = frozenset({"docs/develop/glossary.md", "tests/house/glossary.py", "tests/house/test_glossary.py"})
_PYTHON_COMMENT = re.compile(r"(?:^|\s)#[ :](.*)$", re.MULTILINE)
_C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")  # of `in_tiles`, `TurnedTile`, `_TILES_MAX`


@dataclass(frozen=True)
class Word:
    """A row of the table: words of names, whole names, phrases, and phrases that are something else."""

    key: str
    instead: str
    parts: frozenset[str]
    names: frozenset[str]
    phrases: tuple[str, ...]
    innocent: tuple[str, ...]


@dataclass(frozen=True)
class Use:
    """One use of an old word, by the key of its row."""

    room: str
    key: str
    where: str


@functools.cache
def words() -> tuple[Word, ...]:
    """The rows of the page's table, without its head."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return tuple(_word(*(cell.strip() for cell in row.strip("|").split("|"))) for row in rows[1:])


def _word(before: str, instead: str, names: str, text: str, innocent: str) -> Word:
    spans = _spans(names)
    parts = frozenset(each.strip("_") for each in spans if each.startswith("_"))
    return Word(
        re.split("[, ]", before)[0],
        instead,
        parts,
        frozenset(each for each in spans if not each.startswith("_")),
        _spans(text),
        _spans(innocent),
    )


def _spans(cell: str) -> tuple[str, ...]:
    return tuple(re.findall("`([^`]+)`", cell))


@functools.cache
def in_name(name: str) -> tuple[str, ...]:
    """The rows that a name breaks, by their keys."""
    plain, parts = name.strip("_").lower(), {part.lower() for part in _PART.findall(name)}
    return tuple(word.key for word in words() if plain in word.names or parts & word.parts)


@functools.cache
def _text_pattern() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """A pattern of all phrases, also of one that goes on in the next line, and the key of each; none for innocent ones."""
    keys = {phrase: word.key for word in words() for phrase in word.phrases}
    keys |= {phrase: "" for word in words() for phrase in word.innocent}
    spans = sorted(keys, key=len, reverse=True)
    phrases = "|".join(each.replace(" ", r"[\s#*]+") for each in spans)
    return re.compile(rf"\b(?:{phrases})\b"), keys


def in_text(text: str) -> list[str]:
    """The key of each old word of a text."""
    pattern, keys = _text_pattern()
    phrases = (re.sub(r"[\s#*]+", " ", each) for each in pattern.findall(text.lower()))
    return [keys[phrase] for phrase in phrases if keys[phrase]]


def limits() -> dict[str, dict[str, int]]:
    """How often a room may use the word of a row: `{room: {key: count}}`, nothing for none at all."""
    return tomllib.loads(LIMITS.read_text(encoding="utf-8"))


def room_of(path: str) -> str:
    """`kernels` for `src/ingot/kernels/…`, else the first folder; `pages` for what lies at the top."""
    folders = path.removeprefix("src/ingot/").split("/")[:-1]
    return folders[0] if folders else "package" if path.startswith("src/") else "pages"


def uses_in(path: str, source: str) -> Iterator[Use]:
    """The old words of one file, which lies at `path` in the repository."""
    room = room_of(path)
    if path.endswith(".py"):
        tree = _known_trees()[path].tree if path in _known_trees() else ast.parse(source)
        for name, line in _defined_names(tree):
            yield from (Use(room, key, f"{path}:{line}: {name}") for key in in_name(name))
        texts = [*_strings(tree), ("\n".join(_PYTHON_COMMENT.findall(source)), 0)]
    else:
        texts = [(source if path.endswith(".md") else "\n".join(_C_COMMENT.findall(source)), 0)]
    for text, line in texts:
        yield from (Use(room, key, f"{path}:{line or 'text'}") for key in in_text(text))


@functools.cache
def _known_trees() -> dict[str, Source]:
    """The files of the package, which other house tests have read too: reading all files again would take half of the time."""
    return {source.path.relative_to(ROOT).as_posix(): source for source in sources()}


def _defined_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.arg(arg=name):
                yield name, node.lineno


def _strings(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Docstrings, messages and all other texts that read like one: they have a space."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value, node.lineno


def _files() -> Iterator[Path]:
    for folder in FOLDERS:
        for suffix in ("py", "md", "c", "h"):
            yield from sorted((ROOT / folder).rglob(f"*.{suffix}"))
    yield from sorted(ROOT.glob("*.md"))


@functools.cache
def uses() -> tuple[Use, ...]:
    """All old words of the repository."""
    paths = [path.relative_to(ROOT).as_posix() for path in _files()]
    return tuple(
        use
        for path in paths
        if path not in UNCOUNTED
        for use in uses_in(path, (ROOT / path).read_text(encoding="utf-8", errors="replace"))
    )


def counts() -> dict[str, Counter[str]]:
    """How often each room uses the words of each row."""
    rooms: dict[str, Counter[str]] = {}
    for use in uses():
        rooms.setdefault(use.room, Counter())[use.key] += 1
    return rooms


def written(rooms: Mapping[str, Mapping[str, int]]) -> str:
    """`glossary.toml`: a line for each room, so that two changes seldom meet."""
    head = "# How often a room may use a word of docs/develop/glossary.md. `python -m tests.house.glossary` lowers them.\n"
    order = {word.key: place for place, word in enumerate(words())}
    lines = [
        f"{room} = {{{', '.join(f'{key} = {row[key]}' for key in sorted(row, key=order.__getitem__))}}}\n"
        for room, row in sorted(rooms.items())
        if row
    ]
    return head + "".join(lines)


def lowered() -> dict[str, dict[str, int]]:
    """The limits, none of them above what is there now."""
    now = counts()
    return {
        room: {key: min(limit, now[room][key]) for key, limit in row.items() if now[room][key]}
        for room, row in limits().items()
        if room in now
    }


if __name__ == "__main__":
    LIMITS.write_text(written(lowered()), encoding="utf-8")
