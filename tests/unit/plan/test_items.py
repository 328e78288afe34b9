"""Tests of which extents count items that are computed by themselves."""

from __future__ import annotations

import onnx.parser
import pytest

from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from ingot.plan.items import ItemAxis, Mixed, differing, grown_axes, item_axes
from ingot.plan.program import Draft

_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m '


def draft_of(text: str, count: int) -> Draft:
    model = onnx.parser.parse_model(_HEADER + text)
    return to_draft(read_model(model.SerializeToString(), dims={"N": count}, name="m"), ALL)


def _axes(text: str, axis: int = 0) -> dict[str, ItemAxis] | str:
    """The axes of the outputs' items, or why there are none."""
    drafts = [draft_of(text, count) for count in (4, 3)]
    inputs = [name for name in drafts[0].inputs if 4 in drafts[0].types[name].shape]
    axes = item_axes(drafts[0], dict.fromkeys(inputs, axis), 4, grown_axes(*drafts))
    if not isinstance(axes, Mixed):
        mixed = differing(drafts[0], drafts[1], (4, 3), axes)
        if mixed is None:
            return {name: axes[name] for name in drafts[0].outputs if name in axes}
        axes = mixed
    return str(axes)


ALONE = {
    "arithmetic": "(float[N,4] x) => (float[N,4] y) <float[4] w = {1,2,3,4}> { y = Mul(x, w) }",
    "products of rows": "(float[N,2] x) => (float[N,3] y) <float[2,3] w = {1,2,3,4,5,6}> { y = MatMul(x, w) }",
    "convolutions": "(float[N,1,3,3] x) => (float[N,1,2,2] y) <float[1,1,2,2] w = {1,2,3,4}> { y = Conv(x, w) }",
    "pools": "(float[N,1,4,4] x) => (float[N,1,2,2] y) { y = MaxPool<kernel_shape=[2,2], strides=[2,2]>(x) }",
    "softmax within an item": "(float[N,5] x) => (float[N,5] y) { y = Softmax<axis=1>(x) }",
    "sums within an item": "(float[N,5,4] x) => (float[N] y) <int64[2] a = {1,2}> { y = ReduceSum<keepdims=0>(x, a) }",
    "the largest of an item": "(float[N,5] x) => (int64[N,1] y) { y = ArgMax<axis=1>(x) }",
    "rows in another place": "(float[N,5] x) => (float[5,N] y) { y = Transpose<perm=[1,0]>(x) }",
    "joining within an item": "(float[N,5] x) => (float[N,10] y) { y = Concat<axis=1>(x, x) }",
    "parts of an item": "(float[N,5] x) => (float[N,2] y) <int64[1] b = {1}, int64[1] e = {3}, int64[1] a = {1}>"
    " { y = Slice(x, b, e, a) }",
    "rows of tables": "(int64[N] x) => (float[N,2] y) <float[3,2] t = {1,2,3,4,5,6}> { y = Gather(t, x) }",
    "items in one row after another": "(float[N,2,3] x) => (float[T,3] y) <int64[2] s = {-1,3}> { y = Reshape(x, s) }",
    "rows of a table for constant numbers": (
        "(float[N,2] x, float[3,2] t) => (float[N,2] y) <int64 i = {2}> {"
        " s = Shape<start=0, end=1>(x) k = Expand(i, s) g = Gather(t, k) y = Add(x, g) }"
    ),
    "what is computed of rows that were copied": (
        "(float[N,3,2] x, float[2] w) => (float[N,3,2] y) <int64[2] k = {-1,6}> {"
        " s = Shape(x) e = Expand(w, s) m = Softmax<axis=2>(e) n = Exp(m) f = Reshape(n, k) r = Reshape(f, s) y = Mul(x, r) }"
    ),
    "items at places that a table gives": (
        "(float[N,3] x) => (float[N,3] y) <int64 z = {0}, int64 o = {1}, int64[1] a = {1}, int64 h = {3}, int64[1,3] r = {2,1,0},"
        " int64[1] w = {-1}> { s = Shape<start=0, end=1>(x) q = Squeeze(s) g = Range(z, q, o) k = Mul(g, h) c = Unsqueeze(k, a)"
        " i = Add(c, r) f = Reshape(x, w) y = Gather<axis=0>(f, i) }"
    ),
    "items by their numbers": (
        "(float[N,3] x) => (float[N,2] y) <int64 z = {0}, int64 o = {1}, int64[2] a = {1,2}, int64[3] p = {1,2,1},"
        " int64[1,2,1] c = {0,2}> { s = Shape<start=0, end=1>(x) q = Squeeze(s) g = Range(z, q, o) n = Unsqueeze(g, a)"
        " e = Expand(n, p) t = Shape(e) v = Expand(c, t) i = Concat<axis=2>(e, v) y = GatherND(x, i) }"
    ),
    "products of rows that were copied": (
        "(float[N,3,2] x, float[5,1,2] w) => (float[N,3,5] y) <float[2,2] v = {1,2,3,4}, int64[3] k = {5,-1,2},"
        " int64[2] m = {-1,2}, int64[1] o = {1}> { n = Shape<start=0, end=1>(x) s0 = Constant<value_ints=[5]>()"
        " s2 = Constant<value_ints=[2]>() s = Concat<axis=0>(s0, n, s2) e = Expand(w, s) f = Reshape(e, m) p = MatMul(f, v)"
        " r = Reshape(p, s) t = Transpose<perm=[1,2,0]>(r) y = MatMul(x, t) }"
    ),
    "constants that grow with the batch": "(float[N,2] x) => (float[N,2] y)"
    " { s = Shape(x) z = ConstantOfShape(s) y = Add(x, z) }",
}
MIXING = {
    "sums over the batch": (
        "(float[N,5] x) => (float[1,5] y) <int64[1] a = {0}> { y = ReduceSum(x, a) }",
        "reduce sum over axis 0",
    ),
    "softmax over the batch": (
        "(float[N,5] x) => (float[N,5] y) { y = Softmax<axis=0>(x) }",
        "softmax over axis 0",
    ),
    "products of items with each other": (
        "(float[N,4] x) => (float[N,N] y) { t = Transpose<perm=[1,0]>(x) y = MatMul(x, t) }",
        "matmul over axis 0, 1",
    ),
    "the other way round": (
        "(float[N,4] x) => (float[N,4] y)"
        " <int64[1] b = {-1}, int64[1] e = {-9223372036854775808}, int64[1] a = {0}, int64[1] s = {-1}>"
        " { y = Slice(x, b, e, a, s) }",
        "reads others",
    ),
    "one item for all": (
        "(float[N,4] x) => (float[N,4] y) <int64 i = {0}> { f = Gather<axis=0>(x, i) y = Add(x, f) }",
        "reads others",
    ),
    "a sum over what follows from copies": (
        "(float[N,3] x, float[3] w) => (float[N,3] y) <int64[1] a = {0}, int64[1] f = {-1}> { s = Shape(x) e = Expand(w, s)"
        " r = Reshape(e, f) i = Softmax<axis=0>(r) t = ReduceSum<keepdims=1>(i, a) y = Mul(x, t) }",
        "softmax over axis 0",
    ),
    "what is joined": ("(float[N,4] x) => (float[M,4] y) { y = Concat<axis=0>(x, x) }", "concat over axis 0"),
    "another order of numbers": (
        "(float[N,4] x) => (float[4,N] y) { s = Shape(x) i = Constant<value_ints=[1,0]>() t = Gather(s, i) y = Reshape(x, t) }",
        "other numbers than for 3",  # for 4 items the order is the same
    ),
    "the number of the item": (
        "(float[N,4] x) => (float[N,4] y) <int64 z = {0}, int64 o = {1}, int64[1] a = {1}> {"
        " s = Shape<start=0, end=1>(x) q = Squeeze(s) r = Range(z, q, o) f = Cast<to=1>(r) c = Unsqueeze(f, a) y = Add(x, c) }",
        "other values for other items",
    ),
    "the number of items": (
        "(float[N,4] x) => (float[N,4] y) { s = Shape<start=0, end=1>(x) f = Cast<to=1>(s) y = Mul(x, f) }",
        "other numbers than for 3",
    ),
    "as many copies as items": (
        "(float[N,4] x) => (float[N,M] y) <int64[1] o = {1}> { s = Shape<start=0, end=1>(x)"
        " r = Concat<axis=0>(o, s) y = Tile(x, r) }",
        "axis 1 of",
    ),
    "as many of the largest as items": (
        "(float[N,9] x) => (float[N,M] v, int64[N,M] i) { k = Shape<start=0, end=1>(x) v, i = TopK<axis=1>(x, k) }",
        "axis 1 of",
    ),
    "a sum of copies within an item": (
        "(float[N,4] x) => (float[N,1] y) <int64[1] o = {1}> { s = Shape<start=0, end=1>(x) r = Concat<axis=0>(o, s)"
        " t = Tile(x, r) y = ReduceSum(t, o) }",
        "axis 1 of",
    ),
    "a sum of copies for all items": (
        "(float[N,5] x, float[1,5] w) => (float[N,5] y) <int64[1] a = {0}> { s = Shape(x) e = Expand(w, s) r = ReduceSum(e, a)"
        " y = Mul(x, r) }",
        "reduce sum over axis 0",
    ),
    "another kernel for another number": (
        "(float[N,1,12] x) => (float[N,1,1] y) <int64[1] o = {1}, int64[1] a = {2}> { s = Shape<start=0, end=1>(x)"
        ' z = Concat<axis=0>(s, o, s) r = Resize<mode="nearest">(x,,,z) y = ReduceMax(r, a) }',
        "other numbers than for 3",
    ),
    "neighbours by a table": (
        "(float[N,3] x) => (float[N,3] y) <int64 z = {0}, int64 o = {1}, int64[1] a = {1}, int64 h = {3},"
        " int64[1,3] r = {-1,0,1}, int64[1] w = {-1}> { s = Shape<start=0, end=1>(x) q = Squeeze(s) g = Range(z, q, o)"
        " k = Mul(g, h) c = Unsqueeze(k, a) i = Add(c, r) f = Reshape(x, w) y = Gather<axis=0>(f, i) }",
        "reads others",
    ),
    "rows of a table by the number of the item": (
        "(float[N,2] x, float[9,2] t) => (float[N,2] y) <int64 z = {0}, int64 o = {1}> {"
        " s = Shape<start=0, end=1>(x) q = Squeeze(s) g = Range(z, q, o) r = Gather(t, g) y = Add(x, r) }",
        "'r' has other values for other items",
    ),
    "a number that chooses an item and is added": (
        "(int64[N] x) => (int64[N] y) <int64 z = {0}, int64 o = {1}> {"
        " s = Shape<start=0, end=1>(x) q = Squeeze(s) g = Range(z, q, o) p = Gather(x, g) y = Add(p, g) }",
        "other values for other items",
    ),
    "a sum over what was copied for each": (
        "(float[N,3] x, float[3] w) => (float[N,3] y) <int64[1] a = {0}> { s = Shape(x) e = Expand(w, s) m = Exp(e)"
        " t = ReduceSum<keepdims=1>(m, a) y = Mul(x, t) }",
        "reduce sum over axis 0",
    ),
    "a range over all": (
        "(float[N,4] x) => (uint8[N,4] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear(x) }",
        "range of over axis 0",
    ),
}


