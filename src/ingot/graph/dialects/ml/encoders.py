"""Encoders of ai.onnx.ml, and what selects and fills features, as ai.onnx's own operators.

*Source:* Imputer, ArrayFeatureExtractor, FeatureVectorizer and OneHotEncoder of ai.onnx.ml, version 1; LabelEncoder, versions 2
and 4.

Text is looked up at the border of the model; what is made of it here are the numbers of its words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from ingot.graph.dialects.ml.scores import REALS, equal, reduced
from ingot.graph.dialects.ml.text import numbers_of_text
from ingot.graph.rewrite.writer import Results, StaysError, Write, Writer

_AT_BORDER = "text is looked up at the border of the model"
_WIDTH_MAX = 1 << 30  # of an input of a FeatureVectorizer
_EXACT_IN_FLOAT, _EXACT_IN_DOUBLE = 1 << 24, 1 << 53  # floats have all whole numbers up to these


def _imputer(to: Writer) -> Results:
    """Numbers in the place of those that are missing, one for all features or one for each.

    onnxruntime takes the first number for all where they do not fit the features; that is refused here. It has float and int64;
    here are double and int32, too.
    """
    x = to.given(0, "X")
    dtype, shape = to.dtype(x), to.shape(x)
    real = dtype in REALS
    name = "imputed_value_floats" if real else "imputed_value_int64s"
    numbers = to.real_numbers(name) if real else tuple(to.numbers(name) or ())
    features = shape[-1] if shape else 1
    if len(numbers) not in (1, features) or not numbers:
        raise StaysError(
            f"{name} has {len(numbers)} numbers for an input {list(shape)}: expected one, or one for each feature"
        )
    missing: float = (
        to.real_number("replaced_value_float", 0.0) if real else to.number("replaced_value_int64", 0)
    )
    if not real:
        limits = np.iinfo(dtype.numpy())
        if not all(limits.min <= number <= limits.max for number in (missing, *numbers)):
            raise StaysError(f"{name} or replaced_value_int64 does not fit into {dtype.name.lower()}")
    is_missing = to.op("IsNaN", [x]) if math.isnan(missing) else equal(to, x, to.like(missing, x))
    filled = to.constant(numbers if len(numbers) > 1 else numbers[0], dtype)
    return (to.op("Where", [is_missing, filled, x]),)


def _array_feature_extractor(to: Writer) -> Results:
    """Columns of the last dimension, by indices of any shape that count as a list; a vector becomes one row.

    Does not handle: refusing indices that are only known while running.
    """
    x, places = to.given(0, "X"), to.given(1, "Y")
    shape, count = to.shape(x), math.prod(to.shape(places))
    if not shape:
        raise StaysError("its input is a single number, expected at least one dimension")
    known = to.known(places)
    if known is not None and known.size and not 0 <= known.min() <= known.max() < shape[-1]:
        raise StaysError(
            f"it selects columns {known.min()} to {known.max()} of {shape[-1]}, expected 0 to {shape[-1] - 1}"
        )
    columns = to.gather(x, to.reshape(places, (count,)), len(shape) - 1)
    return (columns if len(shape) > 1 else to.reshape(columns, (1, count)),)


def _feature_vectorizer(to: Writer) -> Results:
    """Inputs side by side as float32, each cut or filled with zeros to its entry of `inputdimensions`.

    A vector is one row, and further dimensions count as columns: both as in onnxruntime. ONNX's reference makes a column of a
    vector.
    """
    widths = to.numbers("inputdimensions") or []
    if max(widths, default=0) > _WIDTH_MAX:
        raise StaysError(f"inputdimensions has {max(widths)}, expected at most {_WIDTH_MAX}")
    if len(widths) != len(to.node.inputs) or min(widths, default=0) < 0:
        raise StaysError(
            f"inputdimensions is {widths}, expected the width of each of its {len(to.node.inputs)} inputs"
        )
    parts = []
    for number, width in enumerate(widths):
        x = to.given(number, "X")
        shape = to.shape(x)
        batch, extent = (shape[0], math.prod(shape[1:])) if len(shape) > 1 else (1, math.prod(shape))
        flat = to.slice(to.reshape(to.cast(x, ir.DataType.FLOAT), (batch, extent)), 1, 0, width)
        zeros = [] if width <= extent else [to.expand(to.constant(np.float32(0)), (batch, width - extent))]
        parts.append(to.concat([flat, *zeros], 1))
    batches = [to.shape(part)[0] for part in parts]
    if len(set(batches)) > 1:
        raise StaysError(f"its inputs have {batches} rows, expected equally many")
    return (to.concat(parts, 1),)


def _one_hot_encoder(to: Writer) -> Results:
    """A new last dimension with 1 at the input's category, which is its whole part for floats, and 0 elsewhere.

    Where an input is no category all are 0, with `zeros=0` too: onnxruntime and ONNX's reference fail there, and a compiled
    model computes on. NaN and infinity are no category.

    Does not handle: a category that is there twice.
    """
    x, texts = to.given(0, "X"), to.texts("cats_strings")
    categories = list(range(len(texts))) or to.numbers("cats_int64s")
    if not categories:
        raise StaysError("it has no categories: expected cats_int64s or cats_strings")
    if len(set(texts or categories)) != len(categories):
        raise StaysError("cats_int64s or cats_strings has a category twice")
    if texts:
        x = numbers_of_text(to, x, texts)
    each = to.reshape(x, (*to.shape(x), 1))
    if to.dtype(x) not in REALS:
        is_it = to.op("Equal", [to.cast(each, ir.DataType.INT64), to.constant(categories, ir.DataType.INT64)])
        return (to.cast(is_it, ir.DataType.FLOAT),)
    # By bounds, since what a cast of NaN gives differs between machines; in double if float32 lacks one of them.
    largest = max(map(abs, categories))
    if largest >= _EXACT_IN_DOUBLE:
        raise StaysError(f"the category {largest} is beyond the whole numbers that floats have")
    kind = np.float64 if largest >= _EXACT_IN_FLOAT else to.dtype(x).numpy().type
    ends = np.asarray(categories, kind)
    each = to.cast(each, ir.DataType.from_numpy(ends.dtype))
    above = to.op("Greater", [each, to.constant(np.where(ends > 0, np.nextafter(ends, kind(0)), ends - 1))])
    below = to.op("Less", [each, to.constant(np.where(ends < 0, np.nextafter(ends, kind(0)), ends + 1))])
    return (to.cast(to.op("And", [above, below]), ir.DataType.FLOAT),)


# ─── numbers for numbers ───────────────────────────────────────────────────────────────────────────────────────────


def _label_encoder(to: Writer) -> Results:
    """The value of each input's key, or a default. Of a key that is there twice the first one counts, as in onnxruntime.

    NaN is the key of every NaN in version 4 and, as its text says, in version 2; onnxruntime's version 2 never finds it.

    Does not handle: text, and so version 1, which the border looks up.
    """
    x = to.given(0, "X")
    if "classes_strings" in to.node.attributes or to.dtype(x) == ir.DataType.STRING:
        raise StaysError(_AT_BORDER)
    keys, values = _list(to, "keys"), _list(to, "values")
    if len(keys) != len(values):
        raise StaysError(f"it has {len(keys)} keys and {len(values)} values, expected equally many")
    if keys.dtype != to.dtype(x).numpy():
        raise StaysError(
            f"its keys are {keys.dtype} and its input is {to.dtype(x).name.lower()}, expected the same type"
        )
    default = _default(to, values.dtype)
    keys, first = np.unique(keys, return_index=True)  # one NaN of several
    values = values[first]
    is_nan = np.isnan(keys) if keys.dtype.kind == "f" else np.zeros(len(keys), bool)
    replaced = _looked_up(to, x, keys[~is_nan], values[~is_nan], default)
    if is_nan.any():
        replaced = to.op("Where", [to.op("IsNaN", [x]), to.constant(values[is_nan][0]), replaced])
    return (replaced,)


def _looked_up(
    to: Writer, x: ir.Value, keys: np.ndarray, values: np.ndarray, default: np.ndarray
) -> ir.Value:
    """`values` at the places where x is in `keys`, which are all different."""
    shape, count = to.shape(x), len(keys)
    if not count:
        return to.expand(to.constant(default), shape)
    # The place of the default is behind all: a key that is found takes so many steps back from there as lead to its own.
    same = equal(to, to.reshape(x, (*shape, 1)), to.constant(keys))
    steps = to.op(
        "Where",
        [same, to.constant(np.arange(count) - count, ir.DataType.INT64), to.constant(0, ir.DataType.INT64)],
    )
    place = to.add(reduced(to, "ReduceSum", steps, [len(shape)]), to.constant(count, ir.DataType.INT64))
    return to.gather(to.constant(np.append(values, default)), to.reshape(place, shape))


def _list(to: Writer, kind: str) -> np.ndarray:
    """Keys or values, from the one attribute that has them."""
    if to.texts(f"{kind}_strings"):
        raise StaysError(_AT_BORDER)
    integers, reals, tensor = (
        to.numbers(f"{kind}_int64s"),
        to.real_numbers(f"{kind}_floats"),
        _tensor(to, f"{kind}_tensor"),
    )
    there = [array for array in (
        None if integers is None else np.asarray(integers, np.int64), np.asarray(reals, np.float32) if reals else None, tensor,
    ) if array is not None]  # fmt: skip
    if len(there) != 1 or there[0].ndim != 1:
        names = f"{kind}_int64s, {kind}_floats or {kind}_tensor"
        raise StaysError(f"its {kind} are in {len(there)} attributes, expected one list: {names}")
    return there[0]


def _default(to: Writer, dtype: np.dtype) -> np.ndarray:
    """The value of what is no key, of the type of the values: `default_tensor` before the others."""
    tensor = _tensor(to, "default_tensor")
    if tensor is not None:
        if tensor.size != 1 or tensor.dtype != dtype:
            raise StaysError(
                f"default_tensor is {tensor.dtype}{list(tensor.shape)}, expected one element of {dtype}"
            )
        return tensor.reshape(())
    number: float = (
        to.real_number("default_float", -0.0) if dtype.kind == "f" else to.number("default_int64", -1)
    )
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
        raise StaysError(f"default_int64={number} does not fit into its values, which are {dtype}")
    return np.asarray(number, dtype)


def _tensor(to: Writer, name: str) -> np.ndarray | None:
    tensor = to.tensor(name)
    if tensor is not None and tensor.dtype.kind in "OSU":
        raise StaysError(_AT_BORDER)
    return tensor


WRITERS: Mapping[str, Write] = {
    "Imputer": _imputer,
    "ArrayFeatureExtractor": _array_feature_extractor,
    "FeatureVectorizer": _feature_vectorizer,
    "OneHotEncoder": _one_hot_encoder,
    "LabelEncoder": _label_encoder,
}
