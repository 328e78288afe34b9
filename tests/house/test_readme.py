"""What the README shows is run, word by word; what it leaves to the page on the command line is all there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ingot.cli import main

from .source import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND_LINE = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with what the README's commands name."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    """`ingot` is the one of this Python; the cache is the folder's own."""
    scripts = Path(sys.executable).parent
    return {
        **os.environ,
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }


def commands() -> list[str]:
    return [
        line.removeprefix("$ ")
        for block in blocks("console")
        for line in block.splitlines()
        if line.startswith("$ ")
    ]


@pytest.mark.cc
def test_the_python_code_runs(clone: Path) -> None:
    assert blocks("python")
    code = "\n".join(blocks("python"))
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        check=False,
        cwd=clone,
        env=environment(clone),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert re.match(r"\d \['image: float32\[1, 1, 8, 8\]'\]", run.stdout)


@pytest.mark.cc
def test_the_commands_run(clone: Path) -> None:
    assert len(commands()) > 3
    for command in commands():
        run = subprocess.run(
            command,
            check=False,
            shell=True,
            cwd=clone,
            env=environment(clone),
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, f"{command}\n{run.stdout}\n{run.stderr}"
        assert run.stdout.strip(), command


def test_the_make_targets_that_it_names_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"make ([a-z]+)\b", README)) - {"help"} | {"help"}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_files_that_it_names_exist() -> None:
    for name in re.findall(r"`((?:src|docs|tests|examples)/[\w./-]+)`", README):
        assert (ROOT / name).exists(), name


def test_the_page_on_the_command_line_has_every_exit_status() -> None:
    rows = re.findall(r"^\| (\d+(?:, \d+)*) \|", COMMAND_LINE, re.MULTILINE)
    named = [int(number) for row in rows for number in row.split(", ")]
    stated = {
        value for name, value in vars(main).items() if name.startswith("STATUS_") and isinstance(value, int)
    }
    assert named == sorted({0, 1, 2, *(status for _, status in main.STATUS_OF), *stated})


def test_the_page_on_the_command_line_names_what_is_read_of_the_environment() -> None:
    read = re.findall(
        r'environ\.get\("(\w+)"', (ROOT / "src" / "ingot" / "base/environment.py").read_text(encoding="utf-8")
    )
    assert len(read) > 2
    for name in read:
        assert f"`{name}`" in COMMAND_LINE, name
