"""What programs give as inputs, as arrays: as onnxruntime converts it, and refused where it refuses it."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ingot.compat.onnxruntime.declared import dtype_words
from ingot.compat.onnxruntime.errors import BindingError, Fail, InvalidArgument
from ingot.compat.onnxruntime.values import NodeArg

Array = np.ndarray[Any, Any]
_TEXTS = "OUST"  # kinds of NumPy's arrays that hold texts
_BY_WORDS = {"float": "float32", "double": "float64", "string": "object"}
_NUMPY_WORDS = frozenset(
    (
        *_BY_WORDS,
        *[
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float16",
            "complex64",
            "complex128",
        ],
    )
)


def input_value(arg: NodeArg, value: Any) -> Any:
    """A value of a feed as ingot takes it.

    Raises:
        InvalidArgument: an array of another type.
        BindingError: nothing that can be an input.
        Fail: None for an input that is not optional.
    """
    if value is None:
        if arg.type.startswith("optional"):
            return None
        raise Fail(f"Missing Input: {arg.name}", name=arg.name)
    content = getattr(value, "content", value)  # of an OrtValue
    kind = arg.type.removeprefix("optional(")
    if not kind.startswith("tensor("):
        return content
    words = kind.removeprefix("tensor(").rstrip(")")
    if isinstance(content, np.ndarray):
        return _checked(words, arg.name, content)
    if isinstance(content, list):
        return _from_list(words, arg.name, content)
    if hasattr(content, "__dlpack__") and not isinstance(content, np.generic):
        return content
    raise BindingError(f"input {arg.name!r}: Unable to handle object of type {type(content)}", name=arg.name)


def type_words(array: Array) -> str:
    """`tensor(double)` for an array of float64."""
    return f"tensor({'string' if array.dtype.kind in _TEXTS else dtype_words(array.dtype.name)})"


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of what `input_value` gave, None of sequences, maps and nothing."""
    shape = getattr(value, "shape", None)
    return None if shape is None else tuple(shape)


def _checked(words: str, name: str, array: Array) -> Array:
    expected, actual = f"tensor({words})", type_words(array)
    # What NumPy lacks is given by its bit patterns, at which the library looks.
    if actual != expected and words in _NUMPY_WORDS:
        raise InvalidArgument(
            f"input {name!r}: Unexpected input data type. Actual: ({actual}) , expected: ({expected}); convert it with .astype",
            name=name,
            expected=expected,
            got=actual,
        )
    if array.dtype.kind in "US":
        return array.astype(object)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _from_list(words: str, name: str, given: Sequence[Any]) -> Array:
    try:
        return np.array(given, dtype=_BY_WORDS.get(words, words))
    except (TypeError, ValueError, OverflowError) as error:
        raise BindingError(
            f"input {name!r}: Could not create tensor from given input list: {error}", name=name
        ) from error


def array_at(address: int, element_type: Any, shape: Sequence[int], name: str) -> Array:
    """The memory at an address as an array, which stays the caller's.

    Raises:
        BindingError: there is no element type or shape.
    """
    if element_type is None or shape is None:
        raise BindingError(
            f"bind {name!r}: memory is bound with its element_type and shape; give both", name=name
        )
    dtype = np.dtype(element_type)
    count = math.prod(shape)
    memory = (ctypes.c_byte * max(count * dtype.itemsize, 1)).from_address(address)
    return np.frombuffer(memory, dtype, count).reshape(shape)


def empty(shape: Sequence[int], element_type: Any) -> Array:
    """A new array, whose content is not set."""
    return np.empty(tuple(shape), element_type)


def as_array(value: Any) -> Array:
    """An array, or what becomes one."""
    return np.asarray(value)


def require_same(name: str, given: Any, frozen: Array) -> None:
    """Raises InvalidArgument unless what is given is what an input was frozen to."""
    if not np.array_equal(np.asarray(given).reshape(-1), frozen.reshape(-1)):
        raise InvalidArgument(
            f"input {name!r} was frozen to {frozen.tolist()!r:.80} while building, got {np.asarray(given).tolist()!r:.80}; "
            "give the same, or build the model for another",
            name=name,
            expected=frozen.tolist(),
            got=np.asarray(given).tolist(),
        )
