"""Options of `ingot build` that say how a model is to be taken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import ingot
from tests.system.cli.test_journey import run


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


SELECTS = {
    "sr": (
        """(float[1, 8] x, int64 sr) => (float[1, n] y) <int64 k = {16000}> {
        c = Equal(sr, k) y = If <then_branch = a () => (float[1, m] t) { t = Concat<axis = 1>(x, x) },
        else_branch = b () => (float[1, p] e) { e = Neg(x) }>(c) }""",
        "16000",
        (1, 16),
    ),
    "k": ("(float[1, 8] x, int64[1] k) => (float[1, n] y, int64[1, n] i) { y, i = TopK(x, k) }", "3", (1, 3)),
    "shape": ("(float[1, 8] x, int64[2] shape) => (float[n, m] y) { y = Reshape(x, shape) }", "4,2", (4, 2)),
    "trips": (
        """(float[4] x, int64 trips) => (float[n] y) <bool go = {1}> { y = Loop <body = b (int64 i, bool c, float[n] s)
        => (bool d, float[m] t) { d = Identity(c) t = Concat<axis = 0>(s, s) }>(trips, go, x) }""",
        "2",
        (16,),
    ),
}


@pytest.mark.parametrize("name", SELECTS)
def test_an_input_that_only_selects_is_named_with_its_option_and_bound_by_it(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body, value, shape = SELECTS[name]
    model = saved(tmp_path / "m.onnx", f'<ir_version: 8, opset_import: ["": 17]> g {body}')
    assert run("build", model, "-t", "interp", "-o", tmp_path / "a.ingot") == 4
    said = " ".join(capsys.readouterr().err.split())
    assert (
        f"'{name}' decides it: give it by constants={{'{name}': …}}, on the command line by --constant {name}=VALUE"
        in said
    )
    assert (
        run("build", model, "-t", "interp", "--constant", f"{name}={value}", "-o", tmp_path / "a.ingot") == 0
    )
    assert ingot.load(str(tmp_path / "a.ingot"))["m"]().outputs[0].shape == shape


def test_a_constant_comes_from_a_file(tmp_path: Path) -> None:
    model = saved(tmp_path / "m.onnx", f'<ir_version: 8, opset_import: ["": 17]> g {SELECTS["shape"][0]}')
    np.save(tmp_path / "s.npy", np.array([2, 4]))
    assert (
        run(
            "build",
            model,
            "-t",
            "interp",
            "--constant",
            f"shape=@{tmp_path / 's.npy'}",
            "-o",
            tmp_path / "a.ingot",
        )
        == 0
    )
    assert ingot.load(str(tmp_path / "a.ingot"))["m"]().outputs[0].shape == (2, 4)


@pytest.mark.parametrize(
    ("word", "status", "words"),
    [
        ("shape", 2, "expected NAME=VALUE"),
        ("shape=", 2, "expected NAME=VALUE"),
        ("shape=@no.npy", 2, "No such file"),
        ("shape=1.5,2", 3, "got '1.5,2', the input is int64: whole numbers"),
        ("shape=4,x", 3, "got '4,x'"),
        ("shape=2,2,2", 3, "got the shape [3], the input has [2]"),
        ("shapes=4,2", 3, "there is no such input; did you mean 'shape'"),
    ],
)
def test_a_constant_that_does_not_fit_is_refused(
    word: str, status: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = saved(tmp_path / "m.onnx", f'<ir_version: 8, opset_import: ["": 17]> g {SELECTS["shape"][0]}')
    assert run("build", model, "-t", "interp", "--constant", word, "-o", tmp_path / "a.ingot") == status
    assert words in " ".join(capsys.readouterr().err.split())


def test_a_bound_of_an_extent_is_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "(float[3, 8] x) => (int64[2, n] y) { y = NonZero(x) }"
    model = saved(tmp_path / "m.onnx", f'<ir_version: 8, opset_import: ["": 17]> g {text}')
    build = ("build", model, "-t", "interp", "-o", tmp_path / "a.ingot")
    assert run(*build, "--bound", "n=10") == 0
    bounded = ingot.load(tmp_path / "a.ingot")["m"](ingot.cpu(0))
    assert str(bounded.outputs[0]) == "y: int64[2, n ∈ 0..10]"
    with pytest.raises(ingot.InputError, match=r"there are 24 places of n, .* room for 10"):
        bounded.predict(x=np.ones((3, 8), np.float32))
    capsys.readouterr()
    for words, expected in {
        "k=10": "bounds={'k': …}: no extent of this name depends on the content",
        "n": "--bound 'n': expected NAME=NUMBER",
        "n=-1": "--bound 'n=-1': expected NAME=NUMBER",
    }.items():
        assert run(*build, "--bound", words) >= 2
        assert expected in " ".join(capsys.readouterr().err.split())
