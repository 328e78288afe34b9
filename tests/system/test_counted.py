"""Outputs whose extents depend on the content of inputs: how many places there are is counted while running."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx.reference import ReferenceEvaluator

import ingot
from ingot.artifact.model_info import ModelInfo
from ingot.graph.evaluate.evaluator import evaluator
from tests.support.kernel_llvm import needs_cc

HEAD = '<ir_version: 10, opset_import: ["": 18]> m '
NON_ZERO = "(float[3,8] x) => (int64[2,n] y) { y = NonZero(x) }"
SILENT = ingot.Observer(on_note=lambda _: None)


def parsed(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(HEAD + text)


def built(text: str, **options: object) -> ModelInfo:
    return ingot.build(parsed(text), "interp", cache=None, observer=SILENT, **options).models()["m"]  # type: ignore[arg-type]


def executor(text: str, target: str = "interp", **options: object) -> ingot.Executor:
    artifacts = ingot.build(parsed(text), target, cache=None, observer=SILENT, **options)  # type: ignore[arg-type]
    return artifacts.load()["m"](ingot.cpu(0))


def feeds_of(model: ingot.Executor, count: int = 8) -> Iterator[dict[str, np.ndarray]]:
    """Inputs of which nothing, something and all is chosen."""
    random = np.random.default_rng(0)
    for number in range(count):
        share = (0, 1, 0.2, 0.5)[number % 4]
        feeds = {}
        for tensor in model.inputs:
            chosen = random.random(tensor.shape) < share
            values = random.standard_normal(tensor.shape) + 3
            feeds[tensor.name] = (
                chosen if tensor.dtype.value == "bool" else np.asarray(values * chosen, tensor.dtype.numpy)
            )
        yield feeds


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
@pytest.mark.parametrize("kind", ["aot", "graph"])
def test_indices_of_what_is_not_zero_are_as_many_as_there_are(target: str, kind: str) -> None:
    model = executor(NON_ZERO, target, executor=kind)
    assert [str(tensor) for tensor in model.outputs] == ["y: int64[2, n ∈ 0..24]"]
    for feeds in feeds_of(model):
        assert np.array_equal(model.predict(feeds), np.nonzero(feeds["x"]))
        model.set_input(feeds)
        model.run()
        assert np.array_equal(model.get_output("y"), np.nonzero(feeds["x"]))


@needs_cc
@pytest.mark.process
@pytest.mark.parametrize("target", ["llvm", "c"])
def test_a_library_gives_as_many_as_there_are(tmp_path: Path, target: str) -> None:
    ingot.build(parsed(NON_ZERO), target, cache=None).export_library(tmp_path / "m.so")
    model = ingot.load(tmp_path / "m.so")["m"](ingot.cpu(0))
    for feeds in feeds_of(model):
        assert np.array_equal(model.predict(feeds), np.nonzero(feeds["x"]))


READERS = {
    "gather": "(float[3,8] x) => (float[n] y) { p = NonZero(x) q = Transpose<perm=[1,0]>(p) y = GatherND(x, q) }",
    "cast and add": "(float[3,8] x) => (float[2,n] y) <float o={1}> { p = NonZero(x) q = Cast<to=1>(p) y = Add(q, o) }",
    "sum": "(float[3,8] x) => (float[2] y) <int64[1] a={1}> { p = NonZero(x) q = Cast<to=1>(p) "
    "y = ReduceSum<keepdims=0>(q, a) }",
    "largest": "(float[3,8] x) => (int64[2] y, int64[2] z) <int64[1] a={1}> { p = NonZero(x) o = Neg(p) "
    "y = ReduceSum<keepdims=0>(p, a) z = ReduceSum<keepdims=0>(o, a) }",
    "softmax": "(float[3,8] x) => (float[2,n] y) { p = NonZero(x) q = Cast<to=1>(p) y = Softmax<axis=1>(q) }",
    "rows": "(float[3,8] x) => (float[n,8] y) <int64[1] b={1}, int64[1] c={2}, int64[1] z={0}> "
    "{ p = NonZero(x) s = Slice(p, z, b, z) r = Squeeze(s, z) y = Gather<axis=0>(x, r) }",
    "columns": "(float[3,8] x) => (int64[n] y, int64[n] z) <int64[2] s={1,1}, int64[1] o={0}> "
    "{ p = NonZero(x) a, b = Split<axis=0>(p, s) y = Squeeze(a, o) z = Squeeze(b, o) }",
    "product": "(float[12,8] x, bool[12] c, float[8,16] w) => (float[n,16] y) "
    "{ a = Compress<axis=0>(x, c) y = MatMul(a, w) }",
    "other order": "(float[3,8] x, bool[8] c) => (float[6,n] y) "
    "{ a = Compress<axis=1>(x, c) b = Relu(a) y = Concat<axis=0>(a, b) }",
    "flat": "(float[3,8] x, bool[20] c) => (float[n] y) { y = Compress(x, c) }",
    "counted again": "(float[12,8] x, bool[12] c) => (float[n,8] y, int64[2,m] z) "
    "{ y = Compress<axis=0>(x, c) z = NonZero(y) }",
    "reshape": "(float[12,2,3] x, bool[12] c) => (float[n,6] y, float[k] z) <int64[2] s={-1,6}, int64[1] t={-1}> "
    "{ a = Compress<axis=0>(x, c) y = Reshape(a, s) z = Reshape(a, t) }",
    "running sum": "(float[12] x, bool[12] c) => (float[n] y) <int64 z={0}> "
    "{ a = Compress<axis=0>(x, c) y = CumSum(a, z) }",
    "expand": "(float[12] x, bool[12] c) => (float[n,4] y) <int64[1] f={4}, int64[1] o={1}> "
    "{ a = Compress<axis=0>(x, c) s = Shape(a) t = Concat<axis=0>(s, f) b = Unsqueeze(a, o) y = Expand(b, t) }",
    "range": "(float[12] x, bool[12] c) => (int64[n] y) <int64 z={0}, int64 o={1}, int64 zz={0}> "
    "{ a = Compress<axis=0>(x, c) s = Shape(a) n = Gather<axis=0>(s, zz) y = Range(z, n, o) }",
    "the largest": "(float[12] x, bool[12] c) => (float[k] y, int64[k] z) <int64[1] k={3}> { a = Compress<axis=0>(x, c) "
    "s = Shape(a) b = Concat<axis=0>(s, k) m = ReduceMin<keepdims=1>(b) y, z = TopK(a, m) }",
    "the first": "(float[12] x, bool[12] c) => (float[k] y, float[k] z) <int64[1] o={0}, int64[1] e={5}> "
    "{ p = Constant<value_floats=[1.0]>() a = Compress<axis=0>(x, c) y = Slice(a, o, e) s = Shape(y) t = Expand(p, s) "
    "z = Add(y, t) }",
    "a root of how many there are": "(float[12] x, bool[12] c) => (float[n] y) <float b={1}> "
    "{ a = Compress<axis=0>(x, c) s = Shape(a) f = Cast<to=1>(s) g = Add(f, b) q = Sqrt(g) y = Div(a, q) }",
    "whether there are three": "(float[12] x, bool[12] c) => (float[n] y) <int64[1] t={3}, float d={5.5}, float e={1.5}> "
    "{ a = Compress<axis=0>(x, c) s = Shape(a) i = Equal(s, t) w = Where(i, d, e) y = Mul(a, w) }",
    "numbers": "(float[3,8] x) => (int64[2] y, float z) { p = NonZero(x) y = Shape(p) f = Cast<to=1>(y) "
    "z = ReduceSum<keepdims=0>(f) }",
}


@pytest.mark.parametrize("name", READERS)
def test_what_follows_reads_the_places_that_are_there(name: str) -> None:
    model = executor(READERS[name])
    reference = ReferenceEvaluator(parsed(READERS[name]))
    for feeds in feeds_of(model):
        answers = model.predict(feeds)
        expected = reference.run(None, feeds)
        for answer, other in zip(
            answers if isinstance(answers, tuple) else (answers,), expected, strict=True
        ):
            assert answer.shape == other.shape
            np.testing.assert_allclose(answer, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
@pytest.mark.parametrize("kind", ["aot", "graph"])
def test_more_places_than_a_bound_are_an_error_that_says_how_many(target: str, kind: str) -> None:
    model = executor(NON_ZERO, target, executor=kind, bounds={"n": 10})
    assert [str(tensor) for tensor in model.outputs] == ["y: int64[2, n ∈ 0..10]"]
    x = np.zeros((3, 8), np.float32)
    x.reshape(-1)[:10] = 1
    assert model.predict(x=x).shape == (2, 10)
    x.reshape(-1)[10] = 1
    with pytest.raises(
        ingot.InputError, match=r"there are 11 places of n, .* room for 10; give a larger bound"
    ) as error:
        model.predict(x=x)
    assert (error.value.facts["got"], error.value.facts["expected"]) == (11, 10)
    model.set_input(x=x)
    with pytest.raises(ingot.InputError, match="there are 11 places of n"):
        model.run()
    with pytest.raises(ingot.InputError, match="get_output before run, or after one that failed"):
        model.get_output("y")
    with pytest.raises(ingot.InputError, match="there are 11 places of n"):
        model.predict(x=x, out=np.empty((2, 10), np.int64))


def test_only_counts_that_content_may_bring_above_their_room_are_checked() -> None:
    kernels = [call.kernel for call in built(NON_ZERO).calls]
    assert [call.kernel for call in built(NON_ZERO, bounds={"n": 24}).calls] == kernels
    checked = built(NON_ZERO, bounds={"n": 23})
    assert [call.kernel for call in checked.calls][:-1] == kernels
    (check,) = checked.checks
    assert (check.op_type, check.operand, check.role, check.expected) == (
        "NonZero",
        "n",
        "count",
        "at most 23",
    )


@pytest.mark.parametrize("name", ["y", "y:1"])
def test_a_bound_is_of_a_value_where_the_extent_has_no_name(name: str) -> None:
    model = executor("(float[3,8] x) => (int64[2,?] y) { y = NonZero(x) }", bounds={name: 9})
    assert [str(tensor) for tensor in model.outputs] == ["y: int64[2, y:1 ∈ 0..9]"]


def test_a_bound_of_nothing_is_refused() -> None:
    with pytest.raises(
        ingot.ModelError, match=r"no extent of this name depends on the content.*those that do: 'n'"
    ):
        executor(NON_ZERO, bounds={"selected": 10})
    with pytest.raises(ingot.ModelError, match="a bound is a whole number from 0"):
        executor(NON_ZERO, bounds={"n": 1.5})


def test_a_declared_number_is_checked() -> None:
    model = executor("(float[3,8] x) => (int64[2,3] y) { y = NonZero(x) }")
    x = np.zeros((3, 8), np.float32)
    x[0, :3] = 1
    assert model.predict(x=x).tolist() == [[0, 0, 0], [0, 1, 2]]
    for count in (2, 4):
        x[0] = np.arange(8) < count
        with pytest.raises(
            ingot.InputError, match=f"there are {count} places of y:1, and the model declares 3"
        ):
            model.predict(x=x)


def test_results_are_written_into_arrays_with_room_or_of_the_shape() -> None:
    model = executor(NON_ZERO)
    x = np.eye(3, 8, dtype=np.float32)
    whole = np.full((2, 24), -1)
    result = model.predict(x=x, out=whole)
    assert result.base is whole and result.tolist() == [[0, 1, 2], [0, 1, 2]]
    exact = np.empty((2, 3), np.int64)
    assert model.predict(x=x, out=exact) is exact and exact.tolist() == [[0, 1, 2], [0, 1, 2]]
    with pytest.raises(ingot.InputError, match="out for output 'y'"):
        model.predict(x=x, out=np.empty((2, 4), np.int64))


def test_what_cannot_be_followed_is_refused_with_the_node() -> None:
    text = "(float[8,1] x, bool[8] c) => (float[n,2] y) <int64 z={0}> { a = Compress<axis=0>(x, c) y = DFT<axis=0>(a) }"
    with pytest.raises(
        ingot.UnsupportedError,
        match=r"how many places a:0 has depends on .*DFT_1: .*let the model end before",
    ):
        executor(text)


def test_counted_places_and_a_batch_that_varies_are_refused() -> None:
    with pytest.raises(ingot.UnsupportedError, match=r"not followed for extents that vary: .* dims={'b': 1}"):
        executor("(float[b,8] x) => (int64[2,n] y) { y = NonZero(x) }")
    assert executor("(float[b,8] x) => (int64[2,n] y) { y = NonZero(x) }", dims={"b": 2}).outputs[
        0
    ].shape == (2, 16)


def test_a_number_that_is_declared_of_what_follows_is_checked() -> None:
    model = executor(
        "(float[3,8] x) => (float y) { a = NonZero(x) f = Cast<to=1>(a) y = ReduceSum<keepdims=0>(f) }"
    )
    assert model.predict(x=np.ones((3, 8), np.float32)) == 3 * 28 + 8 * 3


# ─── numbers up to a limit, and what is there once ─────────────────────────────────────────────────────────────────


def test_numbers_up_to_a_limit_are_counted_if_a_bound_is_given() -> None:
    text = "(int64 e) => (int64[n] y) <int64 z={3}, int64 o={2}> { y = Range(z, e, o) }"
    with pytest.raises(ingot.UnsupportedError, match="say how many places there are at most by bounds="):
        executor(text)
    model = executor(text, bounds={"n": 8})
    for end in (-5, 3, 4, 9, 19):
        assert model.predict(e=np.array(end)).tolist() == list(range(3, end, 2))
    with pytest.raises(ingot.InputError, match="there are 9 places of n"):
        model.predict(e=np.array(20))


def test_durations_say_how_long_what_follows_is() -> None:
    """As speech models have it: a row of numbers up to the longest, and which of them belong to which duration."""
    text = """(float[1,6] w, float[1,6,2] m) => (float[1,k,2] y)
    <int64[1] a1={1}, int64[1] a2={2}, int64[1] a0={0}, float one={1}, int64 z={0}, int64 o={1}, int64 ax={1}> {
    s = ReduceSum<keepdims=0>(w, a1) l = Clip(s, one) longest = ReduceMax<keepdims=0>(l) e = Cast<to=7>(longest)
    r = Range(z, e, o) f = Cast<to=1>(r) f1 = Unsqueeze(f, a0) f2 = Unsqueeze(f1, a0) ends = CumSum(w, ax)
    ends2 = Unsqueeze(ends, a2) before = Less(f2, ends2) path = Cast<to=1>(before) rows = Transpose<perm=[0,2,1]>(path)
    y = MatMul(rows, m) }"""
    model, reference = executor(text, bounds={"r": 40}), ReferenceEvaluator(parsed(text))
    random = np.random.default_rng(0)
    for longest in (0, 1, 3, 7):
        feeds = {
            "w": random.integers(0, longest + 1, (1, 6)).astype(np.float32),
            "m": random.random((1, 6, 2), np.float32),
        }
        (expected,) = reference.run(None, feeds)
        np.testing.assert_allclose(model.predict(feeds), expected, rtol=1e-5)


@pytest.mark.parametrize("attributes", ["", "<sorted=0>", "<axis=0>", "<axis=1, sorted=0>"])
def test_what_is_equal_is_there_once(attributes: str) -> None:
    names = {"<axis=0>": "[n,4]", "<axis=1, sorted=0>": "[5,n]"}
    count = {"<axis=0>": 5, "<axis=1, sorted=0>": 4}.get(attributes, 20)
    text = (
        f"(float[5,4] x) => (float{names.get(attributes, '[n]')} y, int64[n] i, int64[{count}] v, int64[n] c) "
        f"{{ y, i, v, c = Unique{attributes}(x) }}"
    )
    model = executor(text)
    axis = None if "axis" not in attributes else int("axis=1" in attributes)
    for number in range(6):
        x = np.random.default_rng(number).integers(0, 1 + number, (5, 4)).astype(np.float32)
        x[1], x[:, 3] = x[3], x[:, 0]
        for answer, expected in zip(
            model.predict(x=x), once(x, axis, "sorted=0" not in attributes), strict=True
        ):
            assert np.array_equal(answer, expected)


def once(x: np.ndarray, axis: int | None, is_sorted: bool) -> tuple[np.ndarray, ...]:
    """What is there once, where it is first, which one each is, and how often it is there, as ONNX's text says."""
    values, first, places, counts = np.unique(x, True, True, True, axis=axis)
    order = np.arange(first.size) if is_sorted else np.argsort(first)
    places = np.argsort(order)[places.reshape(-1)]
    return values.take(order, axis or 0), first[order], places, counts[order]


