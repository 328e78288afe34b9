"""Inputs and outputs of elements shorter than a byte, and of types that NumPy lacks, as callers give and get them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import pytest

import ingot
from ingot.base.errors import InputError
from ingot.base.packing import pack
from ingot.base.tensor import DType

X = np.array([[-8, 7, 0], [3, -1, -2]], np.int8)
BYTES = pack(X, DType.INT4)


@pytest.fixture(scope="module", params=["aot", "graph"])
def negated(request):
    """`y` is `x` transposed, `z` its sign as an int8: one packed and one plain output."""
    text = """<ir_version: 10, opset_import: ["" : 25]> m (int4[2, 3] x) => (int4[3, 2] y, int8[2, 3] z)
    { y = Transpose(x) w = Cast<to=3>(x) z = Neg(w) }"""
    made = ingot.build(onnx.parser.parse_model(text), "interp", cache=None, executor=request.param)
    return made.load()["m"](ingot.cpu(0))


def right(results) -> bool:
    y, z = results
    return y.dtype == np.int8 and np.array_equal(y, X.T) and np.array_equal(z, -X)


def test_a_packed_tensor_says_what_it_takes(negated):
    (x,) = negated.inputs
    assert (str(x), x.size_bytes, x.stored_shape) == ("x: int4[2, 3]", 3, (3,))
    assert np.dtype(x.dtype) == np.int8


GIVEN = {"int8": X, "ml_dtypes": X.astype(ml_dtypes.int4), "bytes": BYTES, "columns": np.asfortranarray(X)}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_elements_and_bytes_are_taken(negated, given):
    assert right(negated.predict(x=given))
    negated.set_input(x=given)
    negated.run()
    assert right([negated.get_output(0), negated.get_output("z")])


def test_numbers_that_the_type_lacks_are_refused(negated):
    for call in (negated.predict, negated.set_input):
        with pytest.raises(InputError, match=r"input 'x' has elements from -8 to 8; int4 has -8 to 7"):
            call(x=np.where(X == 7, 8, X).astype(np.int8))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            X.astype(np.uint8),
            "has the dtype uint8; NumPy lacks int4: give its values in int8, or an array of the package ml_dt",
        ),
        (X.astype(ml_dtypes.int2), "has the dtype int2"),
        (X[:1], r"has the shape \[1, 3\]; expected int4\[2, 3\]"),
        (X.tolist(), "is a Python list"),
    ],
)
def test_other_arrays_are_refused(negated, given, words):
    with pytest.raises(InputError, match=words):
        negated.predict(x=given)


@pytest.mark.parametrize("kind", [np.int8, ml_dtypes.int4, np.uint8])
def test_results_are_written_where_they_are_wanted(negated, kind):
    y = np.zeros(BYTES.shape if kind is np.uint8 else (3, 2), kind)
    z = np.zeros((2, 3), np.int8)
    assert negated.predict(x=X, out=(y, z))[0] is y
    expected = pack(X.T, DType.INT4) if kind is np.uint8 else X.T
    assert np.array_equal(y.astype(expected.dtype), expected) and np.array_equal(z, -X)
    y[...] = 0
    negated.set_input(x=X)
    negated.run()
    assert negated.get_output("y", out=y) is y and np.array_equal(y.astype(expected.dtype), expected)


def test_wrong_places_of_results_are_refused(negated):
    z = np.zeros((2, 3), np.int8)
    with pytest.raises(InputError, match="out must have one array for each output"):
        negated.predict(x=X, out=z)
    shared = np.zeros(6, np.int8)
    with pytest.raises(InputError, match="overlaps the out of another output"):
        negated.predict(x=X, out=(shared.reshape(3, 2), shared.reshape(2, 3)))
    z.flags.writeable = False
    with pytest.raises(InputError, match="read-only"):
        negated.predict(x=X, out=(np.zeros((3, 2), np.int8), z))


def test_only_bytes_are_read_where_they_are(negated):
    with pytest.raises(
        InputError, match=r"x.* is packed to be read; give its bytes as uint8\[3\], or let it be copied"
    ):
        negated.set_input(x=X, copy=False)
    place = BYTES.copy()
    negated.set_input(x=place, copy=False)
    place[...] = pack(np.zeros_like(X), DType.INT4)
    negated.run()
    assert not negated.get_output("z").any()


def test_large_results_have_memory_of_their_own():
    count = 50_001
    text = f"""<ir_version: 10, opset_import: ["" : 25]> m (uint8[{count}] x) => (uint2[{count}] y) {{ y = Cast<to=25>(x) }}"""
    executor = ingot.build(onnx.parser.parse_model(text), "llvmjit", cache=None).load()["m"](ingot.cpu(0))
    x = np.random.default_rng(0).integers(0, 256, count).astype(np.uint8)
    kept = [executor.predict(x=x + np.uint8(more)) for more in range(4)]
    for more, y in enumerate(kept):
        assert y.dtype == np.uint8 and np.array_equal(y, (x + np.uint8(more)) & 3)


def test_codes_of_floats_are_taken_as_bits_or_as_ml_dtypes():
    text = """<ir_version: 10, opset_import: ["" : 25]> m (float8e5m2[4] x) => (float[4] y, float8e5m2[2, 2] z)
    { y = Cast<to=1>(x) s = Constant<value = int64[2] {2, 2}>() z = Reshape(x, s) }"""
    executor = ingot.build(onnx.parser.parse_model(text), "interp", cache=None).load()["m"](ingot.cpu(0))
    x = np.array([1, -0.5, np.inf, 3]).astype(ml_dtypes.float8_e5m2)
    for given in (x, x.view(np.uint8)):
        y, z = executor.predict(x=given)
        assert np.array_equal(y, x.astype(np.float32)) and np.array_equal(z.view(x.dtype), x.reshape(2, 2))
    with pytest.raises(InputError, match="give its bit patterns in uint8"):
        executor.predict(x=x.astype(np.float32))


@pytest.mark.parametrize("dtype", DType)
def test_numpy_takes_every_element_type_for_a_dtype(dtype):
    assert np.zeros(2, dtype).dtype == np.dtype(dtype) == dtype.numpy
