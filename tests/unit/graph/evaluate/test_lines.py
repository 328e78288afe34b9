"""Tests of whether what is computed from shapes is one function of the number of items."""

from __future__ import annotations

import onnx.parser
import pytest

from ingot.graph.evaluate.derived import SizeLog
from ingot.graph.evaluate.lines import Asked, Counts, asked, case_asked
from ingot.graph.prepare import prepare
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL

_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m '
_N = "s = Shape<start=0, end=1>(x) n = Squeeze(s)"


def _log(text: str, count: int) -> SizeLog:
    model = onnx.parser.parse_model(text if text.startswith("<") else _HEADER + text)
    sizes = SizeLog()
    prepare(read_model(model.SerializeToString(), dims={"N": count}, name="m"), ALL, sizes=sizes)
    return sizes


def _asked(text: str, high: int = 64) -> Asked | None:
    return asked(_log(text, 8), _log(text, 3), Counts(8, 3, 1, high))


ONE_ANSWER = {
    "is it minus one": (
        "(float[N,4] x) => (float[N,4] y) <int64[2] o = {-1,-1}, int64[2] b = {1,1}> {"
        " s = Shape(x) q = Equal(s, o) w = Where(q, b, s) y = Expand(x, w) }"
    ),
    "is there any": (
        "(float[N,4] x) => (float[N,4] y) <int64 z = {0}> {"
        f" {_N} c = Greater(n, z) y = If (c) <then_branch = t () => (float[N,4] a) {{ a = Relu(x) }},"
        " else_branch = e () => (float[N,4] b) { b = Neg(x) }> }"
    ),
    "a product with a constant, divided by it": (
        "(float[N,4] x) => (float[N,2,2] y) <int64[1] f = {4}, int64[1] d = {2}, int64[1] m = {-1}> {"
        " s = Shape<start=0, end=1>(x) a = Mul(s, f) h = Div(a, f) w = Concat<axis=0>(h, m, d) y = Reshape(x, w) }"
    ),
    "elements of an item": (
        "(float[N,4] x) => (float[N,4] y) <int64[1] m = {-1}> { z = Size(x) s = Shape<start=0, end=1>(x) e = Div(z, s)"
        " w = Concat<axis=0>(m, e) y = Reshape(x, w) }"
    ),
    "the smaller of the number and more than there can be": (
        "(float[N,4] x) => (float[N,4] y) <int64[1] h = {64}, int64[1] m = {-1}> { s = Shape<start=0, end=1>(x) e = Min(s, h)"
        " w = Concat<axis=0>(e, m) y = Reshape(x, w) }"
    ),
    "a mask of numbers below more than there can be": (
        "(float[N] x) => (float[N] y) <int64 z = {0}, int64 o = {1}, int64 h = {64}> {"
        f" {_N} r = Range(z, n, o) c = Less(r, h) y = Where(c, x, x2) x2 = Neg(x) }}"
    ),
    "the shape of numbers that are compared": (
        "(float[N,4] x) => (float[N,4] y) <int64 z = {0}, int64 o = {1}, int64[1] a = {1}, int64[1,4] k = {0,1,2,3}> {"
        f" {_N} r = Range(z, n, o) c = Unsqueeze(r, a) m = Max(c, k) w = Shape(m) y = Expand(x, w) }}"
    ),
    "numbers within an item": (
        "(float[N,4] x) => (float[N,4] y) <int64 a = {1}> { s = Shape(x) o = ConstantOfShape(s) e = Cos(o) c = CumSum(e, a)"
        " y = Add(x, c) }"
    ),
    "all but what is behind the end": (
        "(float[N,4] x) => (float[N,4] y) <int64[1] b = {0}, int64[1] e = {100}, int64[1] a = {0}> { y = Slice(x, b, e, a) }"
    ),
    "a part of an item, before opset 10": (
        '<ir_version: 4, opset_import: ["" : 9]> m (float[N,4] x) => (float[N,2] y)'
        " { y = Slice<starts=[1], ends=[3], axes=[1]>(x) }"
    ),
    "as many positions as items of a longer table": (
        "(float[N,4] x) => (float[N,4] y) <int64[1] b = {0}, int64[1] a = {0}> {"
        " s = Shape<start=0, end=1>(x) p = Slice(t2, b, s, a) i = Constant<value_ints=[1]>() c = Unsqueeze(p, i) y = Add(x, c)"
        " k = Constant<value_ints=[70]>() t2 = ConstantOfShape(k) }"
    ),
    "equal rows, of which elements are picked by row and column": (
        "(float[N,4] x) => (float[N,4] y) <int64 z = {0}, int64 o = {1}, int64[1] a = {1}, int64[1] m = {-1},"
        f" int64[1,4] k = {{0,1,2,3}}> {{ {_N} w = Shape(x) r = Range(z, n, o) c = Unsqueeze(r, a) t = Expand(k, w)"
        " i0 = Expand(c, w) i1 = Unsqueeze(i0, m) i2 = Unsqueeze(t, m) i = Concat<axis=-1>(i1, i2)"
        " p = GatherND(t, i) b = LessOrEqual(p, k) v = Neg(x) y = Where(b, x, v) }"
    ),
}
OTHERS = {
    "is it five": (
        "(float[N,4] x) => (float[N,4] y) <int64 f = {5}> {"
        f" {_N} c = Equal(n, f) y = If (c) <then_branch = t () => (float[N,4] a) {{ a = Relu(x) }},"
        " else_branch = e () => (float[N,4] b) { b = Neg(x) }> }",
        "Equal_2",
    ),
    "is it one": (
        "(float[N,4] x) => (float[N,4] y) <int64 f = {1}> {"
        f" {_N} c = Equal(n, f) y = Where(c, a, x) a = Neg(x) }}",
        "Equal_2",
    ),
    "a number that is true or false": (
        "(float[N,4] x) => (float[N,4] y) <int64 f = {5}> {"
        f" {_N} d = Sub(n, f) c = Cast<to=9>(d) y = Where(c, a, x) a = Neg(x) }}",
        "Cast_3",
    ),
    "no more than two": (
        "(float[N,4] x) => (float[N,4] y) <int64 f = {2}> {"
        f" {_N} m = Min(n, f) c = Cast<to=1>(m) y = Mul(x, c) }}",
        "Min_2",
    ),
    "whether they are even": (
        "(float[N,4] x) => (float[N,4] y) <int64 f = {16}> {"
        f" {_N} m = Div(n, f) c = Cast<to=1>(m) y = Mul(x, c) }}",
        "Div_2",
    ),
    "a row that is one of a table": (
        "(float[N,4] x) => (float[N,4] y) {"
        f" {_N} k = Constant<value_ints=[70]>() t2 = ConstantOfShape(k) c = Gather(t2, n) y = Mul(x, c) }}",
        "Gather_4",
    ),
    "the sixth item": (
        "(float[N] x) => (float[N] y) <int64 z = {0}, int64 o = {1}, int64 h = {20}> {"
        f" {_N} r = Range(z, n, o) c = Less(r, h) y = Where(c, x, x2) x2 = Neg(x) }}",
        "Less_3",
    ),
    "a product over all": (
        "(float[N,4] x) => (float[N,4] y) <int64[1] a = {0}> { s = Shape(x) o = ConstantOfShape(s) e = Exp(o) f = Add(e, e)"
        " c = ReduceProd(f, a) y = Mul(x, c) }",
        "ReduceProd_4",
    ),
    "no more than ten items": (
        "(float[N,4] x) => (float[M,4] y) <int64[1] b = {0}, int64[1] e = {10}, int64[1] a = {0}> { y = Slice(x, b, e, a) }",
        "Slice_0",
    ),
    "no more than ten items, before opset 10": (
        '<ir_version: 4, opset_import: ["" : 9]> m (float[N,4] x) => (float[M,4] y)'
        " { y = Slice<starts=[0], ends=[10], axes=[0]>(x) }",
        "Slice_0",
    ),
    "items but for ten": (
        "(float[N,4] x) => (float[N,4] y) <int64[1] e = {10}, int64[1] a = {0}, int64[1] z = {0}> {"
        " s = Shape<start=0, end=1>(x) d = Sub(s, e) m = Max(d, z) v = Slice(x, m, s, a) q = Shape<start=0, end=1>(v)"
        " p = Slice(x, z, q, a) y = Identity(p) }",
        "Max_2",
    ),
    "rows that differ, of which elements are picked by row and column": (
        "(float[N,4] x) => (float[N,4] y) <int64 z = {0}, int64 o = {1}, int64[1] a = {1}, int64[1] m = {-1},"
        f" int64[1,4] k = {{0,1,2,3}}> {{ {_N} w = Shape(x) r = Range(z, n, o) c = Unsqueeze(r, a) t = Expand(k, w)"
        " i0 = Expand(c, w) i1 = Unsqueeze(i0, m) i2 = Unsqueeze(t, m) i = Concat<axis=-1>(i1, i2)"
        " p = GatherND(i0, i) b = LessOrEqual(p, k) v = Neg(x) y = Where(b, x, v) }",
        "LessOrEqual_11",
    ),
    "how often a loop runs": (
        "(float[N,4] x) => (float[N,4] y) <int64 f = {5}, bool c = {1}> {"
        f" {_N} e = Equal(n, f) k = Cast<to=7>(e) y = Loop (k, c, x) <body = b (int64 i, bool t, float[N,4] v) =>"
        " (bool t2, float[N,4] w) { t2 = Identity(t) w = Neg(v) }> }",
        "Equal_2",
    ),
}


