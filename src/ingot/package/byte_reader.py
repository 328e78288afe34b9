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

    def raw(self, count: int, what: str) -> bytes:
        if count > self.left:
            self.wrong(f"{what} has {count} bytes, {self.left} are left")
        self.at += count
        return bytes(self._view[self.at - count : self.at])

    def u64(self, what: str) -> int:
        return int.from_bytes(self.raw(8, what), "little")

    def block(self, what: str) -> bytes:
        """Bytes behind their length."""
        return self.raw(self.u64(f"the length of {what}"), what)

    def text(self, what: str) -> str:
        """UTF-8 behind its length in bytes."""
        content = self.block(what)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            self.wrong(f"{what} is not UTF-8")

    def count(self, what: str, least_bytes: int = 8) -> int:
        """How many of something follow, each of which takes at least so many bytes."""
        count = self.u64(f"the number of {what}")
        if count * least_bytes > self.left:
            self.wrong(f"{count} {what} cannot be in the {self.left} bytes that are left")
        return count

    def words(self, what: str) -> tuple[int, ...]:
        """Numbers of 8 bytes behind their count."""
        count = self.count(what)
        return struct.unpack(f"<{count}Q", self.raw(8 * count, what))

    def texts(self, what: str) -> tuple[str, ...]:
        return tuple(self.text(what) for _ in range(self.count(what)))

    def since(self, start: int) -> bytes:
        """The bytes from there to here."""
        return bytes(self._view[start : self.at])

    def wrong(self, what: str) -> NoReturn:
        """Raises ArtifactError."""
        raise ArtifactError(f"{self._name}, byte {self.at}: {what}", at=self.at)
