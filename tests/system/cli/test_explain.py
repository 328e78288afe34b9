"""`ingot build --explain` shows which algorithm computes each kernel, `--force` says which one is to."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import ingot
from ingot.base.errors import TargetError
from ingot.cli.main import main

TARGET = "llvm -mcpu=x86-64-v3"  # is planned for on any machine


def model() -> onnx.ModelProto:
    """A convolution that Winograd's algorithm should compute fastest."""
    text = "float[1,32,16,16] x) => (float[1,32,16,16] y) { y = Conv<pads=[1,1,1,1]>(x, w) }"
    proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g ({text}')
    weights = np.random.default_rng(1).standard_normal((32, 32, 3, 3)).astype(np.float32)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    return proto


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    onnx.save(model(), tmp_path / "g.onnx")
    return tmp_path / "g.onnx"


def run(path: Path, *words: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["build", str(path), "-t", TARGET, "-o", str(path.with_suffix(".ingot")), *words])
    return caught.value.code if isinstance(caught.value.code, int) else 0


def test_a_table_names_the_choice_costs_and_refusals(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(path, "--explain") == 0
    text = capsys.readouterr().out
    assert "conv_conv_0: conv=winograd_f4\n" in text
    assert "  * winograd_f4 " in text
    assert " cycles; the plain algorithm " in text
    assert "    depthwise         refuses: there are no groups of channels\n" in text
    assert all(len(line) <= 80 for line in text.splitlines()[:-1])
    assert run(path, "--explain", "--force", "conv=direct", "--json") == 0
    (table,) = json.loads(capsys.readouterr().out)["algorithms"]
    assert "conv_conv_0: conv=direct\n" in table


def test_the_comment_of_a_kernel_and_the_metadata_have_the_algorithm() -> None:
    built = ingot.build(model(), "c", name="g", cache=None)
    source, metadata = (
        bytes(next(one.content for one in built if one.file_name == name)).decode()
        for name in ("g.c", "g.json")
    )
    (algorithm,) = (call["algorithm"] for call in json.loads(metadata)["calls"])
    assert algorithm.startswith("conv=") and f"conv for conv_0 ({algorithm})" in source.lower()


def test_a_forced_build_is_not_kept_as_the_usual_one(tmp_path: Path) -> None:
    def built(force: dict[str, str] | None) -> str:
        return ingot.build(model(), TARGET, cache=tmp_path / "kept", force=force).digest()

    usual, forced = built(None), built({"conv": "direct"})
    assert usual != forced
    assert (built(None), built({"conv": "direct"}), built({"conv": "winograd_f4"})) == (usual, forced, usual)


@pytest.mark.parametrize(
    ("word", "status", "sentence"),
    [
        (
            "conf=direct",
            5,
            "no family of algorithms is called 'conf'; did you mean 'conv' or 'qconv'? (known: conv, qconv",
        ),
        ("conv=winograd", 5, "conv has no algorithm 'winograd'; did you mean 'winograd_f"),
        ("conv=amx", 5, "the machine has no tiles that multiply bfloat16; it can be computed by winograd"),
        ("matmul=panels", 5, "force matmul=panels: the model has no kernel of this family"),
        ("conv", 2, "--force 'conv': expected FAMILY=ALGORITHM, such as conv=direct"),
    ],
)
def test_what_cannot_be_forced_is_said_in_a_sentence(
    path: Path, capsys: pytest.CaptureFixture[str], word: str, status: int, sentence: str
) -> None:
    assert run(path, "--force", word) == status
    assert sentence in capsys.readouterr().err


def test_a_build_is_told_or_measures_and_takes_names() -> None:
    with pytest.raises(TargetError, match="not both"):
        ingot.build(model(), force={"conv": "direct"}, tune=0)
    with pytest.raises(TargetError, match="expected a mapping from families to algorithms"):
        ingot.build(model(), force="conv=direct")  # type: ignore[arg-type]