@pytest.mark.parametrize("case", ONE_ANSWER)
def test_what_has_one_answer_for_all_numbers_is_no_question(case: str) -> None:
    assert _asked(ONE_ANSWER[case]) is None


@pytest.mark.parametrize("case", OTHERS)
def test_what_is_otherwise_for_some_numbers_is_named(case: str) -> None:
    text, node = OTHERS[case]
    question = _asked(text)
    assert question is not None and question.node == node


def test_a_question_that_nobody_reads_the_answer_of_is_none() -> None:
    text = (
        "(float[N,4] x) => (float[N,4] y) <int64 f = {5}> {"
        f" {_N} c = Equal(n, f) d = Not(c) y = Relu(x) }}"
    )
    assert _asked(text) is None


def test_the_bounds_of_the_range_decide() -> None:
    text, _ = OTHERS["no more than ten items"]
    assert _asked(text, 10) is None
    assert _asked(text, 11) is not None


_SQUARE = f"{_N} r = Range(z, n, o) i = Constant<value_ints=[1]>() c = Unsqueeze(r, i)"
FIXED = {
    "which positions come before which": "m = LessOrEqual(r, c)",
    "a triangle of what was made": "q = Concat<axis=0>(s, s) e = ConstantOfShape<value = bool[1] {1}>(q) m = Trilu(e)",
    "distances, of which some are far": "d = Sub(r, c) a = Abs(d) h = Constant<value_int=20>() m = Less(a, h)",
    "the number of the sixth": "p = Gather(r, f) m = Less(p, c)",
}
VARYING = {
    "how many are in the first twenty": (
        "h = Constant<value_int=20>() b = Less(r, h) k = Cast<to=7>(b) t = ReduceSum<keepdims=0>(k) m = Less(t, c)"
    ),
    "the first in reverse": (
        "j = Constant<value_ints=[-1]>() k = Constant<value_ints=[-99]>() g = Constant<value_ints=[0]>()"
        " v = Slice(r, j, k, g, j) h = Constant<value_int=20>() m = Less(v, h)"
    ),
    "the last": "l = Constant<value_ints=[-1]>() p = Gather(r, l) h = Constant<value_int=20>() m = Less(p, h)",
    "less than all": "h = Constant<value_int=20>() k = Min(n, h) m = Less(r, k)",
}


