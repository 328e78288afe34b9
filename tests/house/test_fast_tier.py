"""The fast tier, `make test-fast`: its tests run anywhere at once, since none starts a process."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.conftest import FAST, NOT_FAST, refuse_processes

from .source import ROOT

STARTS: dict[str, Callable[[], object]] = {
    "run": lambda: subprocess.run([sys.executable, "-c", ""], check=True),
    "Popen": lambda: subprocess.Popen([sys.executable, "-c", ""]),
    "fork": lambda: os.fork(),  # noqa: PLW0108  (`os.fork` itself is what nothing replaces)
    "system": lambda: os.system("true"),
    "posix_spawn": lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}),
    "multiprocessing": lambda: multiprocessing.get_context("fork").Process(target=print).start(),
}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_a_test_of_the_fast_tier_cannot_start_a_process(
    start: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_processes(monkeypatch)
    with pytest.raises(pytest.fail.Exception, match="mark it"):
        start()


def test_the_fast_tier_has_folders_and_marks_that_exist(pytestconfig: pytest.Config) -> None:
    assert all((ROOT / "tests" / folder).is_dir() for folder in FAST)
    assert set(NOT_FAST) <= {line.partition(":")[0] for line in pytestconfig.getini("markers")}
