"""`Dialect`: what differs between the languages that look like C, as data.

The printers of expressions and statements think in the words of C99 (`int32_t`, `_Bool`, `expf`); a dialect respells them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ingot.codegen.c.names import RESERVED
from ingot.codegen.c.prelude import MATH, PRELUDE
from ingot.loops.analyse.grid import Fence

VECTOR = "INGOT_VECTOR"
"""The macro of C before a vector loop."""


@dataclass(frozen=True, slots=True)
class Groups:
    """How a language says where a work item is (`group` is a form with a dimension), and what stands before a buffer
    that a group shares. `fence` is the statement at which items wait, by what is then seen by all.
    """

    group: str
    item: str
    shared: str
    fence: Mapping[Fence, str]


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """The spellings of one language.

    `words` maps words of C99 to the language's own, where they differ. `int64` and `uint64` are forms of constants. `space`
    stands before the type of a pointer to a kernel's parameter, `vector` on a line before a vector loop (nothing: no such
    line). `prelude` has the small functions that printed code calls, `reserved` the words that no variable may be called.
    `groups` is how the language runs groups of work items, None where it has none.
    """

    id: str
    words: Mapping[str, str]
    int64: str
    uint64: str
    space: str
    vector: str
    prelude: Mapping[str, str]
    reserved: frozenset[str]
    groups: Groups | None = None

    def word(self, c99: str) -> str:
        """The language's spelling of a type, function or constant of C99."""
        return self.words.get(c99, c99)


def respelled(text: str, words: Mapping[str, str]) -> str:
    """The text with each whole word replaced that `words` has."""
    return re.sub(r"[A-Za-z_][A-Za-z0-9_]*", lambda match: words.get(match[0], match[0]), text)


C99 = Dialect("c", {}, "INT64_C({})", "UINT64_C({})", "", VECTOR, PRELUDE, RESERVED)


# ─── OpenCL C ──────────────────────────────────────────────────────────────────────────────────────────────────────

_WORDS = {
    "_Bool": "bool",
    **{f"int{bits}_t": name for bits, name in ((8, "char"), (16, "short"), (32, "int"), (64, "long"))},
    **{f"uint{bits}_t": f"u{name}" for bits, name in ((8, "char"), (16, "short"), (32, "int"), (64, "long"))},
    "INT32_MIN": "INT_MIN",
    "INT64_MIN": "LONG_MIN",
    # One name for all floats: the type of the argument decides.
    **{f"{name}f": name for name in (*MATH.values(), "fmod", "fma")},
}
_SAME_BITS = {
    f"{name}": f"static inline {result} {name}({operand} x)\n{{\n    return as_{result}(x);\n}}\n"
    for short, type_, bits in (("f32", "float", "uint"), ("f64", "double", "ulong"))
    for name, result, operand in ((f"{short}_bits", bits, type_), (f"{short}_of_bits", type_, bits))
}
_ELEMENTS = (
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "float",
    "double",
    "half",
    "bool",
)
_WORDS_TAKEN = """global local constant private generic kernel pipe read_only write_only read_write uniform
__global __local __constant __private __kernel uchar ushort uint ulong half quad complex imaginary bool true false
size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t image1d_t image1d_array_t image1d_buffer_t image2d_t image2d_array_t
image3d_t vec_step clamp degrees max min mix radians step smoothstep sign cross dot distance length normalize select bitselect
mad mad24 mul24 rotate popcount clz hypot isnan isinf isequal any all barrier prefetch printf shuffle shuffle2 ilogb ldexp
nan rsqrt cbrt exp2 exp10 log2 log10 sincos convert get_global_id get_local_id get_group_id as_float as_double as_uint as_ulong"""
_VECTORS = frozenset(f"{name}{size}" for name in _ELEMENTS for size in ("", 2, 3, 4, 8, 16))

OPENCL = Dialect(
    "opencl",
    _WORDS,
    "{}L",
    "{}UL",
    "__global ",
    "",
    {name: respelled(text, _WORDS) for name, text in PRELUDE.items()} | _SAME_BITS,
    RESERVED | frozenset(_WORDS_TAKEN.split()) | _VECTORS,
    Groups(
        "get_group_id({})",
        "get_local_id(0)",
        "__local ",
        {
            Fence(shared=True, params=False): "barrier(CLK_LOCAL_MEM_FENCE);",
            Fence(shared=False, params=True): "barrier(CLK_GLOBAL_MEM_FENCE);",
            Fence(shared=True, params=True): "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
        },
    ),
)
"""OpenCL C 1.2, which has the types and functions of C99 under shorter names, and address spaces."""
