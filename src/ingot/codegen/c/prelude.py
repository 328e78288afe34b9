"""The small functions that generated C uses. A source gets only those that it calls, in the order of this file."""

from __future__ import annotations

from collections.abc import Mapping

from ingot.base.tensor import KERNEL_DTYPES, DType
from ingot.loops.nodes import FUNCTIONS

C_TYPE: Mapping[DType, str] = {
    DType.BOOL: "uint8_t",
    DType.INT8: "int8_t",
    DType.INT16: "int16_t",
    DType.INT32: "int32_t",
    DType.INT64: "int64_t",
    DType.UINT8: "uint8_t",
    DType.UINT16: "uint16_t",
    DType.UINT32: "uint32_t",
    DType.UINT64: "uint64_t",
    DType.FLOAT16: "uint16_t",
    DType.BFLOAT16: "uint16_t",
    DType.FLOAT32: "float",
    DType.FLOAT64: "double",
}
"""The type of a stored element. The two 16-bit floats are stored as their bits and computed as `float`."""

_FLOATS = {"f32": ("float", "f"), "f64": ("double", "")}
_INTEGERS = [dtype for dtype in KERNEL_DTYPES if dtype.is_integer]

# C99 functions by the IR's name; with an `f` behind it for float. abs is fabs on floats.
MATH: Mapping[str, str] = {name: name for name in FUNCTIONS - {"isnan", "isinf"}} | {
    "abs": "fabs",
    "exp_flushed": "exp",
}


def _bits(short: str, type_: str) -> dict[str, str]:
    unsigned = f"uint{short[1:]}_t"
    return {
        f"{short}_bits": f"static inline {unsigned} {short}_bits({type_} x)\n"
        f"{{\n    {unsigned} bits;\n    memcpy(&bits, &x, sizeof bits);\n    return bits;\n}}\n",
        f"{short}_of_bits": f"static inline {type_} {short}_of_bits({unsigned} bits)\n"
        f"{{\n    {type_} x;\n    memcpy(&x, &bits, sizeof x);\n    return x;\n}}\n",
    }


def _float_functions(short: str, type_: str, f: str) -> dict[str, str]:
    return {
        f"{short}_fma": f"""/* a * b + c, rounded once where the processor does that fast. */
static inline {type_} {short}_fma({type_} a, {type_} b, {type_} c)
{{
#ifdef FP_FAST_FMA{f.upper()}
    return fma{f}(a, b, c);
#else
    return a * b + c;
#endif
}}
""",
        f"{short}_is_nan": f"static inline _Bool {short}_is_nan({type_} x)\n{{\n    return x != x;\n}}\n",
        f"{short}_is_inf": f"static inline _Bool {short}_is_inf({type_} x)\n"
        f"{{\n    return fabs{f}(x) == ({type_})INFINITY;\n}}\n",
    }


def _min_max(short: str, type_: str) -> dict[str, str]:
    return {
        f"{short}_{name}": f"static inline {type_} {short}_{name}({type_} a, {type_} b)\n{{\n    return a {sign} b ? a : b;\n}}\n"
        for name, sign in (("min", "<"), ("max", ">"))
    }


def _division(dtype: DType) -> dict[str, str]:
    """Division that cannot trap: by 0 it gives 0, and the least number divided by -1 wraps."""
    short, type_ = dtype.short, C_TYPE[dtype]
    wide = "uint64_t" if dtype.bits == 64 else "uint32_t"
    if dtype.is_unsigned:
        div, rem = f"return b == 0 ? 0 : ({type_})(a / b);", f"return b == 0 ? 0 : ({type_})(a % b);"
    else:
        div = f"return b == 0 ? 0 : b == -1 ? ({type_})(0 - ({wide})a) : ({type_})(a / b);"
        rem = f"return b == 0 || b == -1 ? 0 : ({type_})(a % b);"
    return {
        f"{short}_{name}": f"/* a {sign} b; 0 where b is 0. */\n"
        f"static inline {type_} {short}_{name}({type_} a, {type_} b)\n{{\n    {body}\n}}\n"
        for name, sign, body in (("div", "/", div), ("rem", "%", rem))
    }


