"""C programs that use a library's exported header, written from a model's tensors alone."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic")

_MAIN = """#define _POSIX_C_SOURCE 200112L
#include "%(header)s"
#include <stdio.h>
#include <stdlib.h>
%(more)s
static void *room(size_t bytes) /* no byte more, so that sanitizers see what is written behind it; never freed */
{
    void *made = NULL;
    if (posix_memalign(&made, 64, bytes) != 0) {
        exit(103);
    }
    return made;
}
%(load)s%(texts)s
static void save(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) {
        exit(101);
    }
}

int main(void)
{
    struct %(symbol)s_inputs inputs;
    struct %(symbol)s_outputs outputs;
    int32_t status;
%(body)s
    return -status;
}
"""

_LOAD = """
static void *load(const char *path, size_t bytes)
{
    void *made = room(bytes);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fread(made, 1, bytes, file) != bytes || fclose(file) != 0) {
        exit(100);
    }
    return made;
}
"""


_TEXTS = (
    """
static const char **load_texts(const char *path, size_t count)
{
    const char **made = room(count * sizeof *made);
    FILE *file = fopen(path, "rb");
    char *at = room(1 << 16), *end;
    if (file == NULL || (end = at + fread(at, 1, 1 << 16, file)) == at + (1 << 16) || fclose(file) != 0) {
        exit(100);
    }
    for (size_t i = 0; i < count; i++) { /* each ends with NUL */
        made[i] = at;
        while (at < end && *at++ != 0) {
        }
    }
    return made;
}
""",
    """
static void save_texts(const char *path, const char *const *texts, size_t count)
{
    FILE *file = fopen(path, "wb");
    for (size_t i = 0; file != NULL && i < count; i++) {
        fprintf(file, "%s%c", texts[i], 0);
    }
    if (file == NULL || fclose(file) != 0) {
        exit(101);
    }
}
""",
)


def compiler() -> str:
    """The C compiler; without one the test is skipped."""
    found = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if found is None:
        pytest.skip("needs a C compiler")
    return found


def program(
    symbol: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    header: str,
    opened: str = "",
    parallel: bool = False,
    texts: Sequence[str] = (),
) -> str:
    """A program that reads `in0.bin`, …, runs the model once and writes `out0.bin`, …; it exits with the negated status.

    Args:
        symbol: the model's C symbol.
        inputs: C names of the inputs.
        outputs: C names of the outputs.
        header: the header's file name.
        opened: the path of a library to be opened with dlopen; left out, the program is linked with it.
        parallel: whether two threads work.
        texts: which inputs and outputs are text; in files each ends with NUL. What comes back after an error is not written.
    """
    upper = symbol.upper()
    body = []
    for at, name in enumerate(inputs):
        load, unit = ("load_texts", "ELEMENTS") if name in texts else ("load", "BYTES")
        body.append(f'inputs.{name} = {load}("in{at}.bin", {upper}_INPUT_{name.upper()}_{unit});')
    for name in outputs:
        body.append(f"outputs.{name} = room({upper}_OUTPUT_{name.upper()}_BYTES);")
    run, more = f"{symbol}_run", ""
    if opened:
        more = "#include <dlfcn.h>\n#include <string.h>\n"
        shape = f"const struct {symbol}_inputs *, const struct {symbol}_outputs *, void *"
        body.append(f'void *library = dlopen("{opened}", RTLD_NOW | RTLD_LOCAL);')
        body.append(f"int32_t (*found)({shape});")
        body.append(f'void *address = library == NULL ? NULL : dlsym(library, "{run}");')
        body.append("if (address == NULL) exit(102);")
        body.append("memcpy(&found, &address, sizeof found);")
        run = "found"
    if parallel:
        body.append("struct ingot_pool *pool = ingot_pool_create(2);")
        body.append(f"status = {run}_parallel(&inputs, &outputs, room({upper}_WORKSPACE_BYTES), pool);")
        body.append("ingot_pool_destroy(pool);")
    else:
        body.append(f"status = {run}(&inputs, &outputs, room({upper}_WORKSPACE_BYTES));")
    for at, name in enumerate(outputs):
        save, unit = ("if (status == 0) save_texts", "ELEMENTS") if name in texts else ("save", "BYTES")
        body.append(f'{save}("out{at}.bin", outputs.{name}, {upper}_OUTPUT_{name.upper()}_{unit});')
    text = "\n".join(f"    {line}" for line in body)
    # A function that nobody calls is an error here.
    load = _LOAD if set(inputs) - set(texts) else ""
    of_text = "".join(
        part for part, ends in zip(_TEXTS, (inputs, outputs), strict=True) if set(ends) & set(texts)
    )
    return _MAIN % {
        "header": header,
        "more": more,
        "load": load,
        "texts": of_text,
        "symbol": symbol,
        "body": text,
    }


def compile_c(source: str, folder: Path, *more: str, standard: str = "c99") -> Path:
    """Compiles a program in the folder with every warning an error; returns it."""
    (folder / "main.c").write_text(source)
    command = [compiler(), f"-std={standard}", *WARNINGS, "-I.", "main.c", *more, "-o", "main"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "main"


def run_c(made: Path, arrays: Sequence[np.ndarray]) -> int:
    """Runs a program of `program` in its folder; returns its exit status."""
    for at, array in enumerate(arrays):
        (made.parent / f"in{at}.bin").write_bytes(_content(array))
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run([made], cwd=made.parent, check=False, timeout=120, env=environment).returncode


def _content(array: np.ndarray) -> bytes:
    if array.dtype == object:
        return "".join(f"{text}\0" for text in array.reshape(-1)).encode()
    return np.ascontiguousarray(array).tobytes()


def result(made: Path, number: int, like: np.ndarray) -> np.ndarray:
    """An output of a program that ran."""
    content = (made.parent / f"out{number}.bin").read_bytes()
    if like.dtype == object:
        return np.array(content.decode().split("\0")[:-1], object).reshape(like.shape)
    return np.frombuffer(content, like.dtype).reshape(like.shape)


class Tensor(ctypes.Structure):
    """DLPack's tensor, for calls without tvm-ffi."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_index", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class FfiAny(ctypes.Structure):
    """tvm-ffi's value with a pointer in it."""

    _fields_ = (("type", ctypes.c_int32), ("padding", ctypes.c_uint32), ("pointer", ctypes.c_void_p))
