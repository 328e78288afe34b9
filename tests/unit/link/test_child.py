"""A process of our own answers by lines, and its end is an exception that says why."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
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


Make = Callable[[str], str]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Writes a module that a process can run; gives its name."""

    def make(text: str) -> str:
        (tmp_path / "made_child.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        return "made_child"

    return make


@pytest.fixture
def echo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "echo_child.py").write_text(ECHO)
    monkeypatch.syspath_prepend(tmp_path)
    return "echo_child"


@pytest.mark.parametrize(
    ("executable", "can"),
    [
        *(
            (f"/x/{name}", True)
            for name in ("python", "python3.12", "python3.11-dbg", "python3.13t", "python3.13td")
        ),
        *((f"/x/{name}", True) for name in ("pypy3", "pypy3.10", "pypy3.10-c", "python.exe", "pythonw.exe")),
        *(
            (f"/x/{name}", False)
            for name in ("blender", "python-converter", "pythonista", "python3-server", "pypyrus")
        ),
        ("", False),
        (None, False),
    ],
)
def test_a_program_with_python_inside_is_not_started(
    executable: str | None, can: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert can_start()
    monkeypatch.setattr(sys, "executable", executable)
    assert can_start() is can


def test_a_frozen_program_is_not_started_whatever_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not can_start()


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


def test_nothing_is_imported_from_the_current_folder(
    echo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    for name in ("json", "runpy"):
        (tmp_path / "elsewhere" / f"{name}.py").write_text(
            "raise SystemExit('imported from the current folder')\n"
        )
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    with Child(echo) as child:
        assert list(child.ask({"count": 0}, "done", 20)) == [{"done": True}]


def test_entries_of_the_path_that_are_no_text_are_left_out(
    echo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, tmp_path, b"/bytes"])
    with Child(echo) as child:
        assert list(child.ask({"count": 0}, "done", 20)) == [{"done": True}]


@pytest.mark.parametrize("said", ["hello", "17", '["done"]', '"done"', "null", "\\xff", "["])
def test_a_line_that_is_no_answer_is_quoted_and_ends_the_process(said: str, module: Make) -> None:
    say = f"sys.stdout.buffer.write(b'{said}\\n'), sys.stdout.flush()"
    made = module(f"import sys\nsys.stdin.readline()\n{say}\nsys.stdin.read()\n")
    with Child(made) as child:
        with pytest.raises(
            ChildError, match=r"said '.*' where an answer was expected, a JSON object on a line"
        ):
            list(child.ask({}, "done", 20))
        assert child._process is None


def test_what_it_complains_about_does_not_hold_it_up_and_its_end_is_quoted(module: Make) -> None:
    lines = "\n".join(
        [
            "import sys",
            "for number, line in enumerate(sys.stdin):",
            "    sys.stderr.write('warning\\n' * 30000)",
            "    if number: raise SystemExit('the last word')",
            "    print('{\"done\": 1}', flush=True)",
        ]
    )
    with Child(module(lines)) as child:
        assert list(child.ask({}, "done", 20)) == [{"done": 1}]
        with pytest.raises(ChildError, match=r"^ended with status 1: the last word$"):
            list(child.ask({}, "done", 20))


def test_a_process_that_does_not_read_is_not_waited_for_without_end(module: Make) -> None:
    with Child(module("import time\ntime.sleep(60)\n")) as child:
        begin = time.monotonic()
        with pytest.raises(ChildError, match="did not read its request in time"):
            list(child.ask({"text": "x" * 1_000_000}, "done", 0.3))
        assert time.monotonic() - begin < 10


def test_a_long_request_arrives_whole(module: Make) -> None:
    lines = "\n".join(
        [
            "import json, sys",
            "for line in sys.stdin:",
            "    print(json.dumps({'done': len(json.loads(line)['text'])}), flush=True)",
        ]
    )
    with Child(module(lines)) as child:
        assert list(child.ask({"text": "x" * 1_000_000}, "done", 20)) == [{"done": 1_000_000}]


def test_a_process_that_closes_its_pipes_and_goes_on_is_ended(
    module: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingot.link.child._END_SECONDS", 0.1)
    with Child(module("import os, time\nos.close(1)\ntime.sleep(60)\n")) as child:
        with pytest.raises(ChildError, match="closed its pipes and did not end"):
            list(child.ask({}, "done", 20))
        assert child._process is None