def _case(text: str) -> Asked | None:
    whole = (
        "(float[N,N] x) => (float[N,N] y) <int64 z = {0}, int64 o = {1}, int64[1] f = {5}> {"
        f" {_SQUARE} {text} w = Neg(x) y = Where(m, x, w) }}"
    )
    return case_asked(_log(whole, 9), _log(whole, 8), Counts(9, 8, 6, 64))


@pytest.mark.parametrize("case", FIXED)
def test_places_that_have_one_content_for_all_sizes_are_no_case(case: str) -> None:
    assert _case(FIXED[case]) is None


@pytest.mark.parametrize("case", VARYING)
def test_what_follows_from_how_many_places_there_are_is_a_case(case: str) -> None:
    question = _case(VARYING[case])
    assert question is not None and question.is_case


_KEYS = "<int64 z = {0}, int64 o = {1}, int64 f = {4}, int64[1] i = {1}, int64 two = {2}, int64 far = {-20}, bool t = {1}>"
STAIRS = {
    "the causal mask of what is new": "q = Add(a, n) c = Unsqueeze(q, i) m = LessOrEqual(r, c)",
    "the same from the other side": "q = Add(a, n) c = Unsqueeze(q, i) m = GreaterOrEqual(c, r)",
    "what it hides": "q = Add(a, n) c = Unsqueeze(q, i) e = Greater(r, c) m = Not(e)",
    "the same with more axes, and chosen by it": (
        "q = Add(a, n) c = Unsqueeze(q, i) e = LessOrEqual(r, c) u = Unsqueeze(e, i) v = And(u, t)"
        " w = Squeeze(v, i) g = Not(t) m = Where(w, t, g)"
    ),
    "what is there before": "m = Less(r, n)",
}
NO_STAIRS = {
    "a step that is in the places for some sizes only": "d = Mul(n, two) e = Add(d, far) m = Less(r, e)",
    "a step by two numbers at once": "d = Mul(r, two) m = LessOrEqual(d, n)",
    "a staircase beside what has other contents": (
        "q = Add(a, n) c = Unsqueeze(q, i) e = LessOrEqual(r, c) k = Equal(r, f) m = Or(e, k)"
    ),
}


def _stairs(text: str) -> Asked | None:
    whole = (
        f"(float[N] x, bool[1,1] b) => (bool[R,M] y) {_KEYS} {{"
        f" {_N} l = Add(n, f) r = Range(z, l, o) a = Range(z, f, o) {text} y = And(m, b) }}"
    )
    return case_asked(_log(whole, 9), _log(whole, 8), Counts(9, 8, 6, 64))


@pytest.mark.parametrize("case", STAIRS)
def test_places_up_to_a_number_that_follows_from_the_size_are_no_case(case: str) -> None:
    assert _stairs(STAIRS[case]) is None


@pytest.mark.parametrize("case", NO_STAIRS)
def test_places_up_to_a_number_that_is_clamped_are_a_case(case: str) -> None:
    question = _stairs(NO_STAIRS[case])
    assert question is not None and question.is_case
