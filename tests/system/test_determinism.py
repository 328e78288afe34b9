"""The same model, target and version give the same bytes, wherever and whenever they are built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import DIGITS, MODELS

MODELS = {
    "digits": DIGITS,
    "transformer_encoder": MODELS / "transformer_encoder.onnx",
}
SCRIPT = """
import sys, ingot
model, target, path = sys.argv[1:]
ingot.build(model, target, name="m", dims={"batch": 1}, cache=None).export_library(path)
"""

# Two processes that differ in everything that must not matter. The first has no home, and so no cache of compiled C either.
SETTINGS: tuple[dict[str, str], ...] = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C", "HOME": "", "XDG_CACHE_HOME": "", "LANG": "C"},
    {
        "PYTHONHASHSEED": "4242",
        "TZ": "Asia/Kathmandu",
        "LC_ALL": "C.UTF-8",
        "LANG": "tr_TR.UTF-8",
        "COLUMNS": "40",
    },
)


@pytest.mark.cc
@pytest.mark.parametrize("target", ["llvm", "c", "interp"])
@pytest.mark.parametrize("name", MODELS)
def test_two_processes_make_the_same_bytes(name: str, target: str, tmp_path: Path) -> None:
    made = []
    for number, settings in enumerate(SETTINGS):
        folder = tmp_path / f"folder {number}" / ("deep" * number or "flat")
        folder.mkdir(parents=True)
        model = folder / f"model{number}.onnx"
        model.write_bytes(MODELS[name].read_bytes())
        library = folder / f"library{number}.so"
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(model if number else model.name), target, str(library)],
            check=True,
            cwd=folder,
            env={**os.environ, **settings},
            timeout=300,
        )
        made.append(library.read_bytes())
    assert made[0] == made[1]
    assert str(tmp_path).encode() not in made[0]
