"""Says in an object for 32-bit Arm that floats are passed in registers.

A linker refuses to put objects together that differ in this. LLVM writes the statement only where its embedder sets the float
ABI, which llvmlite cannot; the code itself already follows the triple.

Source: Addenda to, and errata in, the ABI for the Arm architecture, section "Build attributes" (Tag_ABI_VFP_args); ELF for the
Arm architecture.
"""

from __future__ import annotations

import struct

from ingot.errors import InternalError

_SECTION = b".ARM.attributes"
_ABI_VFP_ARGS, _IN_REGISTERS = 28, 1
_HEADER = struct.Struct("<32xI10xHHH")  # e_shoff, then e_shentsize, e_shnum, e_shstrndx
_FORMAT_VERSION = ord("A")


def passes_floats_in_registers(triple: str) -> bool:
    """Whether the triple is one of those `…eabihf`."""
    return triple.endswith("hf") and triple.startswith(("arm", "thumb"))


def with_float_registers(content: bytes) -> bytes:
    """The ELF object with the attribute; its section of attributes, two bytes longer, moves to the end of the file."""
    table, entry_size, count, names_at = _HEADER.unpack_from(content)
    if entry_size != 40:
        raise InternalError(f"not a 32-bit ELF object: its section headers have {entry_size} bytes")
    entries = [table + number * entry_size for number in range(count)]
    names = struct.unpack_from("<16xI", content, entries[names_at])[0]
    for entry in entries:
        name = names + struct.unpack_from("<I", content, entry)[0]
        if content[name : content.index(0, name)] == _SECTION:
            offset, size = struct.unpack_from("<16xII", content, entry)
            attributes = _longer(content[offset : offset + size])
            made = bytearray(content)
            struct.pack_into("<II", made, entry + 16, len(made), len(attributes))
            return bytes(made) + attributes
    raise InternalError("LLVM made an object for Arm without attributes")


def _longer(attributes: bytes) -> bytes:
    """One vendor's attributes for the whole file, and one more."""
    vendor = b"aeabi\0"
    file_at = 5 + len(vendor)
    length, scope, inner = *struct.unpack_from("<I", attributes, 1), *struct.unpack_from("<BI", attributes, file_at)
    whole = attributes[0] == _FORMAT_VERSION and attributes[5:file_at] == vendor and scope == 1
    if not whole or length != len(attributes) - 1 or inner != len(attributes) - file_at:
        raise InternalError("LLVM made attributes for Arm that are not one list for the whole file")
    head = struct.pack("<BI", _FORMAT_VERSION, length + 2) + vendor + struct.pack("<BI", 1, inner + 2)
    return head + attributes[file_at + 5 :] + bytes((_ABI_VFP_ARGS, _IN_REGISTERS))
