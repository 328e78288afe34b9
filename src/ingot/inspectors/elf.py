"""Symbols of ELF files: where they are in the file."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

from elftools.elf.elffile import ELFFile

from ingot.artifact.artifact import Content
from ingot.base.errors import ArtifactError

MAGIC = b"\x7fELF"
_MAX_TABLES = 16  # two are usual
_MAX_NAMES = 1 << 24  # bytes of all names together: in a table of strings each may begin within another
_NO_CONTENT = "SHT_NOBITS"
_SYMBOL_TABLES = ("SHT_DYNSYM", "SHT_SYMTAB")


@dataclass(frozen=True, slots=True)
class Symbol:
    """A defined symbol. `offset` is its first byte in the file; `room` counts the bytes from there to the end of its section."""

    name: str
    offset: int
    size_bytes: int
    room: int


def symbols(content: Content, prefix: str, name: str) -> tuple[Symbol, ...]:
    """The symbols with content in the file whose names begin with `prefix`, each name once, in the order of the tables.

    Raises:
        ArtifactError: the file is not ELF, or damaged.
    """
    try:
        by_name: dict[str, Symbol] = {}
        for symbol in _symbols(content, prefix.encode("ascii")):
            by_name.setdefault(symbol.name, symbol)
        return tuple(by_name.values())
    except Exception as error:  # the parser raises whatever the bytes lead it to
        why = type(error).__name__
        raise ArtifactError(
            f"{name} is damaged or cut short: its ELF headers cannot be read ({why})", name=name
        ) from error


def _symbols(content: Content, prefix: bytes) -> Iterator[Symbol]:
    view = memoryview(content).toreadonly().cast("B")
    file = ELFFile(cast("IO[bytes]", _Stream(view)))
    relocatable = file.header["e_type"] == "ET_REL"
    order = "<" if file.little_endian else ">"
    wide = file.elfclass == 64
    row = struct.Struct(order + ("IBBHQQ" if wide else "IIIBBH"))
    headers = [section.header for section in file.iter_sections()]
    room = _MAX_NAMES
    for header in [header for header in headers if header["sh_type"] in _SYMBOL_TABLES][:_MAX_TABLES]:
        strings = bytes(_section(view, headers[header["sh_link"]]))
        table = _section(view, header)
        for fields in row.iter_unpack(table[: len(table) - len(table) % row.size]):
            at, section, value, size = (
                (fields[0], *fields[3:6]) if wide else (fields[0], fields[5], *fields[1:3])
            )
            if not 0 < section < len(headers) or not strings.startswith(prefix, at):
                continue
            home = headers[section]
            inside = value - (0 if relocatable else home["sh_addr"])
            length = 0 if home["sh_type"] == _NO_CONTENT else len(_section(view, home))
            if 0 <= inside <= length:
                end = strings.index(b"\0", at)
                room -= end - at
                if room < 0:
                    raise ValueError("names that are too long")
                yield Symbol(
                    strings[at:end].decode("utf-8", "replace"),
                    home["sh_offset"] + inside,
                    size,
                    length - inside,
                )


def _section(view: memoryview, header: Any) -> memoryview:
    offset, size = header["sh_offset"], header["sh_size"]
    if offset > len(view) or size > len(view) - offset:
        raise ValueError("a section outside of the file")
    return view[offset : offset + size]


class _Stream(io.RawIOBase):
    """A view as a file that can be read, without a copy of all."""

    def __init__(self, view: memoryview) -> None:
        self._view = view
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._view)}[whence]
        self._at = max(start + offset, 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        end = len(self._view) if size is None or size < 0 else self._at + size
        content = bytes(self._view[self._at : end])
        self._at += len(content)
        return content
