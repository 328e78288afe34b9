"""Encoders of ai.onnx.ml, and what selects and fills features, against onnxruntime and, of types that it lacks, NumPy."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from onnx import numpy_helper

import ingot
from ingot.base.errors import ModelError, UnsupportedError
from tests.support.contrib import agree, contrib_node
from tests.support.contrib import by_ingot as by_any

RANDOM = np.random.default_rng(0)
ml_node = functools.partial(contrib_node, domain="ai.onnx.ml")
ml_agree = functools.partial(agree, domain="ai.onnx.ml", target="interp", rtol=0, atol=0)
by_ingot = functools.partial(by_any, target="interp")
NAN = float("nan")


def real(*shape, dtype=np.float32):
    return np.asarray(RANDOM.standard_normal(shape) * 3, dtype)


def tensor(values, dtype):
    return numpy_helper.from_array(np.asarray(values, dtype))


# ─── what is missing ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("opset", [10, 21])
@pytest.mark.parametrize("missing", [NAN, -1.0, None])
@pytest.mark.parametrize("values", [[0.5], [0.5, 7, 9]])
def test_imputed_floats(values, missing, opset):
    x = np.array([[1, NAN, -1], [NAN, 5, 0], [-1, 0, NAN], [0, 0, -1], [2, 2, np.inf]], np.float32)
    attributes = {} if missing is None else {"replaced_value_float": missing}
    ml_agree("Imputer", {"x": x}, opset=opset, imputed_value_floats=values, **attributes)
    ml_agree("Imputer", {"x": x[:1]}, opset=opset, imputed_value_floats=values, **attributes)


@pytest.mark.parametrize("values", [[7], [7, 2**40 + 1, 9]])
def test_imputed_integers(values):
    x = np.array([[1, -1, 2**60], [0, 5, -1]])
    ml_agree("Imputer", {"x": x}, (np.int64,), imputed_value_int64s=values, replaced_value_int64=-1)
    ml_agree("Imputer", {"x": x[0]}, (np.int64,), imputed_value_int64s=values)


def test_imputed_numbers_of_types_that_onnxruntime_lacks():
    x = np.array([[1, NAN, 2], [NAN, 5, 0]])
    node = ml_node(
        "Imputer", {"x": x}, (np.float64,), imputed_value_floats=[0.5, 7, 9], replaced_value_float=NAN
    )
    np.testing.assert_array_equal(by_ingot(node, {"x": x})[0], [[1, 7, 2], [0.5, 5, 0]])
    x = np.array([[1, -1, 2], [-1, 5, 0]], np.int32)
    node = ml_node("Imputer", {"x": x}, (np.int32,), imputed_value_int64s=[8], replaced_value_int64=-1)
    np.testing.assert_array_equal(by_ingot(node, {"x": x})[0], [[1, 8, 2], [8, 5, 0]])


# ─── columns ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((4,), np.float64), ((1, 4), np.int32), ((5, 4), np.float32), ((2, 3, 4), np.int64), ((4,), np.int32)],
)
def test_selected_columns(shape, dtype):
    inputs = {"x": real(*shape, dtype=dtype), "y": np.array([2, 0, 2])}
    ml_agree("ArrayFeatureExtractor", inputs, (dtype,), fed=["x"])
    ml_agree("ArrayFeatureExtractor", inputs, (dtype,))


@pytest.mark.parametrize("places", [1, [[2, 0]], [[1, 1], [3, 0]]])
def test_places_of_columns_are_a_list_whatever_their_shape(places):
    ml_agree("ArrayFeatureExtractor", {"x": real(5, 4), "y": np.array(places)}, fed=["x"])


@pytest.mark.parametrize(("batch", "dtype"), [(1, np.float32), (5, np.float64), (5, np.int64), (1, np.int32)])
def test_features_side_by_side(batch, dtype):
    inputs = {
        "a": real(batch, 2, dtype=dtype),
        "b": real(batch, 1, dtype=dtype),
        "c": real(batch, 2, 3, dtype=dtype),
    }
    ml_agree("FeatureVectorizer", inputs, inputdimensions=[2, 1, 6])
    ml_agree("FeatureVectorizer", inputs, inputdimensions=[1, 3, 4])


def test_vectors_are_rows_of_features():
    ml_agree("FeatureVectorizer", {"a": real(2), "b": real(3)}, inputdimensions=[2, 3])


# ─── categories ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("shape", [(), (5, 6), (2, 3, 1)])
def test_one_hot(shape, dtype):
    x = np.asarray(RANDOM.choice([2, 1.9, 1, 0.9, -0.9, -1, -2, -2.5, 9, 3.1], shape), dtype)
    ml_agree("OneHotEncoder", {"x": x}, cats_int64s=[2, 0, 1, -2, 9])


def test_one_hot_of_what_is_no_number():
    ml_agree("OneHotEncoder", {"x": np.array([[NAN, np.inf, -np.inf, -0.0]], np.float32)}, cats_int64s=[0, 1])


def test_one_hot_of_categories_beyond_float32():
    ml_agree(
        "OneHotEncoder", {"x": np.array([[16777217, 2**60 + 1]])}, cats_int64s=[16777216, 2**60, 2**60 + 1]
    )
    ml_agree("OneHotEncoder", {"x": np.array([[16777217.5, 16777216]])}, cats_int64s=[16777216, 16777217])
    ml_agree("OneHotEncoder", {"x": np.array([[16777216, 1]], np.float32)}, cats_int64s=[16777217, 16777216])


def test_one_hot_of_int32_and_of_what_is_no_category():
    """onnxruntime has no int32 here, and fails where `zeros` is 0 and an input is no category."""
    x = np.array([[1, 5, 3]], np.int32)
    (y,) = by_ingot(ml_node("OneHotEncoder", {"x": x}, cats_int64s=[3, 1], zeros=0), {"x": x})
    np.testing.assert_array_equal(y, [[[0, 1], [0, 0], [1, 0]]])


# ─── numbers for numbers ───────────────────────────────────────────────────────────────────────────────────────────

INTEGERS, FLOATS = np.array([[1, 3, 9], [2, 1, -7]]), np.array([[1, 9, -0.0], [2.5, 7, 0]], np.float32)


@pytest.mark.parametrize("version", [2, 4])
@pytest.mark.parametrize("x", [INTEGERS, np.array(1), FLOATS], ids=["integers", "number", "floats"])
@pytest.mark.parametrize("kind", ["int64", "float"])
@pytest.mark.parametrize("default", [False, True])
def test_labels(default, kind, x, version):
    keys = {"keys_floats": [1.0, 2.5, 0]} if x.dtype == np.float32 else {"keys_int64s": [3, -7, 1]}
    values = {f"values_{kind}s": [10, 2**40, 30] if kind == "int64" else [0.1, 2.0, 3.0]}
    if default:
        values[f"default_{kind}"] = -5 if kind == "int64" else 0.25
    ml_agree(
        "LabelEncoder",
        {"x": x},
        (np.int64 if kind == "int64" else np.float32,),
        version=version,
        **keys,
        **values,
    )


@pytest.mark.parametrize("default", [False, True])
@pytest.mark.parametrize(
    ("key", "value"),
    [(np.int64, np.int64), (np.int64, np.float32), (np.int64, np.float64), (np.float32, np.int64), (np.float32, np.float32),
     (np.float64, np.int64), (np.float64, np.float64)],
)  # fmt: skip
def test_labels_in_tensors(key, value, default):
    attributes = {"keys_tensor": tensor([1, 3, 2], key), "values_tensor": tensor([10, 20, 30], value)}
    if default:
        attributes["default_tensor"] = tensor([5], value)
    ml_agree("LabelEncoder", {"x": INTEGERS.astype(key)}, (value,), version=4, opset=21, **attributes)


@pytest.mark.parametrize(
    ("key", "value"), [(np.int16, np.int32), (np.int32, np.int16), (np.float64, np.float32)]
)
def test_labels_of_types_that_onnxruntime_lacks(key, value):
    x = INTEGERS.astype(key)
    attributes = {"keys_tensor": tensor([1, 3, 2], key), "values_tensor": tensor([10, 20, 30], value)}
    (y,) = by_ingot(ml_node("LabelEncoder", {"x": x}, (value,), version=4, opset=21, **attributes), {"x": x})
    default = 0 if np.dtype(value).kind == "f" else -1
    np.testing.assert_array_equal(y, np.asarray([[10, 20, default], [30, 10, default]], value))


@pytest.mark.parametrize("keys", [[1.0, NAN, 2.5], [NAN, 1, NAN], [NAN]])
def test_nan_is_a_key(keys):
    x = np.array([[1, NAN], [2.5, 7]], np.float32)
    attributes = {"keys_floats": keys, "values_int64s": [10, 20, 30][: len(keys)]}
    expected = ml_agree("LabelEncoder", {"x": x}, (np.int64,), version=4, **attributes)
    node = ml_node("LabelEncoder", {"x": x}, (np.int64,), version=2, **attributes)
    np.testing.assert_array_equal(by_ingot(node, {"x": x}), expected)


def test_of_equal_keys_the_first_one_counts():
    ml_agree(
        "LabelEncoder",
        {"x": INTEGERS},
        (np.int64,),
        version=4,
        keys_int64s=[1, 2, 1],
        values_int64s=[10, 20, 30],
    )
    ml_agree(
        "LabelEncoder", {"x": FLOATS}, (np.int64,), version=4, keys_floats=[0.0, -0.0], values_int64s=[10, 20]
    )


def test_labels_at_an_opset_whose_equal_is_of_integers():
    ml_agree(
        "LabelEncoder",
        {"x": FLOATS},
        (np.int64,),
        version=2,
        opset=10,
        keys_floats=[1.0, 2.5],
        values_int64s=[10, 20],
    )


# ─── what is refused ───────────────────────────────────────────────────────────────────────────────────────────────

X = real(2, 3)
PLACES = np.array([0, 3])


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "why"),
    [
        ("Imputer", {"x": X}, {"imputed_value_floats": [1.0, 2]}, r"has 2 numbers for an input \[2, 3\]"),
        ("Imputer", {"x": X}, {"imputed_value_int64s": [1]}, "imputed_value_floats has 0 numbers"),
        (
            "ArrayFeatureExtractor",
            {"x": X, "y": PLACES},
            {},
            "it selects columns 0 to 3 of 3, expected 0 to 2",
        ),
        ("ArrayFeatureExtractor", {"x": X[0, 0], "y": PLACES}, {}, "its input is a single number"),
        (
            "FeatureVectorizer",
            {"x": X},
            {"inputdimensions": [1, 2]},
            "expected the width of each of its 1 inputs",
        ),
        (
            "FeatureVectorizer",
            {"x": X, "y": X[:1]},
            {"inputdimensions": [3, 3]},
            r"have \[2, 1\] rows, expected equally many",
        ),
        ("OneHotEncoder", {"x": X}, {"cats_strings": ["a"]}, "its words are text, and its input is float"),
        ("OneHotEncoder", {"x": X}, {"cats_int64s": [1, 2, 1]}, "has a category twice"),
        ("OneHotEncoder", {"x": X}, {"cats_int64s": [2**53]}, "is beyond the whole numbers that floats have"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(op, inputs, attributes, why):
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(ml_node(op, inputs, fed=["x"], **attributes), "interp")


@pytest.mark.parametrize(
    ("version", "attributes", "why"),
    [
        (
            2,
            {"keys_floats": [1.0, 2], "values_int64s": [1]},
            "it has 2 keys and 1 values, expected equally many",
        ),
        (4, {"keys_floats": [1.0], "values_int64s": [1], "values_floats": [1.0]}, "values"),
        (
            4,
            {"keys_floats": [1.0], "values_int64s": [1], "default_tensor": tensor([1], np.float32)},
            "default tensor type 1",
        ),
    ],
)
def test_labels_that_do_not_fit_are_refused(version, attributes, why):
    with pytest.raises((UnsupportedError, ModelError), match=why):  # onnx knows some of it
        ingot.build(ml_node("LabelEncoder", {"x": X}, (np.int64,), version=version, **attributes), "interp")


def test_imputed_numbers_that_do_not_fit_into_the_type_are_refused():
    node = ml_node("Imputer", {"x": np.zeros((2, 3), np.int32)}, (np.int32,), imputed_value_int64s=[2**40])
    with pytest.raises(
        UnsupportedError, match="imputed_value_int64s or replaced_value_int64 does not fit into int32"
    ):
        ingot.build(node, "interp")
