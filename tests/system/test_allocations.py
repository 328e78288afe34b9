"""A call allocates nothing: neither the kernels, nor the thread pool, nor what is between them and Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ingot
from tests.system.test_threads import model

COUNTER = """
#include <stddef.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
static long count;
long allocations(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }
static void one_more(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }
void *malloc(size_t size) { one_more(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { one_more(); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { one_more(); return __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { one_more(); return __libc_memalign(alignment, size); }
int posix_memalign(void **made, size_t alignment, size_t size) {
    one_more();
    *made = __libc_memalign(alignment, size);
    return *made == NULL ? 12 : 0;
}
"""
PROGRAM = """
import ctypes
import numpy as np
import ingot

count = ctypes.CDLL(None).allocations
count.restype = ctypes.c_long
library = ingot.load("shared.so")
for threads in (1, 2):
    executor = library["shared"](ingot.cpu(0), threads=threads)
    feeds, out = {"x": np.ones((1, 16, 40, 40), np.float32)}, np.empty((1, 32, 700), np.float32)
    executor.set_input(feeds)
    for call in (executor.run, lambda: executor.predict(feeds, out=out), lambda: executor.get_output(0, out=out)):
        for _ in range(100):
            call()
        before = count()
        for _ in range(300):
            call()
        print(count() - before)
"""


@pytest.mark.cc
def test_calls_allocate_nothing_from_the_c_library_either(tmp_path: Path) -> None:
    if shutil.which("gcc") is None or sys.platform != "linux":
        pytest.skip("needs gcc and glibc")
    (tmp_path / "counter.c").write_text(COUNTER)
    command = ["gcc", "-O1", "-shared", "-fPIC", "counter.c", "-o", "counter.so", "-Wl,-z,defs"]
    if subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode:
        pytest.skip("needs glibc")
    ingot.build(model(), "llvm", name="shared").export_library(tmp_path / "shared.so")
    environment = {**os.environ, "LD_PRELOAD": str(tmp_path / "counter.so")}
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    # Python itself may want a few more pages for small objects now and then; a call that allocates would count 300 times.
    assert [int(line) < 100 for line in said.split()] == [True] * 6, said
