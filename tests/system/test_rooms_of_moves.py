"""Along an extent with room: what puts places behind others, takes them apart, or reads tables that follow from the size."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

import ingot

_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m '
_ROWS, _SIGNAL = (1, "S", 4), (1, 4, "S")
Extents = tuple[int | str, ...]

# A model with the input x and the shape of it.
MODELS: dict[str, tuple[str, Extents]] = {
    "a place before all others": (
        "(float[1,S,4] x) => (float[1,T,4] y) <float[1,1,4] c = {1, 2, 3, 4}> { y = Concat<axis=1>(c, x) }",
        _ROWS,
    ),
    "a place behind all others": (
        "(float[1,S,4] x) => (float[1,T,4] y) <float[1,1,4] c = {1, 2, 3, 4}>"
        " { e = Exp(x) d = Concat<axis=1>(e, c) y = Softmax<axis=1>(d) }",
        _ROWS,
    ),
    "a mean over both sides of an image that a stride made smaller": (
        "(float[1,2,S,S] x) => (float[1,2,1,1] y) {"
        " m = MaxPool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(x) y = GlobalAveragePool(m) }",
        (1, 2, "S", "S"),
    ),
    "an enlargement of what a stride left": (
        "(float[1,2,4,S] x) => (float[1,2,8,1] y) <float[4] twice = {1, 1, 2, 2}, int64[1] last = {3}> {"
        " m = MaxPool<kernel_shape=[1,2], strides=[1,2]>(x)"
        ' r = Resize<mode="linear", coordinate_transformation_mode="asymmetric">(m, , twice) y = ReduceMax(r, last) }',
        (1, 2, 4, "S"),
    ),
    "all places three times": (
        "(float[1,4,S] x) => (float[1,4,T] y) { e = Exp(x) y = Concat<axis=2>(e, x, e) }",
        _SIGNAL,
    ),
    "the first place behind the last": (
        "(float[1,S,4] x) => (float[1,S,4] y) { o = Constant<value_ints=[1]>() z = Constant<value_ints=[0]>()"
        " l = Constant<value_ints=[999999]>() b = Slice(x, o, l, o) c = Slice(x, z, o, o) y = Concat<axis=1>(b, c) }",
        _ROWS,
    ),
    "copies of all places": (
        "(float[1,S,4] x) => (float[1,T,4] y) { r = Constant<value_ints=[1, 3, 1]>() y = Tile(x, r) }",
        _ROWS,
    ),
    "sums over copies": (
        "(float[1,S,4] x) => (float[1,T,4] y) { r = Constant<value_ints=[1, 2, 1]>() t = Tile(x, r)"
        " a = Constant<value_int=1>() y = CumSum(t, a) }",
        _ROWS,
    ),
    "rows of two sequences as those of one": (
        "(float[2,S,4] x) => (float[T,4] y) { r = Constant<value_ints=[-1, 4]>() y = Reshape(x, r) }",
        (2, "S", 4),
    ),
    "columns that become rows without a transposition": (
        "(float[1,S,6] x) => (float[6,S] y) { s = Shape<start=1, end=2>(x) six = Constant<value_ints=[6]>()"
        " shape = Concat<axis=0>(six, s) y = Reshape(x, shape) }",
        (1, "S", 6),
    ),
    "the shape": (
        "(float[1,S,4] x) => (int64[3] y, float[1,S,4] z) { y = Shape(x) z = Softmax<axis=1>(x) }",
        _ROWS,
    ),
    "numbers from the length down": (
        "(float[1,S,4] x) => (float[1,S,4] y) { s = Shape<start=1, end=2>(x) n = Squeeze(s) z = Constant<value_int=0>()"
        " b = Constant<value_int=-1>() r = Range(n, z, b) f = Cast<to=1>(r) u = Constant<value_ints=[1]>()"
        " g = Unsqueeze(f, u) m = Mul(x, g) y = Softmax<axis=1>(m) }",
        _ROWS,
    ),
    "twice as many by straight lines": (
        '(float[1,4,S] x) => (float[1,4,T] y) <float[3] s = {1, 1, 2}> { y = Resize<mode="linear">(x, , s) }',
        _SIGNAL,
    ),
    "every second place": (
        "(float[1,4,S] x) => (float[1,4,T] y) { z = Constant<value_ints=[0]>() l = Constant<value_ints=[999999]>()"
        " a = Constant<value_ints=[2]>() p = Slice(x, z, l, a, a) y = Softmax<axis=2>(p) }",
        _SIGNAL,
    ),
    "means of the places that are there": (
        "(float[1,4,S] x) => (float[1,4,S] y) { y = AveragePool<kernel_shape=[5], pads=[2,2]>(x) }",
        _SIGNAL,
    ),
}
LOW, HIGH = 3, 65
_QUANTIZED = (
    "<float s = {0.5}, float t = {40.0}, Z z = {7}, Z k = {9}, Z u = {1}>"
    " { c = QuantizeLinear(x, s, z) d = QuantizeLinear(x, s, k) r = Transpose<perm=[0,2,1]>(d)"
)
PRODUCTS = {
    "of unsigned integers": (
        f"(float[1,4,S] x) => (uint8[1,4,4] y) {_QUANTIZED.replace('Z', 'uint8')}"
        " y = QLinearMatMul(c, s, z, r, s, k, t, u) }"
    ),
    "of signed integers": (
        f"(float[1,4,S] x) => (int8[1,4,4] y) {_QUANTIZED.replace('Z', 'int8')}"
        " y = QLinearMatMul(c, s, z, r, s, k, t, u) }"
    ),
    "as sums": (
        f"(float[1,4,S] x) => (int32[1,4,4] y) {_QUANTIZED.replace('Z', 'uint8')} y = MatMulInteger(c, r, z, k) }}"
    ),
}


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
@pytest.mark.parametrize("case", MODELS)
def test_every_size_has_the_answers_of_onnxruntime(case: str, target: str) -> None:
    text, extents = MODELS[case]
    model = onnx.parser.parse_model(_HEADER + text)
    executor = ingot.build(model, target, dims={"S": range(LOW, HIGH + 1)}, cache=None).load()["m"](
        ingot.cpu(0)
    )
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size in (3, 4, 7, 8, 9, 63, 64, 65):
        with np.errstate(all="ignore"):
            executor.predict(x=np.full(_shape(extents, HIGH), np.nan, np.float32))
        x = np.random.default_rng(size).standard_normal(_shape(extents, size)).astype(np.float32) - 2
        results = executor.predict(x=x)
        expected = session.run(None, {"x": x})
        for result, its in zip(results if isinstance(results, tuple) else [results], expected, strict=True):
            assert result.shape == its.shape
            np.testing.assert_allclose(result, its, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
@pytest.mark.parametrize("case", PRODUCTS)
def test_integer_products_over_places_are_exact(case: str, target: str) -> None:
    model = onnx.parser.parse_model(_HEADER + PRODUCTS[case])
    executor = ingot.build(model, target, dims={"S": range(1, 131)}, cache=None).load()["m"](ingot.cpu(0))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size in (1, 15, 16, 17, 63, 65, 130):
        executor.predict(x=np.full((1, 4, 130), 99, np.float32))
        x = np.random.default_rng(size).uniform(0, 10, (1, 4, size)).astype(np.float32)
        np.testing.assert_array_equal(executor.predict(x=x), session.run(None, {"x": x})[0])


def _shape(extents: Extents, size: int) -> tuple[int, ...]:
    return tuple(size if extent == "S" else int(extent) for extent in extents)


def test_how_many_copies_there_are_is_no_question_of_a_size() -> None:
    text = (
        "(float[1,S] x) => (float[1,T] y) <int64 f = {5}, int64[2] once = {1, 1}, int64[2] twice = {1, 2}> {"
        " s = Shape<start=1, end=2>(x) n = Squeeze(s) c = Greater(n, f) times = Where(c, twice, once) w = Tile(x, times)"
        " y = Softmax(w) }"
    )
    model, x = onnx.parser.parse_model(_HEADER + text), np.ones((1, 9), np.float32)
    executor = ingot.build(model, "interp", dims={"S": range(9, 65)}, cache=None).load()["m"](ingot.cpu(0))
    np.testing.assert_allclose(executor.predict(x=x), np.full((1, 18), 1 / 18), rtol=1e-6)
    with pytest.raises(ingot.ModelError, match="the answer is not the same for all"):
        ingot.build(model, "interp", dims={"S": range(1, 65)}, cache=None)
