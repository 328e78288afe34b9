"""The options of the test suite."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

# How long an example takes says how busy the machine is.
settings.register_profile("ingot", deadline=None)
settings.load_profile("ingot")

# The fast tier, `make test-fast`: folders whose tests need no process beside their own, and marks of tests that are none of it.
FAST = ("unit/artifact", "unit/border", "unit/inspectors", "unit/loops", "unit/package", "unit/plan")
NOT_FAST = ("cc", "gpu", "models", "opencl", "process", "qemu", "slow")
TESTS = Path(__file__).parent
GOLDEN = TESTS / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the files of tests/golden instead of comparing with them",
    )
    parser.addoption(
        "--fast",
        action="store_true",
        help="run the fast tier: tests that need no process and no compiler driver",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The fast tier imports no test of another one: importing all takes longer than running these."""
    outside = collection_path.is_file() and not in_fast_folder(collection_path)
    return True if outside and config.getoption("--fast") else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long tests come first: a worker that has none left takes over some of another's, and at the end these are short ones."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    if config.getoption("--fast"):
        config.hook.pytest_deselected(items=[item for item in items if not is_fast(item)])
        items[:] = [item for item in items if is_fast(item)]


def in_fast_folder(path: Path) -> bool:
    """Whether a file of tests lies where those of the fast tier are."""
    return any(path.is_relative_to(TESTS / folder) for folder in FAST)


def is_fast(item: pytest.Item) -> bool:
    """Whether a test belongs to the fast tier."""
    return in_fast_folder(item.path) and not any(item.get_closest_marker(mark) for mark in NOT_FAST)


@pytest.fixture(autouse=True)
def the_fast_tier_starts_no_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the fast tier that starts a process fails, in whichever run: it has to say so by the mark `process`."""
    if is_fast(request.node):
        refuse_processes(monkeypatch)


def refuse_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets every way to start a process fail. What is raised is no `Exception`, which ingot might take for a missing tool."""

    def refuse(*_: object, **__: object) -> NoReturn:
        pytest.fail("a test of the fast tier starts a process: mark it with @pytest.mark.process")

    for owner, name in ((subprocess.Popen, "__init__"), (os, "fork"), (os, "posix_spawn"), (os, "system")):
        monkeypatch.setattr(owner, name, refuse)


@pytest.fixture(autouse=True)
def every_build_is_made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds in this process find no whole build in the cache: many tests look at how one is made, and some replace parts of
    ingot, which its key knows nothing of. Tests of `kept_builds` find theirs.
    """
    if request.node.get_closest_marker("kept_builds") is None:
        monkeypatch.setattr("ingot.api.stages.known_build", lambda *_: None)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` asserts that the text is that of `tests/golden/<name>`."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"{path} is missing: run `pytest --update-golden`, then read what it wrote"
        assert text == path.read_text(encoding="utf-8"), (
            f"not as in {path}; if that is meant, run `pytest --update-golden`"
        )

    return check
