"""What each step of a border does, with arrays of NumPy: text is object arrays of `str`, an image is its pixels.

An operation is a record: how many values it reads, which attributes it has, which element types it takes and makes, and a
function that prepares one step, tables and patterns, once for all runs. Text is a sequence of code points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ingot.base.records import Frozen
from ingot.border.full_match import full_matcher
from ingot.border.images import image_decoder, require_pillow
from ingot.border.ngrams import counter
from ingot.border.normalize import normalizer
from ingot.border.numerals import reader, writer
from ingot.border.program import NUMBERS, TEXT, Step, text_array
from ingot.border.tokens import tokenizer

Array = np.ndarray[Any, Any]
Run = Callable[[Sequence[Array]], tuple[Array, ...]]
MAX_ELEMENTS = 1 << 28  # of a result: a hostile shape must not take all memory
_INDICES = ("int32", "int64")


class Operation(metaclass=Frozen):
    """`reads` is the least and the most number of inputs; `types` gives the words of the outputs' element types, or raises
    ValueError with a sentence; `prepare` makes what runs a step; `require` raises LoadError without the package that it wants.
    """

    reads: tuple[int, int]
    attributes: frozenset[str]
    types: Callable[[Step, Sequence[str]], tuple[str, ...]]
    prepare: Callable[[Step], Run]
    require: Callable[[], object] = lambda: None


def prepared(step: Step) -> Run:
    """What runs a step. It raises ValueError or IndexError where the content of its arrays does not fit."""
    return OPERATIONS[step.op].prepare(step)


def require(step: Step) -> None:
    """Raises LoadError if a package is missing that running the step wants."""
    OPERATIONS[step.op].require()


# ─── types ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _wrong(fault: str) -> NoReturn:
    raise ValueError(fault)


def _same_text(_: Step, given: Sequence[str]) -> tuple[str, ...]:
    """Of nothing but text, text is made."""
    if any(word != TEXT for word in given):
        _wrong("reads numbers, expected text")
    return (TEXT,)


def _to(*kinds: str) -> Callable[[Step, Sequence[str]], tuple[str, ...]]:
    def types(step: Step, given: Sequence[str]) -> tuple[str, ...]:
        _same_text(step, given)
        return kinds

    return types


def _moved(_: Step, given: Sequence[str]) -> tuple[str, ...]:
    """Values of one type are moved."""
    if len(set(given)) != 1:
        _wrong(f"reads {' and '.join(given)}, expected values of one type")
    return (given[0],)


def _taken(_: Step, given: Sequence[str]) -> tuple[str, ...]:
    if given[1] not in _INDICES:
        _wrong(f"reads indices of the type {given[1]}, expected int32 or int64")
    return (given[0],)


def _chosen(_: Step, given: Sequence[str]) -> tuple[str, ...]:
    if given[0] != "bool" or given[1] != given[2]:
        _wrong(f"reads {', '.join(given)}, expected bool and two values of one type")
    return (given[1],)


def _table_types(step: Step, given: Sequence[str]) -> tuple[str, ...]:
    keys, values, default = step["keys"], step["values"], step["default"]
    if keys.dtype != given[0]:
        _wrong(f"reads {given[0]}, and its keys are {keys.dtype}")
    if default.dtype != values.dtype or default.shape != ():
        _wrong("has a default that is no single element of the type of its values")
    if len(keys.shape) != 1 or keys.shape != values.shape:
        _wrong(
            f"has keys of the shape {list(keys.shape)} and values of {list(values.shape)}, expected two equal lists"
        )
    return (values.dtype,)


def _written_types(_: Step, given: Sequence[str]) -> tuple[str, ...]:
    if given[0] not in NUMBERS:
        _wrong(f"reads {given[0]}, expected one of {', '.join(NUMBERS)}")
    return (TEXT,)


def _padded_types(_: Step, given: Sequence[str]) -> tuple[str, ...]:
    if given[0] != "int64":
        _wrong(f"reads {given[0]}, expected int64")
    return ("int64",)


# ─── steps ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _each(function: Callable[[Any], Any], array: Array) -> list[Any]:
    return [function(element) for element in array.reshape(-1).tolist()]


def _bounded(elements: int) -> None:
    if elements > MAX_ELEMENTS:
        _wrong(f"makes {elements} elements, more than the limit of {MAX_ELEMENTS}")


def _objects(result: Any) -> Array:
    """What NumPy gives of object arrays, which of no dimensions is the object itself."""
    if isinstance(result, str):
        return text_array([result], ())
    return np.asarray(result)


def _constant(step: Step) -> Run:
    value: Array = step["value"].array()
    return lambda _: (value,)


def _table(step: Step) -> Run:
    keys, values = step["keys"].array().tolist(), step["values"].array()
    default = step["default"].array().reshape(1)
    places = {key: at for at, key in reversed(list(enumerate(keys)))}  # the first of several
    nan = next((at for at, key in enumerate(keys) if key != key), len(keys))  # noqa: PLR0124
    results = np.concatenate([values, default])

    def place(key: Any) -> int:
        return nan if key != key else places.get(key, len(keys))  # noqa: PLR0124

    def run(arrays: Sequence[Array]) -> tuple[Array, ...]:
        which = np.array(_each(place, arrays[0]), np.intp)
        return (results[which].reshape(arrays[0].shape),)

    return run


def _take(step: Step) -> Run:
    axis = step["axis"]
    return lambda arrays: (_objects(np.take(arrays[0], arrays[1], axis)),)


def _reshape(step: Step) -> Run:
    shape = step["shape"]
    return lambda arrays: (arrays[0].reshape(shape),)


def _expand(step: Step) -> Run:
    shape = step["shape"]
    _bounded(math.prod(shape))

    def run(arrays: Sequence[Array]) -> tuple[Array, ...]:
        both = np.broadcast_shapes(arrays[0].shape, shape)
        _bounded(math.prod(both))
        return (np.broadcast_to(arrays[0], both),)

    return run


def _slice(step: Step) -> Run:
    ranges = dict(
        zip(step["axes"], zip(step["starts"], step["ends"], step["steps"], strict=True), strict=True)
    )

    def run(arrays: Sequence[Array]) -> tuple[Array, ...]:
        rank = arrays[0].ndim
        cuts = [slice(None)] * rank
        for axis, (start, end, stride) in ranges.items():
            extent = arrays[0].shape[axis]
            # Before the first element there is no number that Python would not count from the end.
            cuts[axis] = slice(start, None if stride < 0 and end < -extent else end, stride)
        return (arrays[0][tuple(cuts)],)

    return run


def _join(_: Step) -> Run:
    return lambda arrays: (_objects(arrays[0] + arrays[1]),)


def _equal(_: Step) -> Run:
    return lambda arrays: (np.asarray(arrays[0] == arrays[1], np.bool_),)


def _where(_: Step) -> Run:
    return lambda arrays: (np.where(arrays[0], arrays[1], arrays[2]),)


def _split(step: Step) -> Run:
    delimiter, splits_max = step["delimiter"] or None, step["maxsplit"]

    def run(arrays: Sequence[Array]) -> tuple[Array, ...]:
        shape = arrays[0].shape
        rows = _each(lambda text: text.split(delimiter, splits_max), arrays[0])
        counts = [len(row) for row in rows]
        width = max(counts, default=0)
        _bounded(width * len(rows))
        parts = [part for row in rows for part in (*row, *[""] * (width - len(row)))]
        return text_array(parts, (*shape, width)), np.array(counts, np.int64).reshape(shape)

    return run


def _match(step: Step) -> Run:
    is_match = full_matcher(step["pattern"])
    return lambda arrays: (np.array(_each(is_match, arrays[0]), np.bool_).reshape(arrays[0].shape),)


def _normalize(step: Step) -> Run:
    run = normalizer(step["case"], step["stopwords"], step["is_case_sensitive"])
    return lambda arrays: (run(arrays[0]),)


def _tokenize(step: Step) -> Run:
    run = tokenizer(
        step["separators"],
        step["pattern"],
        step["least_letters"],
        step["is_marked"],
        step["padding"],
        MAX_ELEMENTS,
    )
    return lambda arrays: (run(arrays[0]),)


def _count(step: Step) -> Run:
    words = step["words"]
    run = counter(words, step["starts"], step["columns"], step["lengths"], step["skips"], MAX_ELEMENTS)
    return lambda arrays: (run(arrays[0]),)


def _write(step: Step) -> Run:
    write = writer(step["dtype"])
    return lambda arrays: (text_array(_each(write, arrays[0]), arrays[0].shape),)


def _read(step: Step) -> Run:
    read = reader(step["dtype"])
    return lambda arrays: (read(arrays[0]),)


def _pad(step: Step) -> Run:
    size = step["size"]

    def run(arrays: Sequence[Array]) -> tuple[Array, ...]:
        missing = size - arrays[0].shape[-1]
        if missing < 0:
            _wrong(f"got {arrays[0].shape[-1]} elements, expected at most {size}")
        widths = [*((0, 0) for _ in arrays[0].shape[:-1]), (0, missing)]
        return (np.pad(arrays[0], widths, constant_values=step["filler"]),)

    return run


def _decode(step: Step) -> Run:
    decode = image_decoder(step["pixel_format"])
    return lambda arrays: (decode(arrays[0]),)


def _pixel_types(_: Step, given: Sequence[str]) -> tuple[str, ...]:
    if given[0] != "uint8":
        _wrong(f"reads {given[0]}, expected uint8")
    return ("uint8",)


def _written_from(step: Step, given: Sequence[str]) -> tuple[str, ...]:
    if step["dtype"] != given[0]:
        _wrong(f"reads {given[0]}, and its attribute says {step['dtype']}")
    return _written_types(step, given)


def _read_as(step: Step, given: Sequence[str]) -> tuple[str, ...]:
    _same_text(step, given)
    reader(step["dtype"])
    return (step["dtype"],)


def _constant_types(step: Step, _: Sequence[str]) -> tuple[str, ...]:
    return (step["value"].dtype,)


OPERATIONS: Mapping[str, Operation] = {
    "concat": Operation(
        (1, 1 << 20),
        frozenset({"axis"}),
        _moved,
        lambda step: lambda arrays: (_concat(arrays, step["axis"]),),
    ),
    "constant": Operation((0, 0), frozenset({"value"}), _constant_types, _constant),
    "count": Operation(
        (1, 1), frozenset({"columns", "lengths", "skips", "starts", "words"}), _to("float32"), _count
    ),
    "decode": Operation((1, 1), frozenset({"pixel_format"}), _pixel_types, _decode, require_pillow),
    "equal": Operation((2, 2), frozenset(), _to("bool"), _equal),
    "expand": Operation((1, 1), frozenset({"shape"}), _moved, _expand),
    "join": Operation((2, 2), frozenset(), _same_text, _join),
    "match": Operation((1, 1), frozenset({"pattern"}), _to("bool"), _match),
    "normalize": Operation(
        (1, 1), frozenset({"case", "is_case_sensitive", "stopwords"}), _same_text, _normalize
    ),
    "pad": Operation((1, 1), frozenset({"filler", "size"}), _padded_types, _pad),
    "read": Operation((1, 1), frozenset({"dtype"}), _read_as, _read),
    "reshape": Operation((1, 1), frozenset({"shape"}), _moved, _reshape),
    "same": Operation((1, 1), frozenset(), _moved, lambda _: lambda arrays: (arrays[0],)),
    "slice": Operation((1, 1), frozenset({"axes", "ends", "starts", "steps"}), _moved, _slice),
    "split": Operation((1, 1), frozenset({"delimiter", "maxsplit"}), _to(TEXT, "int64"), _split),
    "table": Operation((1, 1), frozenset({"default", "keys", "values"}), _table_types, _table),
    "take": Operation((2, 2), frozenset({"axis"}), _taken, _take),
    "tokenize": Operation(
        (1, 1),
        frozenset({"is_marked", "least_letters", "padding", "pattern", "separators"}),
        _same_text,
        _tokenize,
    ),
    "transpose": Operation(
        (1, 1), frozenset({"perm"}), _moved, lambda step: lambda arrays: (arrays[0].transpose(step["perm"]),)
    ),
    "where": Operation((3, 3), frozenset(), _chosen, _where),
    "write": Operation((1, 1), frozenset({"dtype"}), _written_from, _write),
}


def _concat(arrays: Sequence[Array], axis: int) -> Array:
    return np.concatenate(list(arrays), axis)