# ─── boxes ─────────────────────────────────────────────────────────────────────────────────────────────────────────

BOXES = (
    "(float[2,12,4] boxes, float[2,3,12] scores{inputs}) => (int64[selected,3] y) {constants} {{ {node} }}"
)


def suppression(constants: str, inputs: str, attributes: str = "") -> str:
    node = f"y = NonMaxSuppression{attributes}(boxes, scores, {inputs})"
    return BOXES.format(inputs="", constants=f"<{constants}>", node=node)


CASES = {
    "all": suppression("int64 most={4}, float iou={0.3}, float floor={0.4}", "most, iou, floor"),
    "centres": suppression(
        "int64[1] most={4}, float[1] iou={0.3}, float[1] floor={0.4}",
        "most, iou, floor",
        "<center_point_box=1>",
    ),
    "no threshold of scores": suppression("int64 most={20}, float iou={0.3}", "most, iou"),
    "no overlap": suppression("int64 most={20}, float floor={0.4}", "most, , floor"),
    "none": suppression("int64 most={0}, float iou={0.3}", "most, iou"),
}


def boxes_and_scores(number: int) -> dict[str, np.ndarray]:
    """Boxes of which many overlap; every second time scores are equal, and at last none is high enough."""
    random = np.random.default_rng(number)
    scores = random.random((2, 3, 12), np.float32)
    scores = np.round(scores, 1) if number % 2 else scores
    return {"boxes": random.random((2, 12, 4), np.float32), "scores": scores * np.float32(number < 5)}