def _absolute(dtype: DType) -> dict[str, str]:
    short, type_ = dtype.short, C_TYPE[dtype]
    wide = "uint64_t" if dtype.bits == 64 else "uint32_t"
    return {
        f"{short}_abs": f"static inline {type_} {short}_abs({type_} x)\n"
        f"{{\n    return x < 0 ? ({type_})(0 - ({wide})x) : x;\n}}\n"
    }


_F16 = {
    "f16_load": """/* The value of a float16. */
static inline float f16_load(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    const uint32_t rest = bits & 0x7fffu;
    if (rest >= 0x7c00u) {
        return f32_of_bits(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
    }
    if (rest >= 0x400u) {
        return f32_of_bits(sign | ((rest << 13) + 0x38000000u));
    }
    /* Subnormal: a whole number of 2^-24. */
    return f32_of_bits(sign | f32_bits((float)rest * 0x1p-24f));
}
""",
    "f16_store": """/* The bits of the nearest float16, ties to even. */
static inline uint16_t f16_store(float x)
{
    const uint32_t bits = f32_bits(x);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    const uint32_t rest = bits & 0x7fffffffu;
    uint32_t result;
    if (rest > 0x7f800000u) {
        result = 0x7e00u | ((rest >> 13) & 0x3ffu);
    } else if (rest >= 0x477ff000u) {
        result = 0x7c00u;
    } else if (rest >= 0x38800000u) {
        result = (rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1u)) >> 13;
    } else {
        /* Subnormal: adding 0.5 makes the floating-point unit round at 2^-24. */
        result = f32_bits(f32_of_bits(rest) + 0.5f) - 0x3f000000u;
    }
    return (uint16_t)(sign | result);
}
""",
}
_BF16 = {
    "bf16_load": """/* The value of a bfloat16. */
static inline float bf16_load(uint16_t bits)
{
    return f32_of_bits((uint32_t)bits << 16);
}
""",
    "bf16_store": """/* The bits of the nearest bfloat16, ties to even. */
static inline uint16_t bf16_store(float x)
{
    const uint32_t bits = f32_bits(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return (uint16_t)((bits >> 16) | 0x40u);
    }
    return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
""",
}


def _rounding(short: str) -> dict[str, str]:
    return {
        f"{short}_round": f"""/* The nearest number that a {short} can hold. */
static inline float {short}_round(float x)
{{
    return {short}_load({short}_store(x));
}}
"""
    }


_ODD = {
    "f32_odd": """/* A float near x from which rounding to a shorter type gives what rounding x would: where x is no float, the
 * neighbour with an odd last bit. */
static inline float f32_odd(double x)
{
    const float near = (float)x;
    uint32_t bits = f32_bits(near);
    if ((double)near == x || x != x || (bits & 1u) != 0u) {
        return near;
    }
    if ((bits & 0x7fffffffu) == 0x7f800000u) {
        return near;
    }
    if (fabs((double)near) > fabs(x)) {
        bits -= 1u;
    } else {
        bits += 1u;
    }
    return f32_of_bits(bits);
}
""",
    "f32_odd_of": """/* The same for a number of 32 bits, on processors that need not have doubles. */
static inline float f32_odd_of(int64_t x)
{
    const float near = (float)x;
    const int64_t back = (int64_t)near;
    const uint32_t bits = f32_bits(near);
    if (back == x || (bits & 1u) != 0u) {
        return near;
    }
    return f32_of_bits((back < 0 ? -back : back) > (x < 0 ? -x : x) ? bits - 1u : bits + 1u);
}
""",
}

_CLAMP = {
    "inside": """/* The nearest offset inside a buffer: for elements that are read early and perhaps not needed. */
static inline int64_t inside(int64_t offset, int64_t last)
{
    return offset < 0 ? 0 : offset > last ? last : offset;
}
""",
    "inside_narrow": """/* The nearest offset inside a buffer: for elements that are read early and perhaps not needed. */
static inline int32_t inside_narrow(int32_t offset, int32_t last)
{
    return offset < 0 ? 0 : offset > last ? last : offset;
}
""",
}


