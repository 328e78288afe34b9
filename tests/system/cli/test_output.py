"""What `ingot build -o` writes is said by the suffix."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.cli.main import main
from ingot.cli.output import Kind, kind_of
from ingot.cli.parser import CommandLineError
from tests.support.models import model


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return caught.value.code if isinstance(caught.value.code, int) else 0


@pytest.mark.parametrize(
    ("name", "kind"),
    [("x.so", Kind.LIBRARY), ("libx.so.1.2", Kind.LIBRARY), ("x.ingot", Kind.SET), ("x.tar", Kind.ARCHIVE)],
)
def test_a_suffix_says_what_is_written(name: str, kind: Kind) -> None:
    assert kind_of(Path(name)) is kind


@pytest.mark.parametrize("name", ["other.onnx", "notes.txt", "lib.a", "x", ".so", "x.so.bak", "x.SO"])
def test_a_file_of_another_kind_is_not_overwritten(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandLineError, match="its suffix must say what to write"):
        kind_of(tmp_path / name)
    (tmp_path / name).write_text("mine")
    assert run("build", tmp_path / "m.onnx", "-o", tmp_path / name) == 2
    assert "a library (.so)" in capsys.readouterr().err
    assert (tmp_path / name).read_text() == "mine"


def small(name: str) -> ingot.ArtifactSet:
    return ingot.build(model("g (float[2] x) => (float[2] y) { y = Neg(x) }"), "c", name=name)


@pytest.mark.cc
def test_a_stored_set_is_linked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small("one").save(tmp_path / "one.ingot")
    assert run("build", tmp_path / "one.ingot", "-o", tmp_path / "one.so", "--json") == 0
    assert json.loads(capsys.readouterr().out)["beside"] == [str(tmp_path / "one.h")]
    y = ingot.load(tmp_path / "one.so")["one"](ingot.cpu(0)).predict(x=np.array([1, -2], np.float32))
    np.testing.assert_array_equal(y, [-1, 2])


@pytest.mark.cc
def test_a_stored_set_of_several_models_is_linked_without_a_header(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small("one").merge(small("two")).save(tmp_path / "both.ingot")
    assert run("build", tmp_path / "both.ingot", "-o", tmp_path / "both.so") == 0
    assert "no C header: it has several models" in capsys.readouterr().out
    assert set(ingot.load(tmp_path / "both.so").model_names) == {"one", "two"}
    assert run("build", tmp_path / "both.ingot", "-o", tmp_path / "both.so", "--cmake") == 2


@pytest.mark.parametrize(
    "words", [["-t", "c"], ["--dim", "n=1"], ["--math", "exact"], ["--tune", "1"], ["--name", "x"]]
)
def test_a_stored_set_is_not_built_again(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small("one").save(tmp_path / "one.ingot")
    assert run("build", tmp_path / "one.ingot", *words, "-o", tmp_path / "one.so") == 2
    assert "is built already, and is only linked" in capsys.readouterr().err
    assert not (tmp_path / "one.so").exists()
