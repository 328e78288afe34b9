"""Packed, short and complex tensors through everything that reads or writes a tensor of a model."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import onnx
import pytest

import ingot
from ingot.base.packing import pack, unpack
from ingot.base.tensor import DType
from ingot.package.classic.params import DLPACK_TYPES
from ingot.runtime.devices.dlpack import Outside, to_capsule

TEXT = """<ir_version: 10, opset_import: ["" : 25]>
mixed (int4[3, 3] x, float8e4m3fn[4] f, complex64[3] c) => (int4[3, 3] y, float8e5m2[4] g, complex64[3, 1] d, float[3, 3] r)
{ y = Transpose(x) g = Cast<to = 19>(f) a = Constant<value = int64[1] {1}>() d = Unsqueeze(c, a) r = Cast<to = 1>(x) }"""
X = np.array([[-8, 7, 1], [2, 3, -1], [0, -5, 6]], np.int8)
F = np.array([56, 64, 68, 0xFE], np.uint8)  # 1, 2, 3, -448
C = np.array([1 + 2j, 3 - 4j, -0.5j], np.complex64)
FEEDS = {"x": X, "f": F, "c": C}
EXPECTED = (X.T, np.array([60, 64, 66, 0xDF], np.uint8), C[:, None], X.astype(np.float32))


def right(results) -> None:
    for got, expected in zip(results, EXPECTED, strict=True):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


@pytest.fixture(scope="module")
def sets():
    """Of the code generators `c` and `llvm`; built once."""
    made: dict[str, ingot.ArtifactSet] = {}

    def get(target: str) -> ingot.ArtifactSet:
        if target not in made:
            made[target] = ingot.build(
                onnx.parser.parse_model(TEXT), target, cache=None, executor=["aot", "graph"]
            )
        return made[target]

    return get


@pytest.mark.cc
@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("target", ["c", "llvm"])
def test_a_library_takes_and_gives_them(sets, tmp_path, target, executor):
    sets(target).export_library(tmp_path / "mixed.so")
    right(ingot.load(tmp_path / "mixed.so")["mixed"](executor=executor).predict(FEEDS))


@pytest.mark.cc
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_an_archive_has_them_in_its_vectors_and_runs(sets, tmp_path, executor):
    """Built by `make`, it compares packed bytes, bits and both parts of complex numbers. 2 s."""
    sets("c").export_model_library_format(tmp_path / "mixed.tar", executor=executor)
    right(ingot.load(tmp_path / "mixed.tar")["mixed"]().predict(FEEDS))
    if shutil.which("make") is None:
        pytest.skip("needs make")
    shutil.unpack_archive(tmp_path / "mixed.tar", tmp_path / "x", filter="data")
    done = subprocess.run(
        ["make", "test", "CFLAGS=-O0"], cwd=tmp_path / "x", check=False, capture_output=True, text=True
    )
    assert done.returncode == 0 and "mixed: 1 vectors are good" in done.stdout, done.stdout + done.stderr


def test_the_header_says_how_elements_lie(sets):
    header = sets("c").c_header()
    for line in (
        "const uint8_t *x; /* int4[3, 3], 2 in a byte, the first in the lowest bits */",
        "const uint8_t *f; /* float8e4m3fn[4], the bits of a float8e4m3fn */",
        "float *d; /* complex64[3, 1], real and imaginary part side by side */",
        "#define MIXED_INPUT_X_BYTES 5",
        "#define MIXED_INPUT_X_ELEMENTS 5",
        "#define MIXED_OUTPUT_D_ELEMENTS 6",
    ):
        assert line in header


def test_a_set_survives_a_file(sets, tmp_path):
    sets("c").save(tmp_path / "mixed.ingot")
    info = ingot.ArtifactSet.open(tmp_path / "mixed.ingot").models()["mixed"]
    assert [tensor.dtype for tensor in info.inputs] == [DType.INT4, DType.FLOAT8E4M3FN, DType.COMPLEX64]
    assert [tensor.size_bytes for tensor in info.outputs] == [5, 4, 24, 36]


@pytest.mark.opencl
def test_a_device_has_them_too():
    made = ingot.build(
        onnx.parser.parse_model(TEXT), {"host": "llvm", "accel": "opencl"}, place=lambda _: "accel", cache=None
    )  # fmt: skip
    executor = made.load()["mixed"](ingot.cpu(0), devices={"accel": [ingot.opencl(0)]})
    right(executor.predict(FEEDS))
    x = executor.device_tensor("x", X)
    assert x.size_bytes == 5 and np.array_equal(x.numpy(), X)
    right(executor.predict({**FEEDS, "x": x}))
    y = executor.device_tensor("y")
    others = [np.empty_like(one) for one in EXPECTED[1:]]
    executor.predict({**FEEDS, "x": x}, out=[y, *others])
    right([y.numpy(), *others])
    assert pack(X, DType.INT4).nbytes == x.size_bytes


class OnCpu:
    """Memory of an array as a tensor of an element type, for whoever takes it through DLPack."""

    def __init__(self, array: np.ndarray, dtype: DType, shape: tuple[int, ...]) -> None:
        self._tensor = Outside(array.ctypes.data, (1, 0), *DLPACK_TYPES[dtype], 1, shape, None, 0, array)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, **_: object) -> object:
        return to_capsule(self._tensor)


@pytest.mark.cc
def test_stock_tvm_ffi_passes_them_and_is_told_what_is_wrong(sets, tmp_path):
    ffi = pytest.importorskip("tvm_ffi", reason="needs the package apache-tvm-ffi (extra interop)")
    sets("c").export_library(tmp_path / "mixed.so")
    function = ffi.load_module(str(tmp_path / "mixed.so"))["mixed"]
    info = sets("c").models()["mixed"]
    y, g, d, r = np.zeros(5, np.uint8), *(np.zeros_like(one) for one in EXPECTED[1:])
    arrays = [pack(X, DType.INT4), F, C, y, g, d, r]
    both = zip(arrays, (*info.inputs, *info.outputs), strict=True)
    tensors = [ffi.from_dlpack(OnCpu(array, one.dtype, one.shape)) for array, one in both]
    function(*tensors)
    right([unpack(y, DType.INT4, (3, 3)), g, d, r])
    with pytest.raises(TypeError, match="input 'x' must be of type int4, got int8"):
        function(ffi.from_dlpack(OnCpu(X, DType.INT8, (3, 3))), *tensors[1:])
    with pytest.raises(TypeError, match="input 'f' must be of type float8_e4m3fn, got uint8"):
        function(tensors[0], ffi.from_dlpack(OnCpu(F, DType.UINT8, (4,))), *tensors[2:])
