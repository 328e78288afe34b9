"""`ingot inspect` reads files; nothing of what they hold is run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.artifact.artifact import Artifact
from ingot.artifact.model_info import CallInfo, MemoryInfo, ModelInfo, Origin, TargetInfo, TensorInfo
from ingot.artifact.model_info_json import info_to_json
from ingot.base.tensor import DType
from ingot.cli.inspect import hexdump
from ingot.cli.main import main
from ingot.package.container_write import write_container

INFO = ModelInfo(
    name="tiny",
    symbol="tiny",
    inputs=(TensorInfo("x", DType.FLOAT32, (1, 4)),),
    outputs=(TensorInfo("y", DType.FLOAT32, (1, 2)),),
    targets=(
        TargetInfo(
            "host",
            "llvm -mcpu=znver3",
            "llvm",
            "cpu",
            ("avx2", "fma"),
            MemoryInfo(128, 64, 100, 64),
            "tiny.params",
        ),
    ),
    executors=("aot",),
    ingot_version="0.1.0",
)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.ingot"
    artifacts = [
        Artifact("ingot", "metadata", "tiny.json", info_to_json(INFO)),
        Artifact("ingot", "params", "tiny.params", bytes(range(64))),
        Artifact("llvm", "text", "tiny.txt", "one line\nand one more ü\n".encode()),
    ]
    path.write_bytes(b"".join(write_container(artifacts)))
    return path


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return caught.value.code if isinstance(caught.value.code, int) else 0


def test_models_and_artifacts_are_shown(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", stored) == 0
    shown = capsys.readouterr().out
    for words in (
        "model tiny",
        "float32[1, 4]",
        "llvm -mcpu=znver3",
        "avx2, fma",
        "128 B arena",
        "tiny.params",
        "metadata",
    ):
        assert words in shown


def test_json_is_pure_and_has_the_same(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", stored, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["models"][0]["inputs"] == [{"name": "x", "dtype": "float32", "shape": [1, 4]}]
    assert facts["models"][0]["targets"][0]["memory"]["arena_bytes"] == 128
    assert [member["file"] for member in facts["members"]] == ["tiny.json", "tiny.params", "tiny.txt"]
    assert all(len(member["sha256"]) == 64 for member in facts["members"])


def test_a_text_artifact_is_printed_as_it_is(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", stored, "tiny.txt") == 0
    assert capsys.readouterr().out == "one line\nand one more ü\n"


def test_other_artifacts_are_dumped(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", stored, "tiny.params") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert lines[2].startswith("00000020  20 21 22") and lines[2].endswith("| !\"#$%&'()*+,-./|")


def test_an_unknown_artifact_gets_the_nearest_name(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", stored, "tiny.tx") == 2
    assert "did you mean 'tiny.txt'" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("content", [b"", b"\x7fELF and more", b"x" * 4096])
def test_what_is_no_library_is_refused_in_a_sentence(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.so"
    path.write_bytes(content)
    assert run("inspect", path) == 7
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1 and "wrong.so" in shown.err


def test_every_changed_byte_is_noticed(stored: Path, tmp_path: Path) -> None:
    content = stored.read_bytes()
    for at in range(0, len(content), 97):
        changed = bytearray(content)
        changed[at] ^= 1
        path = tmp_path / "changed.ingot"
        path.write_bytes(changed)
        assert run("inspect", path) == 7, at


def test_equal_lines_of_a_dump_are_a_star() -> None:
    assert list(hexdump(memoryview(bytes(64))))[1:] == [
        "*",
        f"00000030  {'00 ' * 7}00  {'00 ' * 7}00  |{'.' * 16}|",
    ]
    assert list(hexdump(memoryview(b"abc"))) == [f"00000000  {'61 62 63':<23}  {'':<23}  |abc|"]


def with_params(path: Path, metadata: bytes) -> Path:
    """A stored set of these metadata and constants for them."""
    members = [
        Artifact("ingot", "metadata", "tiny.json", metadata),
        Artifact("ingot", "params", "tiny.params", bytes(64)),
    ]
    path.write_bytes(b"".join(write_container(members)))
    return path


def test_names_in_a_file_write_no_lines_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "a\x1b[2J\nmodel fake  (every digest is right)"
    info = replace(INFO, inputs=(TensorInfo(name, DType.FLOAT32, (1, 4)),))
    path = with_params(tmp_path / "odd.ingot", info_to_json(info))
    assert run("inspect", path) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and r"a\x1b[2J\nmodel fake" in shown
    assert not any(line.startswith("model fake") for line in shown.splitlines())
    assert run("inspect", path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["models"][0]["inputs"][0]["name"] == name


def test_a_name_that_is_no_text_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = with_params(tmp_path / "odd.ingot", info_to_json(INFO).replace(b'"x"', b'"\\ud800"'))
    assert run("inspect", path) == 7
    assert r"has half of a character: '\ud800'" in capsys.readouterr().err


ORIGIN = Origin(
    9,
    (("", 17), ("ai.onnx.ml", 3)),
    "pytorch",
    "2.9",
    "example",
    4,
    "what\nit is",
    "",
    (("a\x1b[2J", "x" * 300),),
    left_out=1,
)


def test_the_origin_of_a_model_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In text cut to a line each, without what a terminal would obey; in JSON whole."""
    digests = (("external_data", "sha256:" + "1" * 64), ("model", "sha256:" + "0" * 64))
    path = with_params(tmp_path / "m.ingot", info_to_json(replace(INFO, origin=ORIGIN, digests=digests)))
    assert run("inspect", path) == 0
    lines = capsys.readouterr().out.splitlines()
    begin = lines.index(f"built from files beside it: {digests[0][1]}")
    assert lines[begin + 1 : begin + 6] == [
        f"built from ONNX file: {digests[1][1]}",
        "the model says of itself: made by pytorch 2.9, domain example, version 4, IR version 9, opset 17 of ai.onnx, "
        "opset 3 of ai.onnx.ml",
        "  what…",
        rf"  a\x1b[2J = {'x' * 100}…",
        "  left out, too many or too long: 1 opsets or entries",
    ]
    assert run("inspect", path, "--json") == 0
    (facts,) = json.loads(capsys.readouterr().out)["models"]
    assert facts["digests"] == dict(digests)
    assert facts["origin"]["doc_string"] == "what\nit is" and facts["origin"]["metadata"] == {
        "a\x1b[2J": "x" * 300
    }
    assert facts["origin"]["opsets"] == {"": 17, "ai.onnx.ml": 3}


def test_a_model_of_which_no_origin_is_known_says_nothing_of_it(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("inspect", stored) == 0
    assert "built from" not in capsys.readouterr().out
    assert run("inspect", stored, "--json") == 0
    (facts,) = json.loads(capsys.readouterr().out)["models"]
    assert facts["origin"] is None and facts["digests"] == {}


def test_the_algorithms_of_calls_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calls = tuple(
        CallInfo(f"k{number}", (), algorithm=algorithm)
        for number, algorithm in enumerate(("conv=direct", "pool=rows", "conv=direct", ""))
    )
    path = with_params(tmp_path / "some.ingot", info_to_json(replace(INFO, calls=calls)))
    assert run("inspect", path) == 0
    assert "computed  2 by conv=direct, 1 by pool=rows\n" in capsys.readouterr().out
    assert run("inspect", path, "--json") == 0
    facts = json.loads(capsys.readouterr().out)["models"][0]
    assert facts["algorithms"] == {"conv=direct": 2, "pool=rows": 1}
