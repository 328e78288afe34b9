"""Reads untrusted bytes from front to end: little-endian numbers, and strings and lists behind their lengths.

Nothing is allocated by a number from the bytes: each length is held against what is left before it is believed.
"""

from __future__ import annotations

import struct
from typing import NoReturn

from ingot.artifact.artifact import Content
from ingot.base.errors import ArtifactError


class ByteReader:
    """A place in bytes. Every method moves it forward, or raises ArtifactError and says what is wrong at which byte."""

    def __init__(self, content: Content, name: str) -> None:
        self._view = memoryview(content).toreadonly().cast("B")
        self._name = name
        self.at = 0

    @property
    def left(self) -> int:
        """Bytes that were not read yet."""
        return len(self._view) - self.at

    def raw(self, count: int, field: str) -> bytes:
        if count > self.left:
            self.wrong(f"{field} has {count} bytes, {self.left} are left")
        self.at += count
        return bytes(self._view[self.at - count : self.at])

    def u64(self, field: str) -> int:
        return int.from_bytes(self.raw(8, field), "little")

    def block(self, field: str) -> bytes:
        """Bytes behind their length."""
        return self.raw(self.u64(f"the length of {field}"), field)

    def text(self, field: str) -> str:
        """UTF-8 behind its length in bytes."""
        content = self.block(field)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            self.wrong(f"{field} is not UTF-8")

    def count(self, field: str, item_min_bytes: int = 8) -> int:
        """Reads a count of items that follow. Each item takes at least `item_min_bytes`, so what cannot fit is refused."""
        count = self.u64(f"the number of {field}")
        if count * item_min_bytes > self.left:
            self.wrong(f"{count} {field} cannot be in the {self.left} bytes that are left")
        return count

    def words(self, field: str) -> tuple[int, ...]:
        """Numbers of 8 bytes behind their count."""
        count = self.count(field)
        return struct.unpack(f"<{count}Q", self.raw(8 * count, field))

    def texts(self, field: str) -> tuple[str, ...]:
        return tuple(self.text(field) for _ in range(self.count(field)))

    def since(self, start: int) -> bytes:
        """The bytes from there to here."""
        return bytes(self._view[start : self.at])

    def wrong(self, problem: str) -> NoReturn:
        """Raises ArtifactError."""
        raise ArtifactError(f"{self._name}, byte {self.at}: {problem}", at=self.at)
