"""C programs that step models with state, in blocks of their own memory: what Python's executor gives, under the sanitizers."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest

import ingot
from ingot.link.shared import link_library
from ingot.link.toolchain import find_toolchain
from tests.support.c_program import compile_c, compiler
from tests.support.paths import ROOT
from tests.system.test_state import CELL, COUNTER, SILENT, lstm
from tests.system.test_text_in_c import sanitizers

pytestmark = pytest.mark.cc

STEPS = 100
# A mean of all that came.
MEAN = """<ir_version: 8, opset_import: ["": 17]> m (float[1] x, float[2] h) => (float[1] y, float[2] hn)
    <float one = {1}, int64[2] halves = {1, 1}> { total, count = Split(h, halves) total1 = Add(total, x)
    count1 = Add(count, one) y = Div(total1, count1) hn = Concat <axis = 0> (total1, count1) }"""

# One stream goes through all pieces, another one backwards through them, in turns. All memory is as large as it must be.
MAIN = """#define _POSIX_C_SOURCE 200112L
#include "m.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) do { if (!(condition)) { printf("line %d\\n", __LINE__); return 1; } } while (0)

static void *room(size_t bytes, size_t alignment)
{
    void *memory = NULL;
    if (bytes > 0 && posix_memalign(&memory, alignment, bytes) != 0) {
        exit(100);
    }
    return memory;
}

static void *block(void)
{
    void *state = room(M_STATE_BYTES, M_STATE_ALIGNMENT);
    memset(state, 0xff, M_STATE_BYTES);
    return m_init_state(state) == M_OK ? state : NULL;
}

static int step(const char *x, char *y, void *state, void *workspace)
{
    struct m_inputs inputs;
    struct m_outputs outputs;
    inputs.x = (const void *)x;
    outputs.y = (void *)y;
    return m_run(&inputs, &outputs, state, workspace);
}

static int refused(const char *x, char *y, void *state, void *workspace)
{
    char *before = room(M_STATE_BYTES, M_STATE_ALIGNMENT);
    struct m_states states;
    memcpy(before, state, M_STATE_BYTES);
    CHECK(step(NULL, y, state, workspace) == M_ERROR_NULL_TENSOR);
    CHECK(step(x, NULL, state, workspace) == M_ERROR_NULL_TENSOR);
    CHECK(step(x, y, NULL, workspace) == M_ERROR_NULL_STATE);
    CHECK(step(x, y, (char *)state + 4, workspace) == M_ERROR_UNALIGNED_STATE);
    CHECK(m_run(NULL, NULL, state, workspace) == M_ERROR_NULL_STRUCT);
    CHECK(m_init_state(NULL) == M_ERROR_NULL_STATE);
    CHECK(m_init_state((char *)state + 8) == M_ERROR_UNALIGNED_STATE);
    CHECK(m_find_states(state, NULL) == M_ERROR_NULL_STRUCT);
    CHECK(m_find_states(NULL, &states) == M_ERROR_NULL_STATE);
    CHECK(memcmp(before, state, M_STATE_BYTES) == 0); /* a step that fails leaves the state as it was */
    memset(before, 0, M_STATE_BYTES);
    CHECK(step(x, y, before, workspace) == M_ERROR_OTHER_STATE);
    CHECK(m_find_states(before, &states) == M_ERROR_OTHER_STATE);
    free(before);
    return 0;
}

