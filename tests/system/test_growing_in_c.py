"""Caches that grow, from C: a block says how much is filled, and prompts and single tokens go through one cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ingot
from tests.system.test_prefill_and_decode import CAPACITY, DIMS, IDS, PIECES, SILENT, WORDS, decoder
from tests.system.test_prefill_and_decode import step as given
from tests.system.test_state_in_c import Packing, run_program, with_archive, with_library
from tests.system.test_state_that_grows import decoder as decoder_of_tokens
from tests.system.test_text_in_c import sanitizers

pytestmark = pytest.mark.cc

# Memory is as large as it must be, so that sanitizers see what is behind it.
MAIN = """
enum { CAPACITY = M_STATE_CAPACITY_PAST_SEQUENCE_LENGTH };

static int step(const int64_t *ids, int64_t past, int64_t count, float *logits, void *state, void *work)
{
    int64_t *const mask = malloc((size_t)(past + count) * sizeof *mask), *const at = malloc((size_t)count * sizeof *at);
    const int64_t dims[M_DIMS] = {count, -77};
    const struct m_inputs inputs = {ids, mask, at};
    const struct m_outputs outputs = {logits};
    for (int64_t i = 0; i < past + count; i++) {
        mask[i] = 1;
    }
    for (int64_t i = 0; i < count; i++) {
        at[i] = past + i;
    }
    const int status = count == 1 ? m_run(&inputs, &outputs, state, work) : m_run_shaped(dims, &inputs, &outputs, state, work);
    free(mask);
    free(at);
    return status;
}

int main(void)
{
    static const int64_t ids[] = {%(ids)s}, pieces[] = {%(pieces)s};
    static const float right[] = {%(right)s};
    static char ALIGNED(64) state[M_STATE_BYTES], copy[M_STATE_BYTES];
    void *work = NULL;
    struct m_states states;
    int64_t past = 0;
    CHECK(M_WORKSPACE_BYTES == M_SHAPED_WORKSPACE_BYTES && M_STATE_BYTES %% 64 == 0);
    CHECK(posix_memalign(&work, 64, M_WORKSPACE_BYTES) == 0);
    CHECK(m_init_state(state) == M_OK && m_find_states(state, &states) == M_OK);
    CHECK(*states.filled_past_sequence_length == 0);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        float *const logits = malloc((size_t)pieces[i] * WORDS * sizeof *logits);
        memcpy(copy, state, M_STATE_BYTES); /* a fork */
        CHECK(step(ids + past, past, pieces[i], logits, state, work) == M_OK);
        CHECK(memcmp(logits, right + past * WORDS, (size_t)pieces[i] * WORDS * sizeof *logits) == 0);
        CHECK(step(ids + past, past, pieces[i], logits, copy, work) == M_OK && memcmp(copy, state, M_STATE_BYTES) == 0);
        past += pieces[i];
        CHECK(*states.filled_past_sequence_length == past);
        free(logits);
    }
    float logits[4 * WORDS];
    CHECK(past == CAPACITY && step(ids, past, 1, logits, state, work) == M_ERROR_FULL_STATE);
    CHECK(step(ids, past, 4, logits, state, work) == M_ERROR_FULL_STATE);
    CHECK(memcmp(copy, state, M_STATE_BYTES) == 0);

    /* What was filled last is taken back. */
    *states.filled_past_sequence_length = past - 4;
    CHECK(step(ids + past - 4, past - 4, 4, logits, state, work) == M_OK && *states.filled_past_sequence_length == past);
    CHECK(memcmp(copy + 64, state + 64, M_STATE_BYTES - 64) == 0);
    *states.filled_past_sequence_length = 0;
    CHECK(step(ids, 0, 3, logits, state, work) == M_ERROR_DIM_SIZE && *states.filled_past_sequence_length == 0);
    CHECK(step(ids, 0, 4, NULL, state, work) == M_ERROR_NULL_TENSOR && *states.filled_past_sequence_length == 0);
    const struct m_inputs inputs = {ids, ids, ids};
    const struct m_outputs outputs = {logits};
    const int64_t far[M_DIMS] = {INT64_MAX, 0}, below[M_DIMS] = {-1, 0};
    CHECK(m_run_shaped(far, &inputs, &outputs, state, work) == M_ERROR_DIM_RANGE);
    CHECK(m_run_shaped(below, &inputs, &outputs, state, work) == M_ERROR_DIM_RANGE);
    CHECK(m_run_shaped(NULL, &inputs, &outputs, state, work) == M_ERROR_NULL_DIMS);
    *states.filled_past_sequence_length = -1;
    CHECK(step(ids, 0, 1, logits, state, work) == M_ERROR_OTHER_STATE);
    *states.filled_past_sequence_length = CAPACITY + 1;
    CHECK(step(ids, 0, 1, logits, state, work) == M_ERROR_OTHER_STATE);
    free(work);
    return 0;
}
"""


def built(target: str = "c") -> ingot.ArtifactSet:
    return ingot.build(decoder(), target, name="m", dims=DIMS, state="auto", cache=None, observer=SILENT)


# 3 s: a build for C of two programs, and its compilation with the sanitizers.
@pytest.mark.parametrize("packed", [with_library, with_archive])
def test_a_block_counts_what_is_filled_and_gives_the_bytes_of_python(packed: Packing, tmp_path: Path) -> None:
    artifacts = built()
    stream, rows, past = artifacts.load()["m"](), [], 0
    for size in PIECES:
        rows.append(stream.predict(given(IDS[past : past + size], past))[0])
        past += size
    numbers = {
        "ids": ", ".join(map(str, IDS)),
        "pieces": ", ".join(map(str, PIECES)),
        "right": ", ".join(f"{number!r}f" for number in np.concatenate(rows).ravel().tolist()),
    }
    source = f"#include <stdlib.h>\n#define WORDS {WORDS}\n" + MAIN % numbers
    flags = "-D_POSIX_C_SOURCE=200112L", *sanitizers(tmp_path)
    run_program(source, tmp_path, *packed(artifacts, tmp_path, *flags))


def test_a_block_has_room_for_what_is_filled_and_says_how_much_in_its_metadata() -> None:
    info = built().models()["m"]
    assert [(state.grows, state.axis, state.dim) for state in info.states] == [
        (2, 2, "past_sequence_length")
    ] * 2
    header = built().c_header("m")
    assert f"M_STATE_CAPACITY_PAST_SEQUENCE_LENGTH {CAPACITY}" in header
    assert "A step adds sequence_length." in header


def test_tvm_ffi_says_that_it_knows_no_block(tmp_path: Path) -> None:
    artifacts = built()
    with_library(artifacts, tmp_path)
    text = (tmp_path / "m.so").read_bytes()
    assert b"it has state that grows in a block of memory, which tvm-ffi does not know" in text


def test_a_state_of_which_each_step_gives_a_longer_copy_has_no_block(tmp_path: Path) -> None:
    read_twice = "sum = ReduceSum <keepdims = 0> (past_key) z = Reshape(sum, flat)"
    artifacts = ingot.build(
        decoder_of_tokens(more=read_twice),
        "c",
        state={"past_*": "present_*"},
        dims={"past": ingot.dim(0, 16), "total": "past + 1"},
        cache=None,
        observer=SILENT,
    )
    message = "it has the state 'past_key', of which each step gives a longer copy"
    with pytest.raises(ingot.ArtifactError, match=f"has no C interface: {message}"):
        artifacts.c_header()
    with pytest.raises(ingot.ArtifactError, match=f"'m' has none: {message}"):
        artifacts.export_model_library_format(tmp_path / "m.tar")
