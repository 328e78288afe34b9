"""`ingot build -o FILE.ingot`: artifacts in a file, run without a library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.system.cli.test_journey import run, save_model


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    model = save_model(folder / "small.onnx")
    path = folder / "small.ingot"
    assert run("build", model, "-t", "llvmjit", "--dim", "batch=2", "--no-cache", "-o", path) == 0
    return path


def test_a_set_is_a_file_of_its_own_with_nothing_beside_it(stored: Path) -> None:
    assert sorted(one.name for one in stored.parent.iterdir()) == ["small.ingot", "small.onnx"]


def test_a_set_is_run_compared_and_measured_like_a_library(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = stored.with_name("small.onnx")
    assert run("run", stored, "--random", "--compare", model) == 0
    assert run("bench", stored, "--json") == 0
    capsys.readouterr()


def test_a_set_is_shown(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", stored, "--json") == 0
    files = [member["file"] for member in json.loads(capsys.readouterr().out)["members"]]
    assert "small.jit.json" in files and "small.bc" in files


def test_bitcode_is_not_exported_and_cmake_files_are_for_libraries(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = stored.with_name("small.onnx")
    assert (
        run(
            "build", model, "-t", "llvmjit", "--dim", "batch=2", "--no-cache", "-o", stored.with_suffix(".so")
        )
        > 2
    )
    assert "the target 'llvm' makes a library of the same kernels" in " ".join(
        capsys.readouterr().err.split()
    )
    assert run("build", model, "--cmake", "-o", stored) == 2
    assert not stored.with_suffix(".so").exists()
