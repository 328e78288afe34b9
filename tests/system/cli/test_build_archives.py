"""`ingot build -o FILE.tar`: a Model Library Format archive, shown and run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingot.package.mlf.read import read_archive
from tests.system.cli.test_journey import run, save_model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("archives") / "small.onnx")


def build(model: Path, path: Path, *options: str) -> int:
    return run("build", model, "-t", "c", "--dim", "batch=2", "--no-cache", "-o", path, *options)


@pytest.mark.cc
def test_an_archive_is_run_compared_and_explained_like_a_library(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.tar"
    assert build(model, path, "--executor", "graph") == 0
    assert [one.name for one in tmp_path.iterdir()] == ["small.tar"]
    assert run("run", path, "--random", "--compare", model) == 0
    assert run("load", path, "--explain") == 0
    said = capsys.readouterr().out
    assert "is checked, compiled and linked" in said and "the library is opened" in said


@pytest.mark.parametrize("version", [5, 7, 8])
def test_the_version_and_executor_are_those_that_were_asked_for(
    model: Path, tmp_path: Path, version: int
) -> None:
    path = tmp_path / "small.tar"
    assert build(model, path, "--mlf-version", str(version), "--executor", "graph") == 0
    archive = read_archive(path.read_bytes())
    assert archive.version == version and archive.models[0].executors == ("graph",)


def test_an_archive_is_shown_as_text_and_as_json(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.tar"
    assert build(model, path) == 0
    capsys.readouterr()
    assert run("inspect", path) == 0
    text = capsys.readouterr().out
    for words in (
        "made by ingot, every digest is right",
        "Model Library Format, version 8",
        "metadata.json",
        "workspace",
    ):
        assert words in text
    assert run("inspect", path, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["version"] == 8 and facts["models"][0]["name"] == "small"
    assert {"README.md", "src/small.onnx"} <= {member["file"] for member in facts["members"]}
    assert run("inspect", path, "codegen/host/include/small.h") == 0
    assert "int32_t small_run(" in capsys.readouterr().out


def test_options_of_archives_are_for_archives(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(model, tmp_path / "small.so", "--mlf-version", "7") == 2
    assert "for a .tar archive, not for small.so" in " ".join(
        capsys.readouterr().err.replace("│", " ").split()
    )
    assert build(model, tmp_path / "small.tar", "--mlf-version", "6") == 2
    assert build(model, tmp_path / "small.tar", "--mlf-style", "modell") == 2
    assert build(model, tmp_path / "small.tar", "--cmake") == 2
    assert list(tmp_path.iterdir()) == []
