"""What classifiers and regressors of ai.onnx.ml make of scores: the attribute `post_transform`, and labels of classes.

*Source:* the operators of ai.onnx.ml versions 1 to 5, and what onnxruntime computes where ONNX does not say it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ingot.graph.rewrite.writer import AXES_OPSET, StaysError, Writer

LABELS = ("classlabels_ints", "classlabels_strings")  # of all classifiers but those of trees
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
REALS = (ir.DataType.FLOAT, ir.DataType.DOUBLE)
_EQUAL_OPSET = 11  # from which on Equal is of floats
# From which on all reductions have their axes as an input; ReduceSum has it from AXES_OPSET on.
_REDUCE_AXES_OPSET = 18
_ZERO = 1e-7  # what SOFTMAX_ZERO takes for nothing: no farther from zero than this
# Of the approximation of the inverse error function that PROBIT is defined by in all runtimes.
_WINITZKI = 0.147


def rows_of(to: Writer) -> ir.Value:
    """The node's input [N, F] as float32, in which onnxruntime has all types there; a vector [F] is one row."""
    x = to.cast(to.given(0, "X"), ir.DataType.FLOAT)
    shape = to.shape(x, 1, 2)
    return x if len(shape) == 2 else to.reshape(x, (1, *shape))


def weighted(to: Writer, x: ir.Value, weights: np.ndarray, summands: np.ndarray | None) -> ir.Value:
    """Products [N, C] of rows [N, F] with constant weights [F, C], and summands [C]."""
    factors = [x, to.constant(weights, ir.DataType.FLOAT)]
    if summands is None:
        return to.op("MatMul", factors)
    return to.op("Gemm", [*factors, to.constant(summands, ir.DataType.FLOAT)])


def transform_of(to: Writer) -> str:
    """The node's `post_transform`, NONE if it has none."""
    transform = to.text("post_transform") or TRANSFORMS[0]
    if transform not in TRANSFORMS:
        raise StaysError(
            f"post_transform={transform!r} is not known: expected {', '.join(TRANSFORMS[:-1])} or {TRANSFORMS[-1]}"
        )
    return transform


def post_transform(to: Writer, scores: ir.Value, name: str | None = None) -> ir.Value:
    """The node's `post_transform`, or another one of TRANSFORMS, of float scores [N, C], which has their shape.

    Of a single score (C = 1) onnxruntime leaves all but PROBIT undone: its regressors give the bare score with LOGISTIC, too.
    So does this, since what is exported is checked with it; what a classifier of one score does before is `two_scores`.

    Where all of a row is nothing, SOFTMAX_ZERO is 0.5 as in ONNX's reference; onnxruntime divides 0 by 0 there.
    """
    name, single = name or transform_of(to), to.shape(scores, 2)[1] == 1
    if name == "PROBIT":
        return _probit(to, scores)
    if single or name == "NONE":
        return scores
    if name == "LOGISTIC":
        return to.op("Sigmoid", [scores])
    return to.softmax(scores) if name == "SOFTMAX" else _softmax_zero(to, scores)


def two_scores(to: Writer, score: ir.Value, opposite: ir.Value) -> ir.Value:
    """Scores [N, 2] of two classes, of the only `score` [N, 1] that a classifier has; `opposite` is what the first class gets.

    LOGISTIC gives the curve of the score and of its negative, whatever the opposite is.

    Does not handle: PROBIT, which onnxruntime writes over other rows here, and ONNX's reference refuses.
    """
    name = transform_of(to)
    if name == "PROBIT":
        raise StaysError("post_transform='PROBIT' of a single score for two classes is not defined")
    if name == "LOGISTIC":
        return to.op("Sigmoid", [to.concat([to.op("Neg", [score]), score], 1)])
    return to.concat([opposite, score], 1)


def labels(to: Writer, which: ir.Value, names: tuple[str, str]) -> ir.Value:
    """Labels [N] of the class numbers `which`, int64 [N]: int64, or text, which the border looks up.

    Args:
        to: where to write
        which: numbers of classes, from 0 on
        names: of the attributes that have the labels if they are integers, and if they are text
    """
    texts = to.texts(names[1])
    if texts:
        return to.gather(to.texts_constant(texts), which)
    numbers = label_numbers(to, names)
    if numbers == list(range(len(numbers))):
        return which
    return to.gather(to.constant(numbers, ir.DataType.INT64), which)


