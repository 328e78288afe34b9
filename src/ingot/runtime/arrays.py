"""Arrays at the border of a model: what callers give is checked here, and turned into addresses."""

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from ingot.artifact.info import TensorInfo
from ingot.errors import DeviceError, InputError

Array = np.ndarray[Any, Any]

_HUGE_PAGE = 2 << 20
_HUGE_SIZES = range(3 << 17, 4 << 20)  # less would waste most of a huge page; of more NumPy makes huge pages itself

_CHAR = ctypes.c_char
_ADDRESS_OF = ctypes.addressof


def by_name(inputs: Mapping[str, object] | None, arrays: Mapping[str, object]) -> dict[str, Any]:
    """Arrays given in a dict, and those given as keywords, in one dict.

    Raises:
        InputError: what was given first is no dict.
    """
    try:
        return {**({} if inputs is None else inputs), **arrays}
    except TypeError:
        raise InputError(
            f"inputs are given by name, got a {type(inputs).__name__} without one; write predict(x=…) or predict({{'x': …}})",
            got=type(inputs).__name__,
        ) from None


def address_of(array: Array) -> int:
    """The address of the first byte. Four times as quick as `array.ctypes.data` where the array is writeable and not empty."""
    if array.nbytes and array.flags.c_contiguous and array.flags.writeable:
        return _ADDRESS_OF(_CHAR.from_buffer(array))  # type: ignore[arg-type]  # NumPy's stubs of 3.11 lack Buffer
    return array.ctypes.data


def aligned_bytes(size_bytes: int, alignment_bytes: int) -> Array:
    """New memory, not cleared, that begins at a multiple of the alignment and has at least one byte.

    Raises:
        DeviceError: there is not so much.
    """
    size = max(size_bytes, 1)
    try:
        if size in _HUGE_SIZES:
            # What is not touched of it takes no memory. The system clears a huge page in the time of 60 small ones.
            alignment_bytes = _HUGE_PAGE
            room = np.empty(max(size + _HUGE_PAGE, _HUGE_SIZES.stop), np.uint8)
        else:
            room = np.empty(size + alignment_bytes, np.uint8)
    except MemoryError as error:
        raise DeviceError(f"this machine has no {size} bytes of memory for values of a model", size_bytes=size) from error
    start = -room.ctypes.data % alignment_bytes
    return room[start : start + size]


def aligned_array(info: TensorInfo, alignment_bytes: int = 64) -> Array:
    """A new array of the type of `info`, not cleared."""
    size = info.size_bytes
    return aligned_bytes(size, alignment_bytes)[:size].view(info.dtype.numpy).reshape(info.shape)
