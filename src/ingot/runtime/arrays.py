"""Arrays at the border of a model: what callers give is checked here, and turned into addresses."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from ingot.artifact.info import TensorInfo
from ingot.errors import InputError
from ingot.tensor import DType

Array = np.ndarray[Any, Any]

# DLPack's numbers of kinds of devices.
CPU_KINDS = (1, 3, 11)  # memory that the CPU reads: its own, and pages of it that CUDA or ROCm pinned
_KINDS = {1: "cpu", 2: "cuda", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 13: "cuda", 14: "oneapi"}

_HUGE_PAGE = 2 << 20
_HUGE_SIZES = range(3 << 17, 4 << 20)  # less would waste most of a huge page; of more NumPy makes huge pages itself

_CHAR = ctypes.c_char
_ADDRESS_OF = ctypes.addressof


def as_array(value: object, info: TensorInfo, role: str = "input") -> Array:
    """`value` as a NumPy array of exactly the type of `info`, without a copy; strides may be any.

    Raises:
        InputError: not an array, or another dtype or shape; the facts are `name`, `expected` and `got`.
    """
    if isinstance(value, np.ndarray):
        array = value
    elif hasattr(value, "__dlpack__"):
        where = device_of(value)
        if where is not None and where[0] not in CPU_KINDS:
            _wrong(info, role, f"is on {device_words(where)}; copy it to the memory of the CPU first", device_words(where))
        try:
            array = np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            _wrong(info, role, f"cannot be read through DLPack: {error}", type(value).__name__)
    elif isinstance(value, (list, tuple, int, float, str)) or value is None:
        _wrong(info, role, f"is a Python {type(value).__name__}; convert it with numpy.asarray(…, dtype)", type(value).__name__)
    else:
        try:
            array = np.asarray(memoryview(value))  # type: ignore[arg-type]
        except (TypeError, ValueError, BufferError):
            _wrong(info, role, "has neither __dlpack__ nor the buffer protocol", type(value).__name__)
    expected = info.dtype.numpy
    if array.dtype != expected:
        if info.dtype is DType.BFLOAT16 and array.dtype.name == "bfloat16":
            array = array.view(np.uint16)
        else:
            _wrong(info, role, f"has the dtype {array.dtype}; convert it with .astype({info.dtype.value!r})", str(array.dtype))
    if array.shape != info.shape:
        _wrong(info, role, f"has the shape {list(array.shape)}", array.shape)
    return array


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


def require_dense(array: Array, info: TensorInfo, role: str, *, writeable: bool = False) -> None:
    """Raises InputError unless the memory of the array can be used as it is: row-major, aligned, and writeable if it must be."""
    if not array.flags.c_contiguous:
        _wrong(info, role, f"is not contiguous (strides of {list(array.strides)} bytes); copy it first", array.strides)
    if not array.flags.aligned:
        _wrong(info, role, f"is not aligned to its elements of {array.itemsize} bytes; copy it first", "unaligned")
    if writeable and not array.flags.writeable:
        _wrong(info, role, "is read-only", "read-only")


def address_of(array: Array) -> int:
    """The address of the first byte. Four times as quick as `array.ctypes.data` where the array is writeable and not empty."""
    if array.nbytes and array.flags.c_contiguous and array.flags.writeable:
        return _ADDRESS_OF(_CHAR.from_buffer(array))  # type: ignore[arg-type]  # NumPy's stubs of 3.11 lack Buffer
    return array.ctypes.data


def aligned_bytes(size_bytes: int, alignment_bytes: int) -> Array:
    """New memory, not cleared, that begins at a multiple of the alignment and has at least one byte."""
    size = max(size_bytes, 1)
    if size in _HUGE_SIZES:
        # What is not touched of it takes no memory. The system clears a huge page in the time of 60 small ones.
        alignment_bytes = _HUGE_PAGE
        room = np.empty(max(size + _HUGE_PAGE, _HUGE_SIZES.stop), np.uint8)
    else:
        room = np.empty(size + alignment_bytes, np.uint8)
    start = -room.ctypes.data % alignment_bytes
    return room[start : start + size]


def aligned_array(info: TensorInfo, alignment_bytes: int = 64) -> Array:
    """A new array of the type of `info`, not cleared."""
    size = info.size_bytes
    return aligned_bytes(size, alignment_bytes)[:size].view(info.dtype.numpy).reshape(info.shape)


def device_of(value: object) -> tuple[int, int] | None:
    """Kind and index of the device that a tensor says it is on; None if it does not say."""
    say: Callable[[], tuple[int, int]] | None = getattr(value, "__dlpack_device__", None)
    if say is None:
        return None
    kind, index = say()
    return int(kind), int(index)


def device_words(device: tuple[int, int]) -> str:
    """`opencl(0)`."""
    return f"{_KINDS.get(device[0], f'DLPack device {device[0]}')}({device[1]})"


def _wrong(info: TensorInfo, role: str, what: str, got: object) -> NoReturn:
    raise InputError(f"{role} {info.name!r} {what}; expected {info.type}", name=info.name, expected=str(info.type), got=got)
