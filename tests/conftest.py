"""The options of the test suite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says how busy the machine is.
settings.register_profile("ingot", deadline=None)
settings.load_profile("ingot")

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the files of tests/golden instead of comparing with them"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests come first: a worker that has none left takes over some of another's, and at the end these are short ones."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True)
def every_build_is_made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds in this process find no whole build in the cache: many tests look at how one is made, and some replace parts of
    ingot, which its key knows nothing of. Tests of `kept_builds` find theirs.
    """
    if request.node.get_closest_marker("kept_builds") is None:
        monkeypatch.setattr("ingot.api.known_build", lambda *_: None)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` asserts that the text is that of `tests/golden/<name>`."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"{path} is missing: run `pytest --update-golden`, then read what it wrote"
        assert text == path.read_text(encoding="utf-8"), f"not as in {path}; if that is meant, run `pytest --update-golden`"

    return check
