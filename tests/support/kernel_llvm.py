"""Compiles one kernel with the code generator `llvm` and runs it on arrays."""

from __future__ import annotations

import ctypes
import functools
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.llvm.build.objects import compiled
from ingot.codegen.llvm.build.targets import chip, processor, resolve
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.loops.interpret import run as interpret
from ingot.loops.nodes import Buffer, For, Kernel, LoopKind
from ingot.loops.transform.rewrite import statements
from tests.support.wide_vectors import portable

needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler driver (cc)")

# The processor here without any of its extensions: no fused multiply-add, no half precision, short vectors.
BASELINE = "llvm -mcpu=" + ("x86-64" if platform.machine() == "x86_64" else "generic")

# Runs a parallel loop in ranges of the grain, or in tasks for three threads, last one first, so that a loop which is not
# independent shows.
_POOL = """
#include <stdint.h>
void ingot_pool_for(void *pool, void (*body)(void *const *, int64_t, int64_t), void *const *args, int64_t extent, int64_t grain)
{
    (void)pool;
    grain = grain < 1 ? 1 : grain;
    for (int64_t begin = (extent - 1) / grain * grain; begin >= 0; begin -= grain)
        body(args, begin, begin + grain < extent ? begin + grain : extent);
}

int32_t ingot_pool_threads(const void *pool)
{
    (void)pool;
    return 3;
}
"""


def assembly(kernel: Kernel, target: str = "llvm -mcpu=x86-64-v3") -> str:
    """The assembly of a kernel."""
    definite = resolve(Target.parse(target))
    return compiled(
        emit_kernel(kernel, "kernel", chip(definite)), processor(definite), _has_vectors(kernel)
    ).assembly


def _has_vectors(kernel: Kernel) -> bool:
    return any(isinstance(stmt, For) and stmt.kind is LoopKind.VECTOR for stmt in statements(kernel.body))


@functools.cache
def _caller(params: int) -> bytes:
    """An object with a pool, and `run` to call a kernel of so many parameters: compiling it takes longer than a kernel."""
    types, given = ", ".join(["void *"] * params), ", ".join(f"p[{position}]" for position in range(params))
    call = f"int tested({types});\nint run(void **p) {{ return tested({given}); }}\n"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "caller.c").write_text(_POOL + call, encoding="ascii")
        subprocess.run(["cc", "-O1", "-fPIC", "-c", "caller.c"], check=True, cwd=folder)
        return (Path(folder) / "caller.o").read_bytes()


def compile_kernel(
    kernel: Kernel, target: str = "llvm -mcpu=native", written_for: str = ""
) -> Callable[..., None]:
    """A function of one array for each parameter of the kernel, in its stored form. Outputs are written in place. `written_for`:
    a target of x86 whose instructions the kernel may have, which are computed by definition (see `wide_vectors`).
    """
    definite = resolve(Target.parse(target))
    text = emit_kernel(
        kernel, "tested", chip(resolve(Target.parse(written_for)) if written_for else definite)
    )
    text = portable(text) if written_for else text
    content = compiled(text, processor(definite), _has_vectors(kernel)).content
    params = len(kernel.params) + 1
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernel.o").write_bytes(content)
        (Path(folder) / "caller.o").write_bytes(_caller(params))
        library = Path(folder) / "made.so"
        command = ["cc", "-shared", "caller.o", "kernel.o", "-o", str(library), "-lm", "-Wl,-z,defs"]
        made = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        assert made.returncode == 0, made.stderr + "\n" + text
        loaded = ctypes.CDLL(str(library))

    def run(*arrays: np.ndarray) -> None:
        assert len(arrays) == len(kernel.params)
        for array, param in zip(arrays, kernel.params, strict=True):
            assert (
                array.flags.c_contiguous and array.dtype == param.dtype.numpy and array.size >= param.span
            ), param.name
        pointers = (ctypes.c_void_p * params)(*(array.ctypes.data for array in arrays), None)
        assert loaded.run(pointers) == 0

    return run


def random_array(buffer: Buffer, seed: int = 0) -> np.ndarray:
    """The memory of a buffer, with numbers that mean something in its type; floats have few bits, so that sums are exact."""
    rng = np.random.default_rng(seed)
    size = max(buffer.span, 1)
    if buffer.dtype is DType.BOOL:
        return rng.integers(0, 2, size).astype(bool)
    if buffer.dtype is DType.BFLOAT16:
        return (rng.integers(-64, 64, size).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if buffer.dtype.is_float:
        return (rng.integers(-64, 64, size) / 8).astype(buffer.dtype.numpy)
    info = np.iinfo(buffer.dtype.numpy)
    return rng.integers(max(info.min, -100), min(info.max, 100), size).astype(buffer.dtype.numpy)


def check_kernel(
    kernel: Kernel,
    *inputs: np.ndarray,
    target: str = "llvm -mcpu=native",
    exact: bool = True,
    ulp: int = 4,
    written_for: str = "",
) -> tuple[np.ndarray, ...]:
    """Runs a kernel compiled and interpreted, asserts that both wrote the same, and returns the outputs."""
    given = list(inputs) or [random_array(buffer, seed) for seed, buffer in enumerate(kernel.inputs)]
    rest = [
        random_array(buffer, 100 + seed) for seed, buffer in enumerate((*kernel.outputs, *kernel.workspaces))
    ]
    expected, got = [array.copy() for array in given + rest], [array.copy() for array in given + rest]
    interpret(kernel, {buffer.name: array for buffer, array in zip(kernel.params, expected, strict=True)})
    compile_kernel(kernel, target, written_for)(*got)
    first = len(kernel.inputs)
    compare(
        got[first : first + len(kernel.outputs)],
        expected[first : first + len(kernel.outputs)],
        kernel,
        exact,
        ulp,
    )
    return tuple(got[first : first + len(kernel.outputs)])


def compare(
    got: Sequence[np.ndarray], expected: Sequence[np.ndarray], kernel: Kernel, exact: bool, ulp: int
) -> None:
    for buffer, one, other in zip(kernel.outputs, got, expected, strict=True):
        if exact or not buffer.dtype.is_float or buffer.dtype is DType.BFLOAT16:
            np.testing.assert_array_equal(one, other, err_msg=f"{kernel.name}: {buffer.name}")
        else:
            np.testing.assert_array_max_ulp(one, other, ulp)
