"""Operators along an extent with room: with neutral places, in order, or told how many places there are."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.numpy_helper
import onnx.parser
import pytest

import ingot

_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m '
_ROWS, _SIGNAL = (1, "S", 4), (1, 4, "S")
Extents = tuple[int | str, ...]

# A model with the input x and the shape of it.
MODELS: dict[str, tuple[str, Extents]] = {
    "sums so far": ("(float[1,S,4] x) => (float[1,S,4] y) <int64 a={1}> { y = CumSum(x, a) }", _ROWS),
    "sums of the rest": (
        "(float[1,S,4] x) => (float[1,S,4] y) <int64 a={1}> { y = CumSum<reverse=1, exclusive=1>(x, a) }",
        _ROWS,
    ),
    "the largest place": (
        "(float[1,4,S] x) => (int64[1,4] y) { y = ArgMax<axis=2, keepdims=0>(x) }",
        _SIGNAL,
    ),
    "the smallest place": (
        "(float[1,S,4] x) => (int64[1,4] y) { y = ArgMin<axis=1, keepdims=0>(x) }",
        _ROWS,
    ),
    "a mark": ("(float[1,4,S] x) => (float[1,4,S] y) { y = Hardmax<axis=2>(x) }", _SIGNAL),
    "the three largest": (
        "(float[1,S,4] x) => (float[1,3,4] y, int64[1,3,4] i) { k = Constant<value_ints=[3]>() y, i = TopK<axis=1>(x, k) }",
        _ROWS,
    ),
    "the three smallest": (
        "(float[1,4,S] x) => (float[1,4,3] y, int64[1,4,3] i)"
        " { k = Constant<value_ints=[3]>() y, i = TopK<largest=0>(x, k) }",
        _SIGNAL,
    ),
    "some places by their numbers": (
        "(float[1,S,4] x) => (float[1,3,4] y) { i = Constant<value_ints=[1, 0, 2]>() y = Gather<axis=1>(x, i) }",
        _ROWS,
    ),
    "some places from the end": (
        "(float[1,S,4] x) => (float[1,2,4] y) { i = Constant<value_ints=[-1, -3]>() y = Gather<axis=1>(x, i) }",
        _ROWS,
    ),
    "places that are mirrored": (
        '(float[1,4,S] x) => (float[1,4,T] y) { p = Constant<value_ints=[0, 0, 2, 0, 0, 1]>() y = Pad<mode="reflect">(x, p) }',
        _SIGNAL,
    ),
    "one scale for all": (
        "(float[1,S,4] x) => (uint8[1,S,4] y, float s, uint8 z) { e = Exp(x) y, s, z = DynamicQuantizeLinear(e) }",
        _ROWS,
    ),
    "groups of channels": (
        "(float[1,4,S] x) => (float[1,4,S] y) <float[2] scale = {1, 2}, float[2] bias = {3, 4}> {"
        " f = Constant<value_ints=[0, 2, -1]>() r = Reshape(x, f) i = InstanceNormalization(r, scale, bias)"
        " shape = Shape(x) y = Reshape(i, shape) }",
        _SIGNAL,
    ),
}
SIZES = (3, 4, 63, 64, 65, 129, 130)


def _model(text: str, **weights: tuple[int, ...]) -> onnx.ModelProto:
    """The model, with weights of these shapes as initializers."""
    model, random = onnx.parser.parse_model(_HEADER + text), np.random.default_rng(0)
    for name, shape in weights.items():
        array = random.standard_normal(shape).astype(np.float32) / 2
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model


def _executor(model: onnx.ModelProto, target: str, **dims: object) -> ingot.Executor:
    return ingot.build(model, target, dims=dims, cache=None).load()["m"](ingot.cpu(0))


def _results(executor: ingot.Executor, x: np.ndarray) -> list[np.ndarray]:
    results = executor.predict(x=x)
    return list(results) if isinstance(results, tuple | list) else [results]


def _require_same(
    model: onnx.ModelProto, target: str, extents: Extents, sizes: tuple[int, ...], **dims: object
) -> None:
    """Compares a range, too long for a program for each size, with builds for some sizes. NaN is in all memory before."""
    executor = _executor(model, target, **dims)
    for size in sizes:
        shape = [size if extent == "S" else int(extent) for extent in extents]
        largest = [sizes[-1] if extent == "S" else int(extent) for extent in extents]
        with np.errstate(all="ignore"):
            executor.predict(x=np.full(largest, np.nan, np.float32))
        # What is there is below 0, so that a place that is not there would be the largest if it had zeros.
        x = np.random.default_rng(size).standard_normal(shape).astype(np.float32) - 5
        expected = _results(_executor(model, "interp", **{**dims, "S": size}), x)
        for result, its in zip(_results(executor, x), expected, strict=True):
            assert result.shape == its.shape
            np.testing.assert_allclose(result, its, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
@pytest.mark.parametrize("case", MODELS)
def test_every_size_has_the_answers_of_a_build_for_it(case: str, target: str) -> None:
    text, extents = MODELS[case]
    _require_same(_model(text), target, extents, SIZES, S=range(3, 131))


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize(("kind", "gates"), [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_recurrent_networks_take_as_many_steps_as_there_are(kind: str, gates: int, direction: str) -> None:
    count = 2 if direction == "bidirectional" else 1
    text = (
        f"(float[S,2,4] x) => (float[S,{count},2,5] y, float[{count},2,5] h)"
        f' {{ e = Exp(x) y, h = {kind}<hidden_size=5, direction="{direction}">(e, w, r, b) }}'
    )
    model = _model(text, w=(count, gates * 5, 4), r=(count, gates * 5, 5), b=(count, gates * 10))
    _require_same(model, "llvmjit", ("S", 2, 4), (1, 2, 23, 24), S=range(1, 25))


def test_a_recogniser_of_text_reads_images_of_every_width() -> None:
    text = (
        "(float[1,1,8,S] x) => (float[P,1,6] y) { a = Conv<pads=[1,1,1,1]>(x, c)"
        " p = MaxPool<kernel_shape=[8,2], strides=[8,2]>(a) rows = Constant<value_ints=[2]>() q = Squeeze(p, rows)"
        ' t = Transpose<perm=[2,0,1]>(q) l = LSTM<hidden_size=5, direction="bidirectional">(t, w, r)'
        " m = Transpose<perm=[0,2,1,3]>(l) f = Constant<value_ints=[0,0,-1]>() n = Reshape(m, f)"
        " o = MatMul(n, v) y = LogSoftmax<axis=-1>(o) }"
    )
    model = _model(text, c=(4, 1, 3, 3), w=(2, 20, 4), r=(2, 20, 5), v=(10, 6))
    _require_same(model, "llvmjit", (1, 1, 8, "S"), (2, 3, 17, 40), S=range(2, 41))


def test_what_was_halved_and_doubled_joins_what_was_not() -> None:
    text = (
        "(float[1,4,S,8] x) => (float[1,4,S,8] y) <float[4] twice = {1, 1, 2, 2}> {"
        " d = MaxPool<kernel_shape=[2,2], strides=[2,2]>(x) e = Exp(d)"
        ' u = Resize<mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor">(e, , twice)'
        " k = Concat<axis=1>(u, x) c = Conv<pads=[1,1,1,1]>(k, w) y = Add(c, u) }"
    )
    _require_same(
        _model(text, w=(4, 8, 3, 3)),
        "llvmjit",
        (1, 4, "S", 8),
        (2, 4, 22, 40),
        S=ingot.dim(2, 40, multiple_of=2),
    )


def test_integer_products_of_a_depth_that_does_not_vary_have_all_of_it() -> None:
    model = _model(
        "(float[1,S,130] x) => (float[1,S,8] y) <uint8 z = {7}, uint8 k = {3}> { m = Neg(x) c = Cast<to=2>(m)"
        " i = MatMulInteger(c, w, z, k) f = Cast<to=1>(i) y = Softmax<axis=1>(f) }"
    )
    weights = np.random.default_rng(0).integers(0, 5, (130, 8)).astype(np.uint8)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    _require_same(model, "interp", (1, "S", 130), (1, 5, 17), S=range(1, 24))


def test_a_range_may_begin_with_as_many_places_as_windows_need() -> None:
    model = _model(
        "(float[1,1,S] x) => (float[1,4,P] y) { a = Conv<strides=[2]>(x, w) e = Exp(a) y = Conv<strides=[2]>(e, v) }",
        w=(4, 1, 7),
        v=(4, 4, 3),
    )
    _require_same(model, "llvmjit", (1, 1, "S"), (12, 13, 14, 60), S=range(12, 61))


def test_the_largest_of_no_places_is_refused() -> None:
    text = "(float[1,S,4] x) => (int64[1,4] y) { y = ArgMax<axis=1, keepdims=0>(x) }"
    with pytest.raises(ingot.ModelError, match="for the size 0 there are 0 places, of which argmax needs 1"):
        _executor(_model(text), "interp", S=range(25))


def test_the_last_of_equal_places_is_not_followed() -> None:
    text = "(float[1,S,4] x) => (int64[1,4] y) { y = ArgMax<axis=1, keepdims=0, select_last_index=1>(x) }"
    with pytest.raises(ingot.ModelError, match="argmax over axis 1 combines places"):
        _executor(_model(text), "interp", S=range(1, 25))
