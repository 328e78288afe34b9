"""What the pages of `docs/` show is run, word by word, block after block."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .source import ROOT
from .test_readme import environment

PAGES = ("sets.md", "targets.md", "mlf.md", "migration.md", "quantization.md", "tuning.md", "differences.md", "loops.md")


def blocks(page: str) -> tuple[str, list[str]]:
    """All Python of a page as one program, and its commands."""
    code: list[str] = []
    commands: list[str] = []
    kind = ""
    for line in (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            kind = "" if kind else line.removeprefix("```")
        elif kind == "python":
            code.append(line)
        elif kind == "console":
            commands.append(line.removeprefix("$ "))
    return "\n".join(code), commands


@pytest.mark.cc
@pytest.mark.parametrize("page", PAGES)
def test_code_and_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    code, commands = blocks(page)
    assert code
    for command in ([sys.executable, "-W", "error", "-c", code], *map(shlex.split, commands)):
        run = subprocess.run(
            command, check=False, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, timeout=300
        )
        assert run.returncode == 0, (command[0], run.stderr)