int main(void)
{
    char *x = room(STEPS * M_INPUT_X_BYTES, 64), *y = room(2 * STEPS * M_OUTPUT_Y_BYTES, 64);
    char *workspace = room(M_WORKSPACE_BYTES, M_WORKSPACE_ALIGNMENT);
    char *forward = block(), *backward = block(), *branch = room(M_STATE_BYTES, M_STATE_ALIGNMENT);
    char *answer = room(M_OUTPUT_Y_BYTES, 64);
    struct m_states states;
    FILE *file = fopen("x.bin", "rb");
    CHECK(file != NULL && fread(x, M_INPUT_X_BYTES, STEPS, file) == STEPS && fclose(file) == 0);
    CHECK(m_state_bytes() == M_STATE_BYTES && forward != NULL && backward != NULL);
    for (int i = 0; i < STEPS; i++) {
        const int last = STEPS - 1 - i;
        CHECK(step(x + i * M_INPUT_X_BYTES, y + i * M_OUTPUT_Y_BYTES, forward, workspace) == M_OK);
        CHECK(step(x + last * M_INPUT_X_BYTES, y + (STEPS + i) * M_OUTPUT_Y_BYTES, backward, workspace) == M_OK);
    }
    CHECK(m_find_states(forward, &states) == M_OK);
    file = fopen("y.bin", "wb");
    CHECK(file != NULL && fwrite(y, M_OUTPUT_Y_BYTES, 2 * STEPS, file) == 2 * STEPS);
    CHECK(fwrite(states.h, 1, M_STATE_H_BYTES, file) == M_STATE_H_BYTES && fclose(file) == 0);
    CHECK(refused(x, answer, forward, workspace) == 0);

    /* A copy of a block is another stream. */
    memcpy(branch, backward, M_STATE_BYTES);
    CHECK(step(x, y, backward, workspace) == M_OK && step(x, answer, branch, workspace) == M_OK);
    CHECK(memcmp(y, answer, M_OUTPUT_Y_BYTES) == 0);
    /* What was kept may be set again. */
    CHECK(m_find_states(backward, &states) == M_OK);
    char *kept = room(M_STATE_BYTES, 64);
    memcpy(kept, states.h, M_STATE_H_BYTES);
    CHECK(step(x, y, backward, workspace) == M_OK && step(x, answer, backward, workspace) == M_OK);
    CHECK(m_find_states(backward, &states) == M_OK);
    memcpy(states.h, kept, M_STATE_H_BYTES);
    CHECK(SEVERAL || (step(x, answer, backward, workspace) == M_OK && memcmp(y, answer, M_OUTPUT_Y_BYTES) == 0));
    /* And a stream may begin anew. */
    CHECK(step(x, y, branch, workspace) == M_OK);
    CHECK(m_init_state(branch) == M_OK && m_init_state(backward) == M_OK);
    CHECK(step(x, y, branch, workspace) == M_OK && step(x, answer, backward, workspace) == M_OK);
    CHECK(memcmp(y, answer, M_OUTPUT_Y_BYTES) == 0);
    free(x), free(y), free(workspace), free(forward), free(backward), free(branch), free(answer), free(kept);
    return 0;
}
"""

Packing = Callable[
    ..., tuple[str, ...]
]  # artifacts, a folder and flags of the compiler; gives those of a program
MODELS = {"lstm": {"h": "hn", "c": "cn"}, "mean": {"h": "hn"}, "cell": {"h": "hn"}}


def proto(name: str) -> onnx.ModelProto:
    return lstm() if name == "lstm" else onnx.parser.parse_model({"mean": MEAN, "cell": CELL}[name])


def built(name: str, target: str = "c") -> ingot.ArtifactSet:
    return ingot.build(proto(name), target, name="m", state=MODELS[name], cache=None, observer=SILENT)


def with_library(artifacts: ingot.ArtifactSet, folder: Path, *flags: str) -> tuple[str, ...]:
    """What a program is compiled with that calls the library of a set."""
    chain = find_toolchain()
    chain = dataclasses.replace(chain, extra_flags=(*chain.extra_flags, *flags))
    link_library(artifacts, folder / "m.so", toolchain=chain)
    for symbol in artifacts.models():
        (folder / f"{symbol}.h").write_text(artifacts.c_header(symbol))
    return ("-L.", "-l:m.so", "-Wl,-rpath,$ORIGIN", *flags)


def with_archive(artifacts: ingot.ArtifactSet, folder: Path, *flags: str) -> tuple[str, ...]:
    """The same of an archive, and of nothing else."""
    artifacts.export_model_library_format(folder / "m.tar")
    with tarfile.open(folder / "m.tar") as tar:
        tar.extractall(folder, filter="data")
    code = folder / "codegen" / "host"
    return (f"-I{code / 'include'}", *map(str, (*code.glob("src/*.c"), *code.glob("lib/*.o"))), "-lm", *flags)


def agree(
    name: str, artifacts: ingot.ArtifactSet, folder: Path, *more: str, under: tuple[str, ...] = ()
) -> None:
    """Two streams in turns have the bytes of two executors, and so has the state at the end."""
    flags = (f"-DSTEPS={STEPS}", f"-DSEVERAL={int(len(MODELS[name]) > 1)}")
    main = compile_c(MAIN, folder, *flags, *more)
    forward = artifacts.load()["m"]()
    backward, shape = forward.fork(), forward.inputs[0].shape
    pieces = np.random.default_rng(5).standard_normal((STEPS, *shape), np.float32)
    (folder / "x.bin").write_bytes(pieces.tobytes())
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    command = [*under, str(main)]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    expected = [forward.predict(x=piece) for piece in pieces] + [
        backward.predict(x=piece) for piece in pieces[::-1]
    ]
    arrays = [*expected, forward.state()["h"]]
    assert (folder / "y.bin").read_bytes() == b"".join(array.tobytes() for array in arrays)


# 2 s each: a build for C, and its compilation with the sanitizers.
@pytest.mark.parametrize("name", MODELS)
def test_a_library_steps_streams_in_turns_with_the_bytes_of_python(name: str, tmp_path: Path) -> None:
    artifacts = built(name)
    agree(name, artifacts, tmp_path, *with_library(artifacts, tmp_path, *sanitizers(tmp_path)))


@pytest.mark.parametrize("name", MODELS)
def test_an_archive_steps_streams_in_turns_with_the_bytes_of_python(name: str, tmp_path: Path) -> None:
    artifacts = built(name)
    agree(name, artifacts, tmp_path, *with_archive(artifacts, tmp_path, *sanitizers(tmp_path)))


def test_an_archive_with_objects_steps_streams(tmp_path: Path) -> None:
    artifacts = built("lstm", "llvm")
    agree("lstm", artifacts, tmp_path, *with_archive(artifacts, tmp_path))


def test_a_library_with_code_for_several_processors_steps_streams(tmp_path: Path) -> None:
    artifacts = built("lstm", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v2,x86-64-v3")
    agree("lstm", artifacts, tmp_path, *with_library(artifacts, tmp_path))


def test_a_stream_reads_and_writes_no_byte_that_is_not_its_own(tmp_path: Path) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("needs valgrind")
    artifacts = built("mean")
    under = ("valgrind", "-q", "--error-exitcode=99", "--leak-check=full")
    agree("mean", artifacts, tmp_path, *with_archive(artifacts, tmp_path), under=under)


def run_program(source: str, folder: Path, *more: str) -> None:
    """A program whose exit status must be 0; it says in which line it stopped."""
    main = compile_c(PROGRAM + source, folder, *more)
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([main], cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


PROGRAM = """#include "m.h"
#include <stdio.h>
#include <string.h>
#define CHECK(condition) do { if (!(condition)) { printf("line %d\\n", __LINE__); return 1; } } while (0)
#define ALIGNED(alignment) __attribute__((aligned(alignment)))
"""


@pytest.mark.parametrize("packed", [with_library, with_archive])
def test_other_extents_of_a_model_with_state_may_vary(packed: Packing, tmp_path: Path) -> None:
    artifacts = built_text(COUNTER, {"seen": "seen_out"}, dims={"N": [1, 2, 5]})
    source = """
