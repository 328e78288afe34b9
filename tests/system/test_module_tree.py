"""Libraries whose data is a module tree are loaded, in a new process too, like those with ingot's container."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.cli.main import main
from tests.support.c_program import compile_c, program, result, run_c
from tests.support.paths import DIGITS

X = np.random.default_rng(0).random((1, 1, 8, 8), np.float32)
TREE = "module-tree"

pytestmark = pytest.mark.cc

PREDICT = """
import sys, numpy as np, ingot
library = ingot.load(sys.argv[1])
print("onnx" in sys.modules, [module.type_key for module in library.imported_modules])
for name in library:
    np.save(f"{sys.argv[1]}.{name}.npy", library[name](ingot.cpu(0)).predict(image=np.load(sys.argv[2])))
"""


def elsewhere(path: Path, name: str) -> np.ndarray:
    """What the model computes for X in a new process."""
    np.save(path.with_suffix(".npy"), X)
    command = [sys.executable, "-c", PREDICT, path, path.with_suffix(".npy")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("False")
    made: np.ndarray = np.load(f"{path}.{name}.npy")
    return made


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_one_model_gives_the_same_bytes_in_a_new_process_as_with_the_other_container(
    target: str, tmp_path: Path
) -> None:
    artifacts = ingot.build(DIGITS, target, dims={"batch": 1}, executor=("aot", "graph"))
    artifacts.export_library(tmp_path / "own.so")
    artifacts.export_library(tmp_path / "tree.so", container=TREE)
    wanted = ingot.load(tmp_path / "own.so")["digits"](ingot.cpu(0)).predict(image=X)
    assert elsewhere(tmp_path / "tree.so", "digits").tobytes() == wanted.tobytes()
    for source in (tmp_path / "tree.so", (tmp_path / "tree.so").read_bytes()):
        for kind in ("aot", "graph"):
            made = ingot.load(source, verify="index")["digits"](ingot.cpu(0), executor=kind)
            assert made.predict(image=X).tobytes() == wanted.tobytes()


def test_two_models_are_in_one_tree_and_share_their_weights(tmp_path: Path) -> None:
    one, two = (ingot.build(DIGITS, "c", name=name, dims={"batch": 1}) for name in ("one", "two"))
    one.merge(two).export_library(tmp_path / "both.so", container=TREE)
    one.export_library(tmp_path / "one.so", container=TREE)
    library = ingot.load(tmp_path / "both.so")
    assert list(library) == ["one", "two"]
    first = library["one"](ingot.cpu(0)).predict(image=X)
    second = library["two"](ingot.cpu(0)).predict(image=X)
    assert first.tobytes() == second.tobytes() == elsewhere(tmp_path / "both.so", "two").tobytes()
    weights = sum(len(artifact.content) for artifact in one.select(loader="params"))
    assert (tmp_path / "both.so").stat().st_size - (tmp_path / "one.so").stat().st_size < weights / 2


@pytest.mark.opencl
def test_an_opencl_part_is_a_child_of_the_library_again(tmp_path: Path) -> None:
    pytest.importorskip("pyopencl", reason="needs the package pyopencl (extra opencl)")
    from ingot.runtime.devices.opencl import devices

    if not devices():
        pytest.skip("needs an OpenCL platform")
    artifacts = ingot.build(
        DIGITS, {"host": "llvm", "accel": "opencl"}, place={"Conv": "accel"}, dims={"batch": 1}
    )
    artifacts.export_library(tmp_path / "m.so", container=TREE)
    library = ingot.load(tmp_path / "m.so")
    assert library.type_key == "library" and [module.type_key for module in library.imported_modules] == [
        "opencl"
    ]
    wanted = ingot.build(DIGITS, dims={"batch": 1}).load()["digits"](ingot.cpu(0)).predict(image=X)
    made = library["digits"](ingot.cpu(0), devices={"accel": [ingot.opencl(0)]}).predict(image=X)
    np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-5)
    said = library.explain()
    assert (
        "module tree of 5: 0.ingot.metadata 1._lib 2.ingot.opencl 3.ingot.params 4.ingot.text" in said
        and "└ opencl" in said
    )


def test_c_programs_run_the_model_on_the_constants_in_the_tree(tmp_path: Path) -> None:
    artifacts = ingot.build(DIGITS, dims={"batch": 1})
    artifacts.export_library(tmp_path / "digits.so", container=TREE)
    (tmp_path / "digits.h").write_text(artifacts.c_header())
    text = program("digits", ["image"], ["probabilities"], header="digits.h")
    made = compile_c(text, tmp_path, "-L.", "-l:digits.so", "-Wl,-rpath,$ORIGIN")
    assert run_c(made, [X]) == 0
    wanted = ingot.load(tmp_path / "digits.so")["digits"](ingot.cpu(0), threads=1).predict(image=X)
    np.testing.assert_allclose(result(made, 0, wanted), wanted, rtol=1e-6)


def test_the_same_set_makes_the_same_library_and_a_stripped_one_is_refused(tmp_path: Path) -> None:
    artifacts = ingot.build(DIGITS, "c", dims={"batch": 1})
    for name in ("a.so", "b.so"):
        artifacts.export_library(tmp_path / name, container=TREE)
    assert (tmp_path / "a.so").read_bytes() == (tmp_path / "b.so").read_bytes()
    subprocess.run(["strip", tmp_path / "a.so"], check=True)
    with pytest.raises(ingot.ArtifactError, match="no ingot footer"):
        ingot.load(tmp_path / "a.so")


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return caught.value.code if isinstance(caught.value.code, int) else 0


def test_the_command_line_writes_explains_and_inspects_a_tree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("build", DIGITS, "--dim", "batch=1", "--container", TREE, "-o", tmp_path / "m.so") == 0
    assert run("load", "--explain", tmp_path / "m.so") == 0
    assert "module tree of 4: 0.ingot.metadata 1._lib 2.ingot.params 3.ingot.text" in capsys.readouterr().out
    assert run("inspect", tmp_path / "m.so") == 0
    assert (
        "module tree __tvm_dev_mblob" in (said := capsys.readouterr().out) and "1._lib  imports 2, 3" in said
    )
    assert run("build", DIGITS, "--dim", "batch=1", "--container", "tree", "-o", tmp_path / "m.so") == 2
    assert "(known: ingot, module-tree)" in capsys.readouterr().err
    assert run("build", DIGITS, "--dim", "batch=1", "--container", TREE, "-o", tmp_path / "m.ingot") == 2
    assert "--container is for a library, not for m.ingot" in capsys.readouterr().err.replace("\n", " ")


def test_an_unknown_container_is_refused_before_anything_is_linked(tmp_path: Path) -> None:
    with pytest.raises(
        ingot.ArtifactError, match="container='module_tree' is not known; did you mean 'module-tree'"
    ):
        ingot.build(DIGITS, "c", dims={"batch": 1}).export_library(tmp_path / "m.so", container="module_tree")
