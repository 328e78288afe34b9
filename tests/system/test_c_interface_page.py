"""What docs/use/c-interface.md shows is built and run, word by word."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ingot
from tests.support.c_program import compile_c
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "use" / "c-interface.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.cc


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("page")
    shutil.copytree(
        ROOT / "examples" / "digits",
        made / "examples" / "digits",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = block("console").removeprefix("$ ")
    subprocess.run(
        command, shell=True, cwd=made, env={**os.environ, "PATH": scripts}, check=True, capture_output=True
    )
    return made


def wanted(folder: Path) -> list[str]:
    image = np.zeros((1, 1, 8, 8), np.float32)
    image[0, 0, 0, :2] = 1, 0.5
    probabilities = ingot.load(folder / "digits.so")["digits"](ingot.cpu(0), threads=1).predict(image=image)
    return [f"{number} {value:.4f}" for number, value in enumerate(probabilities[0])]


def test_the_files_are_there(folder: Path) -> None:
    for name in re.findall(r"^    (digits\S+) ", PAGE, re.MULTILINE):
        assert (folder / name).exists(), name


def test_the_c_program_runs(folder: Path) -> None:
    made = compile_c(block("c"), folder, "-L.", "-l:digits.so", "-Wl,-rpath,$ORIGIN")
    assert subprocess.run([made], capture_output=True, text=True, check=True).stdout.splitlines() == wanted(
        folder
    )


def test_the_cmake_project_builds(folder: Path, tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    (tmp_path / "main.c").write_text(block("c"))
    (tmp_path / "CMakeLists.txt").write_text(block("cmake"))
    for words in (["-S", ".", "-B", "build", f"-Ddigits_DIR={folder}"], ["--build", "build"]):
        done = subprocess.run(["cmake", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    made = tmp_path / "build" / "main"
    assert subprocess.run([made], capture_output=True, text=True, check=True).stdout.splitlines() == wanted(
        folder
    )


def test_the_python_code_runs(folder: Path) -> None:
    if importlib.util.find_spec("tvm_ffi") is None:
        pytest.skip("needs the package apache-tvm-ffi (extra interop)")
    script = f"import sys; sys.modules['ingot'] = None\n{block('python')}"
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stdout.strip().isdecimal(), done.stderr
