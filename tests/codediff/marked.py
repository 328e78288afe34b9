"""The newest commits that say of themselves that they change nothing that is generated."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from tests.codediff.trees import UnknownCommitError, commit_id, git

MARK = "[same]"
MAX_COMMITS = 200  # looked at


@dataclass(frozen=True)
class Series:
    """Consecutive commits that are marked: `base` is the one before them, empty if there is none; `said` is a sentence."""

    said: str
    base: str = ""
    head: str = ""


def marked() -> Series:
    """The newest marked commits of this history, if there are any."""
    try:
        lines = git("log", f"-{MAX_COMMITS}", "--first-parent", "--format=%H %s").splitlines()
    except (OSError, subprocess.CalledProcessError):
        return Series("nothing is compared: this is no checkout of git's, or git is not here")
    return series_of([line.partition(" ")[::2] for line in lines])


def series_of(subjects: list[tuple[str, str]]) -> Series:
    """The newest marked commits of a list of ids and subjects, the newest first."""
    begin = next((at for at, (_, subject) in enumerate(subjects) if MARK in subject), None)
    if begin is None:
        return Series(f"none of the last {len(subjects)} commits is marked {MARK}: nothing is compared")
    head = subjects[begin][0]
    length = next(
        (at for at, (_, subject) in enumerate(subjects[begin:]) if MARK not in subject), len(subjects) - begin
    )
    oldest = subjects[begin + length - 1][0]
    try:
        base = commit_id(f"{oldest}^")
    except UnknownCommitError:
        return Series(
            f"the {length} newest commits marked {MARK} are not compared: the commit before them is not here"
        )
    return Series(f"the {length} newest commits marked {MARK}, {oldest[:9]} to {head[:9]}:", base, head)
