"""Support vector machines of ai.onnx.ml, against onnxruntime and, for what small differences show, float64 in NumPy."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import ingot
from ingot.base.errors import UnsupportedError
from tests.support.contrib import agree, contrib_node
from tests.support.contrib import by_ingot as by_any

RANDOM = np.random.default_rng(0)
ml_node = functools.partial(contrib_node, domain="ai.onnx.ml")
ml_agree = functools.partial(agree, domain="ai.onnx.ml", target="interp")
by_ingot = functools.partial(by_any, target="interp")
CLASSES = (np.int64, np.float32)
KERNELS = ["LINEAR", "POLY", "RBF", "SIGMOID"]
PARAMS = [0.25, 0.1, 3.0]  # gamma, coef0, degree


def real(*shape, dtype=np.float32):
    return np.asarray(RANDOM.standard_normal(shape), dtype)


def numbers(count):
    return RANDOM.standard_normal(count).tolist()


def types_of(attributes):
    return (object, np.float32) if "classlabels_strings" in attributes else CLASSES


def regressor(kernel, vectors=3, **more):
    return {
        "kernel_type": kernel, "kernel_params": PARAMS, "n_supports": vectors, "support_vectors": numbers(4 * vectors),
        "coefficients": numbers(vectors), "rho": [0.1], **more,
    }  # fmt: skip


def classifier(classes, kernel="RBF", probabilities=False, **more):
    """Of unequally many vectors for each class."""
    pairs, sizes = classes * (classes - 1) // 2, [2 + at % 2 for at in range(classes)]
    made = {
        "kernel_type": kernel, "kernel_params": PARAMS, "vectors_per_class": sizes, "support_vectors": numbers(4 * sum(sizes)),
        "coefficients": numbers((classes - 1) * sum(sizes)), "rho": numbers(pairs),
        "classlabels_ints": list(range(5, 5 + classes)),
    }  # fmt: skip
    if probabilities:
        made |= {"prob_a": (-4 * np.abs(real(pairs))).tolist(), "prob_b": numbers(pairs)}
    return made | more


# ─── regression ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("kernel", "batch"), list(zip(KERNELS, [1, 5, 1, 5], strict=True)))
def test_regressors(kernel, batch):
    ml_agree("SVMRegressor", {"x": real(batch, 4)}, **regressor(kernel))


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_powers_of_negative_numbers(degree):
    ml_agree(
        "SVMRegressor", {"x": real(5, 4)}, **regressor("POLY") | {"kernel_params": [0.5, -0.1, float(degree)]}
    )


@pytest.mark.parametrize("transform", ["SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"])
def test_scores_of_regressors_stay_what_they_are(transform):
    ml_agree("SVMRegressor", {"x": real(5, 4)}, post_transform=transform, **regressor("RBF"))


@pytest.mark.parametrize("opset", [10, 21])
def test_one_class(opset):
    x = np.concatenate([real(5, 4), np.zeros((1, 4), np.float32), np.full((1, 4), 9, np.float32)])
    (y,) = ml_agree(
        "SVMRegressor",
        {"x": x},
        opset=opset,
        **regressor("RBF", one_class=1, coefficients=[1.0, 2, 3], rho=[-1.5]),
    )
    assert set(y.ravel()) == {1, -1}


def test_regressors_without_support_vectors():
    attributes = {
        "coefficients": numbers(4),
        "rho": [0.1],
        "kernel_type": "LINEAR",
        "kernel_params": [0.0] * 3,
    }
    ml_agree("SVMRegressor", {"x": real(5, 4)}, **attributes)
    ml_agree("SVMRegressor", {"x": real(4)}, **attributes)


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int32])
def test_regressors_of_other_types_are_those_of_their_floats(dtype):
    """onnxruntime has them of float32 only."""
    x, attributes = np.asarray(real(5, 4) * 3, dtype), regressor("RBF")
    (y,) = by_ingot(ml_node("SVMRegressor", {"x": x}, **attributes), {"x": x})
    floats = x.astype(np.float32)
    (expected,) = by_ingot(ml_node("SVMRegressor", {"x": floats}, **attributes), {"x": floats})
    np.testing.assert_array_equal(y, expected)


def test_small_distances_of_vectors_far_from_zero_are_precise():
    """Where |x|² - 2xs + |s|² in float32 would have no digit left."""
    vectors = 1000 + np.asarray(RANDOM.integers(-8, 9, (6, 4)) / 8, np.float32)
    x = 1000 + np.asarray(RANDOM.integers(-8, 9, (5, 4)) / 8, np.float32)
    weights = numbers(6)
    attributes = regressor("RBF", 6) | {"support_vectors": vectors.ravel().tolist(), "coefficients": weights}
    (y,) = by_ingot(ml_node("SVMRegressor", {"x": x}, **attributes), {"x": x})
    distances = ((x[:, None].astype(np.float64) - vectors) ** 2).sum(-1)
    np.testing.assert_allclose(y[:, 0], np.exp(-0.25 * distances) @ weights + 0.1, rtol=1e-5, atol=1e-6)


# ─── classification ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("classes", "batch"), [(2, 5), (4, 1)])
def test_classifiers(classes, batch, kernel):
    ml_agree("SVMClassifier", {"x": real(batch, 4)}, CLASSES, **classifier(classes, kernel))


@pytest.mark.parametrize("transform", ["SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"])
@pytest.mark.parametrize("classes", [2, 3])
def test_what_becomes_of_scores(classes, transform):
    attributes = classifier(classes, "RBF", post_transform=transform)
    ml_agree("SVMClassifier", {"x": real(5, 4)}, CLASSES, **attributes)


def test_two_classes_with_positive_coefficients_only_vote_as_all_others():
    """ONNX's reference has another rule for these."""
    attributes = classifier(2, "LINEAR") | {"coefficients": [0.5, 1, 2, 0.5, 1.5], "rho": [0.1]}
    ml_agree("SVMClassifier", {"x": real(9, 4)}, CLASSES, **attributes)


