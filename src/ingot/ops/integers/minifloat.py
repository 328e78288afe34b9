"""Conversions between numbers and elements of at most 8 bits: short floats, and integers of 2 and 4 bits.

A kernel holds an element of such a type in its carrier (`DType.carrier`): a float as its bit pattern in a uint8, an integer as
its value in an int8 or uint8. Every rule here works on bits, so that no processor's own conversions, and no flushing of small
numbers, change what it gives.

*Source:* the tables of ONNX's Cast 25; `ingot.base.short_floats` says how bits are meant.
"""

from __future__ import annotations

from ingot.base.short_floats import FORMS, Form
from ingot.base.tensor import DType
from ingot.loops.nodes import Binary, Bitcast, Call, Const, Expr, cast, compare, maximum, minimum, select

_INT, _WIDE = DType.INT32, DType.INT64
_F32, _F64 = DType.FLOAT32, DType.FLOAT64
# Of a float that others are made from: integer of its width, bits of its mantissa, bias of its exponent.
_SOURCES = {_F32: (_INT, 23, 127), _F64: (_WIDE, 52, 1023)}
ROUND_MODES = ("up", "down", "nearest")


def number_of(element: Expr, dtype: DType) -> Expr:
    """The number that an element of a type is: of a short float as a float32, which is exact; of others the element itself."""
    if dtype is DType.FLOAT8E8M0:
        return _power_of_two(cast(element, _INT))
    return _decoded(cast(element, _INT), FORMS[dtype]) if dtype in FORMS else element


def element_of(number: Expr, dtype: DType, saturate: bool = True, round_mode: str = "up") -> Expr:
    """The element of a type, in its carrier, that is nearest to a number; of two that are equally near the one whose last bit is
    0. It is rounded once, from whatever type. Numbers beyond an integer type lose their upper bits.

    Args:
        number: of a type that kernels compute with.
        dtype: any type but complex ones.
        saturate: whether numbers that are too large for a float of 8 bits become the largest one; else they become infinity, or
            NaN where there is none. A shorter float always saturates.
        round_mode: of E8M0 only: "up" and "down" are away from zero and toward it, "nearest" rounds ties up.
    """
    if dtype is DType.FLOAT8E8M0:
        return _exponent_of(cast(number, _F64), saturate, round_mode)
    if dtype in FORMS:
        return _encoded(number if number.dtype is _F64 else cast(number, _F32), FORMS[dtype], saturate)
    if not dtype.is_packed:
        return cast(number, dtype)
    return from_bits(cast(cast(number, _INT) if number.dtype.is_float else number, DType.UINT8), dtype)


def to_bits(element: Expr, dtype: DType) -> Expr:
    """The bits of an element, as a uint8 whose upper bits are 0."""
    code = cast(element, DType.UINT8)
    return (
        Binary("and", code, Const((1 << dtype.bits) - 1, DType.UINT8))
        if dtype.is_signed and dtype.is_packed
        else code
    )


def from_bits(code: Expr, dtype: DType) -> Expr:
    """The element of these bits, a uint8 whose upper bits may be anything."""
    if dtype.is_packed:
        code = Binary("and", code, Const((1 << dtype.bits) - 1, DType.UINT8))
    if not dtype.is_signed or not dtype.is_packed:
        return cast(code, dtype.carrier)
    half = 1 << dtype.bits - 1
    return cast(Binary("xor", code, Const(half, DType.UINT8)), DType.INT8) - half


# ─── floats with a mantissa ────────────────────────────────────────────────────────────────────────────────────────


def _bits(op: str, left: Expr, right: int) -> Expr:
    return Binary(op, left, Const(right, left.dtype))


def _decoded(code: Expr, form: Form) -> Expr:
    """The float32 of a code that is an int32."""
    magnitude = _bits("and", code, (1 << form.sign) - 1)
    small = cast(magnitude, _F32) * 2.0 ** (
        1 - form.bias - form.mantissa
    )  # no float32 is below its normal numbers here
    shifted = _bits("shl", magnitude, 23 - form.mantissa) + (127 - form.bias << 23)
    value = select(compare("lt", magnitude, 1 << form.mantissa), small, Bitcast(shifted, _F32))
    if form.infinity is not None:
        value = select(compare("eq", magnitude, form.infinity), Const(float("inf"), _F32), value)
    if form.nan is not None:
        first = (form.largest if form.infinity is None else form.infinity) + 1
        value = select(compare("ge", magnitude, first), Const(float("nan"), _F32), value)
    signed = select(compare("ne", _bits("and", code, 1 << form.sign), 0), -value, value)
    if form.has_one_zero:
        return select(compare("eq", code, 1 << form.sign), Const(float("nan"), _F32), signed)
    return signed


