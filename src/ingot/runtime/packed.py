"""Inputs and outputs whose elements are shorter than a byte: between what callers have and the bytes of the code.

A caller has an array of `DType.numpy` with an element in each byte, one of the package ml_dtypes, or the packed bytes themselves.
Only models with such tensors need this: it is imported for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.base.errors import InputError
from ingot.base.packing import limits, pack, unpack
from ingot.runtime.inputs import as_array, overlap, require_count, require_writeable
from ingot.runtime.memory import Array


def as_stored(value: object, info: TensorInfo, role: str = "input") -> Array:
    """`value` as an array of exactly the memory that the code reads: of a packed type its bytes.

    Raises:
        InputError: not an array, or another dtype or shape, or a number that the type does not have.
    """
    if not info.dtype.is_packed:
        return as_array(value, info, role)
    if is_bytes(value, info):
        return value  # type: ignore[return-value]
    array = as_array(value, info, role)
    lowest, highest = limits(info.dtype)
    if array.size and not (lowest <= int(array.min()) and int(array.max()) <= highest):
        raise InputError(
            f"{role} {info.name!r} has elements from {array.min()} to {array.max()}; "
            f"{info.dtype.value} has {lowest} to {highest}",
            name=info.name,
            expected=(lowest, highest),
            got=(int(array.min()), int(array.max())),
        )
    return pack(array, info.dtype)


def is_bytes(value: object, info: TensorInfo) -> bool:
    """Whether it is the packed bytes of the tensor, and not its elements."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == np.uint8
        and value.shape == info.stored_shape
        and value.shape != info.shape
        and info.dtype.is_packed
    )


def seen(result: Array, info: TensorInfo) -> Array:
    """A result as callers get it."""
    return unpack(result, info.dtype, info.shape) if info.dtype.is_packed else result


def give(info: ModelInfo, results: Sequence[Array], out: Any) -> Any:
    """The results of an inference as callers get them: new arrays, or in `out`.

    Raises:
        InputError: `out` does not fit, as in `Executor.predict`.
    """
    if out is None:
        views = tuple([seen(result, tensor) for result, tensor in zip(results, info.outputs, strict=True)])
        return views[0] if len(views) == 1 else views
    targets: Sequence[Any] = out if isinstance(out, (tuple, list)) else (out,)
    require_count(info, targets)
    arrays = [_target(target, tensor) for target, tensor in zip(targets, info.outputs, strict=True)]
    for at, (array, tensor) in enumerate(zip(arrays, info.outputs, strict=True)):
        if any(overlap(array, other) for other in arrays[:at]):
            raise InputError(
                f"out for output {tensor.name!r} overlaps the out of another output", name=tensor.name
            )
    for target, array, result, tensor in zip(targets, arrays, results, info.outputs, strict=True):
        _put(target, array, result, tensor)
    return out


def given_result(result: Array, info: TensorInfo, out: Any) -> Array:
    """One packed result as a caller gets it: a new array, or `out`, filled."""
    if out is None:
        return seen(result, info)
    _put(out, _target(out, info), result, info)
    given: Array = out
    return given


def _put(target: Any, array: Array, result: Array, info: TensorInfo) -> None:
    """Writes a result into what a caller gave; `array` is what was checked of it."""
    if is_bytes(target, info):
        target[...] = result
    elif (
        info.dtype.is_packed and info.dtype.is_integer and target.dtype != info.dtype.numpy
    ):  # of ml_dtypes: `array` is a copy
        target[...] = seen(result, info).astype(target.dtype)
    else:
        array[...] = seen(result, info)


def _target(target: Any, info: TensorInfo) -> Array:
    array: Array = target if is_bytes(target, info) else as_array(target, info, "out for output")
    require_writeable(array, info, "out for output")
    return array
