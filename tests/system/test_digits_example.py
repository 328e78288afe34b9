"""`make run`: what a stranger sees first."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

EXAMPLE = ROOT / "examples" / "digits"


@pytest.mark.cc
def test_the_example_classifies_real_images_without_a_compiler(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE / "run.py"), str(tmp_path / "out")],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    accuracy = re.search(
        r"accuracy\s+([\d.]+)% of 355 test images, in a new process that imported no compiler", done.stdout
    )
    assert accuracy and float(accuracy[1]) >= 98
    assert re.search(r"latency\s+[\d.]+ µs per image", done.stdout)
    assert "\x1b" not in done.stdout  # plain where nobody looks
    assert "██" in done.stdout