int main(void)
{
    static char ALIGNED(64) work[M_SHAPED_WORKSPACE_BYTES + 1];
    static char ALIGNED(64) state[M_STATE_BYTES];
    const int64_t x[5] = {1, 10, 100, 1000, 10000};
    int64_t y[5], dims[M_DIMS] = {5};
    const struct m_inputs inputs = {x};
    const struct m_outputs outputs = {y};
    CHECK(m_init_state(state) == M_OK);
    CHECK(m_run_shaped(dims, &inputs, &outputs, state, work) == M_OK && y[4] == 10000);
    dims[0] = 2;
    CHECK(m_run_shaped(dims, &inputs, &outputs, state, work) == M_OK && y[0] == 11112 && y[1] == 11121);
    dims[0] = 3;
    CHECK(m_run_shaped(dims, &inputs, &outputs, state, work) == M_ERROR_DIM_SIZE);
    dims[0] = 1;
    CHECK(m_run_shaped(NULL, &inputs, &outputs, state, work) == M_ERROR_NULL_DIMS);
    CHECK(m_run_shaped(dims, &inputs, &outputs, state + 8, work) == M_ERROR_UNALIGNED_STATE);
    CHECK(m_run_shaped(dims, &inputs, &outputs, state, work) == M_OK && y[0] == 11123);
    CHECK(m_run(&inputs, &outputs, state, work) == M_OK && y[0] == 11124);
    return 0;
}
"""
    run_program(source, tmp_path, *packed(artifacts, tmp_path, *sanitizers(tmp_path)))


def built_text(text: str, state: Mapping[str, str], name: str = "m", **options: object) -> ingot.ArtifactSet:
    model = onnx.parser.parse_model(text)
    return ingot.build(model, "c", name=name, state=state, cache=None, observer=SILENT, **options)


ZEROS = (
    CELL.replace("[1, 8] x", "[N, 8] x").replace("[1, 8] y", "[N, 8] y").replace("Add(x, h)", "Identity(h)")
)


@pytest.mark.parametrize("packed", [with_library, with_archive])
def test_a_step_with_no_item_goes_on_all_the_same(packed: Packing, tmp_path: Path) -> None:
    artifacts = built_text(ZEROS.replace("Tanh(s)", "Add(s, s)"), {"h": "hn"}, dims={"N": range(9)})
    source = """
