"""JSON → `ValueInfo`, for `model_info_read`: imported when a library lists values."""

from typing import Any

from ingot.artifact.model_info import (
    MAX_BYTES,
    TargetInfo,
    TensorInfo,
    checks,
    read_dtype,
    read_int,
    read_shape,
    read_word,
)
from ingot.artifact.values import REGIONS, ValueInfo, reach_bytes

_VALUE_KEYS = frozenset(
    {"name", "dtype", "shape", "strides", "region", "number", "offset_bytes", "target_key"}
)
_VIEW_KEYS = frozenset({"base", "moves"})

_NUMBER_BYTES = 8  # of an int64 in the arena

_wrong, _object, _array, _text = checks.wrong, checks.object, checks.array, checks.text


def read_values(
    items: list[Any],
    targets: dict[str, TargetInfo],
    inputs: tuple[TensorInfo, ...],
    outputs: tuple[TensorInfo, ...],
) -> tuple[ValueInfo, ...]:
    """The values of a model with these targets, by key, inputs and outputs.

    Raises:
        ArtifactError: a field is wrong, or a place is outside its memory.
    """
    values = tuple(_value(item, f"values[{at}]", targets, inputs, outputs) for at, item in enumerate(items))
    if len({value.name for value in values}) != len(values):
        _wrong("values", "has the same name twice")
    owners = {value.name for value in values if not value.base}
    for at, value in enumerate(values):
        if value.base and value.base not in owners:
            _wrong(f"values[{at}].base", f"{value.base[:80]!r} is no value with memory of its own")
    return values


def _value(
    item: Any,
    field: str,
    targets: dict[str, TargetInfo],
    inputs: tuple[TensorInfo, ...],
    outputs: tuple[TensorInfo, ...],
) -> ValueInfo:
    data = _object(item, field, _VALUE_KEYS, _VIEW_KEYS)
    dtype = read_dtype(data["dtype"], f"{field}.dtype")
    if dtype.is_carried:
        _wrong(
            f"{field}.dtype",
            f"is {dtype.value}, in which no kernel computes; it must be {dtype.carrier.value}",
        )
    shape = read_shape(data["shape"], dtype, f"{field}.shape")
    strides = tuple(_array(data["strides"], f"{field}.strides"))
    for at, stride in enumerate(strides):
        if type(stride) is not int or not -MAX_BYTES <= stride <= MAX_BYTES:
            read_int(stride, f"{field}.strides[{at}]", -MAX_BYTES)
    if len(strides) != len(shape):
        _wrong(f"{field}.strides", f"must have {len(shape)} numbers as the shape has, got {len(strides)}")
    region = read_word(data["region"], f"{field}.region", REGIONS)
    number = read_int(data["number"], f"{field}.number")
    key = _text(data["target_key"], f"{field}.target_key")
    if key not in targets:
        _wrong(f"{field}.target_key", f"{key[:80]!r} is no key of a target")
    if region in ("params", "arena"):
        memory = targets[key].memory
        room = memory.params_bytes if region == "params" else memory.arena_bytes
        if number:
            _wrong(f"{field}.number", f"must be 0 in the region {region}, got {number}")
    else:
        tensors = inputs if region == "input" else outputs
        if number >= len(tensors):
            _wrong(f"{field}.number", f"is {number}, the model has {len(tensors)} {region}s")
        room = tensors[number].size_bytes
    value = ValueInfo(
        name=_text(data["name"], f"{field}.name"),
        dtype=dtype,
        shape=shape,
        strides=strides,
        region=region,
        number=number,
        offset_bytes=read_int(data["offset_bytes"], f"{field}.offset_bytes"),
        target_key=key,
        base=_text(data.get("base", ""), f"{field}.base"),
        moves=_moves(data["moves"], f"{field}.moves", targets["host"]) if "moves" in data else (),
    )
    first, end = reach_bytes(value) if value.moves else value.extent_bytes
    if first < 0 or end > room:
        _wrong(
            f"{field}.offset_bytes",
            f"puts the value at bytes {first} to {end} of the region {region}, which has {room}",
        )
    return value


def _moves(value: Any, field: str, host: TargetInfo) -> tuple[tuple[int, int, int], ...]:
    moves = []
    for at, item in enumerate(_array(value, field)):
        triple = _array(item, f"{field}[{at}]")
        if len(triple) != 3:
            _wrong(f"{field}[{at}]", f"must have 3 numbers, got {len(triple)}")
        number = read_int(triple[0], f"{field}[{at}][0]", 0, max(0, host.memory.arena_bytes - _NUMBER_BYTES))
        if number % _NUMBER_BYTES:
            _wrong(f"{field}[{at}][0]", f"must be a multiple of {_NUMBER_BYTES}, got {number}")
        step = read_int(triple[1], f"{field}[{at}][1]", -MAX_BYTES)
        moves.append((number, step, read_int(triple[2], f"{field}[{at}][2]", 1)))
    return tuple(moves)
