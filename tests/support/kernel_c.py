"""Compiles one kernel with the code generator `c` and runs it on arrays."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from ingot.base.tensor import DType
from ingot.codegen.c.source import kernel_source
from ingot.loops import interpret
from ingot.loops.nodes import Kernel

WARNINGS = (
    "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror",
    "-Wdouble-promotion", "-Wfloat-conversion", "-Wshadow",
)  # fmt: skip

needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler driver (cc)")


def compile_source(text: str, flags: Sequence[str] = ("-O2",)) -> ctypes.CDLL:
    """A library of one C source; every warning is an error."""
    return compile_sources([text], flags)


def compile_sources(texts: Sequence[str], flags: Sequence[str] = ("-O2",)) -> ctypes.CDLL:
    """A library of several C sources, linked together. Fails the test with the compiler's words and the source."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"part_{number}.c" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="ascii")
        library = Path(folder) / "made.so"
        made = subprocess.run(
            [
                "cc",
                *WARNINGS,
                *flags,
                "-fPIC",
                "-shared",
                "-fvisibility=hidden",
                *map(str, paths),
                "-o",
                str(library),
                "-lm",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr + "\n" + "\n".join(texts)
        return ctypes.CDLL(str(library))  # the mapping outlives the file


def addresses(arrays: Sequence[np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
    """Pointers to arrays, as compiled code takes them."""
    return (ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays))


def compile_kernel(kernel: Kernel, flags: Sequence[str] = ("-O2",)) -> Callable[..., None]:
    """A function of one array for each parameter of the kernel (inputs, outputs, workspaces), in its stored form: bfloat16 as
    uint16, elements where the strides say. Outputs are written in place."""
    library = compile_source(kernel_source(kernel), flags)

    def run(*arrays: np.ndarray) -> None:
        assert len(arrays) == len(kernel.params)
        for array, param in zip(arrays, kernel.params, strict=True):
            assert (
                array.flags.c_contiguous
                and array.dtype.itemsize == param.dtype.size_bytes
                and array.size >= param.span
            ), param.name
        assert library.ingot_kernel(addresses(arrays)) == 0

    return run


def agrees_with_interpreter(
    kernel: Kernel, *inputs: np.ndarray, rtol: float = 0.0, atol: float = 0.0, flags: Sequence[str] = ("-O2",)
) -> list[np.ndarray]:
    """Runs a kernel compiled and interpreted, asserts that the outputs are the same (NaN is NaN), and returns them. `inputs`
    are flat."""
    results = []
    for run in (compile_kernel(kernel, flags), lambda *arrays: interpret.compile_kernel(kernel)(arrays)):
        arrays = [array.copy() for array in inputs]
        arrays += [np.zeros(param.span, param.dtype.numpy) for param in kernel.outputs + kernel.workspaces]
        run(*arrays)
        results.append(arrays[len(inputs) : len(inputs) + len(kernel.outputs)])
    for param, compiled, expected in zip(kernel.outputs, *results, strict=True):
        pair = [compiled, expected]
        if param.dtype is DType.BFLOAT16:
            pair = [(array.astype(np.uint32) << 16).view(np.float32) for array in pair]
        if param.dtype.is_float:
            np.testing.assert_allclose(
                pair[0], pair[1], rtol=rtol, atol=atol, equal_nan=True, err_msg=param.name
            )
            zeros = pair[1] == 0
            np.testing.assert_array_equal(
                np.signbit(pair[0][zeros]), np.signbit(pair[1][zeros]), err_msg=param.name
            )
        else:
            np.testing.assert_array_equal(pair[0], pair[1], err_msg=param.name)
    return results[0]
