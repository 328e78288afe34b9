"""States that are written in their place, from C: in a block, and by callers who give the old and the new one apart."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

import ingot
from tests.support.c_program import compile_c
from tests.system.test_state_in_c import Packing, run_program, with_archive, with_library
from tests.system.test_text_in_c import sanitizers
from tests.unit.link.test_interface import call

pytestmark = pytest.mark.cc

# A ring of 6 places; and how much came, which each step gives as a whole.
CACHE = """<ir_version: 10, opset_import: ["": 24]>
    m (float[1, 1, 3] x, float[1, 6, 3] h, int64[1] at) => (float[1, 3] y, float[1, 6, 3] h_next, int64[1] at_next)
    <int64[1] axis = {1}, int64[1] one = {1}> {
    h_next = TensorScatter <mode = "circular", axis = 1> (h, x, at)
    y = ReduceSum <keepdims = 0> (h_next, axis) at_next = Add(at, one) }"""
STEPS = """
static int steps(float *answers)
{
    static char ALIGNED(64) work[M_WORKSPACE_BYTES + 1];
    static char ALIGNED(64) state[M_STATE_BYTES], copy[M_STATE_BYTES];
    float x[3] = {1, 2, 3}, y[3];
    const struct m_inputs inputs = {x};
    const struct m_outputs outputs = {y};
    struct m_states states;
    CHECK(m_init_state(state) == M_OK);
    for (int i = 0; i < 9; i++) {
        x[0] = (float)(i * i);
        memcpy(copy, state, M_STATE_BYTES);
        CHECK(m_run(&inputs, &outputs, state, work) == M_OK);
        memcpy(answers + 3 * i, y, sizeof y);
        CHECK(m_run(&inputs, &outputs, copy, work) == M_OK && memcmp(y, answers + 3 * i, sizeof y) == 0);
        CHECK(m_find_states(state, &states) == M_OK && states.at[0] == i + 1 && states.h[3 * (i % 6)] == x[0]);
        CHECK((char *)states.h == state + M_STATE_H_OFFSET);
    }
    return 0;
}
"""


def built(target: str = "c") -> ingot.ArtifactSet:
    state = {"h": "h_next", "at": "at_next"}
    artifacts = ingot.build(onnx.parser.parse_model(CACHE), target, state=state, cache=None)
    assert [each.axis for each in artifacts.models()["m"].states] == [1, None]
    return artifacts


def expected(artifacts: ingot.ArtifactSet) -> np.ndarray:
    stream = artifacts.load()["m"]()
    return np.concatenate([stream.predict(x=np.float32([[[i * i, 2, 3]]]))[0] for i in range(9)])


@pytest.mark.parametrize("packed", [with_library, with_archive])
def test_a_cache_in_a_block_has_one_place_and_the_answers_of_python(packed: Packing, tmp_path: Path) -> None:
    artifacts = built()
    answers = ", ".join(f"{number}f" for number in expected(artifacts))
    source = f"""{STEPS}
int main(void)
{{
    static const float right[27] = {{{answers}}};
    float answers[27];
    CHECK(M_STATE_BYTES == 64 + 2 * 64 + 128 && M_STATE_H_OFFSET == 192 && M_STATE_AT_OFFSET == 64);
    CHECK(steps(answers) == 0 && memcmp(answers, right, sizeof right) == 0);
    return 0;
}}
"""
    run_program(source, tmp_path, *packed(artifacts, tmp_path, *sanitizers(tmp_path)))


def apart(step: Callable[[list[np.ndarray]], int], answers: np.ndarray) -> None:
    """Steps with an array for the old cache and one for the new: the old one stays as it is."""
    h, at = np.zeros((1, 6, 3), np.float32), np.zeros(1, np.int64)
    for i, answer in enumerate(answers.reshape(9, 1, 3)):
        x, before = np.float32([[[i * i, 2, 3]]]), h.copy()
        y, h_next, at_next = np.empty((1, 3), np.float32), np.full_like(h, np.nan), np.empty_like(at)
        assert step([x, h, at, y, h_next, at_next]) == 0
        np.testing.assert_array_equal(y, answer)
        np.testing.assert_array_equal(h, before)
        h, at = h_next, at_next


@pytest.mark.parametrize("target", ["c", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v2,x86-64-v3"])
def test_tvm_ffi_may_give_the_old_cache_and_the_new_one_apart(target: str, tmp_path: Path) -> None:
    artifacts = built(target)
    with_library(artifacts, tmp_path)
    library = ctypes.CDLL(str(tmp_path / "m.so"))
    apart(lambda arrays: call(library, "m", arrays), expected(artifacts))


def test_tvms_entry_of_an_archive_may_give_them_apart(tmp_path: Path) -> None:
    artifacts = built()
    include, *sources = with_archive(artifacts, tmp_path)
    source = """#include "tvmgen_m.h"
int step(void **tensors, void *work);
int step(void **tensors, void *work)
{
    struct tvmgen_m_inputs inputs = {tensors[0], tensors[1], tensors[2]};
    struct tvmgen_m_outputs outputs = {tensors[3], tensors[4], tensors[5]};
    struct tvmgen_m_workspace_pools pools = {work};
    return tvmgen_m_run(&inputs, &outputs, &pools);
}
"""
    library = ctypes.CDLL(str(compile_c(source, tmp_path, include, *sources, "-shared", "-fPIC")))
    work = np.empty(1 << 16, np.uint8)

    def step(arrays: list[np.ndarray]) -> int:
        tensors = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        return int(library.step(tensors, ctypes.c_void_p(work.ctypes.data)))

    apart(step, expected(artifacts))
