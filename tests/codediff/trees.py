"""Trees of the repository: which one is at hand, and commits in folders of their own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.support.paths import ROOT

SOURCES = "src/ingot"


class UnknownCommitError(Exception):
    """Git knows no commit of that name here."""


def git(*words: str, index: Path | None = None) -> str:
    """What git says in this repository."""
    environment = {**os.environ, **({} if index is None else {"GIT_INDEX_FILE": str(index)})}
    return subprocess.run(
        ["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True, env=environment
    ).stdout.strip()


def commit_id(name: str) -> str:
    """The full id of a commit.

    Raises:
        UnknownCommitError: there is none, or none in a checkout without its history.
    """
    try:
        return git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except subprocess.CalledProcessError as error:
        raise UnknownCommitError(f"git knows no commit {name!r} here") from error


def sources_of(commit: str) -> str:
    """The id of ingot's sources in a commit: two commits with equal sources have the same one."""
    return git("rev-parse", f"{commit}:{SOURCES}")


def sources_here() -> str:
    """The id that ingot's sources would have if they were committed as they lie here, new files included."""
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        git("read-tree", "HEAD", index=index)
        git("add", "--all", "--", SOURCES, index=index)
        return git("write-tree", f"--prefix={SOURCES}/", index=index)


@contextlib.contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A commit in a folder of its own, as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree"
        git("worktree", "add", "--detach", "--quiet", str(path), commit)
        try:
            yield path
        finally:
            git("worktree", "remove", "--force", str(path))
