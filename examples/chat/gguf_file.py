"""Reads a GGUF file, the format of llama.cpp: numbers and texts by key, and tensors that stay in the file until they are read.

*Source:* the specification of GGUF in the repository of ggml, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ingot

_MAGIC = b"GGUF"
_VERSIONS = 2, 3
_TEXT, _LIST = 8, 9
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_DIMS_MAX = 4


@dataclass(frozen=True, slots=True)
class BlockType:
    """How a tensor type of ggml lies in memory: `elements` of a row are `bytes` bytes."""

    name: str
    elements: int
    bytes: int


TYPES: Mapping[int, BlockType] = {
    0: BlockType("F32", 1, 4),
    1: BlockType("F16", 1, 2),
    2: BlockType("Q4_0", 32, 18),
    3: BlockType("Q4_1", 32, 20),
    8: BlockType("Q8_0", 32, 34),
    12: BlockType("Q4_K", 256, 144),
    14: BlockType("Q6_K", 256, 210),
    30: BlockType("BF16", 1, 2),
}


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of the file. `shape` is as NumPy has it: the last extent is that whose elements lie side by side."""

    name: str
    shape: tuple[int, ...]
    type: BlockType
    data: np.ndarray  # uint8 [rows, bytes of a row], a view of the file


@dataclass(frozen=True, slots=True)
class GgufFile:
    """What a file says by key, and its tensors by name."""

    facts: Mapping[str, Any]
    tensors: Mapping[str, Tensor]

    def fact(self, key: str, default: Any = None) -> Any:
        """What the file says of its architecture under `key`.

        Raises:
            ingot.ModelError: nothing, and there is no default.
        """
        architecture = self.facts.get("general.architecture")
        value = self.facts.get(f"{architecture}.{key}", default)
        if value is None:
            raise ingot.ModelError(f"the GGUF file says nothing of {architecture}.{key}", key=key)
        return value


class _Reader:
    """Reads numbers and texts one after another."""

    def __init__(self, data: memoryview, path: Path) -> None:
        self.data, self.path, self.at = data, path, 0

    def fail(self, problem: str) -> ingot.ModelError:
        return ingot.ModelError(f"{self.path}, byte {self.at}: {problem}", path=str(self.path), at=self.at)

    def take(self, count: int) -> memoryview:
        if count > len(self.data) - self.at:
            raise self.fail(
                f"{count} bytes are wanted and {len(self.data) - self.at} are left; the file is cut short"
            )
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, code: str) -> Any:
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def text(self) -> str:
        length = self.number("Q")
        try:
            return str(self.take(length), "utf-8")
        except UnicodeDecodeError as error:
            raise self.fail(f"a text is not UTF-8: {error}") from error

    def value(self, kind: int) -> Any:
        if kind == _TEXT:
            return self.text()
        if kind == _LIST:
            return self._list()
        if kind not in _NUMBERS:
            raise self.fail(f"type {kind} of a value is unknown")
        return self.number(_NUMBERS[kind])

    def _list(self) -> list[Any]:
        kind, count = self.number("I"), self.number("Q")
        if kind in _NUMBERS:
            return np.frombuffer(
                self.take(count * struct.calcsize("<" + _NUMBERS[kind])), "<" + _NUMBERS[kind]
            ).tolist()
        if kind != _TEXT:
            raise self.fail(f"a list of type {kind} is not read, only one of numbers or texts")
        return [self.text() for _ in range(count)]


def read_gguf(path: str | Path) -> GgufFile:
    """Reads the head of a file, and maps its tensors.

    Raises:
        ingot.ModelError: it is no GGUF file of version 2 or 3, it is cut short, or a tensor has a type that is not read.
    """
    path = Path(path)
    with path.open("rb") as file:
        if path.stat().st_size < len(_MAGIC):
            raise ingot.ModelError(
                f"{path} is no GGUF file: it has {path.stat().st_size} bytes", path=str(path)
            )
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    reader = _Reader(memoryview(mapped), path)
    magic = bytes(reader.take(len(_MAGIC)))
    if magic != _MAGIC:
        raise ingot.ModelError(
            f"{path} is no GGUF file: it begins with {magic!r}, not {_MAGIC!r}", path=str(path)
        )
    version = reader.number("I")
    if version not in _VERSIONS:
        raise reader.fail(f"GGUF version {version} is not read, only 2 and 3 in little-endian order")
    tensor_count, fact_count = reader.number("Q"), reader.number("Q")
    facts = {}
    for _ in range(fact_count):
        key = reader.text()
        facts[key] = reader.value(reader.number("I"))
    heads = [_tensor_head(reader) for _ in range(tensor_count)]
    alignment = facts.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1:
        raise reader.fail(f"general.alignment is {alignment!r}; expected a whole number above 0")
    start = -(-reader.at // alignment) * alignment
    tensors = {
        name: _tensor(reader, name, shape, kind, start + offset) for name, shape, kind, offset in heads
    }
    return GgufFile(facts, tensors)


def _tensor_head(reader: _Reader) -> tuple[str, tuple[int, ...], int, int]:
    name, rank = reader.text(), reader.number("I")
    if rank > _DIMS_MAX:
        raise reader.fail(f"tensor {name!r} has {rank} extents; a tensor has at most {_DIMS_MAX}")
    extents = [reader.number("Q") for _ in range(rank)]
    return name, tuple(reversed(extents)), reader.number("I"), reader.number("Q")


def _tensor(reader: _Reader, name: str, shape: tuple[int, ...], kind: int, start: int) -> Tensor:
    block = TYPES.get(kind)
    if block is None:
        known = ", ".join(each.name for each in TYPES.values())
        raise reader.fail(f"tensor {name!r} has type {kind} of ggml, which is not read; these are: {known}")
    width = shape[-1] if shape else 1
    if width % block.elements:
        raise reader.fail(
            f"tensor {name!r} has rows of {width}, which is no multiple of {block.elements} as {block.name} wants"
        )
    rows, row_bytes = math.prod(shape[:-1]), width // block.elements * block.bytes
    reader.at = start
    data = np.frombuffer(reader.take(rows * row_bytes), np.uint8).reshape(rows, row_bytes)
    return Tensor(name, shape, block, data)
