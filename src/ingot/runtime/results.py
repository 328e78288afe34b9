"""Memory of results that `predict` hands out: used again once nobody has the result any more.

New memory of some hundred kilobytes comes from the system page by page, each cleared when it is first touched; for a model that
mostly moves memory that takes longer than the model.
"""

from __future__ import annotations

import sys

import numpy as np

from ingot.artifact.model_info import TensorInfo
from ingot.runtime.memory import Array, aligned_bytes, stored_dtype

# Rooms kept for an output: a caller who feeds results back has the last one while the next is made.
ROOMS = 2


class _Room:
    """Aligned memory for one result. Results are views of `owner`, and so are views of them: its count tells who has any."""

    __slots__ = ("_dtype", "_idle", "_owner", "_shape", "_start", "address")

    def __init__(self, info: TensorInfo, alignment_bytes: int) -> None:
        self._shape, self._dtype = info.stored_shape, stored_dtype(info)
        memory = aligned_bytes(info.size_bytes, alignment_bytes)
        assert memory.base is not None
        self._owner = memory.base
        self.address = memory.ctypes.data
        self._start = self.address - self._owner.ctypes.data
        del memory  # it, too, is a view
        self._idle = self._count()

    def is_idle(self) -> bool:
        return self._count() == self._idle

    def result(self) -> Array:
        return np.ndarray(self._shape, self._dtype, self._owner, self._start)

    def _count(self) -> int:
        return sys.getrefcount(self._owner)


class ResultMemory:
    """Memory for the results of one output.

    *Does not handle:* a caller who keeps an address without keeping the array; as everywhere, that memory is then not theirs.
    """

    __slots__ = ("_alignment", "_info", "_rooms")

    def __init__(self, info: TensorInfo, alignment_bytes: int) -> None:
        self._info, self._alignment = info, alignment_bytes
        self._rooms: list[_Room] = []

    def take(self) -> tuple[Array, int]:
        """An array that nobody else has, not cleared, and its address."""
        for room in self._rooms:
            if room.is_idle():
                return room.result(), room.address
        if len(self._rooms) < ROOMS:
            room = _Room(self._info, self._alignment)
            self._rooms.append(room)
            return room.result(), room.address
        array = np.empty(self._info.stored_shape, stored_dtype(self._info))
        return array, array.ctypes.data
