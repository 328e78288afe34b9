"""A process of our own answers by lines, and its end is an exception that says why."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ingot.link.child import Child, ChildError, can_start

ECHO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    for number in range(asked["count"]):
        print(json.dumps({"number": number}), flush=True)
    if asked["count"] == 3:
        raise SystemExit("three is too many")
    print(json.dumps({"done": True}), flush=True)
"""


@pytest.fixture
def echo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "echo_child.py").write_text(ECHO)
    monkeypatch.syspath_prepend(tmp_path)
    return "echo_child"


@pytest.mark.parametrize(
    ("executable", "can"),
    [("/usr/bin/python3.12", True), ("/x/pypy3", True), ("/usr/bin/blender", False), ("", False), (None, False)],
)
def test_a_program_with_python_inside_is_not_started(executable: str | None, can: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert can_start()
    monkeypatch.setattr(sys, "executable", executable)
    assert can_start() is can


def test_one_process_answers_many_requests(echo: str) -> None:
    with Child(echo) as child:
        assert list(child.ask({"count": 1}, "done", 20)) == [{"number": 0}, {"done": True}]
        assert list(child.ask({"count": 0}, "done", 20)) == [{"done": True}]


def test_after_its_end_another_is_started(echo: str) -> None:
    with Child(echo) as child:
        with pytest.raises(ChildError, match="ended with status 1: three is too many"):
            list(child.ask({"count": 3}, "done", 20))
        assert list(child.ask({"count": 0}, "done", 20)) == [{"done": True}]


def test_a_module_that_is_not_there_is_an_end_too() -> None:
    with Child("no_such_module_of_ours") as child, pytest.raises(ChildError, match="no_such_module_of_ours"):
        list(child.ask({}, "done", 20))


def test_a_process_is_stopped_under_who_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "silent_child.py").write_text("import sys, time\nsys.stdin.readline()\ntime.sleep(60)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with Child("silent_child") as child, ThreadPoolExecutor(1) as thread:
        child.stop()  # nothing, before it runs
        asked = thread.submit(lambda: list(child.ask({}, "done", 40)))
        with pytest.raises(TimeoutError):
            asked.result(1)
        child.stop()
        with pytest.raises(ChildError, match="ended by signal 9"):
            asked.result(20)
