"""Loading is for machines that have no compiler: it imports none, and importing ingot imports next to nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMPILE_SIDE = {
    "onnx",
    "onnx_ir",
    "onnxruntime",
    "llvmlite",
    "ml_dtypes",
    "rich",
    "typer",
    "google.protobuf",
    "ingot.api",
    "ingot.cli",
    "ingot.codegen",
    "ingot.graph",
    "ingot.link",
    "ingot.loops",
    "ingot.ops",
    "ingot.plan",
}


def imported(code: str) -> set[str]:
    """The modules of a new process after it ran `code`."""
    script = f"{code}\nimport sys\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_importing_ingot_imports_no_numpy_and_no_room() -> None:
    modules = imported("import ingot")
    assert "numpy" not in modules
    assert {name for name in modules if name.startswith("ingot.")} == set()


@pytest.mark.parametrize("code", ["ingot.load", "ingot.load, ingot.cpu(0)", "ingot.Device, ingot.LoadError", "dir(ingot)"])
def test_loading_imports_nothing_of_the_compile_side(code: str) -> None:
    modules = imported(f"import ingot\n{code}")
    assert modules & COMPILE_SIDE == set()


def test_loading_needs_only_what_the_package_depends_on() -> None:
    without = imported("import numpy, ctypes, blake3, json, hashlib, mmap")
    third_party = {name.split(".")[0] for name in imported("import ingot\ningot.load") - without} - sys.stdlib_module_names
    assert third_party <= {"ingot", "numpy", "blake3"}
