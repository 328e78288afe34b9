"""Large files in memory: mapped, not read. Their constants stay pages of the file, which processes share; all other pages become
this process's own before they are checked.

Libraries of small models never need this: it is imported by `package` and `runtime` when it is. It stands in the folder of the
leaves, because whatever is imported from there has been looked for there before: the first look into a folder takes 50 µs.
"""

import ctypes
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

# Of Linux, macOS and the BSDs.
_READ, _READ_WRITE = 1, 3
_PIECE = 1 << 20  # of a file that is copied onto itself: so much memory more
_FIXED = 0x12  # MAP_FIXED | MAP_PRIVATE
# MAP_PRIVATE; and on Linux MAP_NORESERVE: no memory is set aside for pages that will never be written.
_PRIVATE = 0x4002 if sys.platform == "linux" else 2


# A file is treated as hollow (sparse) if it has at least HOLLOW_FROM_BYTES and stores less than 1 / HOLLOW_TIMES of them:
# reading it would take memory that its sender never had to fill.
HOLLOW_FROM_BYTES, HOLLOW_TIMES = 1 << 26, 64


def is_hollow(status: os.stat_result) -> bool:
    """Whether a file is large and all but empty: a sparse one. False where the system does not say what it stores."""
    stored = getattr(status, "st_blocks", status.st_size) * 512
    return status.st_size >= HOLLOW_FROM_BYTES and stored < status.st_size // HOLLOW_TIMES


class _Pages:
    """Mapped pages of a file, which NumPy can make an array of. They are unmapped when nobody has a view of them any more."""

    def __init__(self, address: int, size: int) -> None:
        self.__array_interface__ = {
            "version": 3,
            "typestr": "|u1",
            "shape": (size,),
            "data": (address, False),
        }
        self._unmap = ctypes.pythonapi["munmap"]
        self._range = ctypes.c_void_p(address), ctypes.c_size_t(size)

    def __del__(self) -> None:
        self._unmap(*self._range)


def mapped(descriptor: int, size: int) -> memoryview:
    """The file in memory; pages that are written to become this process's own. The module `mmap` does the same, and takes longer
    to import than most models to map.
    """
    if sys.maxsize > 1 << 32:  # else nobody knows whether an offset has 32 bits or 64
        address = _mmap(None, size, _READ_WRITE, _PRIVATE, descriptor, 0)
        if address != ctypes.c_void_p(-1).value:  # MAP_FAILED
            return np.asarray(_Pages(address, size)).data
    mmap = importlib.import_module("mmap")
    return memoryview(mmap.mmap(descriptor, size, access=mmap.ACCESS_COPY))  # which else says why it fails


def settle(content: bytes | memoryview, shared: Sequence[tuple[int, int]] = ()) -> None:
    """Makes the pages of a mapped file this process's own, but for these ranges, in order: nobody can change them any more."""
    view = memoryview(content)
    if view.readonly:
        return
    ends = [0, *(end for _, end in shared)]
    for begin, stop in zip(ends, [*(start for start, _ in shared), len(view)], strict=True):
        for at in range(begin, stop, _PIECE):
            end = min(at + _PIECE, stop)
            view[at:end] = bytes(view[at:end])


def whole_pages(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of these ranges of bytes of a file, in order, what is whole pages of it."""
    page = os.sysconf("SC_PAGESIZE")
    pages = [(-(-begin // page) * page, end // page * page) for begin, end in ranges]
    return [(begin, end) for begin, end in pages if begin < end]


def map_over(address: int, ranges: Sequence[tuple[int, int]], descriptor: int) -> bool:
    """Maps whole pages of a file, read-only, over what is in memory; the first byte of the file is that at the address. False if
    that cannot be done for all of them; of the others the file's pages stay.
    """
    page = os.sysconf("SC_PAGESIZE")
    if sys.maxsize < 1 << 32 or address % page or any((begin | end) % page for begin, end in ranges):
        return False
    places = ((address + begin, end - begin, begin) for begin, end in ranges)
    return all(
        _mmap(place, size, _READ, _FIXED, descriptor, offset) == place for place, size, offset in places
    )


def _mmap(address: int | None, size: int, access: int, flags: int, descriptor: int, offset: int) -> Any:
    call = ctypes.pythonapi["mmap"]
    call.restype = ctypes.c_void_p
    return call(
        ctypes.c_void_p(address), ctypes.c_size_t(size), access, flags, descriptor, ctypes.c_size_t(offset)
    )
