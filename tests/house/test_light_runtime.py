"""Loading is for machines that have no compiler: it imports none, and importing ingot imports next to nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ingot.link.shared import link_library
from tests.support.tiny_library import tiny_set

COMPILE_SIDE = {
    "onnx",
    "onnx_ir",
    "onnxruntime",
    "llvmlite",
    "ml_dtypes",
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
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


def test_importing_ingot_imports_no_numpy_and_no_room() -> None:
    modules = imported("import ingot")
    assert "numpy" not in modules
    assert {name for name in modules if name.startswith("ingot.")} == set()


@pytest.mark.parametrize(
    "code", ["ingot.load", "ingot.load, ingot.cpu(0)", "ingot.Device, ingot.LoadError", "dir(ingot)"]
)
def test_loading_imports_nothing_of_the_compile_side(code: str) -> None:
    modules = imported(f"import ingot\n{code}")
    assert modules & COMPILE_SIDE == set()


def test_loading_needs_only_what_the_package_depends_on() -> None:
    without = imported("import numpy, ctypes, blake3, json, hashlib, mmap")
    third_party = {
        name.split(".")[0] for name in imported("import ingot\ningot.load") - without
    } - sys.stdlib_module_names
    assert third_party <= {"ingot", "numpy", "blake3"}


# Each module is a tenth of a millisecond or two of a cold start, so this list grows for a reason only.
FIRST_ANSWER = """
ingot ingot.base ingot.base.lazy ingot.base.records ingot.base.tensor
ingot.artifact ingot.artifact.artifact ingot.artifact.model_info ingot.artifact.model_info_read ingot.artifact.json_read
ingot.package ingot.package.container ingot.package.library_file
ingot.runtime ingot.runtime.executors ingot.runtime.executors.base
ingot.runtime.library ingot.runtime.load ingot.runtime.memory
_json gc blake3 blake3.blake3
"""
LARGE = 1 << 17  # elements: with their constants, a library is mapped and not read


@pytest.mark.cc
@pytest.mark.parametrize(
    ("size", "executors", "more"),
    [
        (4, ("aot",), set()),
        (LARGE, ("aot",), {"ingot.base.mapped_file"}),
        (4, ("aot", "graph"), {"ingot.artifact.values", "ingot.artifact.values_read"}),
    ],
    ids=["small", "large", "graph"],
)
def test_the_first_answer_of_a_library_imports_these_modules_and_no_other(
    size: int, executors: tuple[str, ...], more: set[str], tmp_path: Path
) -> None:
    path = tmp_path / "tiny.so"
    link_library(tiny_set("tiny", size, executors=executors, cpu_features=("fpu",)), path)
    first_answer = f"""
import numpy, ingot
executor = ingot.load({str(path)!r})["tiny"](ingot.cpu(0), threads=1)
executor.predict({{tensor.name: numpy.zeros(tensor.shape, tensor.dtype.value) for tensor in executor.inputs}})"""
    surplus = imported(first_answer) - imported("import numpy") - set(FIRST_ANSWER.split())
    assert surplus == more
