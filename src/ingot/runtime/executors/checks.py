"""What is said of a run that ended because an argument would have given another shape, or content more places than there is
room for.

Only such runs need it: it is imported with the first of them.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from ingot.artifact.model_info import CheckInfo, DimInfo, ModelInfo
from ingot.artifact.values import ValueInfo
from ingot.base.errors import InputError

_OF_LISTS = (
    "position",
    "length",
    "split",
)  # what operators on sequences are told, which no other build allows
_MAX_SHOWN = 64  # elements of an argument that a message has


def refusal(info: ModelInfo, check: CheckInfo, bases: Any, first: int) -> InputError:
    """The error of a run in which a check did not hold. `bases` are its base pointers, of which `first` is the first input's: the
    argument still lies where the kernel read it, since no call came later. None: they are not known.
    """
    if check.role == "end":
        return InputError(
            f"model {info.name!r}: node {check.node!r} ({check.op_type}) does not end, expected {check.expected}; give it a trip "
            "count, or a condition that becomes false",
            node=check.node,
            expected=check.expected,
        )
    if check.role == "runs":
        return InputError(
            f"model {info.name!r}: node {check.node!r} ({check.op_type}) goes on behind its bound, expected {check.expected}; "
            f"give a larger bound while building: bounds={{{check.operand!r}: …}}",
            node=check.node,
            expected=check.expected,
        )
    for at, dim in enumerate(info.counts):
        if (check.role, check.operand) == ("count", dim.name):
            counts = bases[first + len(info.inputs) + len(info.outputs) - 1]
            return _refused_count(info, dim, ctypes.c_int64.from_address(counts + 8 * at).value)
    got = None if bases is None else _content(info, check.operand, bases, first)
    is_ = "has another value" if got is None else f"is {got}"
    return InputError(
        f"model {info.name!r}: node {check.node!r} ({check.op_type}): its input {check.operand!r} ({check.role}) {is_}, "
        f"expected {check.expected}{'' if check.role in _OF_LISTS else '; another shape needs a build of its own'}",
        node=check.node,
        input=check.operand,
        got=got,
        expected=check.expected,
    )


def _refused_count(info: ModelInfo, dim: DimInfo, count: int) -> InputError:
    there_are = f"model {info.name!r}: there are {count} places of {dim.name}, and"
    if dim.low == dim.high:
        message = f"{there_are} the model declares {dim.high}"
    else:
        message = (
            f"{there_are} the library has room for {dim.high}; give a larger bound while building: "
            f"bounds={{{dim.name!r}: {count}}}"
        )
    return InputError(message, name=dim.name, expected=dim.high, got=count)


def _content(info: ModelInfo, name: str, bases: Any, first: int) -> Any:
    """The elements of an input, or of a value in the arena of the host; None where they cannot be shown."""
    for at, tensor in enumerate(info.inputs):
        if tensor.name == name and not tensor.dtype.is_packed:
            return _read(bases[first + at], tensor.dtype.numpy, tensor.shape)
    for value in info.values:
        if value.name == name and value.region == "arena" and value.target_key == "host" and _is_dense(value):
            return _read(bases[1] + value.extent_bytes[0], value.dtype.numpy, value.shape)
    return None


def _is_dense(value: ValueInfo) -> bool:
    begin, end = value.extent_bytes
    return end - begin == math.prod(value.shape) * value.dtype.size_bytes


def _read(address: int | None, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    size = math.prod(shape)
    if address is None or size > _MAX_SHOWN:
        return None
    memory = (ctypes.c_char * (size * dtype.itemsize)).from_address(address)
    return np.frombuffer(bytes(memory), dtype).reshape(shape).tolist()
