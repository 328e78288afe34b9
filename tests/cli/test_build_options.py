"""Options of `ingot build` that say how a model is to be taken."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnx.parser
import pytest

from tests.cli.test_journey import run


def saved(path: Path, text: str) -> Path:
    onnx.save(onnx.parser.parse_model(text), path)
    return path


def test_what_does_not_hold_is_a_line_on_standard_error_and_strictly_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[3] y) { y = Relu(x) }'
    model = saved(tmp_path / "loose.onnx", text)
    assert run("build", model, "-t", "interp", "-o", tmp_path / "a.ingot") == 0
    said = capsys.readouterr().err.splitlines()
    assert said == ["ingot: model 'loose': output 'y' is declared as [3] and is computed as [2]"]
    assert run("build", model, "-t", "interp", "--strict", "-o", tmp_path / "b.ingot") == 3
    assert "it declares what does not hold" in capsys.readouterr().err
    assert not (tmp_path / "b.ingot").exists()
