"""Conversions of element types, by value and by bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.loops.nodes import Bitcast, Expr
from ingot.ops.elementwise import map_broadcast
from ingot.ops.integers.minifloat import ROUND_MODES, element_of, from_bits, number_of, to_bits
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

# ONNX's numbers of the element types that ingot has.
DTYPE_NUMBERS: Mapping[int, DType] = {
    1: DType.FLOAT32,
    2: DType.UINT8,
    3: DType.INT8,
    4: DType.UINT16,
    5: DType.INT16,
    6: DType.INT32,
    7: DType.INT64,
    9: DType.BOOL,
    10: DType.FLOAT16,
    11: DType.FLOAT64,
    12: DType.UINT32,
    13: DType.UINT64,
    14: DType.COMPLEX64,
    15: DType.COMPLEX128,
    16: DType.BFLOAT16,
    17: DType.FLOAT8E4M3FN,
    18: DType.FLOAT8E4M3FNUZ,
    19: DType.FLOAT8E5M2,
    20: DType.FLOAT8E5M2FNUZ,
    21: DType.UINT4,
    22: DType.INT4,
    23: DType.FLOAT4E2M1,
    24: DType.FLOAT8E8M0,
    25: DType.UINT2,
    26: DType.INT2,
    27: DType.FLOAT6E2M3,
    28: DType.FLOAT6E3M2,
}


def dtype_attribute(call_: OpCall, name: str, default: DType) -> DType:
    """An element type that is given as an attribute; `default` where it is left out (or 0)."""
    number = int(call_.attr(name, 0))
    if number == 0:
        return default
    dtype = DTYPE_NUMBERS.get(number)
    if dtype is None:
        call_.unsupported(f"attribute {name!r}: element type {number} is not one that ingot has")
    return dtype


def _converted(call_: OpCall, emit: Emitter, dtype: DType) -> Sequence[Tensor]:
    x = call_.input(0)
    if x.element is dtype:
        return (x,)
    saturate, round_mode = bool(call_.attr("saturate", 1)), str(call_.attr("round_mode", "up"))
    if round_mode not in ROUND_MODES:
        call_.unsupported(f"round_mode {round_mode!r} is not one of {', '.join(ROUND_MODES)}")

    def value(element: Expr) -> Expr:
        return element_of(number_of(element, x.element), dtype, saturate, round_mode)

    return (map_broadcast(call_, emit, [x], TensorType(dtype.carrier, x.shape), value, "cast"),)


def _cast(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Cast 6, 9, 13, 19 (`saturate`), 24 (`round_mode`) and later, between numbers and bool. Does not handle strings."""
    if "to" not in call_.attributes:
        call_.unsupported("attribute 'to' is missing")
    return _converted(call_, emit, dtype_attribute(call_, "to", call_.input(0).element))


def _cast_like(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """CastLike 15, 19 and later: Cast to the type of the second input, with the same limits."""
    return _converted(call_, emit, call_.input(1).element)


def _bit_cast(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """BitCast 26: the same bits as another type of the same width. Does not handle bool and complex numbers."""
    x = call_.input(0)
    dtype = dtype_attribute(call_, "to", x.element)
    if dtype is x.element:
        return (x,)
    if dtype.bits != x.element.bits:
        call_.unsupported(f"{x.element.value} and {dtype.value} differ in width")
    if DType.BOOL in (dtype, x.element):
        # A bool's byte is 0 or 1, so its bits are its value; any other byte has no bool of the same bits.
        return _converted(call_, emit, dtype)
    output = TensorType(dtype.carrier, x.shape)

    def value(element: Expr) -> Expr:
        if dtype.bits > 8:
            return Bitcast(element, dtype)
        return from_bits(to_bits(element, x.element), dtype)

    return (map_broadcast(call_, emit, [x], output, value, "bitcast"),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Cast", 6, _cast, reads_element=True, same_shape=True),
    OpDef("", "CastLike", 15, _cast_like, reads_element=True, same_shape=True),
    OpDef("", "BitCast", 26, _bit_cast, reads_element=True),
)