def _encoded(value: Expr, form: Form, saturate: bool) -> Expr:
    """The code of a float32 or float64, by its bits."""
    word, mantissa, bias = _SOURCES[value.dtype]
    bits = Bitcast(value, word)
    magnitude = _bits("and", bits, (1 << word.bits - 1) - 1)
    is_nan = compare("gt", magnitude, (2 * bias + 1) << mantissa)
    drop = mantissa - form.mantissa
    is_odd = _bits("and", _bits("shr", magnitude, drop), 1)
    rounded = _bits("shr", magnitude + ((1 << drop - 1) - 1) + is_odd, drop) - (
        bias - form.bias << form.mantissa
    )
    # Bit patterns below the normal numbers count steps of the same size.
    steps = Call("rint", (Call("abs", (value,)) * 2.0 ** (form.bias - 1 + form.mantissa),))
    is_small = compare("lt", magnitude, bias + 1 - form.bias << mantissa)
    code = cast(select(is_small, cast(steps, word), rounded), _INT)
    sign = _bits("shl", _bits("and", cast(_bits("shr", bits, word.bits - 1), _INT), 1), form.sign)
    beyond = form.infinity if form.infinity is not None else form.nan
    is_beyond = compare("gt", code, form.largest)
    if saturate or (beyond is None and not form.has_one_zero):
        code = minimum(code, form.largest)
    elif beyond is not None:
        code = select(is_beyond, Const(beyond, _INT), code)
    if form.has_one_zero:
        signed = select(compare("eq", code, 0), code, Binary("or", code, sign))
        lost = is_nan if saturate else Binary("or", is_nan, is_beyond)
        return cast(select(lost, Const(1 << form.sign, _INT), signed), DType.UINT8)
    if form.nan is not None:
        code = select(is_nan, Const(form.nan, _INT), code)
        return cast(Binary("or", code, sign), DType.UINT8)
    # ONNX's reference makes a NaN a zero of the other sign.
    return cast(select(is_nan, _bits("xor", sign, 1 << form.sign), Binary("or", code, sign)), DType.UINT8)


# ─── E8M0: powers of two ───────────────────────────────────────────────────────────────────────────────────────────


def _power_of_two(code: Expr) -> Expr:
    """The float32 2^(code - 127), which for the first code is below the normal ones; of 255 a NaN."""
    value = Bitcast(select(compare("eq", code, 0), Const(1 << 22, _INT), _bits("shl", code, 23)), _F32)
    return select(compare("eq", code, 255), Const(float("nan"), _F32), value)


def _exponent_of(value: Expr, saturate: bool, round_mode: str) -> Expr:
    """The code of a float64, whose sign does not count."""
    _, mantissa, bias = _SOURCES[_F64]
    magnitude = _bits("and", Bitcast(value, _WIDE), (1 << 63) - 1)
    whole = _bits("shr", magnitude, mantissa)
    if round_mode != "down":
        fraction = _bits("and", magnitude, (1 << mantissa) - 1)
        round_up_from = 1 if round_mode == "up" else 1 << mantissa - 1
        whole = select(compare("ge", fraction, round_up_from), whole + 1, whole)
    code = whole - (bias - 127)
    if saturate:
        is_nan = compare("gt", magnitude, (2 * bias + 1) << mantissa)
        kept = minimum(maximum(code, 0), 254)
        return cast(select(is_nan, Const(255, _WIDE), kept), DType.UINT8)
    lowest, highest = bias - 127 << mantissa, bias + 127 << mantissa
    lost = Binary("or", compare("lt", magnitude, lowest), compare("gt", magnitude, highest))
    return cast(select(lost, Const(255, _WIDE), code), DType.UINT8)
