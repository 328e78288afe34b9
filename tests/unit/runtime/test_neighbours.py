"""A library among others: in processes beside it, in one process with other packages, and with its own kind."""

from __future__ import annotations

import ctypes
import dataclasses
import importlib.util
import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from ingot.link.shared import link_library
from ingot.link.toolchain import find_toolchain
from ingot.runtime.load import load
from tests.support.tiny_library import SOURCE, expected, tiny_set

pytestmark = pytest.mark.cc
X = np.arange(4, dtype=np.float32)
MEGABYTES = 64
PROCESSES = 4


# ─── processes ─────────────────────────────────────────────────────────────────────────────────────────────────────

SHARER = """
import sys, numpy
from ingot.runtime.load import load
executor = load(sys.argv[1], verify=sys.argv[2])["large"](threads=1)
x = numpy.zeros(executor.inputs[0].shape, numpy.float32)
y, z = executor.predict(x=x)
print(float(y[-1]), flush=True)
sys.stdin.readline()
"""


def proportional_bytes(pid: int, path: Path) -> int:
    """The PSS of the mappings of a file in a process: each page counts as one part of as many as share it."""
    total, inside = 0, False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            inside = line.endswith(str(path))
        elif inside and line.startswith("Pss:"):
            total += int(line.split()[1]) * 1024
    return total


@pytest.mark.parametrize("verify", ["full", "index"])
def test_four_processes_share_one_copy_of_the_weights(large_path: Path, verify: str) -> None:
    if not Path("/proc/self/smaps").exists():
        pytest.skip("needs /proc/<pid>/smaps")
    command = [sys.executable, "-c", SHARER, str(large_path), verify]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    try:
        assert len({process.stdout.readline() for process in started}) == 1  # type: ignore[union-attr]
        shares = [proportional_bytes(process.pid, large_path) for process in started]
    finally:
        for process in started:
            process.communicate("\n", timeout=60)
    # One copy in all: between them less than a tenth more than the file, and nobody has a copy of its own.
    size = large_path.stat().st_size
    assert 0.9 * size < sum(shares) < 1.1 * size
    assert max(shares) < size / 2


