"""Linear models, scalers and normalisers of ai.onnx.ml, against onnxruntime and, where it lacks or breaks something, NumPy."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import ingot
from ingot.base.errors import ModelError, UnsupportedError
from tests.support.contrib import agree, contrib_node
from tests.support.contrib import by_ingot as by_any

RANDOM = np.random.default_rng(0)
ml_node = functools.partial(contrib_node, domain="ai.onnx.ml")
ml_agree = functools.partial(agree, domain="ai.onnx.ml", target="interp")
by_ingot = functools.partial(by_any, target="interp")
CLASSES = (np.int64, np.float32)
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]


def real(*shape, dtype=np.float32):
    return np.asarray(RANDOM.standard_normal(shape) * 3, dtype)


def numbers(count):
    return RANDOM.standard_normal(count).tolist()


# ─── regressors and what becomes of scores ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize(("targets", "batch"), [(1, 1), (3, 5)])
def test_linear_regressors(targets, batch, transform):
    attributes = {"coefficients": numbers(4 * targets), "post_transform": transform, "targets": targets}
    ml_agree("LinearRegressor", {"x": real(batch, 4)}, intercepts=numbers(targets), **attributes)


def test_a_regressor_of_a_vector_without_intercepts_or_targets():
    ml_agree("LinearRegressor", {"x": real(4)}, coefficients=numbers(4))


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int32])
def test_regressors_of_other_types_are_those_of_their_floats(dtype):
    """onnxruntime has them of float32 only."""
    x, weights = real(5, 4, dtype=dtype), np.arange(4) - 1.5
    (y,) = by_ingot(
        ml_node("LinearRegressor", {"x": x}, coefficients=weights.tolist(), intercepts=[0.25]), {"x": x}
    )
    assert y.dtype == np.float32
    np.testing.assert_allclose(y[:, 0], x @ weights + 0.25, rtol=1e-5, atol=1e-5)


EYE = {"targets": 3, "coefficients": np.eye(3).ravel().tolist()}
SCORES = np.array(
    [[1, -2, 0], [-3, -1, 0], [0.2, 0.8, 0.5], [0, 1, -0.1], [-1, -1, -90], [99, 0, 1]], np.float32
)


@pytest.mark.parametrize("opset", [10, 21])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_what_becomes_of_scores_that_are_zero_or_far_apart(transform, opset):
    ml_agree("LinearRegressor", {"x": SCORES}, opset=opset, post_transform=transform, **EYE)


def test_rows_of_zeros_have_equal_shares_where_onnxruntime_divides_zero_by_zero():
    x = np.array([[0, 0, 0], [1, 0, 0]], np.float32)
    (y,) = by_ingot(ml_node("LinearRegressor", {"x": x}, post_transform="SOFTMAX_ZERO", **EYE), {"x": x})
    np.testing.assert_allclose(y, [[0.5, 0.5, 0.5], [1, 0, 0]])


@pytest.mark.parametrize("opset", [10, 21])
def test_probit(opset):
    x = np.array([[0, 1, 0.3], [0.9, 0.75, 0.1], [0.01, 0.6, 2.0]], np.float32)
    ml_agree("LinearRegressor", {"x": x}, opset=opset, post_transform="PROBIT", **EYE)
    ml_agree("LinearRegressor", {"x": x[:, 2:]}, opset=opset, post_transform="PROBIT", coefficients=[1.0])


def test_probit_is_precise_near_a_half_and_near_zero():
    """onnxruntime has it in float32, which knows neither."""
    x = np.array([[0.5, 0.5001, 0.49999], [1e-9, 1e-12, 1e-20]], np.float32)
    (y,) = by_ingot(ml_node("LinearRegressor", {"x": x}, post_transform="PROBIT", **EYE), {"x": x})
    expected = [[0, 2.5068e-4, -2.5063e-5], [-5.9978, -7.0345, -9.2623]]
    np.testing.assert_allclose(y, expected, rtol=0.005)


# ─── classifiers ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("transform", [*TRANSFORMS, "PROBIT"])
@pytest.mark.parametrize(("classes", "batch"), [([0, 1, 2], 5), ([7, 3, 5], 1), ([4, 2], 5)])
def test_linear_classifiers(classes, batch, transform):
    rows = len(classes)
    attributes = {
        "coefficients": numbers(4 * rows),
        "intercepts": numbers(rows),
        "classlabels_ints": classes,
        "multi_class": 1,
    }
    x = real(batch, 4)
    if transform == "PROBIT":
        attributes |= {"coefficients": [0.0] * 4 * rows, "intercepts": [0.2, 0.7, 0.1][:rows]}
    ml_agree("LinearClassifier", {"x": x}, CLASSES, post_transform=transform, **attributes)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("classes", [{}, {"classlabels_ints": [0, 1]}, {"classlabels_ints": [7, 3]}])
def test_classifiers_of_a_single_row_of_coefficients(classes, transform):
    attributes = {"coefficients": numbers(4), "intercepts": numbers(1), "post_transform": transform}
    ml_agree("LinearClassifier", {"x": real(5, 4)}, CLASSES, **attributes, **classes)


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int32])
def test_classifiers_of_other_types(dtype):
    attributes = {"coefficients": numbers(12), "intercepts": numbers(3), "classlabels_ints": [7, 3, 5]}
    ml_agree("LinearClassifier", {"x": real(5, 4, dtype=dtype)}, CLASSES, **attributes)


def test_scores_of_classes_that_are_text_need_no_text():
    x, weights = real(5, 4), numbers(12)
    texts = {"classlabels_strings": ["a", "b", "c"], "coefficients": weights, "intercepts": [0.0] * 3}
    node = ml_node("LinearClassifier", {"x": x}, (object, np.float32), **texts)
    del node.graph.output[0]
    (y,) = by_ingot(node, {"x": x})
    np.testing.assert_allclose(y, x @ np.reshape(weights, (3, 4)).T, rtol=1e-4, atol=1e-5)


# ─── scalers and normalisers ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("shape", "dtype"), [((1, 3), np.float32), ((5, 3), np.float64), ((3,), np.int64), ((5, 3), np.int32)]
)
def test_scalers(shape, dtype):
    ml_agree("Scaler", {"x": real(*shape, dtype=dtype)}, offset=[0.5, -1, 2], scale=[0.1, 2, 3.0])


def test_scalers_of_one_number_for_all_features():
    ml_agree("Scaler", {"x": real(2, 5, 3)}, offset=[0.5], scale=[0.1])


def test_scalers_subtract_first_and_have_doubles_in_double():
    x = np.array([[16777217, 3], [1e9 + 1, 4]])
    ml_agree("Scaler", {"x": x}, rtol=0, atol=0, offset=[16777216.0, 1], scale=[3.0, 0.1])


def test_a_scaler_may_have_only_one_half():
    x = real(5, 3)
    np.testing.assert_array_equal(
        by_ingot(ml_node("Scaler", {"x": x}, offset=[0.5]), {"x": x})[0], x - np.float32(0.5)
    )
    np.testing.assert_array_equal(
        by_ingot(ml_node("Scaler", {"x": x}, scale=[0.5]), {"x": x})[0], x * np.float32(0.5)
    )


@pytest.mark.parametrize("opset", [10, 21])
@pytest.mark.parametrize("norm", [{}, {"norm": "MAX"}, {"norm": "L1"}, {"norm": "L2"}])
def test_normalizers_of_rows_and_rows_of_zeros(norm, opset):
    x = real(5, 4)
    x[:, 0] = np.abs(x).max(axis=1)  # so that the largest number is the one of the largest magnitude
    x[2] = 0
    ml_agree("Normalizer", {"x": x}, opset=opset, **norm)


@pytest.mark.parametrize(("norm", "dtype"), [("L1", np.float64), ("L2", np.int64), ("L2", np.int32)])
def test_normalizers_of_vectors_of_other_types(norm, dtype):
    ml_agree("Normalizer", {"x": real(4, dtype=dtype) + dtype(1)}, norm=norm)


def test_the_largest_is_that_of_magnitudes():
    """As in scikit-learn; onnxruntime divides by -1."""
    x = np.array([[-3, -1, -2], [1, -4, 2]], np.float32)
    (y,) = by_ingot(ml_node("Normalizer", {"x": x}, norm="MAX"), {"x": x})
    np.testing.assert_allclose(y, [[-1, -1 / 3, -2 / 3], [0.25, -1, 0.5]], rtol=1e-6)


# ─── what is refused ───────────────────────────────────────────────────────────────────────────────────────────────

X = real(2, 4)


@pytest.mark.parametrize(
    ("op", "attributes", "why"),
    [
        ("LinearRegressor", {"coefficients": [1.0] * 5}, "5 coefficients do not fit 1 targets of 4 features"),
        ("LinearRegressor", {"coefficients": [1.0] * 4, "targets": 0}, "4 coefficients do not fit 0 targets"),
        (
            "LinearRegressor",
            {"coefficients": [1.0] * 4, "intercepts": [1.0, 2]},
            "2 intercepts do not fit 1 rows",
        ),
        ("LinearRegressor", {}, "0 coefficients do not fit"),
        (
            "LinearRegressor",
            {"coefficients": [1.0] * 4, "post_transform": "TANH"},
            "'TANH' is not known: expected NONE",
        ),
        (
            "Scaler",
            {"offset": [1.0, 2], "scale": [1.0, 2]},
            "offset has 2 numbers, expected one, or one for each feature",
        ),
        ("Normalizer", {"norm": "L3"}, "norm='L3' is not known: expected MAX, L1 or L2"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(op, attributes, why):
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(ml_node(op, {"x": X}, **attributes), "interp")


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"coefficients": [1.0] * 8}, "2 rows of coefficients do not fit 0 labels"),
        (
            {"coefficients": [1.0] * 8, "classlabels_ints": [1, 2, 3]},
            "2 rows of coefficients do not fit 3 labels",
        ),
        (
            {"coefficients": [1.0] * 9, "classlabels_ints": [1, 2]},
            "9 coefficients do not fit each class of 4 features",
        ),
        ({"coefficients": [1.0] * 4, "classlabels_ints": [1]}, "for two classes, and 1 have labels"),
        (
            {"coefficients": [1.0] * 4, "classlabels_ints": [1, 2], "post_transform": "PROBIT"},
            "single score for two classes",
        ),
    ],
)
def test_classifiers_whose_labels_do_not_fit_are_refused(attributes, why):
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(ml_node("LinearClassifier", {"x": X}, CLASSES, **attributes), "interp")


def test_attributes_of_another_kind_are_refused():
    with pytest.raises(ModelError, match="coefficients"):
        ingot.build(ml_node("LinearRegressor", {"x": X}, coefficients="a"), "interp")
