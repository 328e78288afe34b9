"""Models whose nodes run on several targets: host code of two kinds, and Python callables."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
from pathlib import Path

import numpy as np
import onnx
import onnx.helper
import pytest

import ingot
from tests.support.c_program import compile_c, program, result, run_c
from tests.support.models import model
from tests.support.paths import DIGITS

HOST_ONLY = {"digits": {"dims": {"batch": 1}}}
X = np.random.default_rng(0).standard_normal((1, 1, 8, 8)).astype(np.float32)

pytestmark = pytest.mark.cc


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    library = ingot.build(DIGITS, dims={"batch": 1}).load()
    result: np.ndarray = library["digits"](ingot.cpu(0), threads=1).predict(image=X)
    return result


@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("accel", ["c", "interp", "llvmjit"])
def test_two_code_generators_on_the_host_share_one_model(
    accel: str, executor: str, expected: np.ndarray
) -> None:
    artifacts = ingot.build(
        DIGITS,
        {"host": "llvm", "accel": accel},
        place={"Conv": "accel"},
        dims={"batch": 1},
        executor=("aot", "graph"),
    )
    library = artifacts.load()
    made = library["digits"](ingot.cpu(0), devices={"accel": [ingot.cpu(0)]}, executor=executor)
    np.testing.assert_allclose(made.predict(image=X), expected, rtol=1e-4, atol=1e-5)
    assert {call.target_key for call in made._info.calls} == {"host", "accel"}


def test_a_model_with_two_targets_is_exported_and_loaded_again(tmp_path: Path, expected: np.ndarray) -> None:
    ingot.build(
        DIGITS,
        {"host": "llvm", "accel": "c"},
        place=lambda node: "accel" if node.op_type == "Gemm" else None,
        dims={"batch": 1},
    ).export_library(tmp_path / "m.so")
    library = ingot.load(tmp_path / "m.so")
    made = library["digits"](ingot.cpu(0), devices={"accel": [ingot.cpu(0)]})
    np.testing.assert_allclose(made.predict(image=X), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("devices", "words"),
    [
        ({}, "needs the devices host: one cpu, accel: one cpu; got host"),
        ({"accel": [], "more": [ingot.cpu(0)]}, "accel: none"),
        ({"accel": ["cpu"]}, r"got host: cpu\(0\), accel: cpu"),
        ({"accel": ingot.cpu(0)}, "a list of devices is expected"),
        (
            {"host": [ingot.cpu(0)], "accel": [ingot.cpu(0)]},
            "needs the devices host: one cpu, accel: one cpu",
        ),
    ],
)
def test_missing_and_surplus_devices_are_listed(devices: dict[str, object], words: str) -> None:
    library = ingot.build(
        DIGITS, {"host": "c", "accel": "c"}, place={"Gemm": "accel"}, dims={"batch": 1}
    ).load()
    with pytest.raises(ingot.DeviceError, match=words):
        library["digits"](ingot.cpu(0), devices=devices)


@pytest.mark.parametrize(
    ("target", "place", "words"),
    [
        (
            {"host": "llvm", "accel": "c"},
            {"Conv": "acel"},
            r"'acel', which is no target key; did you mean 'accel'",
        ),
        (
            {"host": "llvm", "accel": "c"},
            {"Konv": "accel"},
            r"matches no node of the model; did you mean 'Conv'",
        ),
        (
            {"host": "llvm", "accel": "c"},
            None,
            "nothing is placed on the target 'accel': .*; the model has Conv, Flatten, Gemm,",
        ),
        (
            {"host": "llvm", "accel": "c"},
            {"*": "host", "Conv": "accel"},
            "nothing is placed on the target 'accel'",
        ),
        ({"host": "llvm", "a": "c", "b": "opencl"}, {"Conv": "a"}, "nothing is placed on the target 'b'"),
        ({"host": "llvm", "accel": "c"}, lambda _: None, "nothing is placed on the target 'accel'"),
        ({"accel": "c"}, None, "there must be a target with the key 'host'"),
        ({"host": "llvm", "Bad Key": "c"}, None, "target key 'Bad Key' must be"),
        ({"host": np.negative}, None, "target key 'host': expected a target such as 'llvm', got"),
    ],
)
def test_a_wrong_target_or_place_is_refused_with_words(
    target: dict[str, object], place: dict[str, str], words: str
) -> None:
    with pytest.raises(ingot.TargetError, match=words):
        ingot.build(DIGITS, target, place=place, dims={"batch": 1})


def _with_custom_node() -> onnx.ModelProto:
    nodes = "{ [a] e = Exp(x)  [b] t = Transpose(e)  [c] u = Transpose(t)  [d] y = Neg(u) }"
    made = model(f"g (float[2,3] x) => (float[2,3] y) {nodes}")
    custom = onnx.helper.make_node("Clamp", ["t"], ["u"], name="mine", domain="my.domain")
    made.graph.node[2].CopyFrom(custom)
    made.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 3
    made.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 2
    made.graph.value_info.append(onnx.helper.make_tensor_value_info("u", onnx.TensorProto.FLOAT, [3, 2]))
    made.opset_import.append(onnx.helper.make_opsetid("my.domain", 1))
    return made


def test_a_python_callable_computes_a_node_that_ingot_does_not_know() -> None:
    seen: list[np.ndarray] = []

    def clamp(array: np.ndarray) -> np.ndarray:
        seen.append(array.copy())
        return np.minimum(array, 1)

    artifacts = ingot.build(
        _with_custom_node(), {"host": "llvm", "mine": clamp}, place={"mine": "mine"}, name="m"
    )
    library = artifacts.load()
    x = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    made = library["m"](ingot.cpu(0), devices={"mine": [ingot.cpu(0)]})
    np.testing.assert_allclose(made.predict(x=x), -np.minimum(np.exp(x.T), 1), rtol=1e-5)
    np.testing.assert_allclose(seen[0], np.exp(x.T), rtol=1e-5)
    assert [module.type_key for module in library.imported_modules] == ["python"]


def test_a_set_with_a_callable_cannot_be_stored_and_says_which_part(tmp_path: Path) -> None:
    artifacts = ingot.build(
        _with_custom_node(), {"host": "llvm", "mine": np.tanh}, place={"mine": "mine"}, name="m"
    )
    for store in (artifacts.export_library, artifacts.save):
        words = r"'m_mine\.call' \(target mine, code generator python\) exists in this process"
        with pytest.raises(ingot.ArtifactError, match=words):
            store(tmp_path / "m.so")
    assert not (tmp_path / "m.so").exists()


@pytest.mark.parametrize(
    ("callee", "words"),
    [
        (
            lambda a: a.astype(np.float64),
            r"result 0 of the callable is float64\[3, 2\], the model says float32\[3, 2\]",
        ),
        (lambda a: a.T, r"float32\[2, 3\], the model says float32\[3, 2\]"),
        (lambda a: (a, a), "the callable gave 2 results, the node has 1 outputs"),
    ],
)
def test_a_callable_that_gives_something_else_than_the_model_says_is_refused(
    callee: object, words: str
) -> None:
    library = ingot.build(
        _with_custom_node(), {"host": "c", "mine": callee}, place={"mine": "mine"}, name="m"
    ).load()
    made = library["m"](ingot.cpu(0), devices={"mine": [ingot.cpu(0)]})
    with pytest.raises(ingot.DeviceError, match=words):
        made.predict(x=np.ones((2, 3), np.float32))


def test_a_model_of_several_host_targets_has_a_c_entry(tmp_path: Path, expected: np.ndarray) -> None:
    artifacts = ingot.build(
        DIGITS, {"host": "llvm", "accel": "c"}, place={"Gemm": "accel", "Conv": "accel"}, dims={"batch": 1}
    )
    artifacts.export_library(tmp_path / "digits.so")
    (tmp_path / "digits.h").write_text(artifacts.c_header())
    text = program("digits", ["image"], ["probabilities"], header="digits.h", parallel=True)
    made = compile_c(text, tmp_path, "-L.", "-l:digits.so", "-Wl,-rpath,$ORIGIN")
    assert run_c(made, [X]) == 0
    np.testing.assert_allclose(result(made, 0, expected), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("accel", "words"), [("opencl", "'accel' is for opencl"), ("interp", "'accel', made by interp, is no")]
)
def test_a_model_with_a_part_that_c_cannot_call_says_so_instead_of_a_header(
    accel: str, words: str, tmp_path: Path
) -> None:
    artifacts = ingot.build(DIGITS, {"host": "c", "accel": accel}, place={"Gemm": "accel"}, dims={"batch": 1})
    with pytest.raises(ingot.ArtifactError, match=words):
        artifacts.c_header()
    artifacts.export_library(tmp_path / "digits.so")
    with pytest.raises(AttributeError):
        ctypes.CDLL(str(tmp_path / "digits.so")).digits_run  # noqa: B018


def test_on_a_processor_that_lacks_a_feature_c_code_gets_a_status_and_does_not_die(tmp_path: Path) -> None:
    emulator = shutil.which("qemu-x86_64")
    if emulator is None or platform.machine() != "x86_64":
        pytest.skip("needs qemu-x86_64 (Debian: qemu-user) on x86-64")
    statuses = {}
    for mcpu in ("x86-64", "nehalem", "skylake-avx512"):
        folder = tmp_path / mcpu
        folder.mkdir()
        artifacts = ingot.build(DIGITS, f"llvm -mcpu={mcpu}", dims={"batch": 1})
        artifacts.export_library(folder / "digits.so")
        (folder / "digits.h").write_text(artifacts.c_header())
        text = program("digits", ["image"], ["probabilities"], header="digits.h")
        made = compile_c(text, folder, "-L.", "-l:digits.so", "-Wl,-rpath,$ORIGIN")
        (folder / "in0.bin").write_bytes(X.tobytes())
        command = [emulator, "-cpu", "Nehalem", str(made)]
        statuses[mcpu] = subprocess.run(command, cwd=folder, check=False, timeout=120).returncode
    assert statuses == {"x86-64": 0, "nehalem": 0, "skylake-avx512": 7}
    assert "avx512f" in artifacts.models()["digits"].cpu_features
    assert "DIGITS_ERROR_PROCESSOR = -7" in artifacts.c_header()
