"""Memory for the values of a model: aligned, and in huge pages where that takes less time."""

import ctypes
from typing import Any

import numpy as np

import ingot
from ingot.artifact.model_info import TensorInfo

Array = np.ndarray[Any, Any]

_HUGE_PAGE = 2 << 20
_HUGE_SIZES = range(
    3 << 19, 4 << 20
)  # less would waste over a quarter of a huge page; of more NumPy makes huge pages itself

_CHAR = ctypes.c_char
_ADDRESS_OF = ctypes.addressof


def address_of(array: Array) -> int:
    """The address of the first byte. Four times as quick as `array.ctypes.data` where the array is writeable and not empty."""
    if array.nbytes and array.flags.c_contiguous and array.flags.writeable:
        return _ADDRESS_OF(_CHAR.from_buffer(array))  # type: ignore[arg-type]  # NumPy's stubs of 3.11 lack Buffer
    return array.ctypes.data


def aligned_bytes(size_bytes: int, alignment_bytes: int) -> Array:
    """New memory, not cleared, that begins at a multiple of the alignment and has at least one byte.

    Raises:
        OutOfMemoryError: there is not so much.
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
        raise ingot.OutOfMemoryError(
            f"there are no {size} bytes of memory for values of a model", size_bytes=size
        ) from error
    start = -room.ctypes.data % alignment_bytes
    return room[start : start + size]


def aligned_array(info: TensorInfo, alignment_bytes: int = 64) -> Array:
    """A new array of the type of `info`, not cleared; of packed elements, their bytes."""
    size = info.size_bytes
    return aligned_bytes(size, alignment_bytes)[:size].view(stored_dtype(info)).reshape(info.stored_shape)


def stored_dtype(info: TensorInfo) -> "np.dtype[Any]":
    """The dtype of the array that `aligned_array` gives."""
    return np.dtype(np.uint8) if info.dtype.is_packed else info.dtype.numpy


def plain_dtype(info: TensorInfo) -> "np.dtype[Any] | None":
    """The dtype of arrays whose memory can be read as it is; None for packed elements, which no array has so."""
    return None if info.dtype.is_packed else info.dtype.numpy
