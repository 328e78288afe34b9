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
from ingot.graph.evaluate.evaluator import evaluator
from tests.support.kernel_llvm import needs_cc

HEAD = '<ir_version: 10, opset_import: ["": 18]> m '
NON_ZERO = "(float[3,8] x) => (int64[2,n] y) { y = NonZero(x) }"
SILENT = ingot.Observer(on_note=lambda _: None)


def parsed(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(HEAD + text)


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


def test_more_places_than_a_bound_are_an_error_that_says_how_many() -> None:
    model = executor(NON_ZERO, bounds={"n": 10})
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
