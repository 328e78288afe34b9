"""Encoders of text and n-grams: text becomes the number of its word in a list, at the border; all else is ONNX's own operators.

*Source:* TfIdfVectorizer of ai.onnx, version 9, and OneHotEncoder of ai.onnx.ml, version 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import onnx_ir as ir

from ingot.graph.dialects.ml.scores import reduced
from ingot.graph.passes.border.text_steps import BORDER_DOMAIN
from ingot.graph.read.classical import ML_DOMAIN
from ingot.graph.read.types import static_shape
from ingot.graph.rewrite.writer import NotYetError, Results, StaysError, Write, Writer, output_type

UNKNOWN = -1  # the number of text that is not in the list
_MODES = ("TF", "IDF", "TFIDF")


def numbers_of_text(to: Writer, x: ir.Value, words: Sequence[str]) -> ir.Value:
    """For each text its place among the words, UNKNOWN for others: int64, a node that the border does."""
    if to.dtype(x) != ir.DataType.STRING:
        raise StaysError(f"its words are text, and its input is {to.dtype(x).name.lower()}")
    keys, places = ir.AttrStrings("keys_strings", words), ir.AttrInt64s("values_int64s", range(len(words)))
    numbers = to.ops(
        "LabelEncoder", [x], [keys, places, ir.AttrInt64("default_int64", UNKNOWN)], domain=ML_DOMAIN
    )[0]
    numbers.type, numbers.shape = ir.TensorType(ir.DataType.INT64), x.shape
    return numbers


def _tf_idf_vectorizer(to: Writer) -> Results:
    """How often each n-gram of a list is in a row, weighted; n-grams of more than one element also with elements skipped between.

    Weights are by n-gram, as in the text and in onnxruntime; ONNX's reference has them by column.

    Does not handle: a column of two n-grams.
    """
    columns = to.numbers("ngram_indexes") or []
    if to.texts("pool_strings") and _is_open(to.given(0, "X")):
        return (_weighted(to, _counted_by_host(to, columns), columns),)
    x, pool = _numbers(to)
    grams = _grams(to, pool)
    if (
        sum(map(len, grams.values())) != len(columns)
        or len(set(columns)) != len(columns)
        or min(columns, default=0) < 0
    ):
        raise StaysError("ngram_indexes must have one column for each n-gram of the pool, none twice")
    shape = to.shape(x, 1, 2)
    rows = to.reshape(x, (math.prod(shape[:-1]), shape[-1]))
    counts, order = _counts(to, rows, grams)
    width = max(columns, default=-1) + 1
    place = {columns[gram]: at for at, gram in enumerate(order)}
    zero = len(order)  # a column of zeros, behind those that are counted
    frequencies = to.gather(
        counts, to.constant([place.get(at, zero) for at in range(width)], ir.DataType.INT64), 1
    )
    return (to.reshape(_weighted(to, frequencies, columns), (*shape[:-1], width)),)


def _is_open(x: ir.Value) -> bool:
    """Whether rows have as many texts as the content of other text says, which kernels cannot have."""
    return static_shape(x) is None and _widest(x) is None


def _counted_by_host(to: Writer, columns: list[int]) -> ir.Value:
    """Frequencies of a text whose rows are of any length: a node that the border does."""
    x = to.given(0, "X")
    shape = () if x.shape is None else tuple(x.shape)
    rows = tuple(extent for extent in shape[:-1] if isinstance(extent, int))
    if len(shape) not in (1, 2) or len(rows) != len(shape) - 1:
        raise NotYetError(f"the shape of its input {x.name!r} is not known yet")
    lengths = to.number("min_gram_length", 1), to.number("max_gram_length", 1)
    attributes = [
        ir.AttrStrings("words", to.texts("pool_strings")),
        ir.AttrInt64s("starts", to.numbers("ngram_counts") or []),
        ir.AttrInt64s("columns", columns),
        ir.AttrInt64s("lengths", lengths),
        ir.AttrInt64("skips", to.number("max_skip_count", 0)),
    ]
    counts = to.ops("Count", [x], attributes, domain=BORDER_DOMAIN)[0]
    output_type(counts, ir.DataType.FLOAT, (*rows, max(columns, default=-1) + 1))
    return counts


def _widest(x: ir.Value) -> tuple[int, ...] | None:
    """The shape of text that stop words may leave less of; None for other text."""
    node = x.producer()
    source = node.inputs[0] if node is not None and node.op_type == "StringNormalizer" else None
    return None if source is None else static_shape(source)


def _numbers(to: Writer) -> tuple[ir.Value, list[int]]:
    """The input in int64, and the pool in the same numbers."""
    x, words = to.given(0, "X"), to.texts("pool_strings")
    if not words:
        return to.cast(x, ir.DataType.INT64), to.numbers("pool_int64s") or []
    known = {word: at for at, word in enumerate(dict.fromkeys(words))}
    numbers = numbers_of_text(to, x, list(known))
    return _padded(to, numbers, x), [known[word] for word in words]


def _padded(to: Writer, numbers: ir.Value, x: ir.Value) -> ir.Value:
    """What depends on the content of text, as long as it can be at most: no n-gram has the number of unknown text."""
    limit = _widest(x)
    if static_shape(x) is not None or limit is None:
        return numbers
    shape = (*limit[:-1], max(limit[-1], 1))
    attributes = [ir.AttrInt64("size", shape[-1]), ir.AttrInt64("filler", UNKNOWN)]
    padded = to.ops("Pad", [numbers], attributes, domain=BORDER_DOMAIN)[0]
    output_type(padded, ir.DataType.INT64, shape)
    return padded


def _grams(to: Writer, pool: list[int]) -> dict[int, list[tuple[int, ...]]]:
    """All n-grams of the pool by their length, in its order."""
    starts = to.numbers("ngram_counts") or []
    ends = [*starts[1:], len(pool)]
    grams: dict[int, list[tuple[int, ...]]] = {}
    for size, (start, end) in enumerate(zip(starts, ends, strict=True), 1):
        if not 0 <= start <= end <= len(pool) or (end - start) % size:
            raise StaysError(f"ngram_counts={starts} does not cut a pool of {len(pool)} into n-grams")
        grams[size] = [tuple(pool[at : at + size]) for at in range(start, end, size)]
    return grams


def _counts(
    to: Writer, rows: ir.Value, grams: Mapping[int, list[tuple[int, ...]]]
) -> tuple[ir.Value, list[int]]:
    """Frequencies [N, counted + 1], the last column zeros, and which n-gram of the pool each column counts."""
    batch, length = to.shape(rows, 2)
    shortest, longest = to.number("min_gram_length", 1), to.number("max_gram_length", 1)
    parts, order, first = [], [], 0
    for size, some in grams.items():
        places = _places(length, size, to.number("max_skip_count", 0))
        if shortest <= size <= longest and some and len(places):
            last = {
                gram: at for at, gram in enumerate(some)
            }  # of one that is there twice the later one counts
            parts.append(_count(to, rows, np.array(list(last), np.int64), places))
            order += [first + at for at in last.values()]
        first += len(some)
    parts.append(to.expand(to.constant(np.float32(0)), (batch, 1)))
    return to.concat(parts, 1), order


def _places(length: int, size: int, skips: int) -> np.ndarray:
    """Where the elements of all n-grams of a row are, [P, size]: single ones count once, whatever is skipped."""
    steps = range(1, 2 if size == 1 else skips + 2)
    places = [
        np.arange(length - reach)[:, None] + np.arange(size) * step
        for step in steps
        if (reach := (size - 1) * step) < length
    ]
    return np.concatenate(places) if places else np.zeros((0, size), np.int64)


def _count(to: Writer, rows: ir.Value, grams: np.ndarray, places: np.ndarray) -> ir.Value:
    """How often each n-gram is at one of the places: [N, G]."""
    batch = to.shape(rows)[0]
    there = to.gather(rows, to.constant(places, ir.DataType.INT64), 1)
    same = to.op(
        "Equal",
        [to.reshape(there, (batch, len(places), 1, grams.shape[1])), to.constant(grams, ir.DataType.INT64)],
    )
    whole = reduced(to, "ReduceMin", to.cast(same, ir.DataType.FLOAT), [3])
    return to.reshape(reduced(to, "ReduceSum", whole, [1]), (batch, len(grams)))


def _weighted(to: Writer, counts: ir.Value, columns: list[int]) -> ir.Value:
    mode, weights = to.text("mode") or _MODES[0], to.real_numbers("weights")
    if mode not in _MODES:
        raise StaysError(f"mode={mode!r} is not known: expected {', '.join(_MODES)}")
    if weights and len(weights) != len(columns):
        raise StaysError(f"it has {len(weights)} weights for {len(columns)} n-grams")
    if mode == "IDF":
        counts = to.cast(to.op("Greater", [counts, to.like(0, counts)]), ir.DataType.FLOAT)
    if mode == "TF" or not weights:
        return counts
    by_column = np.zeros(max(columns, default=-1) + 1, np.float32)
    by_column[columns] = weights
    return to.op("Mul", [counts, to.constant(by_column)])


WRITERS: Mapping[str, Write] = {"TfIdfVectorizer": _tf_idf_vectorizer}
