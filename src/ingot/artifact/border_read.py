"""JSON → `Border`, for `model_info_read`: imported when a model has more at its ends than tensors. Nothing is believed: kinds of
values are followed from the inputs through every step to the outputs, so that a step never meets another type than it can take.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ingot.artifact.model_info import (
    MAX_RANK,
    DimInfo,
    TensorInfo,
    checks,
    read_dtype,
    read_int,
    read_shape,
    read_word,
)
from ingot.base.lazy import Late
from ingot.base.tensor import DTYPES, DType
from ingot.border.images import PIXEL_FORMATS
from ingot.border.normalize import CASES
from ingot.border.program import (
    COUNTED,
    KINDS,
    MAYBE,
    NUMBERS,
    OPEN,
    SIZED,
    TEXT,
    Border,
    Elements,
    Port,
    Step,
)
from ingot.border.steps import MAX_ELEMENTS, OPERATIONS, Operation, prepared

if TYPE_CHECKING:
    from ingot.border import sizes as late_sizes
else:
    late_sizes = Late("ingot.border.sizes")

MAX_DEPTH = 4  # of sequences and optionals in each other
_LIMIT = 1 << 40

_wrong, _object, _array, _text = checks.wrong, checks.object, checks.array, checks.text
_BORDER_KEYS = frozenset({"inputs", "outputs", "front", "back"})
_PORT_KEYS = frozenset({"name", "kind"})
_STEP_KEYS = frozenset({"op", "inputs", "outputs", "attributes"})
_ELEMENTS_KEYS = frozenset({"dtype", "shape", "values"})
_OF_KIND = {
    "tensor": frozenset({"dtype", "shape"}),
    "text": frozenset({"shape"}),
    "sequence": frozenset({"parts"}),
    "optional": frozenset({"parts"}),
    "maps": frozenset({"parts", "labels"}),
    COUNTED: frozenset({"parts"}),
    MAYBE: frozenset({"parts"}),
    SIZED: frozenset({"parts"}),
}
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def read_varying_border(
    data: Any,
    inputs: tuple[TensorInfo, ...],
    outputs: tuple[TensorInfo, ...],
    dims: tuple[DimInfo, ...],
    sizes: tuple[int, ...],
) -> Border:
    """The border of a model with `dims`, of which the program with the model's own symbol has these `sizes`.

    Raises:
        ArtifactError: as `read_border`; or no input says the size of an extent.
    """
    by_name = {dim.name: dim for dim in dims}
    own_sizes = dict(zip(by_name, sizes, strict=True))
    own, lists = late_sizes.data_at(data, own_sizes, by_name)
    border = late_sizes.with_numbers(read_border(own, inputs, outputs), lists, own_sizes)
    unsaid = by_name.keys() - late_sizes.places_of(border).keys()
    if unsaid:
        _wrong("border.inputs", f"has no extent that is {min(unsaid)[:80]!r}")
    return border


def read_border(data: Any, inputs: tuple[TensorInfo, ...], outputs: tuple[TensorInfo, ...]) -> Border:
    """The border of a model whose compiled part has these inputs and outputs.

    Raises:
        ArtifactError: a field is wrong, or a value is used that is not there, or not of the type that is needed.
    """
    _object(data, "border", _BORDER_KEYS)
    border = Border(
        _ports(data["inputs"], "border.inputs"),
        _ports(data["outputs"], "border.outputs"),
        _steps(data["front"], "border.front"),
        _steps(data["back"], "border.back"),
    )
    _check_names(border)
    for port in border.inputs:
        _check_maps(port)
        _check_given(port)
    words = {leaf.name: leaf.word for port in border.inputs for leaf in port.leaves()}
    _follow(border.front, "border.front", words)
    for tensor in inputs:
        if words.get(tensor.name) != tensor.dtype.value:
            _wrong(
                "border.front",
                f"makes no {tensor.dtype.value} {tensor.name[:80]!r}, which is an input of the compiled part",
            )
    words |= {tensor.name: tensor.dtype.value for tensor in outputs}
    _follow(border.back, "border.back", words)
    _check_leaves(border, words, inputs, outputs)
    return border


def _check_names(border: Border) -> None:
    for role, ports in (("inputs", border.inputs), ("outputs", border.outputs)):
        # A value may be given back twice, but not taken twice.
        leaves = [leaf.name for port in ports for leaf in port.leaves()] if role == "inputs" else []
        if len({port.name for port in ports}) != len(ports) or len(set(leaves)) != len(leaves):
            _wrong(f"border.{role}", "has the same name twice")


def _check_maps(port: Port) -> None:
    """A map that is given has one row."""
    if port.kind == "maps" and port.parts[0].shape[0] != 1:
        _wrong(
            "border.inputs", f"has the map {port.name[:80]!r} of {port.parts[0].shape[0]} rows, expected one"
        )
    for part in port.parts:
        _check_maps(part)


def _check_given(port: Port) -> None:
    """What is given has the extents that it was built for."""
    if port.kind == SIZED:
        _wrong("border.inputs", f"has {port.name[:80]!r}, whose extents are only known while running")
    for part in port.parts:
        _check_given(part)


def _check_leaves(
    border: Border, words: dict[str, str], inputs: tuple[TensorInfo, ...], outputs: tuple[TensorInfo, ...]
) -> None:
    for role, ports, known in (("inputs", border.inputs, inputs), ("outputs", border.outputs, outputs)):
        types = {tensor.name: tensor.type for tensor in known}
        for leaf in (leaf for port in ports for leaf in port.leaves()):
            if words.get(leaf.name) != leaf.word:
                _wrong(f"border.{role}", f"has the {leaf.word} {leaf.name[:80]!r}, which nothing makes")
            if leaf.name in types and leaf.shape != types[leaf.name].shape:
                _wrong(f"border.{role}", f"gives {leaf.name[:80]!r} another shape than the compiled part")


# ─── ports ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _ports(value: Any, field: str, depth: int = 0) -> tuple[Port, ...]:
    if depth > MAX_DEPTH:
        _wrong(field, f"is nested more than {MAX_DEPTH} deep")
    return tuple(_port(item, f"{field}[{at}]", depth) for at, item in enumerate(_array(value, field)))


def _port(item: Any, field: str, depth: int) -> Port:
    kind = read_word(checks.any_object(item, field).get("kind"), f"{field}.kind", KINDS)
    data = _object(item, field, _PORT_KEYS | _OF_KIND[kind])
    name = _text(data["name"], f"{field}.name")
    if kind == "tensor":
        dtype = read_dtype(data["dtype"], f"{field}.dtype")
        return Port(name, kind, dtype, _tensor_shape(data["shape"], dtype, f"{field}.shape"))
    if kind == "text":
        return Port(name, kind, None, _shape(data["shape"], f"{field}.shape", OPEN))
    parts = _ports(data["parts"], f"{field}.parts", depth + 1)
    if kind == "optional" and len(parts) > 1:
        _wrong(f"{field}.parts", "has more than one part of an optional")
    if kind in (COUNTED, MAYBE, SIZED) and not _says_what_is_there(kind, parts):
        _wrong(f"{field}.parts", f"has no part that says what there is of what is {kind}")
    return Port(name, kind, None, (), parts, _labels(data["labels"], parts, field) if kind == "maps" else ())


def _says_what_is_there(kind: str, parts: tuple[Port, ...]) -> bool:
    """Whether the part that says what there is of the others has its place and type, and there are as many as there may be."""
    if kind != COUNTED and len(parts) != 2:
        return False
    if kind == SIZED and parts[0].kind != "tensor":
        return False
    dtype = DType.BOOL if kind == MAYBE else DType.INT64
    shape = (len(parts[0].shape),) if kind == SIZED else ()
    said = parts[-1 if kind == SIZED else 0] if parts else None
    return said is not None and (said.kind, said.dtype, said.shape) == ("tensor", dtype, shape)


def _labels(value: Any, parts: tuple[Port, ...], field: str) -> tuple[int | str, ...]:
    labels = _array(value, f"{field}.labels")
    is_matrix = len(parts) == 1 and parts[0].kind == "tensor" and len(parts[0].shape) == 2
    if not is_matrix or parts[0].shape[1] != len(labels):
        _wrong(f"{field}.parts", "must be one matrix with a column for each label")
    for at, label in enumerate(labels):
        if type(label) is int:
            read_int(label, f"{field}.labels[{at}]", -(1 << 63), (1 << 63) - 1)
        else:
            _text(label, f"{field}.labels[{at}]")
    return tuple(labels)


def _tensor_shape(value: Any, dtype: DType, field: str) -> tuple[int, ...]:
    """Extents, of which some may be open: only the host reads and makes such a tensor, for the compiled part has none."""
    if type(value) is list and OPEN in value:
        return _shape(value, field, OPEN)
    return read_shape(value, dtype, field)


def _shape(value: Any, field: str, minimum: int = 0) -> tuple[int, ...]:
    extents = _array(value, field)
    if len(extents) > MAX_RANK:
        _wrong(field, f"has {len(extents)} dimensions, more than the limit of {MAX_RANK}")
    return tuple(
        read_int(extent, f"{field}[{at}]", minimum, MAX_ELEMENTS) for at, extent in enumerate(extents)
    )


# ─── steps ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _steps(value: Any, field: str) -> tuple[Step, ...]:
    return tuple(_step(item, f"{field}[{at}]") for at, item in enumerate(_array(value, field)))


def _step(item: Any, field: str) -> Step:
    data = _object(item, field, _STEP_KEYS)
    op = read_word(data["op"], f"{field}.op", tuple(OPERATIONS))
    given = _object(data["attributes"], f"{field}.attributes", OPERATIONS[op].attributes)
    inputs, outputs = (_texts(data[role], f"{field}.{role}") for role in ("inputs", "outputs"))
    attributes = [(name, _READ[name](given[name], f"{field}.attributes.{name}")) for name in sorted(given)]
    step = Step(op, inputs, outputs, tuple(attributes))
    if op == "slice" and len({len(step[name]) for name in ("axes", "starts", "ends", "steps")}) != 1:
        _wrong(f"{field}.attributes", "has axes, starts, ends and steps that are not equally many")
    return step


def _follow(steps: tuple[Step, ...], field: str, words: dict[str, str]) -> None:
    """Adds what the steps make to the element types of values by name."""
    for at, step in enumerate(steps):
        where = f"{field}[{at}]"
        given = [words.get(name, "") for name in step.inputs]
        if "" in given:
            _wrong(
                f"{where}.inputs", f"has {step.inputs[given.index('')][:80]!r}, which nothing makes before it"
            )
        types = _result_types(step, OPERATIONS[step.op], given, where)
        if len(types) != len(step.outputs):
            _wrong(f"{where}.outputs", f"has {len(step.outputs)} names, expected {len(types)}")
        for name, word in zip(step.outputs, types, strict=True):
            if name in words:
                _wrong(f"{where}.outputs", f"makes {name[:80]!r}, which is there already")
            words[name] = word


def _result_types(step: Step, operation: Operation, given: list[str], where: str) -> tuple[str, ...]:
    minimum, maximum = operation.reads
    if not minimum <= len(given) <= maximum:
        _wrong(
            f"{where}.inputs",
            f"has {len(given)} names, expected {minimum}{f' to {maximum}' if maximum > minimum else ''}",
        )
    try:
        results = operation.types(step, given)
        prepared(step)
    except ValueError as error:
        _wrong(where, f"({step.op}) {error}")
    return results


def _ints(value: Any, field: str) -> tuple[int, ...]:
    return tuple(
        read_int(item, f"{field}[{at}]", -_LIMIT, _LIMIT) for at, item in enumerate(_array(value, field))
    )


def _two_ints(value: Any, field: str) -> tuple[int, ...]:
    numbers = _ints(value, field)
    if len(numbers) != 2:
        _wrong(field, f"has {len(numbers)} numbers, expected 2")
    return numbers


def _strides(value: Any, field: str) -> tuple[int, ...]:
    strides = _ints(value, field)
    if 0 in strides:
        _wrong(field, "has a step of 0")
    return strides


def _extents(value: Any, field: str) -> tuple[int, ...]:
    """A shape in which one extent may be -1, the one that follows from the others."""
    shape = _shape(value, field, -1)
    if shape.count(-1) > 1 or math.prod(abs(extent) for extent in shape) > MAX_ELEMENTS:
        _wrong(field, f"has more than one -1 or more than {MAX_ELEMENTS} elements")
    return shape


def _axis(value: Any, field: str) -> int:
    return read_int(value, field, -MAX_RANK, MAX_RANK)


def _flag(value: Any, field: str) -> bool:
    if type(value) is not bool:
        _wrong(field, f"must be true or false, got {type(value).__name__}")
    return value


def _texts(value: Any, field: str) -> tuple[str, ...]:
    return tuple(_text(item, f"{field}[{at}]") for at, item in enumerate(_array(value, field)))


def _elements(value: Any, field: str) -> Elements:
    data = _object(value, field, _ELEMENTS_KEYS)
    dtype = read_word(data["dtype"], f"{field}.dtype", (TEXT, *NUMBERS))
    shape = _shape(data["shape"], f"{field}.shape")
    items = _array(data["values"], f"{field}.values")
    if math.prod(shape) != len(items):
        _wrong(f"{field}.values", f"has {len(items)} elements for the shape {list(shape)}")
    read = _reader(dtype)
    return Elements(dtype, shape, tuple(read(item, f"{field}.values[{at}]") for at, item in enumerate(items)))


def _reader(word: str) -> Callable[[Any, str], Any]:
    if word == TEXT:
        return _text
    if word == "bool":
        return _flag
    dtype = DType(word)
    if dtype.is_float:
        return _real
    high = (1 << dtype.bits) - 1 if dtype.is_unsigned else (1 << dtype.bits - 1) - 1
    low = 0 if dtype.is_unsigned else -1 - high
    return lambda value, field: read_int(value, field, low, high)


def _real(value: Any, field: str) -> float:
    if type(value) is str and value in _SPECIAL:
        return _SPECIAL[value]
    if type(value) is not float:
        _wrong(
            field, f"must be a number with a point, or one of {', '.join(_SPECIAL)}, got {str(value)[:80]!r}"
        )
    return value


_READ: dict[str, Callable[[Any, str], Any]] = {
    "axes": _ints,
    "axis": _axis,
    "columns": _ints,
    "case": lambda value, field: read_word(value, field, CASES),
    "default": _elements,
    "delimiter": _text,
    "dtype": lambda value, field: read_word(value, field, tuple(DTYPES)),
    "ends": _ints,
    "filler": lambda value, field: read_int(value, field, -_LIMIT, _LIMIT),
    "is_case_sensitive": _flag,
    "is_marked": _flag,
    "keys": _elements,
    "least_letters": lambda value, field: read_int(value, field, 1, _LIMIT),
    "lengths": _two_ints,
    "maxsplit": lambda value, field: read_int(value, field, -1, _LIMIT),
    "padding": _text,
    "pattern": _text,
    "perm": _ints,
    "pixel_format": lambda value, field: read_word(value, field, PIXEL_FORMATS),
    "separators": _texts,
    "shape": _extents,
    "size": lambda value, field: read_int(value, field, 0, MAX_ELEMENTS),
    "skips": lambda value, field: read_int(value, field, 0, _LIMIT),
    "starts": _ints,
    "steps": _strides,
    "stopwords": _texts,
    "value": _elements,
    "values": _elements,
    "words": _texts,
}
