"""Large contents that a build makes: in files without a name, of which only the pages that are looked at are in memory."""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path

import numpy as np

# Smaller contents are not worth a file.
SCRATCH_FROM_BYTES = 1 << 25
_PIECE = 1 << 24


class Scratch:
    """So many bytes, zeros at first, which are written once and read as one content.

    Large ones are in a file in the folder for temporary files (`TMPDIR`), whose space is set aside at once. It has no name, so
    nobody else can cut it short, and it is gone with the last view of it. Where there is no room for it they are in memory.
    """

    def __init__(self, size: int) -> None:
        self._descriptor = -1
        self._memory: np.ndarray | None = None
        if size >= SCRATCH_FROM_BYTES:
            self._open(size)
        if self._descriptor < 0:
            self._memory = np.zeros(size, np.uint8)
            self.content = memoryview(self._memory.data).toreadonly()

    def __del__(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def write(self, offset: int, content: bytes | memoryview) -> None:
        """Writes bytes at a place."""
        view = memoryview(content)
        if self._memory is not None:
            self._memory.data[offset : offset + view.nbytes] = view
            return
        while view.nbytes:
            count = os.pwrite(self._descriptor, view[:_PIECE], offset)
            view, offset = view[count:], offset + count

    def _open(self, size: int) -> None:
        try:
            with tempfile.TemporaryFile(buffering=0) as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)
                else:
                    file.truncate(size)
                self.content = memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
                self._descriptor = os.dup(file.fileno())
        except OSError:  # no such folder, or no room in it
            self._descriptor = -1


def content_of_file(path: Path) -> bytes | memoryview:
    """The content of a file that is this process's own, which nobody changes: of a large one a map, which outlives its name."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < SCRATCH_FROM_BYTES:
            return file.read()
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def forget_pages(content: object) -> None:
    """Takes the pages of a content that is mapped from a file out of this process's memory: whoever looks at them again gets them
    from the file. Others are left alone.
    """
    source = content.obj if isinstance(content, memoryview) else None
    if isinstance(source, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") and memoryview(source).readonly:
        source.madvise(mmap.MADV_DONTNEED)
