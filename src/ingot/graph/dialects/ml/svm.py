"""Support vector machines of ai.onnx.ml as ai.onnx's own operators.

*Source:* SVMRegressor and SVMClassifier of ai.onnx.ml, version 1, and the way of libsvm, on which both onnxruntime and
scikit-learn rely: one machine decides between each pair of classes, their votes make the label, and their probabilities are
coupled to those of classes (Wu, Lin and Weng, Probability Estimates for Multi-class Classification by Pairwise Coupling, 2004).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import onnx_ir as ir

from ingot.graph.dialects.ml.scores import (
    LABELS,
    arg_max,
    label_count,
    labels,
    post_transform,
    reduced,
    rows_of,
    transform_of,
    two_scores,
    weighted,
)
from ingot.graph.rewrite.writer import Results, StaysError, Write, Writer

KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")
_CHANCE_MIN = 1e-7  # of one class of a pair, as libsvm bounds it
_ERROR = 0.005  # libsvm ends coupling when it is off by less than this, divided by the number of classes
# How often coupling runs. libsvm ends it after 100 times at the latest; of 40 classes, however much their pairs contradict each
# other, it needs 5. If some row needed more, its probabilities would be off by about as much as `_ERROR` says.
_ROUNDS = 6
_COUPLED_MAX = 128  # classes: each round is some nodes for each of them


# ─── kernels ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _kernel(to: Writer, x: ir.Value, vectors: np.ndarray) -> ir.Value:
    """The kernel [N, S] of rows [N, F] and support vectors [S, F]."""
    kind = to.text("kernel_type") or KERNELS[0]
    if kind not in KERNELS:
        raise StaysError(
            f"kernel_type={kind!r} is not known: expected {', '.join(KERNELS[:-1])} or {KERNELS[-1]}"
        )
    numbers = to.real_numbers("kernel_params")
    if len(numbers) not in (0, 3):
        raise StaysError(f"kernel_params has {len(numbers)} numbers, expected 3: gamma, coef0 and degree")
    gamma, summand, degree = numbers or (0.0, 0.0, 0.0)
    if kind == "RBF":
        return to.op("Exp", [to.scaled(_distances(to, x, vectors), -gamma)])
    product = weighted(to, x, vectors.T, None)
    if kind == "LINEAR":
        return product
    inner = to.op("Add", [to.scaled(product, gamma), to.like(summand, product)])
    return to.op("Tanh", [inner]) if kind == "SIGMOID" else to.op("Pow", [inner, to.like(degree, inner)])


def _distances(to: Writer, x: ir.Value, vectors: np.ndarray) -> ir.Value:
    """Squares of Euclidean distances [N, S], from differences: |x|² - 2xs + |s|² would lose what is small beside |x|²."""
    batch, features = to.shape(x)
    apart = to.op("Sub", [to.reshape(x, (batch, 1, features)), to.constant(vectors, ir.DataType.FLOAT)])
    return to.reshape(reduced(to, "ReduceSum", to.op("Mul", [apart, apart]), (2,)), (batch, len(vectors)))


def _matrix(to: Writer, name: str, rows: int, columns: int) -> np.ndarray:
    """An attribute that is a matrix, row by row."""
    numbers = to.real_numbers(name)
    if len(numbers) != rows * columns:
        raise StaysError(f"{name} has {len(numbers)} numbers, expected {rows} times {columns}")
    return np.asarray(numbers, np.float32).reshape(rows, columns)


def _rho(to: Writer, count: int | None) -> np.ndarray:
    """The attribute `rho`, the summands of scores. It must have `count` numbers, or at least one if `count` is None."""
    numbers = to.real_numbers("rho")
    if not numbers or count not in (None, len(numbers)):
        raise StaysError(f"rho has {len(numbers)} numbers, expected {count or 'at least one'}")
    return np.asarray(numbers, np.float32)


# ─── regression ────────────────────────────────────────────────────────────────────────────────────────────────────


def _svm_regressor(to: Writer) -> Results:
    """Weighted kernels of the support vectors, or, without any, the product with the coefficients; 1 or -1 with `one_class`.

    Of the one score onnxruntime leaves any `post_transform` undone, as it does with all but PROBIT elsewhere.

    Does not handle: PROBIT.
    """
    x, count = rows_of(to), to.number("n_supports", 0)
    features = to.shape(x)[1]
    if transform_of(to) == "PROBIT":
        raise StaysError("post_transform='PROBIT' is not supported: onnxruntime leaves it undone here")
    if count < 0:
        raise StaysError(f"n_supports={count} is negative")
    if count:
        x = _kernel(to, x, _matrix(to, "support_vectors", count, features))
    score = weighted(to, x, _matrix(to, "coefficients", 1, count or features).T, _rho(to, None)[:1])
    if to.flag("one_class"):
        is_inside = to.op("Greater", [score, to.like(0, score)])
        score = to.op("Where", [is_inside, to.like(1, score), to.like(-1, score)])
    return (score,)


# ─── classification ────────────────────────────────────────────────────────────────────────────────────────────────


def _svm_classifier(to: Writer) -> Results:
    """Labels [N], and scores: of classes [N, C] if there are probabilities, else of pairs [N, C(C-1)/2], as in onnxruntime.

    Scores of two classes are of both, `-s` and `s`, though s > 0 votes for the first class; with SOFTMAX and SOFTMAX_ZERO they
    are `1 - s` and `s`, where ONNX's reference has the softmax of `-s` and `s`. Labels are the most votes' as in onnxruntime and
    libsvm, where ONNX's reference has exceptions for two classes.

    Without support vectors (`vectors_per_class`) there is a row of coefficients for each class, all with the first `rho`, and the
    label is that of the largest score, as in ONNX's reference. Of two such classes onnxruntime takes the second one as soon as
    either score is positive; nothing that exports models writes these.

    Does not handle: text labels, unless nobody reads them.
    """
    x, sizes, count = rows_of(to), to.numbers("vectors_per_class") or [], label_count(to, LABELS)
    if not count:
        raise StaysError(f"it has no labels: expected {LABELS[0]}, one whole number for each class")
    features = to.shape(x)[1]
    if not any(sizes):
        scores = weighted(
            to, x, _matrix(to, "coefficients", count, features).T, np.repeat(_rho(to, None)[:1], count)
        )
        return _label(to, scores), post_transform(to, scores)
    if len(sizes) != count or count < 2 or min(sizes) < 0:
        raise StaysError(
            f"vectors_per_class is {sizes} for {count} labels, expected a number for each of two classes or more"
        )
    kernel = _kernel(to, x, _matrix(to, "support_vectors", sum(sizes), features))
    coefficients = _matrix(to, "coefficients", count - 1, sum(sizes))
    pairs = list(combinations(range(count), 2))
    scores = weighted(to, kernel, _by_pairs(coefficients, sizes, pairs), _rho(to, len(pairs)))
    label = _label(to, _votes(to, scores, pairs, count))
    if to.real_numbers("prob_a"):
        return label, post_transform(to, _probabilities(to, scores, pairs, count))
    if count > 2:
        return label, post_transform(to, scores)
    is_softmax = transform_of(to) in ("SOFTMAX", "SOFTMAX_ZERO")
    return label, two_scores(
        to, scores, to.op("Sub", [to.like(1, scores), scores]) if is_softmax else to.op("Neg", [scores])
    )


def _label(to: Writer, scores: ir.Value) -> ir.Value | None:
    return labels(to, arg_max(to, scores), LABELS) if to.wants(0) else None


def _by_pairs(coefficients: np.ndarray, sizes: list[int], pairs: list[tuple[int, int]]) -> np.ndarray:
    """The weights [S, P] of support vectors in the score of each pair. Those of one class have a row of coefficients for each
    other class, in order.
    """
    ends = np.cumsum([0, *sizes])
    weights = np.zeros((ends[-1], len(pairs)), np.float32)
    for column, (first, second) in enumerate(pairs):
        for own, row in ((first, second - 1), (second, first)):
            part = slice(ends[own], ends[own + 1])
            weights[part, column] = coefficients[row, part]
    return weights


def _votes(to: Writer, scores: ir.Value, pairs: list[tuple[int, int]], count: int) -> ir.Value:
    """How many pairs each class wins [N, C]: the first class of a pair where its score is positive."""
    wins, others = np.zeros((len(pairs), count), np.float32), np.zeros(count, np.float32)
    for row, (first, second) in enumerate(pairs):
        wins[row, first], wins[row, second] = 1, -1
        others[second] += 1
    is_first = to.cast(to.op("Greater", [scores, to.like(0, scores)]), ir.DataType.FLOAT)
    return weighted(to, is_first, wins, others)


def _probabilities(to: Writer, scores: ir.Value, pairs: list[tuple[int, int]], count: int) -> ir.Value:
    """Probabilities of classes [N, C] that fit those of pairs best.

    They are the p of sum 1 for which pᵀQp is least. libsvm walks there by one class after the other and ends early, up to half a
    per cent off; so these are the same rounds, with rows that are done standing still.
    """
    slope, shift = (_matrix(to, name, 1, len(pairs)) for name in ("prob_a", "prob_b"))
    bent = to.op("Add", [to.op("Mul", [scores, to.constant(slope)]), to.constant(shift)])
    first, second = (_bounded(to, to.op("Sigmoid", [exponent])) for exponent in (to.op("Neg", [bent]), bent))
    if count > _COUPLED_MAX:
        raise StaysError(
            f"probabilities of {count} classes are not supported, of at most {_COUPLED_MAX} they are"
        )
    parts = [to.op("Mul", [first, second]), to.op("Mul", [first, first]), to.op("Mul", [second, second])]
    flat = _coupled(to, parts, pairs, count)
    batch = to.shape(scores)[0]
    matrix = to.reshape(flat, (batch, count, count))
    rows = [to.slice(flat, 1, row * count, (row + 1) * count) for row in range(count)]
    chances = to.constant(np.full((batch, count), 1 / count), ir.DataType.FLOAT)
    for _ in range(_ROUNDS):
        chances = _round(to, matrix, rows, chances)
    return chances


def _bounded(to: Writer, chance: ir.Value) -> ir.Value:
    bounded = to.op("Max", [chance, to.like(_CHANCE_MIN, chance)])
    return to.op("Min", [bounded, to.like(1 - _CHANCE_MIN, chance)])


def _coupled(to: Writer, parts: list[ir.Value], pairs: list[tuple[int, int]], count: int) -> ir.Value:
    """Q, row by row [N, C²]. `parts` are products of both probabilities of each pair, squares of the first and of the second."""
    pair_of = np.zeros((count, count), np.int64)
    sums = np.zeros((2, len(pairs), count), np.float32)
    for number, (first, second) in enumerate(pairs):
        pair_of[first, second] = pair_of[second, first] = number
        sums[0, number, second] = sums[1, number, first] = 1
    diagonal = np.eye(count, dtype=np.float32).reshape(-1)
    squares = weighted(to, to.concat(parts[1:], 1), sums.reshape(2 * len(pairs), count), None)
    spread = to.gather(squares, to.constant(np.repeat(np.arange(count), count)), 1)
    products = to.gather(parts[0], to.constant(pair_of.reshape(-1)), 1)
    return to.op(
        "Sub",
        [to.op("Mul", [spread, to.constant(diagonal)]), to.op("Mul", [products, to.constant(1 - diagonal)])],
    )


def _round(to: Writer, matrix: ir.Value, rows: list[ir.Value], chances: ir.Value) -> ir.Value:
    """Every probability by a step to where pᵀQp is least along it, and all divided by their sum in the end.

    libsvm divides after each step; here the sum of what is not divided yet stands in for it.
    """
    batch, count = to.shape(chances)
    slopes = to.reshape(to.op("MatMul", [matrix, to.reshape(chances, (batch, count, 1))]), (batch, count))
    height = reduced(to, "ReduceSum", to.op("Mul", [chances, slopes]))
    error = reduced(to, "ReduceMax", to.op("Abs", [to.op("Sub", [slopes, height])]))
    is_done = to.op("Less", [error, to.like(_ERROR / count, error)])
    total, steps = to.constant(np.ones((batch, 1)), ir.DataType.FLOAT), []
    for number, row in enumerate(rows):
        slope = to.slice(slopes, 1, number, number + 1)
        mean = to.op("Div", [height, total])
        step = to.op("Div", [to.op("Sub", [mean, slope]), to.slice(row, 1, number, number + 1)])
        steps.append(step)
        height = to.add(height, to.op("Mul", [step, to.add(mean, slope)]))
        total = to.add(total, step)
        slopes = to.add(slopes, to.op("Mul", [step, row]))
    moved = to.op("Div", [to.add(chances, to.concat(steps, 1)), total])
    return to.op("Where", [is_done, chances, moved])


WRITERS: Mapping[str, Write] = {"SVMRegressor": _svm_regressor, "SVMClassifier": _svm_classifier}
