"""C programs that call programs with room: any length has what Python gives, under the sanitizers."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

import ingot
from ingot.link.interface import interface_source, variants_of
from ingot.link.shared import NATIVE_FOLDER
from tests.support.c_program import compiler
from tests.system.test_shapes import _model
from tests.system.test_shapes_in_c import Built
from tests.system.test_text_in_c import sanitizers

pytestmark = pytest.mark.cc

# The mask and the weights have the length along two axes, and a mean has it along none.
ATTENTION = (
    "(float[B,S,8] x, float[B,S,S] mask) => (float[B,S,8] y, float[B,S,S] weights, float[B,8] mean) <int64[1] places = {1}> {"
    " t = Transpose<perm=[0,2,1]>(x) s = MatMul(x, t) masked = Add(s, mask) weights = Softmax<axis=-1>(masked)"
    " mixed = MatMul(weights, x) y = Add(mixed, x) mean = ReduceMean<keepdims=0>(y, places) }"
)
# Outputs have other numbers of places than inputs: twice as many, half as many, one less.
COUNTS = (
    "(float[S,4] x) => (float[T,2] more, float[H,4] half, float[U,4] less)"
    " <int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] end = {9999}, int64[2] pairs = {-1,2}> {"
    " p = Softmax<axis=0>(x) more = Reshape(p, pairs) half = Slice(p, one, end, zero, two)"
    " less = Slice(p, one, end, zero) }"
)


@pytest.fixture(scope="module")
def sequences(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("sequences")
    return Built(ATTENTION.replace("[B,", "[1,"), {"S": range(1, 513)}, folder, *sanitizers(folder))


# 10 s with the fixture: gcc compiles the kernels of three programs with the sanitizers.
def test_any_length_has_the_bytes_of_python(sequences: Built) -> None:
    assert [program.sizes for program in sequences.artifacts.models()["m"].programs] == [(8,), (64,), (512,)]
    for size in (1, 2, 7, 8, 9, 63, 64, 65, 200, 512):
        sequences.agree({"S": size})


def test_the_entry_for_one_shape_is_for_the_size_that_the_header_says(sequences: Built) -> None:
    header = " ".join((sequences.folder / "m.h").read_text().replace("\n *", "").split())
    assert "m_run is for S = 8, as are the macros of inputs and outputs" in header
    assert "M_INPUT_X_SHAPE {1, 8, 8}" in header
    sequences.agree({"S": 8}, threads=0)


def test_a_batch_of_any_length_has_the_bytes_of_python(tmp_path: Path) -> None:
    built = Built(ATTENTION, {"B": [2, 3], "S": range(1, 65)}, tmp_path, *sanitizers(tmp_path), target="llvm")
    for batch, size in ((1, 1), (1, 63), (2, 2), (3, 64), (4, 7), (5, 64), (6, 33)):
        built.agree({"B": batch, "S": size})


@pytest.mark.parametrize("target", ["llvm", "llvm -mcpu=x86-64-v2,x86-64-v3"])
def test_any_length_is_computed_on_one_thread_and_on_two(target: str, tmp_path: Path) -> None:
    if "x86" in target and platform.machine() != "x86_64":
        pytest.skip("builds for x86-64")
    built = Built(ATTENTION, {"B": range(1, 9), "S": range(1, 129)}, tmp_path, target=target)
    assert bool(built.artifacts.models()["m"].levels) == ("," in target)
    for sizes in ({"B": 1, "S": 5}, {"B": 3, "S": 16}, {"B": 8, "S": 128}):
        built.agree(sizes)
        built.agree(sizes, threads=2)


def test_outputs_of_other_lengths_are_copied_as_far_as_they_are_there(tmp_path: Path) -> None:
    built = Built(COUNTS, {"S": range(2, 65, 2)}, tmp_path, *sanitizers(tmp_path))
    counts = {name: count for dim in built.artifacts.models()["m"].dims for name, _, *count in dim.counts}
    assert counts == {"more": [2, 0, 1], "half": [1, 0, 2], "less": [1, -1, 1]}
    for size in (2, 6, 62, 64):
        built.agree({"S": size})


def test_no_places_have_the_answers_of_python(tmp_path: Path) -> None:
    text = "(float[S,4] x, float[4] z) => (float[S,4] y, float[4] w) { y = Softmax<axis=0>(x) w = Neg(z) }"
    built = Built(text, {"S": range(64)}, tmp_path, *sanitizers(tmp_path))
    for size in (0, 1, 63):
        built.agree({"S": size})


def test_sizes_out_of_range_have_a_status(tmp_path: Path) -> None:
    built = Built(COUNTS, {"S": ingot.dim(8, 64, multiple_of=8)}, tmp_path, *sanitizers(tmp_path))
    (tmp_path / "in0.bin").write_bytes(bytes(4096))
    for size, status in ((0, -11), (7, -11), (12, -12), (65, -11), (72, -11), (-8, -11), (64, 0)):
        assert built.status((size,), (64 * 16, 64 * 16, 32 * 16, 63 * 16)) == status, size


def test_the_header_states_range_capacities_and_bytes_of_each_program(tmp_path: Path) -> None:
    artifacts = ingot.build(_model(ATTENTION), "c", dims={"B": range(1, 9), "S": range(1, 513)}, cache=None)
    info, header = artifacts.models()["m"], artifacts.c_header()
    assert "M_DIM_B = 0, /* B: 1..8; axis 0 of x, axis 0 of mask; items, each computed by itself */" in header
    assert (
        "M_DIM_S = 1 /* S: 1..512; axis 1 of x, axis 1 of mask, axis 2 of mask; programs have room for 8, 64, 512 */"
        in header
    )
    arenas = [levels[0].host.memory.arena_bytes for levels in variants_of(artifacts, info)]
    copies = [
        2 * size * 8 * 4 + 2 * size * size * 4 + 64 for size in (8, 64, 512)
    ]  # x and y, mask and weights, mean
    for size, arena, copied in zip((8, 64, 512), arenas, copies, strict=True):
        assert f" * B = 1, S up to {size}: {arena} bytes, copies {copied}\n" in header
    assert f"#define M_SHAPED_WORKSPACE_BYTES {-(-arenas[2] // 64) * 64 + copies[2]}\n" in header
    for line in ("M_LOW_S 1", "M_HIGH_S 512", "M_MULTIPLE_S 1"):
        assert f"#define {line}\n" in header
    assert "ingot.sizes" not in header


def test_what_is_made_for_c_is_c99_without_a_warning(tmp_path: Path) -> None:
    artifacts = ingot.build(_model(ATTENTION), "c", dims={"B": range(1, 9), "S": range(1, 65)}, cache=None)
    info = artifacts.models()["m"]
    variants = variants_of(artifacts, info)
    source = interface_source(info, 0, variants=variants, offsets=[0] * len(variants))
    (tmp_path / "m.h").write_text(artifacts.c_header())
    (tmp_path / "m_api.c").write_bytes(source.content)
    strict = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-pedantic", "-Werror")
    command = [compiler(), "-std=c99", *strict, "-fsyntax-only", f"-I{NATIVE_FOLDER}", "m_api.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
