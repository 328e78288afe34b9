"""Quantization and dequantization, with integers of 2 to 16 bits and floats of 4 to 8."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.base.short_floats import FORMS
from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.quantized import coded, saturated
from ingot.kernels.reduce.min_max import range_of
from ingot.loops.nodes import Const, Expr, call, cast, compare, select
from ingot.ops.casts import dtype_attribute
from ingot.ops.elementwise import scalar
from ingot.ops.integers.minifloat import element_of, number_of
from ingot.ops.moves.shapes import axis_of
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

Read = Callable[..., Expr]
QUANTIZED_TYPES = frozenset(
    {DType.INT8, DType.UINT8, DType.INT16, DType.UINT16, DType.INT4, DType.UINT4, DType.INT2, DType.UINT2}
)


def known_zero(tensor: Tensor | None) -> int | None:
    """A zero point of one element that is known while building; 0 where there is no zero point."""
    if tensor is None:
        return 0
    return (
        int(tensor.constant.reshape(-1)[0])
        if tensor.constant is not None and tensor.constant.size == 1
        else None
    )


def _parameter(
    call_: OpCall, tensor: Tensor, x: TensorType, role: str
) -> Callable[[Read, tuple[Expr, ...]], Expr]:
    """How to read the scale or zero point of an element: for all, along an axis, or for each block along an axis."""
    if tensor.type.size == 1:
        return lambda read, _: scalar(tensor, read)
    axis = axis_of(call_, int(call_.attr("axis", 1)), len(x.shape))
    block = int(call_.attr("block_size", 0))
    if block == 0:
        if tensor.shape != (x.shape[axis],):
            call_.unsupported(
                f"the {role} of the shape {list(tensor.shape)} does not fit axis {axis} of {list(x.shape)}"
            )
        return lambda read, where: read(where[axis])
    blocks = (*x.shape[:axis], -(-x.shape[axis] // block), *x.shape[axis + 1 :])
    if tensor.shape != blocks:
        call_.unsupported(
            f"the {role} {list(tensor.shape)} does not fit blocks of {block} along axis {axis} of {list(x.shape)}"
        )
    return lambda read, where: read(*where[:axis], where[axis] // block, *where[axis + 1 :])


def _quantize(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """QuantizeLinear 10, 13, 19 (floats of 8 bits), 21 (blocks, `output_dtype`, 4 bits), 23 (`precision`) and later."""
    x, scale, zero_point = call_.input(0), call_.input(1), call_.optional(2)
    dtype = (
        zero_point.element if zero_point is not None else dtype_attribute(call_, "output_dtype", DType.UINT8)
    )
    if dtype not in QUANTIZED_TYPES and dtype not in FORMS:
        call_.unsupported(f"quantized values of type {dtype.value} are not supported")
    default = DType.FLOAT64 if DType.FLOAT64 in (x.dtype, scale.dtype) else DType.FLOAT32
    precision = dtype_attribute(call_, "precision", _computed(scale))
    scale_of = _parameter(call_, scale, x.type, "scale")
    zero_of = None if zero_point is None else _parameter(call_, zero_point, x.type, "zero point")
    saturate = bool(call_.attr("saturate", 1))

    known = known_zero(zero_point)

    def at(where: tuple[Expr, ...], read: Read, read_scale: Read, *read_zero: Read) -> Expr:
        divisor = cast(cast(number_of(scale_of(read_scale, where), scale.element), precision), default)
        # A quotient in a precision below float32 is float32's, rounded.
        quotient = cast(cast(cast(read(*where), default) / divisor, precision), default)
        if dtype in FORMS:
            if zero_of is not None and known != 0:
                quotient = quotient + cast(number_of(zero_of(read_zero[0], where), dtype), default)
            return element_of(quotient, dtype, saturate)
        if known is not None and default is DType.FLOAT32:
            return coded(quotient, known, dtype)
        rounded = call("rint", quotient)
        if zero_of is not None:
            rounded = rounded + cast(zero_of(read_zero[0], where), default)
        return saturated(rounded, dtype, is_whole=True)

    inputs = [x, scale] if zero_point is None else [x, scale, zero_point]
    return (emit.pointwise(inputs, TensorType(dtype.carrier, x.shape), at, "quantize"),)


def _dequantize(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """DequantizeLinear 10, 13, 19 (floats of 8 bits), 21 (blocks, 4 bits), 23 (`output_dtype`) and later."""
    x, scale, zero_point = call_.input(0), call_.input(1), call_.optional(2)
    dtype = dtype_attribute(call_, "output_dtype", scale.element)
    if not x.element.is_integer and x.element not in FORMS:
        call_.unsupported(f"quantized values of type {x.element.value} are not supported")
    computed = DType.FLOAT64 if scale.dtype is DType.FLOAT64 else DType.FLOAT32
    scale_of = _parameter(call_, scale, x.type, "scale")
    is_zero = zero_point is None or (x.element in FORMS and known_zero(zero_point) == 0)
    zero_of = None if zero_point is None or is_zero else _parameter(call_, zero_point, x.type, "zero point")

    def number(code: Expr) -> Expr:
        return number_of(code, x.element) if x.element in FORMS else cast(code, DType.INT32)

    def at(where: tuple[Expr, ...], read: Read, read_scale: Read, *read_zero: Read) -> Expr:
        code = number(read(*where))
        if zero_of is not None:
            code = code - number(zero_of(read_zero[0], where))
        factor = cast(number_of(scale_of(read_scale, where), scale.element), computed)
        return element_of(cast(code, computed) * factor, dtype)

    inputs = [x, scale] if zero_point is None or is_zero else [x, scale, zero_point]
    return (emit.pointwise(inputs, TensorType(dtype.carrier, x.shape), at, "dequantize"),)


def _computed(scale: Tensor) -> DType:
    """The precision of a quotient by a scale that says nothing else: that of its type, if kernels compute with it."""
    return DType.FLOAT32 if scale.element.is_carried else scale.element


def _dynamic_quantize(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """DynamicQuantizeLinear 11: to uint8, with the scale and zero point that fit the range of the input and 0."""
    x = call_.input(0)
    if math.prod(x.shape) == 0:
        call_.unsupported("an empty tensor has no range")
    return emit_dynamic_quantized(emit, x)


def emit_dynamic_quantized(emit: Emitter, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Emits a tensor that is not empty as quantized uint8, its scale and its zero point, which have one element each.

    Where all elements are 0 the scale is 1/255, as in ONNX's reference: the text's formula gives 0, and divides by it.
    """
    dtype = x.dtype

    low, high = emit.template(range_of(x.type), [x])

    def scale_at(_: tuple[Expr, ...], read_low: Read, read_high: Read) -> Expr:
        span = read_high(0) - read_low(0)
        return select(compare("eq", span, Const(0.0, dtype)), Const(1.0, dtype), span) / 255.0

    scale = emit.pointwise([low, high], TensorType(dtype, ()), scale_at, "scale")

    def zero_at(_: tuple[Expr, ...], read_low: Read, read_scale: Read) -> Expr:
        return saturated(0.0 - read_low(0) / read_scale(), DType.UINT8)

    zero_point = emit.pointwise([low, scale], TensorType(DType.UINT8, ()), zero_at, "zero_point")

    def code_at(where: tuple[Expr, ...], read: Read, read_scale: Read, read_zero: Read) -> Expr:
        return saturated(
            call("rint", read(*where) / read_scale()) + cast(read_zero(), dtype), DType.UINT8, is_whole=True
        )

    quantized = emit.pointwise([x, scale, zero_point], TensorType(DType.UINT8, x.shape), code_at, "quantize")
    return quantized, scale, zero_point


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "QuantizeLinear", 10, _quantize, reads_element=True),
    OpDef("", "DequantizeLinear", 10, _dequantize, reads_element=True),
    OpDef("", "DynamicQuantizeLinear", 11, _dynamic_quantize),
)