int main(void)
{
    static char ALIGNED(64) work[M_SHAPED_WORKSPACE_BYTES + 1];
    static char ALIGNED(64) state[M_STATE_BYTES];
    float x[72] = {1}, y[72];
    const struct m_inputs inputs = {x};
    const struct m_outputs outputs = {y};
    struct m_states states;
    const int64_t counts[] = {0, 3, 0, 0, 8};
    CHECK(m_init_state(state) == M_OK && m_find_states(state, &states) == M_OK);
    states.h[0] = 1;
    for (int i = 0; i < 5; i++) {
        CHECK(m_run_shaped(counts + i, &inputs, &outputs, state, work) == M_OK);
        CHECK(m_find_states(state, &states) == M_OK && states.h[0] == (float)(2 << i) && states.h[1] == 0);
    }
    CHECK(y[0] == 32);
    return 0;
}
"""
    run_program(source, tmp_path, *packed(artifacts, tmp_path, *sanitizers(tmp_path)))


@pytest.mark.parametrize("packed", [with_library, with_archive])
def test_models_with_the_same_states_go_on_with_a_block_and_others_refuse_it(
    packed: Packing, tmp_path: Path
) -> None:
    total = """<ir_version: 8, opset_import: ["": 17]> m (float[2] x, float[2] h) => (float[2] y, float[2] hn)
        { hn = Add(h, x) y = Identity(hn) }"""
    sets = [
        built_text(total, {"h": "hn"}),
        built_text(total.replace("Add", "Mul"), {"h": "hn"}, "times"),
        built_text(CELL, {"h": "hn"}, "other"),
        ingot.build(onnx.parser.parse_model(total), "c", name="plain", cache=None),
    ]
    whole = sets[0]
    for some in sets[1:]:
        whole = whole.merge(some)
    source = """
#include "other.h"
#include "plain.h"
#include "times.h"
int main(void)
{
    static char ALIGNED(64) work[OTHER_WORKSPACE_BYTES + PLAIN_WORKSPACE_BYTES + TIMES_WORKSPACE_BYTES + M_WORKSPACE_BYTES + 1];
    static char ALIGNED(64) state[M_STATE_BYTES];
    const float x[8] = {3, 4};
    float y[8], h[2] = {1, 1}, hn[2];
    const struct m_inputs inputs = {x};
    const struct m_outputs outputs = {y};
    const struct times_inputs factors = {x};
    const struct times_outputs products = {y};
    const struct other_inputs others = {x};
    const struct other_outputs results = {y};
    const struct plain_inputs whole = {x, h};
    const struct plain_outputs all = {y, hn};
    CHECK(TIMES_STATE_BYTES == M_STATE_BYTES && m_init_state(state) == M_OK);
    CHECK(m_run(&inputs, &outputs, state, work) == M_OK && y[1] == 4);
    CHECK(times_run(&factors, &products, state, work) == TIMES_OK && y[1] == 16);
    CHECK(m_run(&inputs, &outputs, state, work) == M_OK && y[1] == 20 && y[0] == 12);
    CHECK(other_run(&others, &results, state, work) == OTHER_ERROR_OTHER_STATE);
    CHECK(plain_run(&whole, &all, work) == PLAIN_OK && hn[1] == 5);
    return 0;
}
"""
    run_program(source, tmp_path, *packed(whole, tmp_path, *sanitizers(tmp_path)))


# An archive refuses two tensors of one name in TVM's headers.
def test_states_have_names_that_c_can_have_and_packed_elements(tmp_path: Path) -> None:
    text = """<ir_version: 10, opset_import: ["": 21]> m
        (float[1] "a.b", int4[4] a_b, float[2] "for") => (float[4] y, int4[4] z, float[2] "for.next")
        { y = Cast <to = 1> (a_b) s = Add(y, "a.b") z = Cast <to = 22> (s) "for.next" = Add("for", "a.b") }"""
    artifacts = built_text(text, {"a_b": "z", "for": "for.next"})
    source = """
