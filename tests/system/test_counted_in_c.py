"""C programs that run models which count places: how many there are, in memory of exactly the size that the header says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ingot
from tests.system.test_counted import NON_ZERO, SILENT, boxes_and_scores, executor, parsed, suppression
from tests.system.test_state_in_c import Packing, run_program, with_archive, with_library
from tests.system.test_text_in_c import sanitizers

pytestmark = pytest.mark.cc

# The sanitizers see what is written behind memory of the heap; without them the words behind it say so.
ROOM = """
#include <stdlib.h>
#ifndef GUARD
#define GUARD 0
#endif
static int64_t *room(size_t elements)
{
    int64_t *memory = malloc((elements + GUARD) * sizeof *memory);
    for (size_t i = 0; i < elements + GUARD; i++) {
        memory[i] = -77;
    }
    return memory;
}
static int is_kept(const int64_t *memory, size_t elements)
{
    for (size_t i = elements; i < elements + GUARD; i++) {
        if (memory[i] != -77) {
            return 0;
        }
    }
    return 1;
}
"""

PLACES = """
int main(void)
{
    static char ALIGNED(64) work[M_WORKSPACE_BYTES + 1];
    float x[M_INPUT_X_ELEMENTS] = {0};
    int64_t *y = room(M_OUTPUT_Y_ELEMENTS), *counts = room(M_COUNTS);
    struct m_inputs inputs;
    struct m_outputs outputs;
    inputs.x = x;
    outputs.y = y;
    outputs.ingot_counts = counts;
    CHECK(M_COUNTS == 1 && M_LOW_N == LOW && M_HIGH_N == HIGH);
    for (int count = 0; count <= 24; count++) {
        const int is_good = count >= LOW && count <= HIGH;
        counts[M_COUNT_N] = -1;
        CHECK(m_run(&inputs, &outputs, work) == (is_good ? M_OK : M_ERROR_KERNEL));
        CHECK(counts[M_COUNT_N] == count);
        CHECK(is_kept(y, M_OUTPUT_Y_ELEMENTS) && is_kept(counts, M_COUNTS));
        for (int i = 0; i < count && is_good; i++) {
            CHECK(y[i] == i / 8 && y[M_OUTPUT_Y_ELEMENTS / 2 + i] == i % 8);
        }
        if (count < 24) {
            x[count] = 3;
        }
    }
    free(y), free(counts);
    return 0;
}
"""

PACKED = pytest.mark.parametrize("packed", [with_library, with_archive])
# A bound, a bound of fewer places than there is room for at least, none, and a number that the model declares.
BOUNDS = {"10": (0, 10, "n"), "3": (0, 3, "n"), "none": (0, 24, "n"), "declared": (9, 9, "9")}


def built(text: str, target: str = "c", **bounds: int) -> ingot.ArtifactSet:
    return ingot.build(parsed(text), target, bounds=bounds or None, cache=None, observer=SILENT)


# 1 to 2 s each: a build for C, and its compilation with the sanitizers.
@PACKED
@pytest.mark.parametrize("name", BOUNDS)
def test_indices_are_counted_and_others_than_may_be_are_an_error(
    name: str, packed: Packing, tmp_path: Path
) -> None:
    low, high, extent = BOUNDS[name]
    bounds = {"n": int(name)} if name.isdecimal() else {}
    artifacts = built(NON_ZERO.replace("[2,n]", f"[2,{extent}]"), "c", **bounds)
    source = ROOM + PLACES if extent == "n" else (ROOM + PLACES).replace("_N", "_Y_1")
    flags = packed(artifacts, tmp_path, *sanitizers(tmp_path))
    run_program(source, tmp_path, f"-DLOW={low}", f"-DHIGH={high}", *flags)


@PACKED
def test_compiled_code_writes_nothing_behind_the_bound(packed: Packing, tmp_path: Path) -> None:
    artifacts = built(NON_ZERO, "llvm", n=10)
    flags = packed(artifacts, tmp_path)
    run_program(ROOM + PLACES, tmp_path, "-DGUARD=64", "-DLOW=0", "-DHIGH=10", *flags)


BOXES = """
int main(void)
{
    static char ALIGNED(64) work[M_WORKSPACE_BYTES + 1];
    static const float boxes[M_INPUT_BOXES_ELEMENTS] = {%(boxes)s}, scores[M_INPUT_SCORES_ELEMENTS] = {%(scores)s};
    static const int64_t right[] = {%(right)s};
    const int64_t chosen = sizeof right / sizeof *right / 3;
    int64_t *y = room(M_OUTPUT_Y_ELEMENTS), *counts = room(M_COUNTS);
    const struct m_inputs inputs = {boxes, scores};
    struct m_outputs outputs;
    outputs.y = y;
    outputs.ingot_counts = counts;
    CHECK(m_run(&inputs, &outputs, work) == (chosen <= M_HIGH_SELECTED ? M_OK : M_ERROR_KERNEL));
    CHECK(counts[M_COUNT_SELECTED] == chosen && M_OUTPUT_Y_ELEMENTS == 3 * M_HIGH_SELECTED);
    CHECK(chosen > M_HIGH_SELECTED || memcmp(y, right, sizeof right) == 0);
    CHECK(is_kept(y, M_OUTPUT_Y_ELEMENTS) && is_kept(counts, M_COUNTS));
    free(y), free(counts);
    return 0;
}
"""
SUPPRESSION = suppression("int64 most={4}, float iou={0.3}, float floor={0.4}", "most, iou, floor")


@PACKED
@pytest.mark.parametrize("missing", [-1, 0, 1])
def test_boxes_are_counted_and_more_than_a_bound_are_an_error(
    missing: int, packed: Packing, tmp_path: Path
) -> None:
    feeds = boxes_and_scores(0)
    right = executor(SUPPRESSION).predict(feeds)
    assert len(right) > 8
    artifacts = built(SUPPRESSION, selected=len(right) - missing)
    numbers = {key: ", ".join(f"{float(each)!r}f" for each in array.flat) for key, array in feeds.items()}
    numbers["right"] = ", ".join(map(str, right.flat))
    run_program(ROOM + BOXES % numbers, tmp_path, *packed(artifacts, tmp_path, *sanitizers(tmp_path)))


@PACKED
def test_the_first_of_several_extents_that_is_too_large_is_told(packed: Packing, tmp_path: Path) -> None:
    text = "(float[3,8] x) => (int64[2,n] y, int64[2,k] z) { y = NonZero(x) z = NonZero(y) }"
    artifacts = built(text, n=10, k=12)
    source = """
