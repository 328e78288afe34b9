"""Every link of a page leads to a file of the repository, and to a heading of it where it names one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .source import ROOT

DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
ROOMS = ("src", "tests", "benchmarks", "tools", "examples")
SOURCES = [ROOT / "Makefile", *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))]


def named(page: Path) -> str:
    """A page's path in the repository."""
    return page.relative_to(ROOT).as_posix()


def pages_named(path: Path) -> list[str]:
    """The pages of `docs` that a file names."""
    return re.findall(r"(?<![\w/])docs/[\w/-]+\.md\b", path.read_text(encoding="utf-8"))


def without_code(page: Path) -> str:
    return re.sub(
        r"^ *```.*?^ *```$|^    [^\n]*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )


def anchors(page: Path) -> set[str]:
    """The names of a page's headings as GitHub makes them."""
    headings = re.findall(r"^#+ +(.+)$", without_code(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    """What a page links to; code within a line is none."""
    return re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", without_code(page)))


@pytest.mark.parametrize("page", PAGES, ids=named)
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
    assert {"README.md", "ARCHITECTURE.md", "docs/measurements/benchmarks.md"} <= {
        named(page) for page in PAGES
    }
    assert "ARCHITECTURE.md" in links(ROOT / "README.md")
    assert "64-bit-arm-estimated" in anchors(ROOT / "docs" / "measurements" / "benchmarks.md")


def test_the_index_links_to_every_page() -> None:
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in links(DOCS / "index.md")}
    pages = {page for page in DOCS.rglob("*.md") if page.parent != DOCS / "decisions"} - {DOCS / "index.md"}
    assert {named(page) for page in pages - linked} == set()


def test_the_site_has_every_page_in_its_navigation() -> None:
    """What hooks add (`tools/docs_site.py`) is in no folder: pages at the top of the repository, and the API reference."""
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"[\w/-]+\.md", nav)
    pages = {
        page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md") if page.parent != DOCS / "decisions"
    }
    added = {"overview.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "reference/api.md"}
    assert sorted(listed) == sorted(pages | added | {"decisions/README.md"})


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_pages_that_a_page_names_exist(page: Path) -> None:
    assert [name for name in pages_named(page) if not (ROOT / name).exists()] == []


def test_pages_that_sources_name_exist() -> None:
    dead = {named(path): name for path in SOURCES for name in pages_named(path) if not (ROOT / name).exists()}
    assert dead == {}


def test_names_of_pages_are_seen_in_sources() -> None:
    assert "docs/use/mlf.md" in pages_named(ROOT / "src" / "ingot" / "package" / "mlf" / "write.py")
