"""Stock tvm-ffi runs an exported library, in a process that cannot import ingot."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import ingot
from tests.support.paths import DIGITS

pytestmark = [
    pytest.mark.cc,
    pytest.mark.skipif(
        importlib.util.find_spec("tvm_ffi") is None, reason="needs the package apache-tvm-ffi (extra interop)"
    ),
]

BEFORE = """
import sys
sys.modules["ingot"] = None
import numpy as np
import tvm_ffi
function = tvm_ffi.load_module(sys.argv[1])[sys.argv[2]]
arrays = np.load(sys.argv[3])
"""


def alone(script: str, *words: object) -> str:
    """What a process prints that runs the script, without ingot, after `function` and `arrays` are there."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", BEFORE + script, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module", params=["llvm", "c"])
def exported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, Path]:
    """The digits model as a library, an input with ingot's own results, and a folder."""
    folder = tmp_path_factory.mktemp("ffi")
    library = folder / "digits.so"
    ingot.build(DIGITS, request.param, dims={"batch": 1}).export_library(library)
    image = np.random.default_rng(0).random((1, 1, 8, 8), np.float32)
    np.savez(
        folder / "arrays.npz",
        image=image,
        wanted=ingot.load(library)["digits"](ingot.cpu(0)).predict(image=image),
    )
    return library, folder / "arrays.npz", folder


def test_numpy_arrays_give_the_numbers_of_ingot(exported: tuple[Path, Path, Path]) -> None:
    script = """
y = np.full((1, 10), np.nan, np.float32)
assert function(arrays["image"], y) is None
np.testing.assert_allclose(y, arrays["wanted"], rtol=1e-6)
"""
    alone(script, exported[0], "digits", exported[1])


def test_a_number_of_threads_may_be_given(exported: tuple[Path, Path, Path]) -> None:
    script = """
for threads in (1, 2, 3):
    y = np.full((1, 10), np.nan, np.float32)
    function(arrays["image"], y, threads)
    np.testing.assert_allclose(y, arrays["wanted"], rtol=1e-6)
"""
    alone(script, exported[0], "digits", exported[1])


def test_of_a_library_with_models_of_both_kinds_the_host_ones_run_and_the_others_say_why_not(
    tmp_path: Path,
) -> None:
    targets = {
        "plain": "c",
        "parts": {"host": "llvm", "accel": "c"},
        "mixed": {"host": "llvm", "accel": "opencl"},
    }
    made = [
        ingot.build(
            DIGITS, target, name=name, dims={"batch": 1}, place=None if name == "plain" else {"Gemm": "accel"}
        )
        for name, target in targets.items()
    ]
    made[0].merge(*made[1:]).export_library(tmp_path / "all.so")
    image = np.random.default_rng(0).random((1, 1, 8, 8), np.float32)
    wanted = ingot.load(tmp_path / "all.so")["plain"](ingot.cpu(0)).predict(image=image)
    np.savez(tmp_path / "arrays.npz", image=image, wanted=wanted)
    script = """
for name in ("plain", "parts"):
    y = np.full((1, 10), np.nan, np.float32)
    tvm_ffi.load_module(sys.argv[1])[name](arrays["image"], y, 2)
    np.testing.assert_allclose(y, arrays["wanted"], rtol=1e-4)
try:
    function(arrays["image"], y)
except RuntimeError as error:
    assert "mixed has no entry for tvm-ffi: its part 'accel' is for opencl" in str(error), error
else:
    raise AssertionError
"""
    alone(script, tmp_path / "all.so", "mixed", tmp_path / "arrays.npz")


def test_torch_tensors_give_the_numbers_of_ingot(exported: tuple[Path, Path, Path]) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("needs the package torch")
    script = """
import torch
y = torch.full((1, 10), torch.nan)
function(torch.from_numpy(arrays["image"]), y)
np.testing.assert_allclose(y.numpy(), arrays["wanted"], rtol=1e-6)
"""
    alone(script, exported[0], "digits", exported[1])


def test_threads_may_call_at_the_same_time(exported: tuple[Path, Path, Path]) -> None:
    script = """
from concurrent.futures import ThreadPoolExecutor
x, wanted = arrays["image"], arrays["wanted"]
def work(_):
    y = np.empty((1, 10), np.float32)
    for _ in range(200):
        y.fill(np.nan)
        function(x, y)
        np.testing.assert_allclose(y, wanted, rtol=1e-6)
    return True
with ThreadPoolExecutor(8) as pool:
    assert all(pool.map(work, range(8)))
"""
    alone(script, exported[0], "digits", exported[1])


