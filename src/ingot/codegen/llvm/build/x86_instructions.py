"""Machine code of x86-64, cut into instructions: which kinds of them it has.

What is no instruction that LLVM makes of kernels is not known here, and said to be so: nothing is guessed.

*Source:* Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 (formats) and appendix A (opcode
maps); AMD64 Architecture Programmer's Manual, volume 6 (XOP).
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """What the encoding says of an instruction without its registers, addresses and constants.

    `space` is how it is encoded; `table` the number of its opcode map (0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A); `prefix` the one
    that belongs to the opcode (0x66, 0xF3, 0xF2 or 0); `wide` its bit W; `length` its vectors' (0: 128 bits, 1: 256, 2: 512);
    `in_memory` whether an operand is; `digit` what some opcodes have in the place of a register.
    """

    space: str
    table: int
    prefix: int
    opcode: int
    wide: bool = False
    length: int = 0
    in_memory: bool = False
    digit: int = 0


_Fields = tuple[
    str, int, int, int, bool, int, bool, int
]  # of a Kind, which takes three times as long to make


class UnknownCodeError(Exception):
    """Bytes that are no instruction known here."""


def opcodes(text: str) -> frozenset[int]:
    """Those of a text such as `00-03 63`, hexadecimal."""
    numbers: set[int] = set()
    for word in text.split():
        first, _, last = word.partition("-")
        numbers.update(range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(numbers)


_NONE: frozenset[int] = frozenset()
# Opcodes by their map. Without operands that are addressed (by a byte ModRM); with them; and those that a constant follows, of a
# byte, of four (of two behind 66, except for jumps).
_PLAIN = (
    opcodes("04 05 0C 0D 14 15 1C 1D 24 25 2C 2D 34 35 3C 3D 50-5F 68 6A 70-7F 90-99 9C-9F A4-BF C3 C9 CC E8 E9 EB F8-FD"),
    opcodes("05 0B 31 77 80-8F A2 C8-CF"), _NONE, _NONE,
)  # fmt: skip
_ADDRESSED = (
    opcodes("00-03 08-0B 10-13 18-1B 20-23 28-2B 30-33 38-3B 63 69 6B 80 81 83-8B 8D 8F C0 C1 C6 C7 D0-D3 D8-DF F6 F7 FE FF"),
    opcodes("0D 10-18 1E 1F 28-2F 40-76 78-7F 90-9F A3-A5 AB-B7 BA-C7 D0-FF"),
    opcodes("00-FF"), opcodes("00-FF"),
)  # fmt: skip
_BYTE = (opcodes("04 0C 14 1C 24 2C 34 3C 6A 6B 70-7F 80 83 A8 B0-B7 C0 C1 C6 EB"), opcodes("70-73 A4 AC BA C2 C4-C6"),
         _NONE, opcodes("00-FF"))  # fmt: skip
_WORD = (opcodes("05 0D 15 1D 25 2D 35 3D 68 69 81 A9 B8-BF C7 E8 E9"), opcodes("80-8F"), _NONE, _NONE)
_JUMPS = (opcodes("E8 E9"), opcodes("80-8F"))
_MOVED = opcodes("B8-BF")  # a constant as wide as its register
_DIGITS = (
    opcodes("80-83 8F C0 C1 C6 C7 D0-D3 D8-DF F6 F7 FE FF"),
    opcodes("18 71-73 AE BA C7"),
    opcodes("C6 C7 F3"),
    _NONE,
)
# Of those with VEX, EVEX and XOP: all are addressed but one, and constants are of a byte.
_VECTOR_BYTE = {
    1: opcodes("70-73 C2 C4-C6"),
    2: _NONE,
    3: opcodes("00-FF"),
    5: _NONE,
    6: _NONE,
    8: opcodes("00-FF"),
    9: _NONE,
}
_VZERO = 0x77

_PREFIXES = frozenset({0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3})
_IMPLIED = (0, 0x66, 0xF3, 0xF2)
# The length of an address operand in bytes, by its ModRM byte: ModRM itself, a SIB byte if there is one, and the displacement.
_ADDRESS = tuple(1 + (mod != 3 and low == 4) + (0, 1, 4, 0)[mod] + 4 * (mod == 0 and low == 5)
                 for mod in range(4) for _ in range(8) for low in range(8))  # fmt: skip


def kinds(code: bytes) -> set[Kind]:
    """The kinds of instructions of which machine code for the 64-bit mode consists.

    Raises:
        UnknownCodeError: it is not made of instructions known here.
    """
    fields: set[_Fields] = set()
    at = 0
    try:
        while at < len(code):
            kind, at = _instruction(code, at)
            fields.add(kind)
    except (IndexError, KeyError) as error:
        raise UnknownCodeError(f"at {at}: {code[at : at + 16].hex(' ')}") from error
    if at != len(code):
        raise UnknownCodeError("the last instruction is cut short")
    return {Kind(*each) for each in fields}


def _instruction(code: bytes, at: int) -> tuple[_Fields, int]:
    """What stands at a place, and where the next one begins."""
    first = code[at]
    if first == 0x62:
        return _evex(code, at)
    if first == 0xC5:
        last = code[at + 1]
        return _vector(code, at + 2, "vex", 1, _IMPLIED[last & 3], False, last >> 2 & 1)
    if first == 0xC4:
        last = code[at + 2]
        return _vector(code, at + 3, "vex", code[at + 1] & 31, _IMPLIED[last & 3], last > 127, last >> 2 & 1)
    if first == 0x8F and code[at + 1] & 31 >= 8:
        last = code[at + 2]
        return _vector(code, at + 3, "xop", code[at + 1] & 31, _IMPLIED[last & 3], last > 127, last >> 2 & 1)
    return _legacy(code, at)


def _evex(code: bytes, at: int) -> tuple[_Fields, int]:
    second, third = code[at + 2], code[at + 3]
    rounds = third & 16 and code[at + 5] >= 0xC0  # registers alone: then what says the length is how to round
    return _vector(
        code,
        at + 4,
        "evex",
        code[at + 1] & 7,
        _IMPLIED[second & 3],
        second > 127,
        2 if rounds else third >> 5 & 3,
    )


def _vector(
    code: bytes, at: int, space: str, table: int, prefix: int, wide: bool, length: int
) -> tuple[_Fields, int]:
    """The instruction whose opcode is at a place."""
    opcode = code[at]
    constant = opcode in _VECTOR_BYTE[table]
    if opcode == _VZERO and table == 1:
        return (space, table, prefix, opcode, wide, length, False, 0), at + 1
    operand = code[at + 1]
    digit = operand >> 3 & 7 if table < 3 and opcode in _DIGITS[table] else 0
    return (space, table, prefix, opcode, wide, length, operand < 0xC0, digit), _behind(
        code, at + 1
    ) + constant


def _behind(code: bytes, at: int) -> int:
    """Where the address ends that begins at a place."""
    first = code[at]
    end = at + _ADDRESS[first]
    return end + 4 if first < 64 and first & 7 == 4 and code[at + 1] & 7 == 5 else end


def _legacy(code: bytes, at: int) -> tuple[_Fields, int]:
    prefix, short, wide = 0, False, False
    while (byte := code[at]) in _PREFIXES:
        at += 1
        short = short or byte == 0x66
        prefix = byte if byte in (0xF2, 0xF3) else prefix
    if byte & 0xF0 == 0x40:
        wide, at = byte > 0x47, at + 1
        byte = code[at]
    table = 0
    if byte == 0x0F:
        at += 1
        table = {0x38: 2, 0x3A: 3}.get(code[at], 1)
        at += table > 1
    opcode = code[at]
    if not prefix and short:
        prefix = 0x66
    if opcode in _PLAIN[table]:
        return ("legacy", table, prefix, opcode, wide, 0, False, 0), at + 1 + _constant(
            table, opcode, short, wide
        )
    if opcode not in _ADDRESSED[table]:
        raise KeyError(opcode)
    operand = code[at + 1]
    digit = operand >> 3 & 7 if opcode in _DIGITS[table] else 0
    end = _behind(code, at + 1) + _constant(table, opcode, short, wide)
    if (
        table == 1 and opcode == 0x78 and prefix in (0x66, 0xF2)
    ):  # EXTRQ and INSERTQ of SSE4a: a place and a length
        end += 2
    if (
        table == 0 and opcode in (0xF6, 0xF7) and digit < 2
    ):  # TEST has a constant, the others of its group none
        end += 1 if opcode == 0xF6 else 2 if short and not wide else 4
    return ("legacy", table, prefix, opcode, wide, 0, operand < 0xC0, digit), end


def _constant(table: int, opcode: int, short: bool, wide: bool) -> int:
    """Bytes of the constant behind an instruction."""
    if opcode in _BYTE[table]:
        return 1
    if opcode not in _WORD[table]:
        return 0
    if wide and table == 0 and opcode in _MOVED:
        return 8
    return 2 if short and not wide and opcode not in _JUMPS[table] else 4
