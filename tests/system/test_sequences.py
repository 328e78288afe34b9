"""Sequences and optionals of which it is known only while running what is in them: at the ends of models and inside."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx.parser
import pytest

import ingot

HEAD = '<ir_version: 8, opset_import: ["": 17]>'
A, B = np.array([1, 2], np.float32), np.array([3, 4, 5], np.float32)
TARGETS = pytest.mark.parametrize("target", ["interp", "llvmjit", "c"])


def _built(text: str, target: str = "interp", **given: Any) -> ingot.Library:
    proto = onnx.parser.parse_model(f"{HEAD} {text}")
    return ingot.build(proto, target, executor=["aot", "graph"], cache=None, **given).load()


def _same(got: Any, expected: Any) -> None:
    if isinstance(expected, list):
        assert isinstance(got, list)
        assert len(got) == len(expected)
        for part, other in zip(got, expected, strict=True):
            _same(part, other)
        return
    assert (got is None) == (expected is None)
    if expected is not None:
        np.testing.assert_array_equal(got, expected, strict=True)


@TARGETS
@pytest.mark.parametrize("kind", ["aot", "graph"])
def test_a_list_of_any_length_up_to_a_bound_goes_in_and_out(target: str, kind: str) -> None:
    text = """g (seq(float[2]) s, float[2] x, int64 at)
            => (seq(float[n]) longer, seq(float[n]) shorter, int64 count, float[2] one) {
        longer = SequenceInsert(s, x, at) count = SequenceLength(longer) shorter = SequenceErase(longer, at)
        one = SequenceAt(longer, at)
    }"""
    executor = _built(text, target, bounds={"s:length": 3})["g"](executor=kind)
    assert "s: sequence(at most 3: float32[2], float32[2], float32[2])" in map(str, executor.inputs)
    for length in range(4):
        given = [A + number for number in range(length)]
        for at in range(-length, length + 1):
            longer, shorter, count, element = executor.predict(s=given, x=-A, at=np.array(at))
            expected = list(given)
            expected.insert(at, -A)
            _same(longer, expected)
            _same(element, expected[at])
            del expected[at]
            _same(shorter, expected)
            assert count == length + 1


def test_more_elements_than_there_is_room_for_are_refused() -> None:
    text = "g (seq(float[2]) s) => (int64 n) { n = SequenceLength(s) }"
    executor = _built(text, bounds={"s:length": 2})["g"]()
    with pytest.raises(ingot.InputError, match="input 's' has 3 elements, and the library has room for 2"):
        executor.predict(s=[A, A, A])
    with pytest.raises(ingot.ModelError, match=r"or say how many there may be by bounds=\{'s:length': …\}"):
        _built(text)


@TARGETS
def test_a_position_outside_of_a_list_is_an_error_with_the_node(target: str) -> None:
    text = "g (seq(float[2]) s, int64 at) => (float[2] y) { y = SequenceAt(s, at) }"
    executor = _built(text, target, bounds={"s:length": 3})["g"]()
    _same(executor.predict(s=[A, -A], at=np.array(-1)), -A)
    for at in (2, -3):
        said = rf"node 'SequenceAt_1' \(SequenceAt\): its input 'at' \(position\) is {at}, expected a place of its sequence$"
        with pytest.raises(ingot.InputError, match=said):
            executor.predict(s=[A, -A], at=np.array(at))


@TARGETS
@pytest.mark.parametrize("has", [True, False])
def test_an_optional_may_hold_something_or_nothing(target: str, has: bool) -> None:
    text = """g (optional(float[2]) o, float[2] x) => (float[2] y, optional(float[2]) same, bool has) {
        has = OptionalHasElement(o) same = Identity(o)
        y = If (has) <then_branch = t () => (float[2] a) { v = OptionalGetElement(o) a = Neg(v) },
            else_branch = e () => (float[2] b) { b = Identity(x) }>
    }"""
    executor = _built(text, target, bounds={"o:present": 1})["g"]()
    assert str(executor.inputs[0]) == "o: optional(float32[2] or nothing)"
    y, same, said = executor.predict(o=A if has else None, x=3 * A)
    _same(y, -A if has else 3 * A)
    _same(same, A if has else None)
    assert bool(said) is has


@TARGETS
@pytest.mark.parametrize("condition", [True, False])
def test_branches_may_give_lists_of_different_lengths_and_extents(target: str, condition: bool) -> None:
    text = """g (bool c, float[2] x, float[3] z) => (seq(float[n]) s, int64 n) {
        s = If (c) <then_branch = t () => (seq(float[n]) a) { a = SequenceConstruct(x, z) },
            else_branch = e () => (seq(float[n]) b) { b = SequenceConstruct(z) }>
        n = SequenceLength(s)
    }"""
    s, n = _built(text, target)["g"]().predict(c=np.array(condition), x=A, z=B)
    _same(s, [A, B] if condition else [B])
    assert n == (2 if condition else 1)


@TARGETS
@pytest.mark.parametrize("size", [1, 2, 4, 5, 9])
def test_a_tensor_is_split_into_parts_of_a_size_from_an_input(target: str, size: int) -> None:
    text = "g (float[2, 5] x, int64 size) => (seq(float[2, n]) s) { s = SplitToSequence<axis = -1>(x, size) }"
    x = np.arange(10, dtype=np.float32).reshape(2, 5)
    expected = [x[:, start : start + size] for start in range(0, 5, size)]
    _same(_built(text, target)["g"]().predict(x=x, size=np.array(size)), expected)


def test_sizes_of_parts_have_the_right_sum() -> None:
    text = "g (float[5, 2] x, int64[2] sizes) => (seq(float[n, 2]) s) { s = SplitToSequence(x, sizes) }"
    executor = _built(text)["g"]()
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    _same(executor.predict(x=x, sizes=np.array([4, 1])), [x[:4], x[4:]])
    for sizes in ([4, 2], [-1, 6], [2, 2]):
        with pytest.raises(
            ingot.InputError, match=r"its input 'sizes' \(split\) is .*, expected numbers whose sum is 5"
        ):
            executor.predict(x=x, sizes=np.array(sizes))


GROWS = """g (int64 trips, float[5] x, float end) => (seq(float[n]) s, float[m, 5] rows) <bool go = {1}> {
    empty = SequenceEmpty()
    s, rows = Loop (trips, go, empty) <body = b (int64 i, bool c, seq(float[n]) t) => (bool c1, seq(float[n]) u, float[5] row) {
        one = Constant<value = int64[1] {1}>() zero = Constant<value = int64[1] {0}>() until = Add(i, one)
        part = Slice(x, zero, until) u = SequenceInsert(t, part) f = Cast<to = 1>(i) row = Add(x, f) c1 = Less(f, end)
    }>
}"""


@TARGETS
def test_a_list_grows_in_a_loop_and_rows_are_stacked(target: str) -> None:
    executor = _built(GROWS, target, bounds={"m": 4})["g"]()
    x = np.arange(5, dtype=np.float32)
    for trips, end, runs in ((0, 9, 0), (3, 9, 3), (4, 9, 4), (9, 1, 2)):
        s, rows = executor.predict(trips=np.array(trips), x=x, end=np.float32(end))
        _same(s, [x[: number + 1] for number in range(runs)])
        _same(rows, x + np.arange(runs, dtype=np.float32)[:, None])
    with pytest.raises(
        ingot.InputError, match=r"node 'Loop_1' \(Loop\) goes on behind its bound, expected at most 4"
    ):
        executor.predict(trips=np.array(5), x=x, end=np.float32(9))


STACKS = """g (float[4] x, int64 trips, float end) => (float[4] y, float[n, 4] rows, float[n] tops, float[4] total)
    <bool go = {1}, int64[1] zero = {0}> {
    y, rows, tops = Loop <body = step (int64 i, bool c, float[4] s) => (bool c1, float[4] s1, float[4] r, float m) {
        s1 = Add(s, x) r = Mul(s1, s1) m = ReduceMax<keepdims = 0>(s1) c1 = Less(m, end)
    }>(trips, go, x)
    total = ReduceSum<keepdims = 0>(rows, zero)
}"""


def _stacked(x: np.ndarray, trips: int, end: float) -> list[np.ndarray]:
    state, rows = x, []
    while len(rows) < trips:
        state = state + x
        rows.append(state)
        if state.max() >= end:
            break
    all_rows = np.array(rows, np.float32).reshape(-1, 4)
    squares = all_rows * all_rows
    return [state, squares, all_rows.max(axis=1) if rows else np.zeros(0, np.float32), squares.sum(axis=0)]


@pytest.mark.parametrize("target", ["interp", "llvm", "llvmjit", "c"])
@pytest.mark.parametrize("kind", ["aot", "graph"])
def test_a_loop_of_an_unknown_count_stacks_as_many_rows_as_it_ran(target: str, kind: str) -> None:
    executor = _built(STACKS, target, bounds={"n": 9})["g"](executor=kind)
    assert str(executor.outputs[1]) == "rows: float32[n ∈ 0..9, 4]"
    x = np.array([0, 1, 2, 3], np.float32)
    for trips, end in ((0, 100), (3, 100), (9, 100), (50, 12)):
        results = executor.predict(x=x, trips=np.array(trips), end=np.float32(end))
        for result, expected in zip(results, _stacked(x, trips, end), strict=True):
            _same(result, expected)
    with pytest.raises(
        ingot.InputError, match=r"'Loop_0' \(Loop\) goes on behind its bound, expected at most 9 iter"
    ):
        executor.predict(x=x, trips=np.array(10), end=np.float32(100))


@pytest.mark.parametrize("name", ["n", "rows", "rows:0", "tops", "Loop_0"])
def test_a_bound_of_rows_is_said_of_any_of_them_or_of_the_loop(name: str) -> None:
    assert str(_built(STACKS, bounds={name: 9})["g"].outputs[1]) == "rows: float32[n ∈ 0..9, 4]"


def test_rows_without_a_bound_are_refused_with_what_to_say() -> None:
    with pytest.raises(ingot.UnsupportedError, match=r"or say how often at most by bounds=\{'n': …\}"):
        _built(STACKS)


@TARGETS
def test_a_bound_is_the_limit_of_a_loop(target: str) -> None:
    text = """g (float[2] x, float end) => (float[2] y) <bool go = {1}> {
        y = Loop <body = step (int64 i, bool c, float[2] s) => (bool c1, float[2] s1) {
            s1 = Add(s, s) m = ReduceMax<keepdims = 0>(s1) c1 = Less(m, end)
        }>(, go, x)
    }"""
    library = _built(text, target, bounds={"Loop_0": 4})
    for kind in ("aot", "graph"):
        executor = library["g"](executor=kind)
        _same(executor.predict(x=A, end=np.float32(20)), 16 * A)
        with pytest.raises(
            ingot.InputError, match=r"'Loop_0' \(Loop\) goes on behind its bound, expected at most 4"
        ):
            executor.predict(x=A, end=np.float32(33))
    with pytest.raises(ingot.ModelError, match="runs once at least where it runs at all"):
        _built(text, bounds={"Loop_0": 0})


def test_a_declared_number_of_rows_is_checked() -> None:
    executor = _built(STACKS.replace("float[n, 4] rows, float[n] tops", "float[3, 4] rows, float[3] tops"))[
        "g"
    ]()
    x = np.array([0, 1, 2, 3], np.float32)
    results = executor.predict(x=x, trips=np.array(3), end=np.float32(100))
    _same(results[1], _stacked(x, 3, 100)[1])
    with pytest.raises(ingot.InputError, match=r"there are 2 places of rows:0, and the model declares 3"):
        executor.predict(x=x, trips=np.array(2), end=np.float32(100))


def test_lists_of_any_length_with_extents_that_vary_are_refused() -> None:
    text = "g (seq(float[b, 2]) s) => (int64 n) { n = SequenceLength(s) }"
    said = r"it is known only while running what there is of 's', which is not followed for extents that vary"
    with pytest.raises(ingot.UnsupportedError, match=said):
        _built(text, bounds={"s:length": 3}, dims={"b": range(1, 9)})


def test_a_stream_keeps_its_state_and_takes_lists_and_counts() -> None:
    text = """g (seq(float[2]) s, float[2] h) => (seq(float[2]) y, float[2] h2, int64[1, n] at) <int64 last = {-1}> {
        x = SequenceAt(s, last) h2 = Add(x, h) y = SequenceInsert(s, h2) r = Relu(h2) at = NonZero(r)
    }"""
    stream = _built(text, bounds={"s:length": 2}, state={"h": "h2"})["g"]()
    for given, total, count in ((A, A, 2), (A, 2 * A, 2), (-A, A, 2), (-A, 0 * A, 0)):
        y, at = stream.predict(s=[B[:2], given])
        _same(y[-1], total)
        assert at.shape == (1, count)
