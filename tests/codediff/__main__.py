"""Compares what two commits generate for about a hundred models, on several CPUs and by every code generator.

    python -m tests.codediff --base main            # the sources here, changed or not, against a commit
    python -m tests.codediff --base v1 --head v2    # two commits
    python -m tests.codediff --marked               # the newest commits that are marked [same]

The exit status is 0 if nothing differs, 1 if something does, 2 if nothing could be compared.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import metadata
from pathlib import Path
from typing import Any

from tests.codediff.compare import differences, told
from tests.codediff.marked import marked
from tests.codediff.subjects import subjects
from tests.codediff.trees import (
    ROOT,
    UnknownCommitError,
    checked_out,
    commit_id,
    git,
    sources_here,
    sources_of,
)

SNAPSHOT = Path(__file__).parent / "snapshot.py"
MADE_WITH = ("llvmlite", "ml_dtypes", "numpy", "onnx", "onnx-ir")


def main(words: Sequence[str] | None = None) -> int:
    """Compares, and says what differs."""
    given = _parser().parse_args(words)
    if given.marked:
        series = marked()
        print(series.said)
        if not series.base:
            return 0
        given.base, given.head = series.base, series.head
    if not given.base:
        print("codediff: give --base COMMIT or --marked", file=sys.stderr)
        return 2
    try:
        base, head = commit_id(given.base), commit_id(given.head) if given.head else ""
    except UnknownCommitError as error:
        print(f"codediff: {error}; fetch it first", file=sys.stderr)
        return 2
    if sources_of(base) == (sources_of(head) if head else sources_here()):
        print(f"{_named(base)} and {_named(head)} have the same sources, file by file")
        return 0
    store = _store()
    plan = [one.row(store / "models") for one in subjects(given.quick) if _wanted(one.name, given.only)]
    if not plan:
        print(f"codediff: no model's name is like {given.only!r}", file=sys.stderr)
        return 2
    print(f"{len(plan)} models, {sum(len(row['targets']) for row in plan)} builds")
    try:
        old, new = (_snapshot(commit, plan, store, given) for commit in (base, head))
    except subprocess.CalledProcessError as error:
        print(
            f"codediff: building ended with status {error.returncode}; its last words are above",
            file=sys.stderr,
        )
        return 2
    found = differences(store, old, new)
    print(
        *told(found, given.show) if found else [f"nothing differs between {_named(base)} and {_named(head)}"],
        sep="\n",
    )
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "codediff", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", metavar="COMMIT", help="what to compare with")
    parser.add_argument(
        "--head", metavar="COMMIT", help="what is compared; without it, the sources as they lie here"
    )
    parser.add_argument(
        "--marked", action="store_true", help="compare the ends of the newest commits that are marked [same]"
    )
    parser.add_argument("--only", metavar="PATTERN", help="only models whose names are like this: 'conv*'")
    parser.add_argument("--quick", action="store_true", help="only some fifteen models")
    parser.add_argument(
        "--objects", action="store_true", help="compile for CPUs, and compare the digests of objects too"
    )
    parser.add_argument(
        "--jobs", type=int, default=len(os.sched_getaffinity(0)), help="how many processes build"
    )
    parser.add_argument("--show", type=int, default=10, help="how many differences to show")
    return parser


def _wanted(name: str, pattern: str | None) -> bool:
    return pattern is None or fnmatch.fnmatch(name, pattern)


def _named(commit: str) -> str:
    return git("log", "-1", "--format=%h (%s)", commit) if commit else "the sources here"


def _store() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "ingot-tests" / "codediff"


def _snapshot(
    commit: str, plan: list[dict[str, Any]], store: Path, given: argparse.Namespace
) -> dict[str, str]:
    """The index of a commit's snapshot, or of that of the sources here: taken, or found by all that decides it."""
    sources = sources_of(commit) if commit else sources_here()
    facts = [
        sources,
        json.dumps(plan, sort_keys=True),
        SNAPSHOT.read_text(encoding="utf-8"),
        _makers(),
        given.objects,
    ]
    digest = hashlib.sha256("\0".join(map(str, facts)).encode()).hexdigest()
    index = store / "indexes" / f"{digest}.json"
    if not index.exists():
        index.parent.mkdir(parents=True, exist_ok=True)
        print(f"building with {_named(commit)}", flush=True)
        begin = time.monotonic()
        with checked_out(commit) if commit else nullcontext(ROOT) as tree:
            _build(tree, plan, store, index, given)
        print(f"took {time.monotonic() - begin:.0f} s")
    return dict(json.loads(index.read_text(encoding="utf-8")))


def _build(
    tree: Path, plan: list[dict[str, Any]], store: Path, index: Path, given: argparse.Namespace
) -> None:
    listing = index.with_suffix(f".plan.{os.getpid()}")
    listing.write_text(json.dumps(plan), encoding="utf-8")
    words = [
        sys.executable,
        "-P",
        str(SNAPSHOT),
        str(listing),
        str(store),
        str(index),
        "--jobs",
        str(given.jobs),
    ]
    try:
        subprocess.run(
            words + (["--objects"] if given.objects else []),
            check=True,
            env={**os.environ, "PYTHONPATH": str(tree / "src")},
        )
    finally:
        listing.unlink()


def _makers() -> str:
    """What else decides what is generated: the versions of what ingot computes with, and this machine."""
    return " ".join(
        [platform.python_version(), platform.machine(), *(metadata.version(name) for name in MADE_WITH)]
    )


if __name__ == "__main__":
    sys.exit(main())
