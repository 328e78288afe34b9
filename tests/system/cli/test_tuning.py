"""`ingot build --tune`, `--tuning` and `ingot inspect --tuning`."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from ingot.cli.arguments import with_numbers
from tests.system.cli.test_journey import run
from tests.unit.tune.test_tune import product


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `m.onnx`, the tuned set `m.ingot` and its tuning file `m.json`."""
    folder = tmp_path_factory.mktemp("tuning")
    onnx.save(product(), folder / "m.onnx")
    words = ("--tune", "60", "--tune-to", folder / "m.json", "--no-cache", "-o", folder / "m.ingot")
    assert run("build", folder / "m.onnx", "-t", "llvmjit", *words) == 0
    return folder


def test_a_build_with_the_file_is_the_same(tuned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again = tuned / "again.ingot"
    assert (
        run(
            "build",
            tuned / "m.onnx",
            "-t",
            "llvmjit",
            "--tuning",
            tuned / "m.json",
            "--no-cache",
            "-o",
            again,
        )
        == 0
    )
    assert again.read_bytes() == (tuned / "m.ingot").read_bytes()
    assert "tuned" not in capsys.readouterr().err


def test_a_tuned_file_says_what_was_measured(tuned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", tuned / "m.ingot") == 0
    assert ": 1 kernels, " in capsys.readouterr().out
    assert run("inspect", tuned / "m.ingot", "--tuning") == 0
    assert capsys.readouterr().out == (tuned / "m.json").read_text()


def test_what_was_not_tuned_has_no_tuning(tuned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = tuned / "plain.ingot"
    assert run("build", tuned / "m.onnx", "-t", "llvmjit", "--no-cache", "-o", plain) == 0
    assert run("inspect", plain, "--tuning") == 7
    assert "no model in it was tuned" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tune", "5", "--tuning", "m.json"), "give one of them"),
        (("--tune-to", "m.json"), "give that too"),
        (("--tune=-5",), "--tune"),
    ],
)
def test_contradictions_are_refused_before_anything_is_done(
    tuned: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("build", tuned / "m.onnx", *words, "-o", tuned / "x.ingot") == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tuned / "x.ingot").exists()


def test_a_tuning_file_without_a_place_is_refused_before_anything_is_measured(
    tuned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--tune", "60", "--tune-to", tuned / "none" / "m.json", "-o", tuned / "late.ingot")
    assert run("build", tuned / "m.onnx", "-t", "llvmjit", *words) == 2
    assert "there is no folder" in (said := capsys.readouterr().err) and "with --tune-to" in said
    assert not (tuned / "late.ingot").exists()


def test_another_machine_is_refused_with_words(tuned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("build", tuned / "m.onnx", "-t", "c", "--tune", "-o", tuned / "x.ingot") == 5
    assert "cannot be tuned here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["build", "m.onnx", "--tune"], ["build", "m.onnx", "--tune=60"]),
        (["build", "--tune", "m.onnx"], ["build", "--tune=60", "m.onnx"]),
        (["build", "--tune", "-o", "x.so"], ["build", "--tune=60", "-o", "x.so"]),
        (["build", "--tune", "2.5", "m.onnx"], ["build", "--tune", "2.5", "m.onnx"]),
        (["build", "--tune", "1e2", "m.onnx"], ["build", "--tune", "1e2", "m.onnx"]),
        (["build", "--tune", "-5", "m.onnx"], ["build", "--tune", "-5", "m.onnx"]),
        (["build", "--tune", ".", "m.onnx"], ["build", "--tune=60", ".", "m.onnx"]),
        (["build", "--", "--tune", "m.onnx"], ["build", "--", "--tune", "m.onnx"]),
        (["build", "--tune=7"], ["build", "--tune=7"]),
        (["build", "--tune-to", "x"], ["build", "--tune-to", "x"]),
    ],
)
def test_an_option_may_stand_without_its_number(given: list[str], meant: list[str]) -> None:
    assert with_numbers(given, {"--tune": "60"}) == meant
