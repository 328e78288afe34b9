"""Reads a model's protobuf message without its large weights, of which protobuf would keep a copy as long as it has the model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import BinaryIO

# Numbers of fields in onnx.proto: what leads to the bytes of a weight.
GRAPH, INITIALIZER, RAW_DATA = 7, 5, 9
_PATH = (GRAPH, INITIALIZER, RAW_DATA)
# How protobuf writes a field.
_NUMBER, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_VARINT_BYTES_MAX = 10
_FIELD_MAX = (1 << 29) - 1


class NoMessageError(ValueError):
    """The bytes are no protobuf message, or not all of one."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the bytes of a weight are: it is the initializer of this number in the graph."""

    number: int
    offset: int
    length: int


def without_weights(stream: BinaryIO, size: int, from_bytes: int) -> tuple[bytes, list[Place]]:
    """The message without the bytes of weights of `from_bytes` or more, and the places of these weights.

    Args:
        stream: the file, at its first byte.
        size: how many bytes it has.
        from_bytes: how large a weight is that is left out.

    Raises:
        NoMessageError: what is read of it is no protobuf message; what is not, and what the fields hold, is not looked at.
    """
    reader = _Reader(stream, from_bytes)
    return reader.message(size, 0), reader.places


@dataclass(slots=True)
class _Reader:
    stream: BinaryIO
    from_bytes: int
    at: int = 0
    initializers: int = 0
    places: list[Place] = field(default_factory=list)

    def message(self, end: int, depth: int) -> bytes:
        """The message that ends there. `depth`: how much of the path leads to it."""
        content = bytearray()
        while self.at < end:
            tag = self._number()
            number, kind = tag >> 3, tag & 7
            if not 0 < number <= _FIELD_MAX:
                raise NoMessageError(f"a field of the number {number}")
            if kind == _BYTES:
                content += self._field(number, end, depth)
            elif kind == _NUMBER:
                content += varint(tag) + varint(self._number())
            elif kind in (_FOUR_BYTES, _EIGHT_BYTES):
                content += varint(tag) + self._take(4 if kind == _FOUR_BYTES else 8)
            else:
                raise NoMessageError(f"a field of the kind {kind}")
        if self.at > end:
            raise NoMessageError("a field that is longer than what it is in")
        return bytes(content)

    def _field(self, number: int, end: int, depth: int) -> bytes:
        """A field of bytes, from its length on; nothing of one that is a large weight."""
        length = self._number()
        if length > end - self.at:
            raise NoMessageError("a field that is longer than what it is in")
        is_initializer = depth == 1 and number == INITIALIZER
        if length < self.from_bytes or number != _PATH[depth]:
            content = self._take(length)
        elif depth == len(_PATH) - 1:
            self.places.append(Place(self.initializers, self.at, length))
            self.at = self.stream.seek(self.at + length)
            return b""
        else:
            content = self.message(self.at + length, depth + 1)
        self.initializers += is_initializer
        return head(number, len(content)) + content

    def _number(self) -> int:
        number = shift = 0
        for _ in range(_VARINT_BYTES_MAX):
            (byte,) = self._take(1)
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7
        raise NoMessageError("a number of more than ten bytes")

    def _take(self, count: int) -> bytes:
        taken = self.stream.read(count)
        if len(taken) != count:
            raise NoMessageError("it ends in the middle of a field")
        self.at += count
        return taken


def head(number: int, size: int) -> bytes:
    """What stands before the content of a field of bytes: its number, and how many they are."""
    return varint(number << 3 | _BYTES) + varint(size)


def varint(number: int) -> bytes:
    """A number as protobuf writes it."""
    content = bytearray()
    while number > 0x7F:
        content.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*content, number))