@pytest.mark.parametrize("case", ALONE)
def test_items_are_computed_by_themselves(case: str) -> None:
    axes = _axes(ALONE[case])
    assert isinstance(axes, dict), axes


@pytest.mark.parametrize("case", MIXING)
def test_what_mixes_items_is_named(case: str) -> None:
    text, why = MIXING[case]
    axes = _axes(text)
    assert isinstance(axes, str) and why in axes


def test_an_item_may_be_several_rows_of_an_output() -> None:
    assert _axes(ALONE["items in one row after another"]) == {"y": ItemAxis(0, 2)}


def test_items_may_lie_within_rounds_of_another_axis() -> None:
    text = (
        "(float[5,N,4] x) => (float[5,N,2] y) <float[4,2] w = {1,2,3,4,5,6,7,8}, int64[2] s = {-1,4}> {"
        " f = Reshape(x, s) p = MatMul(f, w) h = Shape<start=0, end=2>(x) t = Constant<value_ints=[2]>()"
        " q = Concat<axis=0>(h, t) y = Reshape(p, q) }"
    )
    assert _axes(text, axis=1) == {"y": ItemAxis(1)}


def test_an_output_with_parts_of_an_item_apart_is_refused() -> None:
    text = "(float[5,N,4] x) => (float[R,4] y) <int64[2] s = {-1,4}> { y = Reshape(x, s) }"
    assert "parts of an item apart" in str(_axes(text, axis=1))


def test_an_output_that_is_the_same_for_all_has_no_axis_of_items() -> None:
    text = "(float[N,4] x, float[2] z) => (float[N,4] y, float[2] w) { y = Relu(x) w = Relu(z) }"
    assert _axes(text) == {"y": ItemAxis(0)}


def test_outputs_that_are_all_the_same_for_all_have_no_items() -> None:
    assert "all outputs are the same" in str(
        _axes("(float[N,4] x, float[2] z) => (float[2] w) { w = Relu(z) }")
    )
