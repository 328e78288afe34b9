"""How weights in groups are kept: words whose bytes are values, and scales in 16 bits where that loses nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.matmul.grouped_weights import Blocks, pack_values, shortest_type
from ingot.kernels.matmul.weight_only import block_matmul
from tests.kernels.templates import site_of
from tests.support import machines

HALF, SINGLE = DType.FLOAT16, DType.FLOAT32


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_a_mask_leaves_four_neighbours_as_the_bytes_of_a_word(bits):
    blocks = Blocks(bits, 16, 32, 0.0)
    values = np.random.default_rng(bits).integers(0, 2**bits, (32, 3)).astype(np.uint8)
    words = pack_values(values, blocks, 4)
    assert words.shape == (1, blocks.steps, 4)
    mask = np.uint32((2**bits - 1) * 0x01010101)
    for fours in range(8):
        step, within = divmod(fours, blocks.each // 4)
        lanes = words[0, step].view(np.uint32) >> np.uint32(bits * within) & mask
        np.testing.assert_array_equal(
            lanes.view(np.uint8).reshape(4, 4)[:3].T, values[4 * fours : 4 * fours + 4]
        )


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ([0.5, -0.0, 65504.0, 2.0**-24], HALF),
        ([0.5, 0.1], SINGLE),
        ([65536.0], SINGLE),
        ([2.0**-25], SINGLE),
        ([np.nan, 1.0], SINGLE),
        ([np.inf], SINGLE),
    ],
)
def test_float16_is_taken_where_it_holds_every_number(numbers, dtype):
    assert shortest_type(np.array(numbers, np.float32)) is dtype


def stored(machine, scales: np.ndarray, offsets: np.ndarray) -> list[DType]:
    """The types of packed scales and offsets."""
    a, values = TensorType(SINGLE, (1, 32)), np.zeros((32, 8), np.uint8)
    template = block_matmul(a, 8, Blocks(4, 16, 32, None))
    site = site_of(template, machine, [None, values, scales, offsets])
    template.build(site)
    return [site.packed[position][0].dtype for position in (2, 3)]


def test_an_offset_may_be_one_rounding_away_from_a_float16_unless_math_is_exact():
    short = np.full((2, 8), 0.0625, np.float32)
    near = np.nextafter(short, np.float32(1))
    far = np.nextafter(near, np.float32(1))
    exact = replace(machines.VECTORS, math="exact")
    assert stored(machines.VECTORS, short, short) == [HALF, HALF]
    assert stored(machines.VECTORS, short, near) == [HALF, HALF]
    assert stored(machines.VECTORS, near, far) == [SINGLE, SINGLE]
    assert stored(exact, short, near) == [HALF, SINGLE]
