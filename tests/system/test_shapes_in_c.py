"""C programs that call models whose extents vary: what Python's executor of the same library gives, under the sanitizers."""

from __future__ import annotations

import dataclasses
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.link.interface import interface_source, variants_of
from ingot.link.shared import NATIVE_FOLDER, link_library
from ingot.link.toolchain import find_toolchain
from tests.support.c_program import compile_c, compiler
from tests.system.test_shapes import SAME_FOR_ALL, SEQUENCE, _feeds, _model
from tests.system.test_text_in_c import sanitizers
from tests.unit.plan.test_items import ALONE

pytestmark = pytest.mark.cc

# Arguments: threads, or 0 for the entry for one shape; the size of each extent; the bytes of each input and of each output. All
# memory is as large as it must be: of no bytes there is none. An archive has no pool (ONE_THREAD).
MAIN = """#define _POSIX_C_SOURCE 200112L
#include "m.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *room(size_t bytes)
{
    void *memory = NULL;
    return bytes > 0 && posix_memalign(&memory, M_SHAPED_WORKSPACE_ALIGNMENT, bytes) == 0 ? memory : NULL;
}

static void file(char *data, const char *role, int number, size_t bytes, const char *mode)
{
    char path[40];
    snprintf(path, sizeof path, "%s%d.bin", role, number);
    FILE *opened = fopen(path, mode);
    if (opened == NULL) {
        exit(100);
    }
    if (bytes > 0 && (*mode == 'r' ? fread(data, 1, bytes, opened) : fwrite(data, 1, bytes, opened)) != bytes) {
        exit(100);
    }
    fclose(opened);
}

int main(int argc, char **argv)
{
    int64_t dims[M_DIMS];
    void *given[INPUTS], *results[OUTPUTS];
    struct m_inputs inputs;
    struct m_outputs outputs;
    if (argc != 2 + M_DIMS + INPUTS + OUTPUTS) {
        return 101;
    }
    argv++;
    const int threads = atoi(*argv++);
#if !defined(ONE_THREAD)
    struct ingot_pool *pool = threads > 1 ? ingot_pool_create(threads) : NULL;
#endif
    for (int i = 0; i < M_DIMS; i++) {
        dims[i] = atoll(*argv++);
    }
    for (int i = 0; i < INPUTS; i++) {
        const size_t bytes = (size_t)atoll(*argv++);
        given[i] = room(bytes);
        file(given[i], "in", i, bytes, "rb");
    }
    for (int i = 0; i < OUTPUTS; i++) {
        results[i] = room((size_t)atoll(argv[i]));
    }
    memcpy(&inputs, given, sizeof inputs);
    memcpy(&outputs, results, sizeof outputs);
    void *workspace = room(threads > 0 ? M_SHAPED_WORKSPACE_BYTES : M_WORKSPACE_BYTES);
#if defined(ONE_THREAD)
    const int32_t status = threads == 0 ? m_run(&inputs, &outputs, workspace) : m_run_shaped(dims, &inputs, &outputs, workspace);
#else
    const int32_t status = threads == 0   ? m_run(&inputs, &outputs, workspace)
                           : pool == NULL ? m_run_shaped(dims, &inputs, &outputs, workspace)
                                          : m_run_shaped_parallel(dims, &inputs, &outputs, workspace, pool);
    ingot_pool_destroy(pool);
#endif
    for (int i = 0; i < OUTPUTS && status == M_OK; i++) {
        file(results[i], "out", i, (size_t)atoll(argv[i]), "wb");
    }
    return -status;
}
"""


class Built:
    """A library in a folder, with Python's executor of it and a C program that is linked with it."""

    def __init__(
        self, text: str, dims: Mapping[str, object], folder: Path, *flags: str, target: str = "c"
    ) -> None:
        self.artifacts = ingot.build(_model(text), target, dims=dims, cache=None)
        chain = find_toolchain()
        chain = dataclasses.replace(chain, extra_flags=(*chain.extra_flags, *flags))
        link_library(self.artifacts, folder / "m.so", toolchain=chain)
        (folder / "m.h").write_text(self.artifacts.c_header())
        self.model, self.folder = _model(text), folder
        self.python = self.artifacts.load()["m"]()
        counts = (f"-DINPUTS={len(self.python.inputs)}", f"-DOUTPUTS={len(self.python.outputs)}")
        self.main = compile_c(MAIN, folder, *counts, "-L.", "-l:m.so", "-Wl,-rpath,$ORIGIN", *flags)

    def status(self, sizes: Sequence[int], byte_counts: Sequence[int], threads: int = 1) -> int:
        arguments = [str(number) for number in (threads, *sizes, *byte_counts)]
        # New memory is full of floats that are no numbers.
        filled = "detect_leaks=0:max_malloc_fill_size=100000000:malloc_fill_byte=255"
        environment = {**os.environ, "ASAN_OPTIONS": filled}
        done = subprocess.run(
            [self.main, *arguments], cwd=self.folder, check=False, timeout=60, env=environment
        )
        return -done.returncode

    def agree(self, sizes: Mapping[str, int], threads: int = 1) -> None:
        """C and Python answer inputs of these sizes with the same bytes."""
        feeds = _feeds(self.model, dict(sizes))
        given = self.python.predict(feeds)
        expected = list(given) if isinstance(given, tuple) else [given]
        for at, array in enumerate(feeds.values()):
            (self.folder / f"in{at}.bin").write_bytes(array.tobytes())
        dims = [sizes[dim.name] for dim in self.artifacts.models()["m"].dims]
        byte_counts = [array.nbytes for array in (*feeds.values(), *expected)]
        assert self.status(dims, byte_counts, threads) == 0, sizes
        for at, array in enumerate(expected):
            content = (self.folder / f"out{at}.bin").read_bytes()
            np.testing.assert_array_equal(np.frombuffer(content, array.dtype).reshape(array.shape), array)


