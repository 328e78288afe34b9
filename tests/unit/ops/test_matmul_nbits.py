"""Products with weights of few bits in blocks, against onnxruntime and against the real numbers of the weights."""

from __future__ import annotations

import numpy as np
import pytest

import ingot
from ingot.base.errors import ModelError, UnsupportedError
from tests.support.contrib import agree, by_ingot, contrib_node

RANDOM = np.random.default_rng(0)


def product(rows, depth, columns, bits, block, zeros=None, bias=False, lead=()):
    """Inputs of MatMulNBits, and its attributes."""
    blocks, each = -(-depth // block), 8 // bits
    inputs = {
        "a": np.asarray(RANDOM.standard_normal((*lead, rows, depth)), np.float32),
        "w": RANDOM.integers(0, 256, (columns, blocks, block // each)).astype(np.uint8),
        "s": np.asarray(RANDOM.uniform(0.005, 0.02, (columns, blocks)), np.float32),
        "z": None, "order": None, "b": None,
    }  # fmt: skip
    if zeros == "packed":
        inputs["z"] = RANDOM.integers(0, 256, (columns, -(-blocks // each))).astype(np.uint8)
    if zeros == "real":
        inputs["z"] = np.asarray(RANDOM.uniform(0, 2**bits, (columns, blocks)), np.float32)
    if bias:
        inputs["b"] = np.asarray(RANDOM.standard_normal(columns), np.float32)
    return inputs, {"K": depth, "N": columns, "bits": bits, "block_size": block}


@pytest.mark.parametrize("zeros", [None, "packed", "real"])
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize(
    ("rows", "depth", "columns", "block"),
    [(1, 64, 48, 16), (1, 96, 70, 32), (3, 80, 33, 32), (4, 128, 64, 128), (7, 96, 40, 32), (60, 160, 35, 16),
     (100, 512, 64, 128), (9, 600, 32, 256)],
)  # fmt: skip
def test_as_onnxruntime_computes_them(rows, depth, columns, block, bits, zeros):
    if zeros == "real" and bits == 8:
        pytest.skip("onnxruntime has no such kernel")
    inputs, attributes = product(rows, depth, columns, bits, block, zeros, bias=rows % 2 == 1)
    agree("MatMulNBits", inputs, fed=["a"], rtol=1e-4, atol=2e-4, **attributes)


@pytest.mark.parametrize("target", ["interp", "llvm", "c"])
@pytest.mark.parametrize(("rows", "depth"), [(1, 77), (2, 33), (9, 77)])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_as_the_real_numbers_of_the_weights_say(bits, rows, depth, target):
    inputs, attributes = product(rows, depth, 21, bits, 16, "packed", lead=(1,))
    blocks = -(-depth // 16)

    def codes(array, count):
        low_first = [array >> bits * one & 2**bits - 1 for one in range(8 // bits)]
        return np.stack(low_first, -1).reshape(21, -1)[:, :count].astype(np.float64)

    zeros, whole = codes(inputs["z"], blocks), codes(inputs["w"].reshape(21, -1), depth)
    spread = np.arange(depth) // 16
    weights = (whole - zeros[:, spread]) * inputs["s"][:, spread]
    node = contrib_node("MatMulNBits", inputs, fed=["a"], **attributes)
    (got,) = by_ingot(node, {"a": inputs["a"]}, target)
    np.testing.assert_allclose(got, inputs["a"] @ weights.T, rtol=1e-4, atol=1e-4)


def test_weights_stay_codes():
    inputs, attributes = product(1, 256, 128, 4, 32)
    made = ingot.build(contrib_node("MatMulNBits", inputs, fed=["a"], **attributes), "llvm", cache=None)
    held = sum(
        value.dtype.size_bytes * value.size
        for value in made.load()["g"].info.values
        if value.region == "constants"
    )
    assert held <= 256 * 128 // 2 + 4 * 128 * 8 + 256


def _as(array, old, new):
    return array if array is None or array.dtype != old else array.astype(new)


def test_half_floats_are_summed_in_float32():
    inputs, attributes = product(2, 64, 32, 4, 32, "packed")
    half = {name: _as(array, np.float32, np.float16) for name, array in inputs.items()}
    wide = {name: _as(array, np.float16, np.float32) for name, array in half.items()}
    (got,) = by_ingot(
        contrib_node("MatMulNBits", half, (np.float16,), fed=["a"], **attributes), {"a": half["a"]}
    )
    (expected,) = by_ingot(contrib_node("MatMulNBits", wide, fed=["a"], **attributes), {"a": wide["a"]})
    assert got.dtype == np.float16
    np.testing.assert_allclose(got, expected, rtol=2e-3, atol=2e-3)


def test_an_order_of_blocks_is_taken_where_it_is_their_own():
    inputs, attributes = product(2, 64, 32, 4, 32)
    inputs["order"] = np.asarray(np.arange(64) // 32, np.int32)
    by_ingot(contrib_node("MatMulNBits", inputs, fed=["a"], **attributes), {"a": inputs["a"]})
    inputs["order"] = inputs["order"][::-1].copy()
    with pytest.raises(
        UnsupportedError, match=r"input 4 \(g_idx\) gives elements of the depth to blocks in another order"
    ):
        ingot.build(contrib_node("MatMulNBits", inputs, fed=["a"], **attributes), "interp")


def test_weights_that_are_not_constant_are_refused():
    inputs, attributes = product(2, 64, 32, 4, 32)
    with pytest.raises(UnsupportedError, match=r"input 1 \(B\) must be a constant"):
        ingot.build(contrib_node("MatMulNBits", inputs, **attributes), "interp")


@pytest.mark.parametrize("rows", [1, 6])
def test_a_depth_below_a_block_and_one_column(rows):
    for depth, columns in ((5, 3), (1, 1), (31, 1)):
        inputs, attributes = product(rows, depth, columns, 4, 32, "packed")
        agree("MatMulNBits", inputs, fed=["a"], rtol=1e-4, atol=1e-4, **attributes)


@pytest.mark.parametrize(
    ("attributes", "inputs", "error", "why"),
    [({"K": "a"}, {}, UnsupportedError, "K=a, N=32, block_size=32, bits=4: expected whole numbers above 0"),
     ({"N": "a"}, {}, ModelError, "its attribute 'N' is STRING, expected INT"),
     ({"bits": "a"}, {}, UnsupportedError, "bits=a: expected whole numbers"),
     ({"N": 0}, {"w": np.zeros((0, 2, 16), np.uint8), "s": np.zeros((0, 2), np.float32)}, UnsupportedError, "N=0"),
     ({}, {"w": np.zeros((32, 2, 16), np.float32)}, UnsupportedError, r"input 1 \(B\) is float32\[32, 2, 16\], expected uint8"),
     ({}, {"z": np.zeros((32, 1), np.int32)}, UnsupportedError, r"input 3 \(zero_points\) is int32\[32, 1\]")],
)  # fmt: skip
def test_what_does_not_fit_is_said_in_a_sentence(attributes, inputs, error, why):
    given, stated = product(2, 64, 32, 4, 32)
    with pytest.raises(error, match=why):
        ingot.build(contrib_node("MatMulNBits", given | inputs, fed=["a"], **stated | attributes), "interp")
