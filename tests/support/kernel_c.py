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

from ingot.codegen.c_source import kernel_source
from ingot.loops.nodes import Kernel

WARNINGS = (
    "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-Wdouble-promotion", "-Wfloat-conversion", "-Wshadow",
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
            ["cc", *WARNINGS, *flags, "-fPIC", "-shared", "-fvisibility=hidden", *map(str, paths), "-o", str(library), "-lm"],
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
    """A function of one array for each parameter of the kernel (inputs, outputs, workspaces), in its stored form: bool as uint8 or
    bool, bfloat16 as uint16, elements where the strides say. Outputs are written in place."""
    library = compile_source(kernel_source(kernel), flags)

    def run(*arrays: np.ndarray) -> None:
        assert len(arrays) == len(kernel.params)
        for array, param in zip(arrays, kernel.params, strict=True):
            assert array.flags.c_contiguous and array.dtype.itemsize == param.dtype.size_bytes and array.size >= param.span, (
                param.name
            )
        assert library.ingot_kernel(addresses(arrays)) == 0

    return run
