"""The C programs of examples/standalone, from archives to answers, with each compiler and its sanitizers."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.crt.build import HERE, sanitizers, tool

EXAMPLE = HERE.parents[1] / "examples" / "standalone" / "run.py"

pytestmark = pytest.mark.cc


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_program_is_right_about_almost_every_image(compiler: str, tmp_path) -> None:
    path = tool(compiler)
    tool("make")
    flags = " ".join(["-O0", *sanitizers(path, tmp_path)])
    environment = {**os.environ, "CC": path, "ASAN_OPTIONS": "detect_leaks=1"}
    command = [sys.executable, "-W", "error", EXAMPLE, tmp_path / "out", flags]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    found = dict(re.findall(r"^(\w+) +([\d.]+)%", done.stdout, re.MULTILINE))
    assert set(found) == {"classify", "classify_graph", "two_models"}
    assert len(set(found.values())) == 1 and float(found["classify"]) > 98
