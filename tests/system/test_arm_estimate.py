"""The estimate of `benchmarks/arm_estimate.py` for a processor that is not here: what it counts is what a kernel does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from tests.support.models import model
from tests.support.paths import ROOT

SCRIPT = ROOT / "benchmarks" / "arm_estimate.py"
ROWS, DEPTH, COLUMNS = 60, 96, 64
pytestmark = [pytest.mark.cc, pytest.mark.qemu]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *words], check=False, capture_output=True, text=True)


@pytest.fixture
def product(tmp_path: Path) -> Path:
    """A matrix product whose rows and columns fill vectors."""
    made = model(f"product (float[{ROWS}, {DEPTH}] x) => (float[{ROWS}, {COLUMNS}] y) {{ y = MatMul(x, w) }}")
    weights = np.random.default_rng(0).standard_normal((DEPTH, COLUMNS)).astype(np.float32)
    made.graph.initializer.append(numpy_helper.from_array(weights, "w"))
    onnx.save(made, tmp_path / "product.onnx")
    return tmp_path / "product.onnx"


def test_multiply_adds_are_counted_as_often_as_they_run(product: Path) -> None:
    tools = {"aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu", "qemu-aarch64": "qemu-user"}
    for tool, package in tools.items():
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool} (Debian: {package})")
    for tool in ("mca", "objdump"):
        if not any(
            shutil.which(f"llvm-{tool}{suffix}")
            for suffix in ("", *(f"-{version}" for version in range(16, 41)))
        ):
            pytest.skip(f"needs llvm-{tool} (Debian: llvm)")
    done = run(str(product), "--cpu", "neoverse-n1", "--blocks", "40")
    assert done.returncode == 0, done.stderr
    blocks = re.findall(
        r"matmul_\S+ at 0x[0-9a-f]+: .* (\d+) sums, (\d+) accesses to the stack, (\d+) times", done.stdout
    )
    sums = sum(int(each) * int(times) for each, _, times in blocks)
    assert sums * 4 == ROWS * DEPTH * COLUMNS
    (share,) = re.findall(r"^ +\S+ +(\S+)% .* matmul_", done.stdout, re.MULTILINE)
    assert float(share) > 90
    # Two begin in a cycle, or one as older versions of LLVM have it, and this loop is made of little else.
    (cycles,) = re.findall(r"^(\S+) million cycles", done.stdout)
    assert 0.8 <= sums / (float(cycles) * 1e6) <= 2


def test_what_is_no_model_is_said(tmp_path: Path) -> None:
    done = run(str(tmp_path / "none.onnx"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
