"""How C code asks the processor for a feature: the rows that a library's entries check before they run a model.

On x86-64 a feature is a bit of what CPUID gives, and the registers that it needs must be saved by the system (XCR0). On 64-bit
Arm it is a bit of what Linux tells every process (AT_HWCAP, AT_HWCAP2). Names are those of /proc/cpuinfo.

*Source:* Intel's Software Developer's Manual, volume 2A, CPUID, and volume 1, chapter 13; AMD's Architecture Programmer's Manual,
volume 3, appendix E; Linux's `asm/hwcap.h` for arm64.
"""

from __future__ import annotations

from collections.abc import Iterable

_EAX, _EBX, _ECX, _EDX = range(4)
_AVX, _AVX512, _AMX = (
    0x6,
    0xE6,
    0x60000,
)  # what the system must save: SSE and AVX; masks and the upper parts; tiles

# Leaf, its part, register, and its bits, with the state that they need.
_X86: tuple[tuple[int, int, int, dict[str, tuple[int, int]]], ...] = (
    (
        1,
        0,
        _ECX,
        {
            "pni": (0, 0),
            "pclmulqdq": (1, 0),
            "ssse3": (9, 0),
            "fma": (12, _AVX),
            "cx16": (13, 0),
            "sse4_1": (19, 0),
            "sse4_2": (20, 0),
            "movbe": (22, 0),
            "popcnt": (23, 0),
            "aes": (25, 0),
            "avx": (28, _AVX),
            "f16c": (29, _AVX),
        },
    ),
    (
        7,
        0,
        _EBX,
        {
            "bmi1": (3, 0),
            "avx2": (5, _AVX),
            "bmi2": (8, 0),
            "avx512f": (16, _AVX512),
            "avx512dq": (17, _AVX512),
            "adx": (19, 0),
            "avx512ifma": (21, _AVX512),
            "avx512cd": (28, _AVX512),
            "sha_ni": (29, 0),
            "avx512bw": (30, _AVX512),
            "avx512vl": (31, _AVX512),
        },
    ),
    (
        7,
        0,
        _ECX,
        {
            "avx512vbmi": (1, _AVX512),
            "avx512_vbmi2": (6, _AVX512),
            "gfni": (8, 0),
            "vaes": (9, _AVX),
            "vpclmulqdq": (10, _AVX),
            "avx512_vnni": (11, _AVX512),
            "avx512_bitalg": (12, _AVX512),
            "avx512_vpopcntdq": (14, _AVX512),
        },
    ),
    (
        7,
        0,
        _EDX,
        {
            "avx512_vp2intersect": (8, _AVX512),
            "amx_bf16": (22, _AMX),
            "avx512_fp16": (23, _AVX512),
            "amx_tile": (24, _AMX),
            "amx_int8": (25, _AMX),
        },
    ),
    (7, 1, _EAX, {"avx_vnni": (4, _AVX), "avx512_bf16": (5, _AVX512), "avx_ifma": (23, _AVX)}),
    (
        0x80000001,
        0,
        _ECX,
        {"abm": (5, 0), "sse4a": (6, 0), "xop": (11, _AVX), "fma4": (16, _AVX), "tbm": (21, 0)},
    ),
)

_HWCAP, _HWCAP2 = 16, 26  # AT_HWCAP, AT_HWCAP2
_ARM64 = {
    "asimd": (_HWCAP, 1),
    "aes": (_HWCAP, 3),
    "pmull": (_HWCAP, 4),
    "crc32": (_HWCAP, 7),
    "atomics": (_HWCAP, 8),
    "fphp": (_HWCAP, 9),
    "asimdhp": (_HWCAP, 10),
    "jscvt": (_HWCAP, 13),
    "fcma": (_HWCAP, 14),
    "asimddp": (_HWCAP, 20),
    "sve": (_HWCAP, 22),
    "asimdfhm": (_HWCAP, 23),
    "sve2": (_HWCAP2, 1),
    "i8mm": (_HWCAP2, 13),
    "bf16": (_HWCAP2, 14),
}

X86_64 = {
    name: (leaf, part, register, bit, state)
    for leaf, part, register, bits in _X86
    for name, (bit, state) in bits.items()
}
"""Feature: leaf and part of CPUID, the number of its register from EAX on, the bit, and the bits of XCR0 that must be set."""

AARCH64 = {name: (kind, 0, 0, bit, 0) for name, (kind, bit) in _ARM64.items()}
"""Feature: kind of the auxiliary value, and the bit; zeros between."""

KNOWN = X86_64.keys() | AARCH64.keys()


def feature_rows(features: Iterable[str]) -> tuple[str, ...]:
    """Lines of C: rows of `struct ingot_feature` for the features that C code can ask for, for each kind of processor."""
    names = tuple(features)
    rows: list[str] = []
    for macro, table in (("__x86_64__", X86_64), ("__aarch64__", AARCH64)):
        known = [name for name in names if name in table]
        if known:
            rows.append(f"#if defined({macro})")
            rows += [
                f'    {{"{name}", {", ".join(f"{number:#x}u" for number in table[name])}}},' for name in known
            ]
            rows.append("#endif")
    return tuple(rows)
