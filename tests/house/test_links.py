"""Every link of a page leads to a file of the repository, and to a heading of it where it names one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .source import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])


def without_code(page: Path) -> str:
    return re.sub(r"^```.*?^```$|^    [^\n]*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The names of a page's headings as GitHub makes them."""
    headings = re.findall(r"^#+ +(.+)$", without_code(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    """What a page links to; code within a line is none."""
    return re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", without_code(page)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for link in links(page):
        name, _, anchor = link.partition("#")
        if name.startswith(("https:", "http:")):
            continue
        there = (page.parent / name).resolve() if name else page
        if not there.is_relative_to(ROOT) or not there.exists() or (anchor and anchor not in anchors(there)):
            dead.append(link)
    assert dead == []


def test_pages_are_found_and_their_links_are_seen() -> None:
    assert {"README.md", "ARCHITECTURE.md", "docs/benchmarks.md"} <= {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert "ARCHITECTURE.md" in links(ROOT / "README.md")
    assert "64-bit-arm-estimated" in anchors(ROOT / "docs" / "benchmarks.md")