@pytest.mark.parametrize(
    ("classes", "batch", "opset", "transform", "target"),
    [
        (2, 5, 10, "NONE", "interp"),
        (3, 1, 21, "NONE", "llvmjit"),
        (4, 40, 17, "NONE", "llvmjit"),
        (3, 5, 17, "SOFTMAX", "interp"),
    ],
)
def test_probabilities(classes, batch, opset, transform, target):
    attributes = classifier(classes, "LINEAR", True, post_transform=transform)
    ml_agree("SVMClassifier", {"x": real(batch, 4) * 2}, CLASSES, opset=opset, target=target, **attributes)


def test_probabilities_of_pairs_that_are_sure_and_contradict_each_other():
    attributes = classifier(4, "LINEAR", True) | {"prob_a": [-30.0] * 6, "prob_b": [0.5, -0.5] * 3}
    ml_agree("SVMClassifier", {"x": real(20, 4) * 2}, CLASSES, **attributes)


@pytest.mark.parametrize("classes", [1, 3])
def test_classifiers_without_support_vectors(classes):
    attributes = {
        "coefficients": numbers(4 * classes), "rho": [0.1, 0.2, 0.3][:classes], "kernel_params": PARAMS, "kernel_type": "LINEAR",
        "classlabels_ints": [9, 4, 7][:classes],
    }  # fmt: skip
    for transform in ("NONE", "LOGISTIC"):
        ml_agree("SVMClassifier", {"x": real(5, 4)}, CLASSES, post_transform=transform, **attributes)


def test_two_classes_without_support_vectors_have_the_label_of_the_larger_score():
    """onnxruntime takes the second class where the first one has a larger score above zero."""
    x = real(9, 4)
    attributes = {"coefficients": numbers(8), "rho": [0.1], "classlabels_ints": [9, 4]}
    label, scores = by_ingot(ml_node("SVMClassifier", {"x": x}, CLASSES, **attributes), {"x": x})
    np.testing.assert_allclose(
        scores, x @ np.reshape(attributes["coefficients"], (2, 4)).T + 0.1, rtol=1e-4, atol=1e-5
    )
    np.testing.assert_array_equal(label, np.where(scores[:, 0] >= scores[:, 1], 9, 4))


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int32])
def test_classifiers_of_other_types(dtype):
    ml_agree("SVMClassifier", {"x": np.asarray(real(5, 4) * 3, dtype)}, CLASSES, **classifier(3))


# ─── what is refused ───────────────────────────────────────────────────────────────────────────────────────────────

X = real(2, 4)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"kernel_type": "COSINE"},
            "kernel_type='COSINE' is not known: expected LINEAR, POLY, RBF or SIGMOID",
        ),
        ({"kernel_params": [1.0]}, "kernel_params has 1 numbers, expected 3"),
        ({"support_vectors": [1.0] * 9}, "support_vectors has 9 numbers, expected 3 times 4"),
        ({"coefficients": [1.0] * 2}, "coefficients has 2 numbers, expected 1 times 3"),
        ({"rho": []}, "rho has 0 numbers, expected at least one"),
        ({"n_supports": -1}, "n_supports=-1 is negative"),
        ({"post_transform": "PROBIT"}, "'PROBIT' is not supported: onnxruntime leaves it undone"),
    ],
)
def test_regressors_that_do_not_fit_are_refused(change, why):
    attributes = regressor("RBF") | change
    if change.get("rho") == []:  # a list of nothing has no kind
        del attributes["rho"]
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(ml_node("SVMRegressor", {"x": X}, **attributes), "interp")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"classlabels_ints": None}, "it has no labels: expected classlabels_ints"),
        ({"classlabels_ints": [1, 2]}, r"vectors_per_class is \[2, 3, 2\] for 2 labels"),
        ({"rho": [1.0]}, "rho has 1 numbers, expected 3"),
        ({"coefficients": [1.0] * 7}, "coefficients has 7 numbers, expected 2 times 7"),
        ({"prob_a": [1.0]}, "prob_a has 1 numbers, expected 1 times 3"),
        ({"prob_b": [1.0]}, "prob_b has 1 numbers, expected 1 times 3"),
    ],
)
def test_classifiers_that_do_not_fit_are_refused(change, why):
    attributes = {
        name: value
        for name, value in (classifier(3, probabilities=True) | change).items()
        if value is not None
    }
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(ml_node("SVMClassifier", {"x": X}, types_of(attributes), **attributes), "interp")


def test_a_single_score_of_two_classes_has_no_probit():
    with pytest.raises(
        UnsupportedError, match="post_transform='PROBIT' of a single score for two classes is not defined"
    ):
        ingot.build(
            ml_node("SVMClassifier", {"x": X}, CLASSES, **classifier(2, post_transform="PROBIT")), "interp"
        )