@pytest.fixture(scope="module")
def large_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with 64 MB of weights, all of which an inference reads."""
    path = tmp_path_factory.mktemp("large") / "large.so"
    link_library(tiny_set("large", MEGABYTES * 250_000), path)
    return path


def test_loading_and_running_start_no_process_and_write_no_file(tiny_path: Path, tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "import numpy, ingot.runtime.load\n"
        "seen = []\n"
        "sys.addaudithook(lambda name, args: seen.append((name, args)))\n"
        "for source in (sys.argv[1], open(sys.argv[1], 'rb').read()):\n"
        "    executor = ingot.runtime.load.load(source)['big'](threads=2)\n"
        "    executor.predict(x=numpy.zeros(10000, numpy.float32))\n"
        "names = {name for name, _ in seen}\n"
        "starts = [name for name in names\n"
        "          if name.startswith(('subprocess', 'os.posix_spawn', 'os.fork', 'os.exec', 'os.system'))]\n"
        "changes = [name for name in names if name.startswith(('tempfile', 'os.mk', 'os.re', 'os.un', 'os.trunc', 'shutil'))]\n"
        "writes = [args for name, args in seen if name == 'open' and isinstance(args[0], str)\n"
        "          and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)]\n"
        "assert 'open' in names and not starts and not changes and not writes, (starts, changes, writes)\n"
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {**os.environ, "TMPDIR": str(empty), "HOME": str(empty), "XDG_CACHE_HOME": str(empty)}
    subprocess.run(
        [sys.executable, "-B", "-c", script, str(tiny_path)], check=True, cwd=empty, env=environment
    )
    assert list(empty.iterdir()) == []


# ─── one process ───────────────────────────────────────────────────────────────────────────────────────────────────


def exported(path: Path) -> set[str]:
    with path.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        return {symbol.name for symbol in symbols if symbol["st_shndx"] != "SHN_UNDEF" and symbol.name}


def documented(*models: str) -> set[str]:
    """What docs/reference/abi.md and the C headers name."""
    names = {"ingot_container", "ingot_models", "ingot_pool_create", "ingot_pool_destroy"}
    for model in models:
        names |= {f"ingot_{model}_run", f"ingot_{model}_call", f"{model}_run", f"{model}_run_parallel"}
        names |= {f"{model}_strerror", f"__tvm_ffi_{model}"}
    return names


def test_only_documented_names_are_exported(tiny_path: Path) -> None:
    assert exported(tiny_path) == documented("tiny", "big")


def test_no_symbol_of_a_library_is_visible_outside(tiny_path: Path) -> None:
    library = load(tiny_path)
    assert library.get_function("ingot_tiny_run") is not None
    whole_process = ctypes.CDLL(None)
    for name in documented("tiny", "big"):
        assert not hasattr(whole_process, name), name


def test_libraries_with_the_same_model_name_live_side_by_side(tmp_path: Path) -> None:
    libraries = []
    for factor in (2, 3, 5):
        path = tmp_path / str(factor) / "tiny.so"
        path.parent.mkdir()
        link_library(tiny_set(source=SOURCE.replace("h[i] * 2", f"h[i] * {factor}")), path)
        libraries.append(load(path))
    executors = [library["tiny"](threads=2) for library in libraries]
    for _ in range(3):
        for factor, executor in zip((2, 3, 5), executors, strict=True):
            assert np.array_equal(executor.predict(x=X)[0], expected(X) / 2 * factor)


NEIGHBOURS = {
    "onnxruntime": "onnxruntime.get_available_providers()",
    "numba": "assert numba.njit(lambda a: a + 1)(1) == 2",
    "torch": "assert float(torch.ones(3).sum()) == 3",
}
ORDERS = [(name, first) for name, first in itertools.product(NEIGHBOURS, (True, False))]


@pytest.mark.parametrize(
    ("name", "first"), ORDERS, ids=[f"{name}-{'before' if first else 'after'}" for name, first in ORDERS]
)
def test_other_packages_share_the_process_in_any_order(tiny_path: Path, name: str, first: bool) -> None:
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"needs {name}")
    ours = (
        "import numpy\nfrom ingot.runtime.load import load\n"
        f"executor = load({str(tiny_path)!r})['big'](threads=2)\n"
        "x = numpy.ones(10000, numpy.float32)\n"
        "before = executor.predict(x=x)[0]\n"
    )
    theirs = f"import {name}\n{NEIGHBOURS[name]}\n"
    script = (theirs + ours if first else ours + theirs) + f"{NEIGHBOURS[name]}\n"
    script += "assert numpy.array_equal(executor.predict(x=x)[0], before) and before[8] == 4\n"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


# ─── threads ───────────────────────────────────────────────────────────────────────────────────────────────────────

# Eight threads that open nothing of their own: one library, one pool, an arena for each.
THREADS = """
#include <pthread.h>
#include <stdint.h>
#include <string.h>
typedef struct ingot_pool ingot_pool;
ingot_pool *ingot_pool_create(int32_t threads);
void ingot_pool_destroy(ingot_pool *pool);
int32_t ingot_big_run(void *const *bases);
#define N 10000
static float weights[N], x[N];
static ingot_pool *pool;
static _Alignas(64) float arenas[8][N], ys[8][N], zs[8][N];
static void *work(void *at) {
  const int64_t number = (int64_t)(intptr_t)at;
  void *bases[6] = {weights, arenas[number], pool, x, ys[number], zs[number]};
  for (int round = 0; round < 20; round++)
    if (ingot_big_run(bases) != 0) return (void *)1;
  return NULL;
}
int main(void) {
  pthread_t threads[8];
  for (int i = 0; i < N; i++) { weights[i] = (float)i; x[i] = (float)(i % 7); }
  pool = ingot_pool_create(3);
  for (intptr_t i = 0; i < 8; i++) if (pthread_create(&threads[i], NULL, work, (void *)i) != 0) return 2;
  int failed = 0;
  for (int i = 0; i < 8; i++) { void *status; pthread_join(threads[i], &status); failed |= status != NULL; }
  ingot_pool_destroy(pool);
  for (int i = 0; i < 8; i++) failed |= memcmp(ys[i], ys[0], sizeof ys[0]) != 0 || memcmp(zs[i], x, sizeof x) != 0;
  return failed | (ys[0][N - 1] != ((float)(N - 1) + x[N - 1]) * 2);
}
"""


def test_eight_threads_are_clean_under_the_thread_sanitizer(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs gcc or clang")
    library, program = tmp_path / "big.so", tmp_path / "threads"
    (tmp_path / "threads.c").write_text(THREADS)
    (tmp_path / "probe.c").write_text("int main(void) { return 0; }\n")
    probe = [compiler, "-fsanitize=thread", tmp_path / "probe.c", "-o", tmp_path / "probe"]
    if subprocess.run(probe, check=False, capture_output=True).returncode:
        pytest.skip("needs the thread sanitizer")
    chain = find_toolchain()
    chain = dataclasses.replace(
        chain, extra_flags=(*chain.extra_flags, "-fsanitize=thread", "-g")
    )  # the pool too
    link_library(tiny_set("big", 10000), library, toolchain=chain)
    command = [
        compiler,
        "-O1",
        "-g",
        "-fsanitize=thread",
        tmp_path / "threads.c",
        library,
        "-pthread",
        "-o",
        program,
    ]
    subprocess.run(command, check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "TSAN_OPTIONS": "exitcode=66"}
    done = subprocess.run(
        [program], capture_output=True, text=True, check=False, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
