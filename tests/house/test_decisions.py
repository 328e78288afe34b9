"""Every decision is named by what was decided, and is in the list of them."""

from __future__ import annotations

import re

from .source import ROOT

FOLDER = ROOT / "docs" / "decisions"


def test_the_list_has_every_decision_once_by_its_title() -> None:
    listed = re.findall(
        r"^- \[(.+)\]\(([a-z0-9-]+\.md)\)$", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    files = [path for path in FOLDER.iterdir() if path.name != "README.md"]
    titles = [
        (path.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# "), path.name) for path in files
    ]
    assert sorted(listed) == sorted(titles)


def test_names_of_decisions_have_no_numbers() -> None:
    assert not [path.name for path in FOLDER.iterdir() if path.name[0].isdecimal()]
