"""Linear models, scalers and normalisers of ai.onnx.ml as ai.onnx's own operators; with encoders and support vectors.

*Source:* LinearRegressor, LinearClassifier, Scaler and Normalizer of ai.onnx.ml, version 1. The weights are constants, so that a
model is a product with them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from ingot.graph.dialects.ml import encoders, svm
from ingot.graph.dialects.ml.scores import (
    LABELS,
    arg_max,
    equal,
    label_count,
    labels,
    post_transform,
    reduced,
    rows_of,
    two_scores,
    weighted,
)
from ingot.graph.rewrite.writer import Results, StaysError, Write, Writer


def _real(to: Writer) -> ir.Value:
    """The node's input as floats: what is double stays it, which onnxruntime has like that too, and is rounded at the end."""
    x = to.given(0, "X")
    return x if to.dtype(x) == ir.DataType.DOUBLE else to.cast(x, ir.DataType.FLOAT)


def _scores(to: Writer, x: ir.Value, targets: int | None) -> ir.Value:
    """Scores [N, targets] of a linear model; as many as there are rows of coefficients if that is None."""
    coefficients, intercepts = to.real_numbers("coefficients"), to.real_numbers("intercepts")
    features = to.shape(x)[1]
    rows = targets if targets is not None else len(coefficients) // max(features, 1)
    if rows < 1 or len(coefficients) != rows * features:
        counted = f"{rows} targets" if targets is not None else "each class"
        raise StaysError(f"{len(coefficients)} coefficients do not fit {counted} of {features} features")
    if intercepts and len(intercepts) != rows:
        raise StaysError(f"{len(intercepts)} intercepts do not fit {rows} rows of coefficients")
    weights = np.asarray(coefficients, np.float32).reshape(rows, features).T
    return weighted(to, x, weights, np.asarray(intercepts, np.float32) if intercepts else None)


def _linear_regressor(to: Writer) -> Results:
    """Products and intercepts. onnxruntime ignores coefficients and intercepts that are too many; they are refused here."""
    return (post_transform(to, _scores(to, rows_of(to), to.number("targets", 1))),)


def _linear_classifier(to: Writer) -> Results:
    """Labels [N] of the largest score before `post_transform`, as in onnxruntime, and scores [N, C].

    A model of one row of coefficients and two labels has scores of both, `1 - s` and `s`, and the second label where s > 0;
    one of a row and no labels has one score and the labels 0 and 1. `multi_class` changes nothing, in onnxruntime neither.

    Does not handle: text labels, unless nobody reads them; a classifier without intercepts, as onnxruntime: ONNX counts classes
    by them, so that the shapes contradict each other before it comes to this.
    """
    scores, count = _scores(to, rows_of(to), None), label_count(to, LABELS)
    batch, rows = to.shape(scores)
    if rows > 1:
        which = to.wants(0)
        if which or count:
            _fits(count, rows)
        return labels(to, arg_max(to, scores), LABELS) if which else None, post_transform(to, scores)
    if count not in (0, 2):
        raise StaysError(f"one row of coefficients is for two classes, and {count} have labels")
    label: ir.Value | None = None
    if to.wants(0):
        is_second = to.cast(
            to.op("Greater", [to.reshape(scores, (batch,)), to.like(0, scores)]), ir.DataType.INT64
        )
        label = labels(to, is_second, LABELS) if count else is_second
    if not count:
        return label, post_transform(to, scores)
    return label, two_scores(to, scores, to.op("Sub", [to.like(1, scores), scores]))


def _fits(count: int, rows: int) -> None:
    if count != rows:
        raise StaysError(f"{rows} rows of coefficients do not fit {count} labels of classes ({LABELS[0]})")


def _scaler(to: Writer) -> Results:
    """`(x - offset) * scale`, by features or by one number for all, in float32; in double for doubles."""
    x = _real(to)
    for op_type, name in (("Sub", "offset"), ("Mul", "scale")):
        numbers = to.real_numbers(name)
        if numbers:
            shape = to.shape(x)
            if len(numbers) != 1 and (len(shape) not in (1, 2) or len(numbers) != shape[-1]):
                raise StaysError(
                    f"{name} has {len(numbers)} numbers, expected one, or one for each feature of {list(shape)}"
                )
            x = to.op(op_type, [x, to.constant(numbers if len(numbers) > 1 else numbers[0], to.dtype(x))])
    return (to.cast(x, ir.DataType.FLOAT),)


def _normalizer(to: Writer) -> Results:
    """Rows by their largest magnitude, the sum of their magnitudes or their Euclidean norm; rows of zeros stay.

    MAX is by the largest magnitude, as in scikit-learn and ONNX's reference: onnxruntime takes the largest number, which differs
    where a row has a negative one of a greater magnitude. A row whose norm is no float32 becomes zeros, in onnxruntime NaNs.
    """
    x, norm = _real(to), to.text("norm") or "MAX"
    axis = [len(to.shape(x, 1, 2)) - 1]
    if norm == "MAX":
        size = reduced(to, "ReduceMax", to.op("Abs", [x]), axis)
    elif norm == "L1":
        size = reduced(to, "ReduceSum", to.op("Abs", [x]), axis)
    elif norm == "L2":
        size = to.op("Sqrt", [reduced(to, "ReduceSum", to.op("Mul", [x, x]), axis)])
    else:
        raise StaysError(f"norm={norm!r} is not known: expected MAX, L1 or L2")
    divisor = to.op("Where", [equal(to, size, to.like(0, x)), to.like(1, x), size])
    return (to.cast(to.op("Div", [x, divisor]), ir.DataType.FLOAT),)


WRITERS: Mapping[str, Write] = {
    "LinearRegressor": _linear_regressor,
    "LinearClassifier": _linear_classifier,
    "Scaler": _scaler,
    "Normalizer": _normalizer,
    **encoders.WRITERS,
    **svm.WRITERS,
}