int main(void)
{
    static char ALIGNED(64) work[M_WORKSPACE_BYTES + 1];
    static char ALIGNED(64) state[M_STATE_BYTES];
    const float one[1] = {1};
    float y[4];
    struct m_inputs inputs;
    struct m_outputs outputs;
    struct m_states states;
    inputs.a_b = one;
    outputs.y = y;
    CHECK(M_STATE_A_B_BYTES == 2 && M_STATE_A_B_OFFSET == 64 && M_STATE_T_FOR_OFFSET == 128 && M_STATE_HALF == 128);
    CHECK(m_init_state(state) == M_OK);
    for (int i = 0; i < 3; i++) {
        CHECK(m_run(&inputs, &outputs, state, work) == M_OK && y[0] == (float)i && y[3] == (float)i);
    }
    CHECK(m_find_states(state, &states) == M_OK && states.a_b[1] == 0x33 && states.t_for[1] == 3);
    states.a_b[0] = 0x21;
    CHECK(m_run(&inputs, &outputs, state, work) == M_OK && y[0] == 1 && y[1] == 2 && y[2] == 3);
    return 0;
}
"""
    run_program(source, tmp_path, *with_library(artifacts, tmp_path, *sanitizers(tmp_path)))


@pytest.mark.parametrize("packed", [with_library, with_archive])
def test_a_model_with_text_may_have_state(packed: Packing, tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17, "ai.onnx.ml": 2]> m (string[1] w, int64[1] seen)
        => (int64[1] y, int64[1] seen_out) { y = ai.onnx.ml.LabelEncoder
        <keys_strings = ["a", "b"], values_int64s = [1, 10], default_int64 = 100> (w) seen_out = Add(seen, y) }"""
    artifacts = built_text(text, {"seen": "seen_out"})
    source = """
int main(void)
{
    static char ALIGNED(64) work[M_WORKSPACE_BYTES + 1];
    static char ALIGNED(64) state[M_STATE_BYTES];
    const char *word[1];
    int64_t y[1];
    struct m_inputs inputs;
    struct m_outputs outputs;
    struct m_states states;
    inputs.w = word;
    outputs.y = y;
    CHECK(m_init_state(state) == M_OK);
    for (int i = 0; i < 6; i++) {
        word[0] = i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c";
        CHECK(m_run(&inputs, &outputs, state, work) == M_OK);
    }
    word[0] = NULL;
    CHECK(m_run(&inputs, &outputs, state, work) == M_ERROR_NULL_TEXT);
    CHECK(m_find_states(state, &states) == M_OK && states.seen[0] == 222);
    return 0;
}
"""
    run_program(source, tmp_path, *packed(artifacts, tmp_path, *sanitizers(tmp_path)))


