"""Which CPU features the machine code of an object for x86-64 needs, read from its instructions.

*Does not handle:* objects that are no ELF, and instructions that are in no row below (what only AVX512-FP16 and APX have, keys
and digests, TZCNT, which is BSF to processors without BMI). For those LLVM is asked for assembly (`llvm/build/features`).

*Source:* Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, "CPUID feature flag" of each instruction. The
tests compare it with what the same code's assembly says.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ingot.codegen.llvm.build.x86_instructions import Kind, UnknownCodeError, kinds, opcodes

# By line: how it is encoded, the number of its opcode map, its prefix; conditions (w0, w1: its bit W; mem, reg: whether an
# operand is in memory; /3: the digit); the features; and opcodes. What follows `256:` only vectors of 256 bits need. Of EVEX,
# AVX512F is not written down, nor AVX512VL, which all vectors of 128 and 256 bits need, and what is `scalar` does not.
_TABLE = """
legacy 1 00 : 05 0B 10-18 1F 28-29 2B 2E-2F 31 40-5F 77 80-9F A2-A5 AB-AD AF-B3 B6-B7 BA-C2 C6 C8-CF
legacy 1 66 : 10-17 1F 28-29 2B 2E-2F 40-51 54-6F 70-76 7E-7F A3-A5 AB-AD AF B3 B6-B7 BA-C2 C4-C6 D1-DF E0-E5 E6-E7 E8-EF F1-F6
legacy 1 66 : F8-FE
legacy 1 F2 : 10-11 2A 2C-2D 51 58-5A 5C-5F 70 C2 E6
legacy 1 F3 : 10-11 1E 2A 2C-2D 51-53 58-5F 6F-70 7E-7F C2 E6
legacy 1 66 pni : 7C-7D D0
legacy 1 F2 pni : 12 7C-7D D0 F0
legacy 1 F3 pni : 12 16
legacy 1 66 sse4a : 78-79
legacy 1 F2 sse4a : 2B 78-79
legacy 1 F3 sse4a : 2B
legacy 1 F3 popcnt : B8
legacy 1 F3 abm : BD
legacy 2 00 movbe : F0-F1
legacy 2 66 movbe : F0-F1
legacy 2 66 ssse3 : 00-0B 1C-1E
legacy 2 66 sse4_1 : 10 14-15 17 20-25 28-29 2B 30-35 38-41
legacy 2 66 sse4_2 : 37
legacy 2 F2 sse4_2 : F0-F1
legacy 3 66 sse4_1 : 08-0E 14-17 20-22 40-42
legacy 3 66 ssse3 : 0F
legacy 3 66 sse4_2 : 60-63
vex 1 00 avx : 10-17 28-29 2B 2E-2F 50-5F 77 C2 C6
vex 1 66 avx : 10-17 28-29 2B 2E-2F 50-51 54-5F 6E-6F 7C-7F C2 C6 D0 D6 E6-E7
vex 1 66 avx 256: avx2 : 60-6D 70-76 C4-C5 D1-D5 D7-E5 E8-EF F1-F6 F8-FE
vex 1 F2 avx : 10-12 2A 2C-2D 51 58-5A 5C-5F 7C-7D C2 D0 E6 F0
vex 1 F3 avx : 10-12 16 2A 2C-2D 51-53 58-5F 6F 7E-7F C2 E6
vex 1 F2 avx 256: avx2 : 70
vex 1 F3 avx 256: avx2 : 70
vex 1 00 w0 avx512f : 41-42 44-47 90-93 98
vex 1 66 w0 avx512f : 4B
vex 1 00 w0 avx512f avx512dq : 4A 99
vex 1 66 w0 avx512f avx512dq : 41-42 44-47 4A 90-93 98-99
vex 1 00 w0 avx512f avx512bw : 4B
vex 1 00 w1 avx512f avx512bw : 41-42 44-47 4A-4B 90-91 98-99
vex 1 66 w1 avx512f avx512bw : 41-42 44-47 4A 90-91 98-99
vex 1 F2 avx512f avx512bw : 92-93
vex 2 66 avx 256: avx2 : 00-0B 1C-1E 20-25 28-2B 30-35 37-41
vex 2 66 avx : 0C-0F 17 1A 2C-2F
vex 2 66 avx f16c : 13
vex 2 66 mem avx : 18-19
vex 2 66 reg avx avx2 : 18-19
vex 2 66 avx avx2 : 16 36 45-47 58-5A 78-79 8C 8E 90-93
vex 2 66 avx avx_vnni : 50-53
vex 2 66 avx fma : 96-9F A6-AF B6-BF
vex 2 66 w1 avx avx_ifma : B4-B5
vex 2 66 avx gfni : CF
vex 2 00 bmi1 : F2-F3 F7
vex 2 00 bmi2 : F5
vex 2 66 bmi2 : F7
vex 2 F3 bmi2 : F5 F7
vex 2 F2 bmi2 : F5-F7
vex 2 00 amx_tile : 49
vex 2 66 amx_tile : 49 4B
vex 2 F2 amx_tile : 49 4B
vex 2 F3 amx_tile : 4B
vex 2 00 amx_int8 : 5E
vex 2 66 amx_int8 : 5E
vex 2 F2 amx_int8 : 5E
vex 2 F3 amx_int8 : 5E
vex 2 F3 amx_bf16 : 5C
vex 3 66 avx avx2 : 00-02 38-39 46
vex 3 66 avx : 04-06 08-0D 14-19 20-22 40-41 4A-4B 60-63
vex 3 66 avx 256: avx2 : 0E-0F 42 4C
vex 3 66 avx f16c : 1D
vex 3 66 avx fma4 : 5C-5F 68-6F 78-7F
vex 3 66 avx xop : 48-49
vex 3 66 avx gfni : CE-CF
vex 3 66 w1 avx512f : 30 32
vex 3 66 w0 avx512f avx512dq : 30 32
vex 3 66 avx512f avx512bw : 31 33
vex 3 F2 bmi2 : F0
xop 8 00 avx xop : 9E A3 B6 CC-CF EC-EF
evex 1 00 : 10-17 28-29 2B 51 58-5A 5C-5F 78-79 C2 C6
evex 1 00 scalar : 2E-2F
evex 1 00 w0 : 5B
evex 1 00 w1 avx512dq : 5B
evex 1 00 avx512dq : 54-57
evex 1 66 : 10-17 28-29 2B 51 58-5F 62 66 6A 6C-6D 6F-70 72 76 7F C2 C6 D2-D4 DB DF E2 E6-E7 EB EF F2-F4 FA-FB FE
evex 1 66 scalar : 2E-2F 6E 7E D6
evex 1 66 avx512dq : 54-57 78-7B
evex 1 66 avx512bw : 60-61 63-65 67-69 6B 71 74-75 C4-C5 D1 D5 D8-DA DC-DE E0-E1 E3-E5 E8-EA EC-EE F1 F5-F6 F8-F9 FC-FD
evex 1 66 /2 : 73
evex 1 66 /6 : 73
evex 1 66 /3 avx512bw : 73
evex 1 66 /7 avx512bw : 73
evex 1 F2 scalar : 10-11 2A 2C-2D 51 58-5A 5C-5F 78-79 7B C2
evex 1 F2 : 12 E6
evex 1 F2 w0 : 7A
evex 1 F2 w1 avx512dq : 7A
evex 1 F2 avx512bw : 6F-70 7F
evex 1 F3 scalar : 10-11 2A 2C-2D 51 58-5A 5C-5F 78-79 7B 7E C2
evex 1 F3 : 12 16 5B 6F 7F
evex 1 F3 avx512bw : 70
evex 1 F3 w0 : 7A E6
evex 1 F3 w1 avx512dq : 7A E6
evex 2 66 : 0C-0D 14-16 18 1E-1F 21-25 27-2A 2C 31-37 39 3B 3D 3F 42 45-47 4C 4E 58 64-65 76-77 7C 7E-7F 88-8B 90-93 A0-A3
evex 2 66 scalar : 2D 43 4D 4F
evex 2 66 f16c : 13
evex 2 66 avx512bw : 00 04 0B 1C-1D 20 26 2B 30 38 3A 3C 3E 66 78-7B
evex 2 66 w1 avx512bw : 10-12 75 7D 8D
evex 2 66 w0 avx512vbmi : 75 7D 8D
evex 2 66 w1 : 19 1B 59 5B
evex 2 66 w0 avx512dq : 19 1B 59 5B
evex 2 66 w0 : 1A 40 5A
evex 2 66 w1 avx512dq : 1A 40 5A
evex 2 66 avx512cd : 44 C4
evex 2 66 avx512_vnni : 50-53
evex 2 66 avx512_bitalg : 54 8F
evex 2 66 avx512_vpopcntdq : 55
evex 2 66 avx512_vbmi2 : 62-63 70-73
evex 2 66 avx512vbmi : 83
evex 2 66 fma : 96-98 9A 9C 9E A6-A8 AA AC AE B6-B8 BA BC BE
evex 2 66 scalar fma : 99 9B 9D 9F A9 AB AD AF B9 BB BD BF
evex 2 66 avx512ifma : B4-B5
evex 2 66 gfni : CF
evex 2 F2 avx512_bf16 : 72
evex 2 F3 avx512_bf16 : 52 72
evex 2 F3 : 11-15 21-25 27 31-35
evex 2 F3 avx512bw : 10 20 26 28-29 30
evex 2 F3 avx512dq : 38-39
evex 3 66 : 00-01 03-05 08-09 17 1E-1F 21 23 25-26 43 54
evex 3 66 scalar : 0A-0B 27 55
evex 3 66 avx512bw : 0F 14-15 20 3E-3F 42
evex 3 66 avx512dq : 16 22 50 56 66
evex 3 66 scalar avx512dq : 51 57 67
evex 3 66 f16c : 1D
evex 3 66 w0 : 18-19 38-39
evex 3 66 w1 avx512dq : 18-19 38-39
evex 3 66 w1 : 1A-1B 3A-3B
evex 3 66 w0 avx512dq : 1A-1B 3A-3B
evex 3 66 avx512_vbmi2 : 70-73
evex 3 66 gfni : CE-CF
"""
_Place = tuple[str, int, int, int]  # how it is encoded, the opcode map, the prefix, the opcode


class _Row(NamedTuple):
    """What instructions of one opcode need, those that meet its conditions."""

    conditions: frozenset[str]
    features: frozenset[str]
    longer: frozenset[str]  # with vectors of 256 bits
    scalar: bool


def object_features(content: bytes) -> tuple[str, ...] | None:
    """The features that an object needs beyond the architecture's baseline, as Linux's /proc/cpuinfo names them, sorted; None if
    it has instructions that are not known here.
    """
    features: set[str] = set()
    try:
        for code in _sections(content):
            for kind in kinds(code):
                features |= _needed(kind)
    except UnknownCodeError:
        return None
    return tuple(sorted(features))


@functools.cache
def _needed(kind: Kind) -> frozenset[str]:
    if kind.space == "legacy" and kind.table == 0:
        return frozenset()
    facts = {f"w{kind.wide:d}", "mem" if kind.in_memory else "reg", f"/{kind.digit}"}
    rows = [row for row in _rows().get(kind[:4], ()) if row.conditions <= facts]
    if len(rows) != 1:
        raise UnknownCodeError(f"unknown instruction: {kind}")
    (row,) = rows
    needed = row.features | (row.longer if kind.length else frozenset())
    if kind.space != "evex":
        return needed
    return needed | {"avx512f"} if row.scalar or kind.length == 2 else needed | {"avx512f", "avx512vl"}


@functools.cache
def _rows() -> Mapping[_Place, list[_Row]]:
    rows: dict[_Place, list[_Row]] = {}
    for line in _TABLE.strip().splitlines():
        head, _, listed = line.rpartition(" : ")
        always, _, longer = head.partition(" 256:")
        space, table, prefix, *words = always.split()
        conditions = frozenset(
            word for word in words if word in ("w0", "w1", "mem", "reg") or word.startswith("/")
        )
        features = frozenset(words) - conditions - {"scalar"}
        row = _Row(conditions, features, frozenset(longer.split()), "scalar" in words)
        for opcode in opcodes(listed):
            rows.setdefault((space, int(table), int(prefix, 16), opcode), []).append(row)
    return rows


_ELF = b"\x7fELF\x02\x01"  # of 64 bits, the lowest byte first
_CODE, _PROGBITS = 4, 1


def _sections(content: bytes) -> Iterator[bytes]:
    """The machine code of an ELF object."""
    if not content.startswith(_ELF):
        raise UnknownCodeError("no ELF object")
    (start,), (count,) = struct.unpack_from("<Q", content, 40), struct.unpack_from("<H", content, 60)
    for number in range(count):
        _, kind, flags, _, offset, size = struct.unpack_from("<IIQQQQ", content, start + 64 * number)
        if kind == _PROGBITS and flags & _CODE:
            yield content[offset : offset + size]