@pytest.mark.parametrize(("name", "target"), [("all", "llvmjit"), *((name, "interp") for name in CASES)])
def test_of_boxes_that_overlap_those_with_the_highest_scores_stay(name: str, target: str) -> None:
    model, reference = executor(CASES[name], target), evaluator(parsed(CASES[name]))
    for number in range(6):
        feeds = boxes_and_scores(number)
        assert np.array_equal(model.predict(feeds), reference.run(None, feeds)[0])


@pytest.mark.parametrize("target", ["llvm", "llvmjit", "c"])
def test_many_boxes_are_ordered_by_scores_of_which_some_are_equal_or_no_numbers(target: str) -> None:
    """More boxes than a block of keys and a vector of chosen ones, of no round number."""
    text = """(float[1,301,4] boxes, float[1,2,301] scores) => (int64[selected,3] y)
        <int64 most={90}, float iou={0.2}, float floor={0.1}> {
        y = NonMaxSuppression(boxes, scores, most, iou, floor)
    }"""
    model, reference = executor(text, target), evaluator(parsed(text))
    random = np.random.default_rng(5)
    for spread in (0.02, 0.1, 1.0):
        corners = random.random((1, 301, 2), np.float32)
        boxes = np.concatenate([corners, corners + spread * random.random((1, 301, 2), np.float32)], axis=2)
        scores = np.round(random.random((1, 2, 301), np.float32), 2)
        scores[0, 1, ::7], scores[0, 1, 1::7] = -np.inf, np.nan
        expected = scores.copy()
        expected[np.isnan(expected)] = -np.inf
        answer = model.predict(boxes=boxes, scores=scores)
        np.testing.assert_array_equal(answer, reference.run(None, {"boxes": boxes, "scores": expected})[0])
        assert len(answer) > 20