TWO_ITEMS = (
    "(float[N,M,3] x, float[M] z) => (float[M,N,3] y, float[N,M] s) <int64[1] two = {2}>"
    " { t = Transpose<perm=[1,0,2]>(x) y = Neg(t) r = ReduceSum<keepdims=0>(x, two) s = Add(r, z) }"
)


# 1 s each: a build for C, and a link.
@pytest.mark.parametrize(
    "case",
    [
        "products of rows",
        "rows in another place",
        "sums within an item",
        "items in one row after another",
        "rows of tables",
    ],
)
def test_any_number_of_items_has_the_bytes_of_python(case: str, tmp_path: Path) -> None:
    built = Built(ALONE[case], {"N": range(10)}, tmp_path, *sanitizers(tmp_path))
    for count in (0, 1, 3, 7, 8, 9):
        built.agree({"N": count})


def test_a_program_for_more_items_answers_where_there_is_none_for_fewer(tmp_path: Path) -> None:
    built = Built(ALONE["softmax within an item"], {"N": [4, 6]}, tmp_path, *sanitizers(tmp_path))
    for count in (1, 4, 5, 9, 27):
        built.agree({"N": count})


def test_items_along_two_axes_are_taken_apart_and_put_together(tmp_path: Path) -> None:
    built = Built(TWO_ITEMS, {"N": [2, 3], "M": [1, 4]}, tmp_path, *sanitizers(tmp_path))
    assert all(dim.outputs for dim in built.artifacts.models()["m"].dims)
    for sizes in ({"N": 1, "M": 1}, {"N": 3, "M": 4}, {"N": 7, "M": 6}, {"N": 2, "M": 9}):
        built.agree(sizes)


def test_an_output_that_is_the_same_for_all_items_is_there_also_without_any(tmp_path: Path) -> None:
    built = Built(SAME_FOR_ALL, {"N": range(10)}, tmp_path, *sanitizers(tmp_path))
    for count in (0, 1, 3, 8, 9):
        built.agree({"N": count})


@pytest.mark.parametrize("target", ["llvm", "llvm -mcpu=x86-64-v2,x86-64-v3"])
def test_several_extents_choose_a_program_on_one_thread_and_on_two(target: str, tmp_path: Path) -> None:
    if "x86" in target and platform.machine() != "x86_64":
        pytest.skip("builds for x86-64")
    built = Built(SEQUENCE, {"N": range(1, 65), "S": [3, 5]}, tmp_path, target=target)
    assert bool(built.artifacts.models()["m"].levels) == ("," in target)
    for sizes in ({"N": 1, "S": 5}, {"N": 9, "S": 3}, {"N": 64, "S": 5}):
        built.agree(sizes)
        built.agree(sizes, threads=2)


def test_sizes_that_the_library_is_not_for_have_a_status_each(tmp_path: Path) -> None:
    dims = {"N": range(1, 9), "S": [3, 5]}
    built = Built(SEQUENCE, dims, tmp_path, *sanitizers(tmp_path))
    header = (tmp_path / "m.h").read_text()
    for line in ("M_LOW_N 1", "M_HIGH_N 8", "M_MULTIPLE_N 1", "M_SIZES_S {3, 5}", "M_SIZE_COUNT_S 2"):
        assert f"#define {line}\n" in header
    for at in range(2):
        (tmp_path / f"in{at}.bin").write_bytes(bytes(4096))
    for sizes, status in (((0, 3), -11), ((9, 3), -11), ((-1, 3), -11), ((1, 4), -13), ((8, 5), 0)):
        assert built.status(sizes, (640, 160, 640)) == status, sizes
    eights = tmp_path / "eights"
    eights.mkdir()
    shutil.copy(tmp_path / "in0.bin", eights)
    shutil.copy(tmp_path / "in1.bin", eights)
    multiples = {"N": 1, "S": ingot.dim(8, 24, multiple_of=8)}
    assert Built(SEQUENCE, multiples, eights).status((12,), (192, 48, 192)) == -12


def test_what_is_made_for_c_is_c99_and_cplusplus_without_a_warning(tmp_path: Path) -> None:
    dims = {"N": range(1, 65), "S": [3, 5]}
    artifacts = ingot.build(_model(SEQUENCE), "c", dims=dims, cache=None)
    info = artifacts.models()["m"]
    variants = variants_of(artifacts, info)
    source = interface_source(info, 0, variants=variants, offsets=[0] * len(variants))
    (tmp_path / "m.h").write_text(artifacts.c_header())
    (tmp_path / "m_api.c").write_bytes(source.content)
    (tmp_path / "m.cc").write_text('#include "m.h"\n')
    strict = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror", "-fsyntax-only")
    command = [compiler(), "-std=c99", "-Wstrict-prototypes", *strict, f"-I{NATIVE_FOLDER}", "m_api.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    if shutil.which("g++"):
        subprocess.run(["g++", *strict, "m.cc"], cwd=tmp_path, check=True)
