"""What differs between two snapshots, as text to read."""

from __future__ import annotations

import difflib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

CONTEXT_LINES = 2
MAX_LINES = 24  # of one difference
MAX_WIDTH = 220
# A stage that differs usually makes those behind it differ, so the first one is shown.
STAGES = ("error", "prepared.onnx", "kernels.txt", "program.txt", ".ll", ".c", ".cl", ".ptx", "")


@dataclass
class Difference:
    """Two texts of one stage or file that differ, and the builds in which they do so alike."""

    stage: str
    lines: tuple[str, ...]  # as of `diff -u`
    builds: list[str] = field(default_factory=list)  # "model target"
    later: set[str] = field(default_factory=set)  # kinds of stages behind that differ as well


def differences(store: Path, old: Mapping[str, str], new: Mapping[str, str]) -> list[Difference]:
    """The differences of two indexes, those of early stages first; alike ones are one, with all builds that have it."""
    found: dict[tuple[str, ...], Difference] = {}
    for build in sorted(old.keys() | new.keys()):
        if old.get(build) != new.get(build):
            stage, later, lines = _first(texts_of(store, old.get(build)), texts_of(store, new.get(build)))
            one = found.setdefault((_kind(stage), *lines), Difference(stage, lines))
            one.builds.append(build)
            one.later |= later
    return sorted(found.values(), key=lambda one: STAGES.index(_kind(one.stage)))


def texts_of(store: Path, digest: str | None) -> dict[str, str]:
    """The texts of a build by the names of stages and files; none of a build that was not made."""
    if digest is None:
        return {}
    return dict(json.loads(zlib.decompress((store / digest[:2] / digest).read_bytes())))


def _first(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[str, set[str], tuple[str, ...]]:
    """The first stage that differs, the kinds of the others, and its lines."""
    names = sorted((name for name in old.keys() | new.keys() if old.get(name) != new.get(name)), key=_rank)
    lines = _unified(old.get(names[0]), new.get(names[0]))
    return names[0], {_kind(name) or name for name in names[1:]}, tuple(lines)


def _rank(name: str) -> tuple[int, str]:
    return STAGES.index(_kind(name)), name


def _kind(name: str) -> str:
    return next(stage for stage in STAGES if name.endswith(stage))


def _unified(old: str | None, new: str | None) -> Iterator[str]:
    if old is None or new is None:
        text = old if new is None else new
        yield f"only {'before' if new is None else 'after'}: {(text or '').count(chr(10))} lines"
        yield from (text or "").splitlines()[:CONTEXT_LINES]
        return
    before, after = old.splitlines(), new.splitlines()
    start = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    start = max(0, (min(len(before), len(after)) if start is None else start) - CONTEXT_LINES - 1)
    made = difflib.unified_diff(before[start:][:4000], after[start:][:4000], lineterm="", n=CONTEXT_LINES)
    for line in islice(
        made, 2, None
    ):  # the lines of heads and numbers say nothing that is alike in other builds
        yield "@@" if line.startswith("@@") else line


def told(found: list[Difference], show: int) -> Iterator[str]:
    """Lines for people: how many builds differ, and the first `show` differences."""
    builds = sum(len(one.builds) for one in found)
    yield f"{builds} builds differ, in {len(found)} ways"
    for one in found[:show]:
        others = f" and {len(one.builds) - 1} more ({_some(one.builds[1:])})" if len(one.builds) > 1 else ""
        yield ""
        yield f"--- {one.builds[0]}{others}: {one.stage}"
        yield from (line[:MAX_WIDTH] for line in one.lines[:MAX_LINES])
        if len(one.lines) > MAX_LINES:
            yield f"… {len(one.lines) - MAX_LINES} more lines"
        if one.later:
            yield f"(what is made later differs too: {', '.join(sorted(one.later))})"
    if len(found) > show:
        yield ""
        yield f"… {len(found) - show} more differences: --show {len(found)} shows all, --only PATTERN those of some models"


def _some(builds: Iterable[str]) -> str:
    first = list(islice(builds, 6))
    return ", ".join(first[:5]) + (", …" if len(first) > 5 else "")
