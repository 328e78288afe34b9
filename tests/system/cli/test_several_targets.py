"""Several targets, and their devices, on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ingot.cli.main import main
from tests.support import npu_plugin
from tests.support.distributions import installed
from tests.support.kernel_opencl import needs_opencl
from tests.support.paths import DIGITS

pytestmark = pytest.mark.cc


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return caught.value.code if isinstance(caught.value.code, int) else 0


def build(path: Path, *words: object) -> int:
    return run("build", DIGITS, "--dim", "batch=1", "-o", path, *words)


def test_two_targets_of_the_host_are_built_run_and_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(tmp_path / "one.so", "-t", "llvm") == 0
    targets = ("-t", "c", "-t", "accel=llvm -mcpu=native")
    assert build(tmp_path / "two.so", *targets, "--place", "Conv=accel", "--place", "lin*=accel") == 0
    for name, more in (("one", ()), ("two", ("--device", "accel=cpu"))):
        assert run("run", tmp_path / f"{name}.so", "--random", *more, "-o", tmp_path / f"{name}.npz") == 0
    one, two = (np.load(tmp_path / f"{name}.npz")["probabilities"] for name in ("one", "two"))
    np.testing.assert_allclose(two, one, rtol=1e-4, atol=1e-6)
    assert run("bench", tmp_path / "two.so", "--device", "accel=cpu:0", "--seconds", "0.01") == 0
    capsys.readouterr()
    assert run("inspect", tmp_path / "two.so") == 0
    said = capsys.readouterr().out
    assert "target host: c" in said and "target accel: llvm" in said
    assert (tmp_path / "two.h").exists()


@pytest.mark.opencl
@needs_opencl
def test_a_part_on_an_opencl_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(tmp_path / "m.so", "-t", "accel=opencl", "--place", "*=accel") == 0
    assert not (tmp_path / "m.h").exists()
    assert "no C header: its part 'accel' is for opencl" in capsys.readouterr().out
    assert run("run", tmp_path / "m.so", "--random", "--device", "accel=opencl:0", "--compare", DIGITS) == 0
    assert run("run", tmp_path / "m.so", "--random") == 10
    assert "needs the devices host: one cpu, accel: one opencl; got host: cpu(0)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-t", "c", "-t", "llvm"), "'host' is given twice, as 'c' and 'llvm'"),
        (("-t", "accel=c", "--place", "Conv"), "--place 'Conv': expected WHAT=KEY"),
        (("-t", "accel=c", "--place", "Conv=accel", "--place", "Conv=host"), "each WHAT once"),
        (
            ("-t", "accel=opencl"),
            "--target accel=opencl: nothing is placed there; say which nodes it computes, such as --place",
        ),
        (("-t", "a=c", "-t", "b=c", "--place", "Conv=a"), "--target b=c: nothing is placed there"),
    ],
)
def test_words_that_cannot_be_read_are_refused(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(tmp_path / "m.so", *words) == 2
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_a_device_that_cannot_be_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(tmp_path / "m.so", "-t", "c") == 0
    for word in ("opencl:0", "accel=opencl:x", "accel="):
        assert run("run", tmp_path / "m.so", "--random", "--device", word) == 2
        assert f"--device {word!r}: expected KEY=KIND:NUMBER" in " ".join(capsys.readouterr().err.split())
    assert run("run", tmp_path / "m.so", "--random", "--device", "accel=cpu") == 10
    assert "needs the devices host: one cpu; got host: cpu(0), accel: cpu(0)" in capsys.readouterr().err


@pytest.fixture
def npu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for distributions in installed(tmp_path / "site", monkeypatch):
        offers = {
            "ingot.codegens": {"npu": "npu_plugin:CODEGEN"},
            "ingot.loaders": {"npu": "npu_plugin:LOADER"},
        }
        distributions.add("paper-npu", offers, {"npu_plugin": Path(npu_plugin.__file__).read_text()})
        yield


@pytest.mark.usefixtures("npu")
def test_the_placement_of_nodes_is_explained_and_a_plug_in_chooses_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(tmp_path / "m.so", "-t", "c", "-t", "accel=npu", "--explain-placement") == 0
    said = capsys.readouterr().out
    assert "accel: 6 nodes in 3 regions" in said
    assert "  softmax (Softmax)\n    not on accel: no operator that it takes" in said
    for devices in (("accel=npu:1",), ("accel=npu:0", "accel=npu:1")):
        words = [word for device in devices for word in ("--device", device)]
        assert run("run", tmp_path / "m.so", "--random", *words, "--compare", DIGITS) == 0
    assert run("run", tmp_path / "m.so", "--random") == 10
    assert "accel: one or more npu" in capsys.readouterr().err


def test_the_placement_of_targets_without_regions_is_explained_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("-t", "c", "-t", "accel=c", "--place", "Conv=accel", "--explain-placement")
    assert build(tmp_path / "m.so", *words, "--json") == 0
    (text,) = json.loads(capsys.readouterr().out)["placement"]
    assert "accel: 3 nodes\n  conv1 (Conv)\n  conv2 (Conv)\n  conv3 (Conv)" in text
    assert build(tmp_path / "m.so", "-t", "c", "--explain-placement") == 0
    assert "all nodes are on the host" in capsys.readouterr().out
