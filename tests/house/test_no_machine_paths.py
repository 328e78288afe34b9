"""The repository is for strangers: no tracked file mentions a folder of the machine it was written on, or work left undone."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from .source import ROOT

# Written so that this file does not match itself.
FORBIDDEN = {
    "an absolute path of a machine": re.compile(r"/(?:work|root|home|Users)/[A-Za-z]|/tmp/[a-z0-9]{2,}"),
    "a folder outside of the repository": re.compile(r"\.\./sha[r]ed"),
    "unfinished work": re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b"),
}
ALLOWED = {(".ci/run", "a folder outside of the repository")}  # looks for larger test models there
# A slip of the shell (`> 0.01`) leaves a file there, which `git add` takes.
AT_THE_TOP = {
    *("ARCHITECTURE.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"),
    *(".ci/", ".gitignore", "Makefile", "mkdocs.yml", "pyproject.toml"),
    *("benchmarks/", "docs/", "examples/", "src/", "tests/", "tools/"),
}
BINARY = (".onnx", ".npz", ".pb", ".so", ".png", ".bin", ".ingot")


def tracked() -> list[str]:
    """What git tracks; without git or outside of a checkout there is nothing to ask."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout")
    listed = subprocess.run(
        [git, "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_tracked_files_mention_no_machine() -> None:
    found = []
    for name in tracked():
        content = (ROOT / name).read_bytes()
        text = content.decode("latin-1" if name.endswith(BINARY) else "utf-8")
        for what, pattern in FORBIDDEN.items():
            match = pattern.search(text)
            if (
                match
                and (name, what) not in ALLOWED
                and not (name.endswith(BINARY) and what == "unfinished work")
            ):
                found.append(f"{name}: {what}: {match.group()!r}")
    assert found == []


def test_no_tracked_file_is_large() -> None:
    sizes = {name: (ROOT / name).stat().st_size for name in tracked()}
    assert {name: size for name, size in sizes.items() if size > 1 << 20} == {}


def test_nothing_is_at_the_top_by_a_slip() -> None:
    assert {first + slash for first, slash, _ in (name.partition("/") for name in tracked())} == AT_THE_TOP