WRONG = {
    "function(x)": ("TypeError", "takes 2 tensors"),
    "function(x, y, y)": ("TypeError", "the number of threads behind the tensors must be a whole number"),
    "function(x, y, 2, 2)": ("TypeError", "got arguments: 4"),
    "function(x, y, 0)": ("ValueError", "from 1 to 64, got 0"),
    "function(x, y, 2.0)": ("TypeError", "a whole number from 1 to 64"),
    "function()": ("TypeError", "takes 2 tensors"),
    "function(None, y)": ("TypeError", "must be a tensor"),
    "function(x, 3)": ("TypeError", "output"),
    "function('image', y)": ("TypeError", "must be a tensor"),
    "function([x], y)": ("TypeError", "must be a tensor"),
    "function(x.astype(np.float64), y)": ("TypeError", "must be of type float32, got float64"),
    "function(x.astype(np.int32), y)": ("TypeError", "got int32"),
    "function(x > 0, y)": ("TypeError", "got bool"),
    "function(x, y.astype(np.float16))": ("TypeError", "got float16"),
    "function(x[0], y)": ("ValueError", "must have the shape [1, 1, 8, 8], got [1, 8, 8]"),
    "function(np.zeros((2, 1, 8, 8), np.float32), y)": ("ValueError", "got [2, 1, 8, 8]"),
    "function(np.zeros((0, 1, 8, 8), np.float32), y)": ("ValueError", "got [0, 1, 8, 8]"),
    "function(np.float32(1).reshape(()), y)": ("TypeError", ""),
    "function(np.zeros((), np.float32), y)": ("ValueError", "got []"),
    "function(np.zeros((1, 1, 8, 16), np.float32)[..., ::2], y)": ("ValueError", "contiguous"),
    "function(x.transpose(0, 1, 3, 2), y)": ("ValueError", "contiguous"),
    "function(np.zeros(257, np.uint8)[1:].view(np.float32).reshape(x.shape), y)": (
        "ValueError",
        "aligned to 4 bytes",
    ),
    "function(x, x.reshape(-1)[:10].reshape(1, 10))": ("ValueError", "shares memory"),
}


def test_what_does_not_fit_raises_and_the_process_lives(exported: tuple[Path, Path, Path]) -> None:
    script = f"""
x, y = arrays["image"], np.empty((1, 10), np.float32)
for text, (kind, words) in {WRONG!r}.items():
    try:
        eval(text)
    except (TypeError, ValueError) as error:
        assert type(error).__name__ == kind and words in str(error), (text, error)
    else:
        raise AssertionError(text)
"""
    alone(script, exported[0], "digits", exported[1])


def test_errors_are_raised_even_if_the_library_was_open_before_tvm_ffi(
    exported: tuple[Path, Path, Path],
) -> None:
    script = """
import ctypes, numpy as np, sys
held = ctypes.CDLL(sys.argv[1])
import tvm_ffi
try:
    tvm_ffi.load_module(sys.argv[1])["digits"](np.zeros(3))
except TypeError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, exported[0]], capture_output=True, text=True, check=False
    )
    assert "takes 2 tensors" in done.stdout, done.stderr


def test_every_exact_element_type_is_taken(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    helper, types = (
        onnx.helper,
        ("FLOAT", "DOUBLE", "FLOAT16", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "BOOL"),
    )
    kinds = [getattr(onnx.TensorProto, name) for name in types]
    graph = helper.make_graph(
        [helper.make_node("Transpose", [f"x{at}"], [f"y{at}"], perm=[1, 0]) for at in range(len(kinds))],
        "types",
        [helper.make_tensor_value_info(f"x{at}", kind, [2, 3]) for at, kind in enumerate(kinds)],
        [helper.make_tensor_value_info(f"y{at}", kind, [3, 2]) for at, kind in enumerate(kinds)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    ingot.build(model, name="types").export_library(tmp_path / "types.so")
    dtypes = [helper.tensor_dtype_to_np_dtype(kind) for kind in kinds]
    np.savez(
        tmp_path / "in.npz",
        **{f"x{at}": np.arange(6).reshape(2, 3).astype(dtype) for at, dtype in enumerate(dtypes)},
    )
    script = f"""
inputs = [arrays[f"x{{at}}"] for at in range({len(kinds)})]
outputs = [np.zeros((3, 2), x.dtype) for x in inputs]
function(*inputs, *outputs)
for x, y in zip(inputs, outputs):
    np.testing.assert_array_equal(y, x.T)
"""
    alone(script, tmp_path / "types.so", "types", tmp_path / "in.npz")


def test_more_places_than_a_bound_are_an_error_and_counted(tmp_path: Path) -> None:
    text = '<ir_version: 10, opset_import: ["": 18]> m (float[3, 8] x) => (int64[2, n] y) { y = NonZero(x) }'
    artifacts = ingot.build(onnx.parser.parse_model(text), "c", bounds={"n": 10}, cache=None)
    artifacts.export_library(tmp_path / "m.so")
    np.savez(tmp_path / "arrays.npz", x=np.eye(3, 8, dtype=np.float32))
    script = """
y, counts = np.full((2, 10), -1), np.full(1, -1)
function(arrays["x"], y, counts)
assert counts[0] == 3 and y[:, :3].tolist() == [[0, 1, 2], [0, 1, 2]]
try:
    function(np.ones((3, 8), np.float32), y, counts)
except RuntimeError as error:
    assert "m: a kernel failed with status -1000" in str(error), error
else:
    raise AssertionError
assert counts[0] == 24
"""
    alone(script, tmp_path / "m.so", "m", tmp_path / "arrays.npz")