def test_numbers_of_a_suppression_may_come_while_running() -> None:
    text = BOXES.format(
        inputs=", int64 most, float iou, float floor",
        constants="",
        node="y = NonMaxSuppression(boxes, scores, most, iou, floor)",
    )
    model, reference = executor(text), evaluator(parsed(text))
    assert [str(tensor) for tensor in model.outputs] == ["y: int64[selected ∈ 0..72, 3]"]
    for most, iou, floor in ((3, 0.2, 0.1), (100, 0.9, 0.5), (-1, 0.5, 0.5), (2, 0.0, 2.0)):
        feeds = boxes_and_scores(1)
        feeds |= {"most": np.array(most), "iou": np.float32(iou), "floor": np.float32(floor)}
        feeds = {key: np.asarray(value) for key, value in feeds.items()}
        assert np.array_equal(model.predict(feeds), reference.run(None, feeds)[0])


def test_a_detector_selects_among_what_is_likely_and_keeps_the_best() -> None:
    """As torchvision writes it: by a threshold, the largest of these, suppression for each label apart, the first of these."""
    text = """(float[40,4] boxes, float[40] scores, int64[40] labels) => (float[k,4] y, float[k] s, int64[k] l)
    <float likely={0.6}, int64[1] z={0}, int64[1] o={1}, int64[1] top={12}, int64[1] most={1000}, float[1] iou={0.3},
     float one={1}, int64[1] two={2}, int64[1] three={3}, int64[1] kept={5}> {
    keep = Greater(scores, likely) nz = NonZero(keep) at = Squeeze(nz, z)
    s1 = Gather(scores, at) b1 = Gather(boxes, at) l1 = Gather(labels, at)
    n = Shape(s1) nk = Concat<axis=0>(n, top) k = ReduceMin<keepdims=1>(nk) s2, i2 = TopK(s1, k)
    b2 = Gather(b1, i2) l2 = Gather(l1, i2) f = Cast<to=1>(l2) apart = Mul(f, two_) a1 = Unsqueeze(apart, o) b3 = Add(b2, a1)
    nb = Unsqueeze(b3, z) ns0 = Unsqueeze(s2, z) ns = Unsqueeze(ns0, z) chosen = NonMaxSuppression(nb, ns, most, iou)
    c = Slice(chosen, two, three, o) c1 = Squeeze(c, o) c2 = Slice(c1, z, kept, z)
    y = Gather(b2, c2) s = Gather(s2, c2) l = Gather(l2, c2) }""".replace("two_", "one")
    model, reference = executor(text), evaluator(parsed(text))
    assert [str(tensor) for tensor in model.outputs][1] == "s: float32[min(chosen:0, 5)]"
    for number in range(6):
        random = np.random.default_rng(number)
        feeds = {
            "boxes": random.random((40, 4), np.float32),
            "scores": random.random(40, np.float32) * np.float32((0.5, 0.62, 1)[number % 3]),
            "labels": random.integers(0, 3, 40),
        }
        for answer, expected in zip(model.predict(feeds), reference.run(None, feeds), strict=True):
            assert answer.shape == expected.shape and np.allclose(answer, expected)
