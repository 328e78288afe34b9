"""The C programs of examples/standalone, from archives to answers, with each compiler and its sanitizers; and the one
with a graph executor from archives as the original tools wrote them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile

import numpy as np
import pytest

import ingot
from tests.support.paths import ROOT
from tests.system.crt.build import CRT, INCLUDE, ran, sanitizers, sources, tool

EXAMPLE = ROOT / "examples" / "standalone" / "run.py"

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


@pytest.fixture(scope="module")
def digits() -> ingot.ArtifactSet:
    return ingot.build(EXAMPLE.parents[1] / "digits" / "digits.onnx", "c", dims={"batch": 1})


@pytest.mark.parametrize("version", [5, 7])
def test_the_runtime_runs_graphs_in_archives_of_the_original_versions(version: int, digits, tmp_path) -> None:
    compiler = tool("gcc")
    digits.export_model_library_format(tmp_path / "m.tar", version, executor="graph")
    with tarfile.open(tmp_path / "m.tar") as archive:
        archive.extractall(tmp_path / "m", filter="data")
    data = np.load(EXAMPLE.parents[1] / "digits" / "digits_test.npz")
    (data["images"] / 16).astype(np.float32).tofile(tmp_path / "images")
    parts = [EXAMPLE.parent / "classify_graph.c", *(tmp_path / "m").glob("codegen/host/src/*.c"), *sources()]
    parts.append(CRT / "platform" / "posix" / "platform.c")
    ran(
        [
            compiler,
            "-std=c99",
            *sanitizers(compiler, tmp_path),
            f"-I{INCLUDE}",
            *parts,
            "-lm",
            "-o",
            tmp_path / "classify",
        ]
    )
    (graph,) = (tmp_path / "m" / "executor-config" / "graph").iterdir()
    (params,) = (tmp_path / "m" / "parameters").glob("*.params")
    found = ran([tmp_path / "classify", graph, params, tmp_path / "images"]).split()
    assert np.mean(np.array(found, int) == data["labels"]) > 0.98
