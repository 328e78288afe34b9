"""Placements in an arena: nothing alive overlaps, and middles lie over middles where the arena is small."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper

import ingot
from ingot.plan.memory.placement import ALIGNMENT_BYTES, Block, aligned, place
from ingot.plan.program import Branch
from tests.support.models import model

NEAR = 1 << 20

BRANCHES = st.none() | st.builds(Branch, st.sampled_from("ab"), st.integers(0, 1))
BLOCKS = st.lists(
    st.builds(
        lambda size, first, length, branch: Block(["t"], aligned(size), first, first + length, branch),
        st.integers(1, 40_000), st.integers(0, 12), st.integers(0, 5), BRANCHES,
    ),
    max_size=16,
)  # fmt: skip


def chain(*sizes: int) -> list[Block]:
    """What each of some calls makes for the next one."""
    return [Block([f"t{number}"], size, number, number + 1) for number, size in enumerate(sizes)]


@given(BLOCKS, st.sampled_from([0, 100_000, NEAR]))
def test_what_is_needed_at_the_same_time_lies_apart(blocks: list[Block], near_bytes: int) -> None:
    offsets, total = place(blocks, near_bytes)
    for number, (block, start) in enumerate(zip(blocks, offsets, strict=True)):
        assert start % ALIGNMENT_BYTES == 0
        assert 0 <= start <= start + block.size_bytes <= total
        for other, begin in zip(blocks[:number], offsets, strict=False):
            if block.overlaps(other):
                assert start >= begin + other.size_bytes or begin >= start + block.size_bytes


@given(BLOCKS)
def test_a_near_arena_is_at_most_a_quarter_larger_than_the_least(blocks: list[Block]) -> None:
    least, total = place(blocks, 0)[1], place(blocks, NEAR)[1]
    assert total <= least + least // 4
    assert place(blocks, least - 1) == place(blocks, 0)


def test_blocks_of_a_chain_have_their_middles_in_common() -> None:
    """As a network of convolutions: maps get smaller, and two are needed at a time."""
    blocks = chain(73728, 73728, 147456, 36864, 73728, 18432, 36864, 18432)
    offsets, total = place(blocks, NEAR)
    middles = [start + block.size_bytes // 2 for block, start in zip(blocks, offsets, strict=True)]
    assert len(set(middles)) == 2
    assert all(one != another for one, another in pairwise(middles))
    assert total == place(blocks, 0)[1]


def test_of_places_that_fit_the_one_that_was_used_last_is_taken() -> None:
    """What lies there is the likeliest to be in the first-level cache."""
    blocks = [Block(["a"], 640, 0, 1), Block(["b"], 640, 1, 2), Block(["c"], 640, 3, 3)]
    (a, b, c), total = place(blocks, NEAR)
    assert total == 2 * 640
    assert (c, a != b) == (b, True)


def test_of_places_that_are_free_the_one_that_grows_least_is_taken() -> None:
    """The last one, `t1`, takes the place of 128 bytes, not that of 64, which was used later."""
    sizes = [(192, 0, 1), (512, 4, 5), (64, 1, 3), (128, 1, 2), (512, 2, 4)]
    blocks = [Block([f"t{number}"], *each) for number, each in enumerate(sizes)]
    assert place(blocks, NEAR)[1] == 1088


def test_a_large_arena_is_as_small_as_can_be() -> None:
    blocks = chain(*[NEAR, NEAR // 2, NEAR // 4] * 3)
    assert place(blocks, NEAR) == place(blocks, 0)


def test_middles_that_would_take_much_more_memory_are_given_up() -> None:
    """Many small blocks where a large one was: each would need a place that is as large as itself, beside it."""
    blocks = [Block(["large"], 64_000, 0, 0), *(Block([f"t{number}"], 8_000, 1, 1) for number in range(8))]
    blocks = [Block(one.bases, aligned(one.size_bytes), one.first, one.last) for one in blocks]
    assert place(blocks, NEAR) == place(blocks, 0)
    assert place(blocks, NEAR)[1] == 8 * aligned(8_000)


def test_an_arena_that_would_be_larger_than_a_cache_is_as_small_as_can_be() -> None:
    blocks = chain(128, 64, 64, 192)
    assert place(blocks, 320)[1] == 320
    assert place(blocks, 319)[1] == place(blocks, 256)[1] == 256


@pytest.mark.parametrize(
    ("target", "offset"), [("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell", 4096), ("c", 0)]
)
def test_a_build_has_middle_over_middle_where_cores_have_caches_for_themselves(
    target: str, offset: int
) -> None:
    """`c` with 24 KB follows `a` with 32 KB."""
    text = "g (float[64,128] x) => (float[64,32] y) { a = MatMul(x, w) b = MatMul(a, v) c = MatMul(b, u) y = MatMul(c, t) }"
    proto = model(text)
    for name, shape in {"w": (128, 128), "v": (128, 32), "u": (32, 96), "t": (96, 32)}.items():
        proto.graph.initializer.append(numpy_helper.from_array(np.ones(shape, np.float32), name))
    written = {each.file_name: each.content for each in ingot.build(proto, target, cache=None)}
    places = dict(
        re.findall(r"^  (\w): .* at arena\+(\d+)$", bytes(written["g.program.txt"]).decode(), re.MULTILINE)
    )
    assert places == {"a": "0", "b": "32768", "c": str(offset)}