int main(void)
{
    static char ALIGNED(64) work[M_WORKSPACE_BYTES + 1];
    float x[24] = {0};
    int64_t *y = room(M_OUTPUT_Y_ELEMENTS), *z = room(M_OUTPUT_Z_ELEMENTS), *counts = room(M_COUNTS);
    const struct m_inputs inputs = {x};
    const struct m_outputs outputs = {y, z, counts};
    x[9] = x[10] = 1;
    CHECK(m_run(&inputs, &outputs, work) == M_OK && counts[M_COUNT_N] == 2 && counts[M_COUNT_K] == 4);
    for (int i = 9; i < 17; i++) {
        x[i] = 1;
    }
    CHECK(m_run(&inputs, &outputs, work) == M_ERROR_KERNEL);
    CHECK(counts[M_COUNT_N] == 8 && counts[M_COUNT_K] > M_HIGH_K);
    for (int i = 0; i < 24; i++) {
        x[i] = 1;
    }
    CHECK(m_run(&inputs, &outputs, work) == M_ERROR_KERNEL && counts[M_COUNT_N] == 24);
    CHECK(is_kept(y, M_OUTPUT_Y_ELEMENTS) && is_kept(z, M_OUTPUT_Z_ELEMENTS) && is_kept(counts, M_COUNTS));
    free(y), free(z), free(counts);
    return 0;
}
"""
    run_program(ROOM + source, tmp_path, *packed(artifacts, tmp_path, *sanitizers(tmp_path)))


@PACKED
def test_no_kernel_that_counts_writes_behind_its_bound(packed: Packing, tmp_path: Path) -> None:
    text = """(float[12] x, bool[12] c, int64 e) => (float[a] y, float[u] z, int64[r] w) <int64 o={0}, int64 l={1}>
        { y = Compress<axis=0>(x, c) z = Unique(x) w = Range(o, e, l) }"""
    artifacts = built(text, a=3, u=3, r=3)
    source = """
int main(void)
{
    static char ALIGNED(64) work[M_WORKSPACE_BYTES + 1];
    float x[12] = {0}, *y = malloc(M_OUTPUT_Y_BYTES), *z = malloc(M_OUTPUT_Z_BYTES);
    uint8_t c[12] = {0, 1, 0, 1};
    int64_t e = 2, *w = room(M_OUTPUT_W_ELEMENTS), *counts = room(M_COUNTS);
    struct m_inputs inputs;
    const struct m_outputs outputs = {y, z, w, counts};
    inputs.x = x;
    inputs.c = c;
    inputs.e = &e;
    x[3] = 5;
    CHECK(m_run(&inputs, &outputs, work) == M_OK);
    CHECK(counts[M_COUNT_A] == 2 && counts[M_COUNT_U] == 2 && counts[M_COUNT_R] == 2);
    CHECK(y[0] == 0 && y[1] == 5 && z[0] == 0 && z[1] == 5 && w[0] == 0 && w[1] == 1);
    for (int i = 0; i < 12; i++) {
        x[i] = (float)i;
        c[i] = 1;
    }
    e = 100;
    CHECK(m_run(&inputs, &outputs, work) == M_ERROR_KERNEL);
    CHECK(counts[M_COUNT_A] == 12 && counts[M_COUNT_U] == 12 && counts[M_COUNT_R] == 100);
    CHECK(is_kept(w, M_OUTPUT_W_ELEMENTS) && is_kept(counts, M_COUNTS));
    free(y), free(z), free(w), free(counts);
    return 0;
}
"""
    run_program(ROOM + source, tmp_path, *packed(artifacts, tmp_path, *sanitizers(tmp_path)))


def test_archives_of_other_forms_report_more_places_than_a_bound_too(tmp_path: Path) -> None:
    artifacts = built(NON_ZERO, n=10)
    x = np.ones((3, 8), np.float32)
    for version, kind in ((8, "aot"), (8, "graph"), (7, "aot")):
        artifacts.export_model_library_format(tmp_path / "m.tar", version, executor=kind)
        model = ingot.load(tmp_path / "m.tar")["m"](ingot.cpu(0))
        with pytest.raises(ingot.IngotError, match=r"there are 24 places of n|reports error"):
            model.predict(x=x)
