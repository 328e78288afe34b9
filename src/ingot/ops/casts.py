"""Conversions of element types, by value and by bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingot.loops.nodes import Bitcast, cast
from ingot.ops.elementwise import map_broadcast
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.tensor import DType, TensorType

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
    16: DType.BFLOAT16,
}


def dtype_attribute(call_: OpCall, name: str, default: DType) -> DType:
    """An element type that is given as an attribute; `default` where it is left out (or 0)."""
    number = int(call_.attr(name, 0))
    if number == 0:
        return default
    found = DTYPE_NUMBERS.get(number)
    if found is None:
        call_.unsupported(f"attribute {name!r}: element type {number} is not one that ingot has")
    return found


def _converted(call_: OpCall, emit: Emitter, dtype: DType) -> Sequence[Tensor]:
    x = call_.input(0)
    if x.dtype is dtype:
        return (x,)
    output = TensorType(dtype, x.shape)
    return (map_broadcast(call_, emit, [x], output, lambda element: cast(element, dtype), "cast"),)


def _cast(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Cast 6, 9, 13, 19 and later, between numbers and bool. Does not handle strings, float8 and types below 8 bits."""
    if "to" not in call_.attributes:
        call_.unsupported("attribute 'to' is missing")
    return _converted(call_, emit, dtype_attribute(call_, "to", call_.input(0).dtype))


def _cast_like(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """CastLike 15, 19 and later: Cast to the type of the second input, with the same limits."""
    return _converted(call_, emit, call_.input(1).dtype)


def _bit_cast(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """BitCast 26: the same bits as another type of the same width. Does not handle bool and types that ingot has not."""
    x = call_.input(0)
    dtype = dtype_attribute(call_, "to", x.dtype)
    if dtype is x.dtype:
        return (x,)
    if dtype.bits != x.dtype.bits:
        call_.unsupported(f"{x.dtype.value} and {dtype.value} differ in width")
    if DType.BOOL in (dtype, x.dtype):
        # A bool's byte is 0 or 1, so its bits are its value; any other byte has no bool of the same bits.
        return _converted(call_, emit, dtype)
    output = TensorType(dtype, x.shape)
    return (map_broadcast(call_, emit, [x], output, lambda element: Bitcast(element, dtype), "bitcast"),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Cast", 6, _cast),
    OpDef("", "CastLike", 15, _cast_like),
    OpDef("", "BitCast", 26, _bit_cast),
)
