"""Loading and running: devices, loaders, modules, executors. Imports no compiler.

Here is what the whole room uses: arrays at the border of a model, with memory for them and their addresses, and what the room
imports late, which nowhere else in it is done: what the first answer of a plain library does not need. A process that loads a
small model spends most of its time in imports, and each module is a tenth of a millisecond or two; so these two share the file
that every room has. The room writes `import ingot.runtime as late`, and `late.profile_calls` is imported when it is used.
"""

import ctypes
import importlib
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


_LATE = {
    "ResultMemory": "ingot.runtime.results",
    "StepByStep": "ingot.runtime.step_by_step",
    "ThreadPools": "ingot.artifact.thread_pools",
    "as_array": "ingot.runtime.given",
    "available_threads": "ingot.runtime.threads",
    "find_loader": "ingot.runtime.loader",
    "link_archive": "ingot.link.archive",
    "load_group": "ingot.runtime.loader",
    "load_source": "ingot.runtime.load_sources",
    "load_unfinished": "ingot.runtime.load_sources",
    "map_over": "ingot.package.mapped_file",
    "no_device_tensor": "ingot.runtime.given",
    "other_executor": "ingot.runtime.other_executors",
    "place_outputs": "ingot.runtime.given",
    "profile_calls": "ingot.runtime.profile",
    "wrong_inputs": "ingot.runtime.given",
}


def __getattr__(name: str) -> Any:
    """Imports the module of a listed name when that is first used (PEP 562)."""
    home = _LATE.get(name)
    if home is None:
        raise AttributeError(f"module 'ingot.runtime' has no attribute {name!r}")
    globals()[name] = value = getattr(importlib.import_module(home), name)
    return value