def test_an_archive_tests_states_too(tmp_path: Path) -> None:
    artifacts = built("lstm")
    with_archive(artifacts, tmp_path)
    vectors = tmp_path / "test" / "m_vectors.h"
    strict = "CFLAGS=-O1 -std=c99 -Wall -Wextra -Werror"
    command = ["make", "-s", "-C", str(tmp_path), f"CC={compiler()}", strict, "test"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "m: 1 vectors are good" in done.stdout, done.stdout + done.stderr
    (cell,) = artifacts.models()["m"].outputs[2:]
    begin, end = vectors.read_text().split(f"vector0_{2 + 1 + 2}[{10}] = {{", 1)
    number = end.split(",", 1)
    vectors.write_text(f"{begin}vector0_5[10] = {{ 7.5f,{number[1]}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and cell.name in done.stdout, done.stdout + done.stderr


def test_headers_of_models_with_state_are_c99_and_cplusplus_without_a_warning(tmp_path: Path) -> None:
    artifacts = built_text(COUNTER, {"seen": "seen_out"}, dims={"N": [1, 2, 5]})
    include, *_ = with_archive(artifacts, tmp_path)
    strict = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror", "-fsyntax-only")
    (entry,) = [path for path in tmp_path.rglob("src/*.c") if "ingot_shapes_run" in path.read_text()]
    subprocess.run([compiler(), "-std=c99", "-Wstrict-prototypes", *strict, include, entry], check=True)
    (tmp_path / "m.cc").write_text('#include "m.h"\n')
    (tmp_path / "library.cc").write_text(artifacts.c_header())
    for compilers in filter(None, (shutil.which("g++"), shutil.which("clang++"))):
        for source in ("m.cc", "library.cc"):
            subprocess.run([compilers, *strict, "-x", "c++", include, tmp_path / source], check=True)


def test_the_metadata_say_where_the_states_of_a_raw_block_are(tmp_path: Path) -> None:
    artifacts = built("mean")
    more = with_archive(artifacts, tmp_path)
    source = """
int main(void)
{
    static char ALIGNED(64) work[M_WORKSPACE_BYTES + 1];
    static char ALIGNED(64) state[M_STATE_BYTES];
    const float x[1] = {3};
    float y[1];
    const struct m_inputs inputs = {x};
    const struct m_outputs outputs = {y};
    CHECK(m_init_state(state) == M_OK);
    for (int i = 0; i < 5; i++) {
        CHECK(m_run(&inputs, &outputs, state, work) == M_OK && y[0] == 3);
    }
    FILE *file = fopen("state.bin", "wb");
    CHECK(file != NULL && fwrite(state, M_STATE_BYTES, 1, file) == 1 && fclose(file) == 0);
    return 0;
}
"""
    run_program(source, tmp_path, *more)
    said = json.loads((tmp_path / "metadata.json").read_bytes())["modules"]["m"]["state"]
    content = (tmp_path / "state.bin").read_bytes()
    assert len(content) == said["size_bytes"]
    mark, current = np.frombuffer(content, np.uint32, 2)
    assert (mark, current) == (said["mark"], 1)
    begin = said["states"][0]["offset_bytes"] + int(current) * said["half_bytes"]
    np.testing.assert_array_equal(np.frombuffer(content, np.float32, 2, begin), [15, 5])


def test_the_program_of_the_page_on_state_prints_what_it_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "use" / "state.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"^```c\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    artifacts = built_text(MEAN, {"h": "hn"}, "mean")
    more = with_archive(artifacts, tmp_path, *sanitizers(tmp_path))
    main = compile_c(source, tmp_path, *more, standard="c11")
    done = subprocess.run([main], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["2", "3", "5", "15 of 3", ""]


def test_a_kernel_that_fails_half_way_leaves_the_state_as_it_was(tmp_path: Path) -> None:
    include, *sources = with_archive(built("mean"), tmp_path)
    (entry,) = [
        source for source in sources if source.endswith(".c") and "find_states" in Path(source).read_text()
    ]
    source = """
int32_t ingot_m_run(void *const *bases);
const uint8_t ingot_m_constants[M_CONSTANTS_BYTES + 1] = {0};
static int32_t result;

/* In the place of the kernels: it writes some of the new state, and fails. The tensors are x, h, y and hn. */
int32_t ingot_m_run(void *const *bases)
{
    const float *const old = bases[4];
    float *const new = bases[6];
    new[0] = old[0] + 1;
    return result;
}

int main(void)
{
    static char ALIGNED(64) work[M_WORKSPACE_BYTES + 1];
    static char ALIGNED(64) state[M_STATE_BYTES];
    const float x[1] = {3};
    float y[1];
    const struct m_inputs inputs = {x};
    const struct m_outputs outputs = {y};
    struct m_states states;
    CHECK(m_init_state(state) == M_OK);
    for (int i = 0; i < 6; i++) {
        result = i % 3 == 0 ? 0 : -1;
        CHECK(m_run(&inputs, &outputs, state, work) == (result == 0 ? M_OK : M_ERROR_KERNEL));
        CHECK(m_find_states(state, &states) == M_OK && states.h[0] == (float)(1 + i / 3));
    }
    return 0;
}
"""
    run_program(source, tmp_path, include, entry)