def label_numbers(to: Writer, names: tuple[str, str]) -> list[int]:
    """The integer labels that a node has; `names` as of `labels`."""
    numbers = to.numbers(names[0])
    if not numbers:
        raise StaysError(f"it has no labels: expected {names[0]} or {names[1]}, one for each class")
    return numbers


def label_count(to: Writer, names: tuple[str, str]) -> int:
    """How many classes have a label, a number or text. Scores depend on nothing else of the labels."""
    return len(to.texts(names[1]) or to.numbers(names[0]) or ())


def reduced(to: Writer, op_type: str, value: ir.Value, axes: Sequence[int] = (1,)) -> ir.Value:
    """A reduction, by default of a matrix's rows, which keeps the dimensions; in the form that the opset has for it."""
    if to.opset < (AXES_OPSET if op_type == "ReduceSum" else _REDUCE_AXES_OPSET):
        return to.op(op_type, [value], ir.AttrInt64s("axes", axes))
    return to.op(op_type, [value, to.constant(axes, ir.DataType.INT64)])


def equal(to: Writer, left: ir.Value, right: ir.Value) -> ir.Value:
    """Where two numbers are the same; NaN never is. Before opset 11 Equal is of integers only."""
    if to.opset >= _EQUAL_OPSET or to.dtype(left) not in REALS:
        return to.op("Equal", [left, right])
    differs = to.op("Or", [to.op("Less", [left, right]), to.op("Greater", [left, right])])
    nan = to.op("Or", [to.op("IsNaN", [left]), to.op("IsNaN", [right])])
    return to.op("Not", [to.op("Or", [differs, nan])])


def arg_max(to: Writer, scores: ir.Value) -> ir.Value:
    """The number of the largest score of each row of [N, C], the first one of several: int64 [N]."""
    return to.op("ArgMax", [scores], ir.AttrInt64("axis", 1), ir.AttrInt64("keepdims", 0))


def _softmax_zero(to: Writer, scores: ir.Value) -> ir.Value:
    """Softmax of what is something; what is nothing has no exponential, it is only scaled like all others."""
    maximum = reduced(to, "ReduceMax", scores)
    curve = to.op("Exp", [to.op("Sub", [scores, maximum])])
    nothing = to.op("Mul", [scores, to.op("Exp", [to.op("Neg", [maximum])])])
    is_something = to.op("Greater", [to.op("Abs", [scores]), to.like(_ZERO, scores)])
    parts = to.op("Where", [is_something, curve, nothing])
    total = reduced(to, "ReduceSum", parts)
    is_zero = equal(to, total, to.like(0, scores))
    whole = to.op("Where", [is_zero, to.like(1, scores), total])
    return to.op("Where", [is_zero, to.like(0.5, scores), to.op("Div", [parts, whole])])


def _probit(to: Writer, chances: ir.Value) -> ir.Value:
    """√2 times the inverse error function of 2p - 1, by Winitzki's approximation.

    In double, since near a half it is a small difference of large numbers: float32, which onnxruntime has, gives 0 for p = 0.5001
    instead of 2.5e-4, and minus infinity for p = 1e-8.
    """
    p = to.cast(chances, ir.DataType.DOUBLE)
    width = to.op(
        "Mul", [to.op("Mul", [p, to.op("Sub", [to.like(1, p), p])]), to.like(4, p)]
    )  # (1 - x)(1 + x) of x = 2p - 1
    log = to.op("Log", [width])
    half = to.add(to.op("Mul", [log, to.like(0.5, p)]), to.like(2 / (math.pi * _WINITZKI), p))
    square = to.op("Sub", [to.op("Mul", [half, half]), to.op("Mul", [log, to.like(1 / _WINITZKI, p)])])
    size = to.op("Sqrt", [to.op("Sub", [to.op("Sqrt", [square]), half])])
    sign = to.op("Sign", [to.op("Sub", [p, to.like(0.5, p)])])
    return to.cast(to.op("Mul", [to.op("Mul", [size, sign]), to.like(np.sqrt(2), p)]), to.dtype(chances))
