"""Masks and positions that follow from a length, as exporters write them: one program serves all lengths."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.numpy_helper
import onnx.parser
import onnxruntime
import pytest

import ingot

LONGEST = 65
_HEADER = (
    '<ir_version: 9, opset_import: ["" : 18]> m (int64[B,S] ids, int64[B,S] mask) => (float[B,S,16] y) {'
)
_COUNTED = (
    " b1 = Shape<start=0, end=1>(ids) s1 = Shape<start=1, end=2>(ids) b = Squeeze(b1) s = Squeeze(s1)"
    " zero = Constant<value_int=0>() one = Constant<value_int=1>() a0 = Constant<value_ints=[0]>()"
    " a1 = Constant<value_ints=[1]>() a2 = Constant<value_ints=[2]>() a3 = Constant<value_ints=[3]>()"
    " a12 = Constant<value_ints=[1,2]>() a123 = Constant<value_ints=[1,2,3]>() last = Constant<value_ints=[-1]>()"
    " r = Range(zero, s, one) rows = Unsqueeze(r, a1) square = Concat<axis=0>(s1, s1)"
)
_BLOCK = (
    " e = Gather(words, ids) x = Add(e, places) qkv = MatMul(x, w) q0, k0, v0 = Split<axis=2, num_outputs=3>(qkv)"
    " heads = Constant<value_ints=[0, 0, 2, 8]>() back = Constant<value_ints=[0, 0, 16]>()"
    " q1 = Reshape(q0, heads) k1 = Reshape(k0, heads) v1 = Reshape(v0, heads) q = Transpose<perm=[0,2,1,3]>(q1)"
    " k = Transpose<perm=[0,2,3,1]>(k1) v = Transpose<perm=[0,2,1,3]>(v1) qk = MatMul(q, k)"
)
_REST = (
    " p = Softmax<axis=-1>(scores) o = MatMul(p, v) o1 = Transpose<perm=[0,2,1,3]>(o) o2 = Reshape(o1, back)"
    " y = Add(o2, x) }"
)
_PLACES = " places = Gather(table, r)"
_FALSE = " low = Constant<value_float=-3.4028235e38>()"
_ONES = " ones = ConstantOfShape<value = bool[1] {1}>(square)"
# How masks and positions are made: each gives `places`, and which are `seen`.
MASKS = {
    "positions that are compared": _PLACES + " seen = LessOrEqual(r, rows)",
    "positions that are compared, the other way round": _PLACES
    + " later = Greater(r, rows) seen = Not(later)",
    "a triangle of ones": _PLACES + _ONES + " seen = Trilu<upper=0>(ones)",
    "a triangle of what is stretched": (
        _PLACES + " t = Constant<value = bool[1] {1}>() ones = Expand(t, square) seen = Trilu<upper=0>(ones)"
    ),
    "a triangle that is compared with zero": (
        _PLACES + " f = ConstantOfShape<value = float[1] {1}>(square) t = Trilu<upper=0>(f)"
        " z = Constant<value_float=0.0>() hidden = Equal(t, z) seen = Not(hidden)"
    ),
    "a part of a larger table": (
        _PLACES
        + " t1 = Slice(triangle, a0, s1, a0) t2 = Slice(t1, a0, s1, a1) z = Constant<value_float=0.0>()"
        " hidden = Equal(t2, z) seen = Not(hidden)"
    ),
    "places that are not padded, by index": (
        # As torch.export writes `mask[batch_index, key_index]`.
        _PLACES
        + " rb = Range(zero, b, one) bs = Unsqueeze(rb, a123) keys0 = Unsqueeze(r, a0) keys = Unsqueeze(keys0, a12)"
        " common = Max(bs, keys) shape = Shape(common) i0 = Expand(bs, shape) i1 = Expand(keys, shape)"
        " i2 = Unsqueeze(i0, last) i3 = Unsqueeze(i1, last) i = Concat<axis=-1>(i2, i3) bits = Cast<to=9>(mask)"
        " there = GatherND(bits, i) causal = LessOrEqual(r, rows) seen = And(causal, there)"
    ),
    "places that are not padded, by flat index": (
        # As TorchScript writes the same.
        _PLACES
        + " rb = Range(zero, b, one) bs = Unsqueeze(rb, a123) keys0 = Unsqueeze(r, a0) keys = Unsqueeze(keys0, a12)"
        " first = Mul(bs, s) i = Add(first, keys) bits = Cast<to=9>(mask) flat = Reshape(bits, last)"
        " there = Gather(flat, i) causal = LessOrEqual(r, rows) seen = And(causal, there)"
    ),
    "positions that are counted": (
        " sums = CumSum(mask, one) before = Sub(sums, one) pads = Equal(mask, zero) at = Where(pads, one, before)"
        " places = Gather(table, at) there0 = Cast<to=9>(mask) there = Unsqueeze(there0, a12)"
        " causal = LessOrEqual(r, rows) seen = And(causal, there)"
    ),
}
ADDED = (
    _PLACES
    + " f = ConstantOfShape<value = float[1] {-inf}>(square) t = Trilu<upper=1>(f, one)"
    + _BLOCK
    + " scores = Add(qk, t)"
)


def _model(text: str) -> onnx.ModelProto:
    model, random = onnx.parser.parse_model(_HEADER + _COUNTED + text + _REST), np.random.default_rng(0)
    arrays = {
        "words": random.standard_normal((10, 16)),
        "table": random.standard_normal((LONGEST, 16)),
        "w": random.standard_normal((16, 48)) / 3,
        "triangle": np.tril(np.ones((LONGEST, LONGEST))),
    }
    read = {name for node in model.graph.node for name in node.input}
    for name in arrays.keys() & read:
        model.graph.initializer.append(onnx.numpy_helper.from_array(arrays[name].astype(np.float32), name))
    return model


def _require_same(model: onnx.ModelProto, target: str, batch: int, **dims: object) -> None:
    executor = ingot.build(model, target, dims=dims, cache=None).load()["m"](ingot.cpu(0))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size in (1, 2, 7, 63, 64, LONGEST):
        random = np.random.default_rng(size)
        mask = np.ones((batch, size), np.int64)
        mask[-1, size // 2 + 1 :] = 0
        feeds = {"ids": random.integers(0, 10, (batch, size)), "mask": mask}
        read = {each.name for each in session.get_inputs()}
        expected = session.run(None, {name: array for name, array in feeds.items() if name in read})[0]
        np.testing.assert_allclose(executor.predict(feeds), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("case", MASKS)
def test_a_block_with_a_causal_mask_serves_all_lengths(case: str) -> None:
    text = MASKS[case] + _BLOCK + _FALSE + " scores = Where(seen, qk, low)"
    _require_same(_model(text), "llvmjit", 1, B=1, S=range(1, LONGEST + 1))


def test_a_mask_that_is_added_serves_all_lengths() -> None:
    _require_same(_model(ADDED), "interp", 1, B=1, S=range(1, LONGEST + 1))


def test_a_batch_and_a_length_vary_behind_a_mask() -> None:
    text = MASKS["places that are not padded, by index"] + _BLOCK + _FALSE + " scores = Where(seen, qk, low)"
    _require_same(_model(text), "llvmjit", 3, B=range(1, 9), S=range(1, LONGEST + 1))


def test_whether_there_are_more_than_twenty_places_is_found_out_while_running() -> None:
    text = (
        _PLACES
        + _BLOCK
        + " twenty = Constant<value_int=20>() many = Greater(r, twenty) counted = Cast<to=1>(many)"
        " most = ReduceMax<keepdims=0>(counted) scores = Mul(qk, most)"
    )
    _require_same(_model(text), "interp", 1, B=1, S=range(1, LONGEST + 1))