_BYTES = {
    "word": """/* Four bytes as one number, the first one lowest. */
static inline int32_t word(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    return (int32_t)((uint32_t)a | (uint32_t)b << 8 | (uint32_t)c << 16 | (uint32_t)d << 24);
}
""",
    "word_of_halves": """/* Two halves as one number, the first one lower. */
static inline int32_t word_of_halves(uint16_t a, uint16_t b)
{
    return (int32_t)((uint32_t)a | (uint32_t)b << 16);
}
""",
    "signed_half": """/* A half of a number, from -32768 to 32767. */
static inline int32_t signed_half(uint32_t x)
{
    return (int32_t)((x & 0xffffu) ^ 0x8000u) - 0x8000;
}
""",
    "dot2": """/* The products of the halves of a and b, which are signed, added to total. */
static inline int32_t dot2(int32_t a, int32_t b, int32_t total)
{
    const uint32_t x = (uint32_t)a;
    const uint32_t y = (uint32_t)b;
    const uint32_t low = (uint32_t)(signed_half(x) * signed_half(y));
    return (int32_t)((uint32_t)total + low + (uint32_t)(signed_half(x >> 16) * signed_half(y >> 16)));
}
""",
    "signed_byte": """/* A byte of a number, from -128 to 127. */
static inline int32_t signed_byte(uint32_t x)
{
    return (int32_t)((x & 0xffu) ^ 0x80u) - 0x80;
}
""",
    "dot4": """/* The products of the bytes of a, unsigned, and of b, signed, added to total. */
static inline int32_t dot4(int32_t a, int32_t b, int32_t total)
{
    const uint32_t x = (uint32_t)a;
    const uint32_t y = (uint32_t)b;
    const int32_t first = (int32_t)(x & 0xffu) * signed_byte(y) + (int32_t)(x >> 8 & 0xffu) * signed_byte(y >> 8);
    const int32_t last = (int32_t)(x >> 16 & 0xffu) * signed_byte(y >> 16) + (int32_t)(x >> 24) * signed_byte(y >> 24);
    return (int32_t)((uint32_t)total + (uint32_t)(first + last));
}
""",
    "dot4s": """/* The products of the bytes of a and b, both signed, added to total. */
static inline int32_t dot4s(int32_t a, int32_t b, int32_t total)
{
    const uint32_t x = (uint32_t)a;
    const uint32_t y = (uint32_t)b;
    const int32_t first = signed_byte(x) * signed_byte(y) + signed_byte(x >> 8) * signed_byte(y >> 8);
    const int32_t last = signed_byte(x >> 16) * signed_byte(y >> 16) + signed_byte(x >> 24) * signed_byte(y >> 24);
    return (int32_t)((uint32_t)total + (uint32_t)(first + last));
}
""",
}


def _every() -> dict[str, str]:
    result: dict[str, str] = {}
    for short, (type_, _) in _FLOATS.items():
        result |= _bits(short, type_)
    result |= _F16 | _rounding("f16") | _BF16 | _rounding("bf16") | _ODD
    for short, (type_, f) in _FLOATS.items():
        result |= _float_functions(short, type_, f) | _min_max(short, type_)
    for dtype in _INTEGERS:
        result |= _min_max(dtype.short, C_TYPE[dtype]) | _division(dtype)
        if dtype.is_signed:
            result |= _absolute(dtype)
    return result | _BYTES | _CLAMP


PRELUDE: Mapping[str, str] = _every()
"""Function name → definition."""


def prelude(used: set[str], functions: Mapping[str, str] = PRELUDE) -> str:
    """The definitions of these functions and of those that they call."""
    wanted = set(used)
    for name in reversed(list(functions)):
        if name in wanted:
            body = functions[name]
            wanted |= {
                other for other in functions if other != name and f"{other}(" in body and _calls(body, other)
            }
    return "\n".join(text for name, text in functions.items() if name in wanted)


def _calls(body: str, name: str) -> bool:
    position = body.find(f"{name}(")
    while position >= 0:
        if position == 0 or not (body[position - 1].isalnum() or body[position - 1] == "_"):
            return True
        position = body.find(f"{name}(", position + 1)
    return False
