"""Matrix products and convolutions of 8-bit codes, accumulated in int32."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.loops.nodes import Expr, call, cast
from ingot.ops.conv import conv_spec, conv_template
from ingot.ops.elementwise import broadcast_index
from ingot.ops.matmul import matmul
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.quantize import CODES, saturated
from ingot.tensor import DType, TensorType

# Reads a parameter (a scale or zero point) for an index of the tensor that it belongs to.
Parameter = Callable[[Callable[..., Expr], tuple[Expr, ...]], Expr]


def _along(call_: OpCall, parameter: Tensor, shape: tuple[int, ...], axis: int, what: str) -> Parameter:
    """A parameter with one value, one for each position along `axis`, or of a shape that broadcasts to the tensor's."""
    own = parameter.shape
    if parameter.type.size == 1:
        return lambda read, _: read(*([0] * len(own)))
    axis %= len(shape)
    if own == (shape[axis],):
        return lambda read, where: read(where[axis])
    if len(own) == len(shape) and all(one in (1, whole) for one, whole in zip(own, shape, strict=True)):
        return lambda read, where: read(*broadcast_index(where, own))
    return call_.unsupported(f"the {what} of shape {own} does not fit axis {axis} of shape {shape}")


def _centred(call_: OpCall, emit: Emitter, codes: Tensor, zero_point: Tensor | None, axis: int) -> Tensor:
    """Emits `int32(codes) - zero_point`; while building where both are known."""
    if codes.dtype not in CODES or codes.dtype.bits != 8:
        call_.unsupported(f"codes of type {codes.dtype.value}, expected int8 or uint8")
    output = TensorType(DType.INT32, codes.shape)
    if zero_point is None:
        if codes.constant is not None:
            return emit.constant(codes.constant.astype(np.int32))
        return emit.pointwise([codes], output, lambda where, read: cast(read(*where), DType.INT32), "widen")
    at = _along(call_, zero_point, codes.shape, axis, "zero point")
    if codes.constant is not None and zero_point.constant is not None:
        zeros = zero_point.constant.astype(np.int32)
        if zeros.size == 1:
            zeros = zeros.reshape(())
        elif zeros.ndim == 1:
            zeros = zeros.reshape([-1 if one == axis % codes.rank else 1 for one in range(codes.rank)])
        return emit.constant(codes.constant.astype(np.int32) - zeros)
    return emit.pointwise(
        [codes, zero_point],
        output,
        lambda where, read, read_zero: cast(read(*where), DType.INT32) - cast(at(read_zero, where), DType.INT32),
        "centre",
    )


def _requantised(
    call_: OpCall,
    emit: Emitter,
    sums: Tensor,
    scales: Sequence[tuple[Tensor, int]],
    y_scale: Tensor,
    y_zero: Tensor,
    bias: Tensor | None = None,
) -> Tensor:
    """Emits codes: `round(sums * Π scales / y_scale) + y_zero`, saturated; each scale runs along its axis of the result."""
    real = DType.FLOAT32
    ats = [_along(call_, one, sums.shape, axis, "scale") for one, axis in scales]
    end = _along(call_, y_scale, sums.shape, -2, "output scale")
    zero = _along(call_, y_zero, sums.shape, -2, "output zero point")
    operands = [sums, *(one for one, _ in scales), y_scale, y_zero]
    if bias is not None:
        operands.append(bias)

    def value(where: tuple[Expr, ...], *reads: Callable[..., Expr]) -> Expr:
        total = reads[0](*where)
        if bias is not None:
            total = total + reads[-1](where[1])
        factor: Expr | None = None
        for at, read in zip(ats, reads[1:], strict=False):
            one = cast(at(read, where), real)
            factor = one if factor is None else factor * one
        after = reads[1 + len(ats) :]
        assert factor is not None
        multiplier = factor / cast(end(after[0], where), real)
        rounded = call("rint", cast(total, real) * multiplier)
        return saturated(rounded + cast(zero(after[1], where), real), y_zero.dtype)

    return emit.pointwise(operands, TensorType(y_zero.dtype, sums.shape), value, "requantise")


def _matmul_integer(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """MatMulInteger 10: zero points for all, for rows of the left operand, for columns of the right one."""
    a = _centred(call_, emit, call_.input(0), call_.optional(2), -2 if call_.input(0).rank > 1 else -1)
    b = _centred(call_, emit, call_.input(1), call_.optional(3), -1)
    return (matmul(call_, emit, a, b),)


def _qlinear_matmul(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """QLinearMatMul 10, 21, of 8-bit integer codes.

    Does not handle float8.
    """
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = (call_.input(position) for position in range(8))
    if y_zero.dtype not in CODES or a.rank < 2 or b.rank < 2:
        call_.unsupported(f"a quantised matrix product of {a.type} and {b.type} to {y_zero.dtype.value}")
    sums = matmul(
        call_, emit, _centred(call_, emit, a, a_zero, -2), _centred(call_, emit, b, b_zero, -1)
    )
    return (_requantised(call_, emit, sums, [(a_scale, -2), (b_scale, -1)], y_scale, y_zero),)


def _convolved(call_: OpCall, emit: Emitter, x: Tensor, w: Tensor) -> Tensor:
    return emit.template(conv_template(conv_spec(call_, x.type, w.type)), [x, w])[0]


def _conv_integer(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ConvInteger 10: one zero point for the input, one or one for each output channel for the weights."""
    x = _centred(call_, emit, call_.input(0), call_.optional(2), 1)
    return (_convolved(call_, emit, x, _centred(call_, emit, call_.input(1), call_.optional(3), 0)),)


def _qlinear_conv(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """QLinearConv 10: weights' scale and zero point for all or for each output channel, bias in int32."""
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = (call_.input(position) for position in range(8))
    if y_zero.dtype not in CODES:
        call_.unsupported(f"codes of type {y_zero.dtype.value}")
    sums = _convolved(call_, emit, _centred(call_, emit, x, x_zero, 1), _centred(call_, emit, w, w_zero, 0))
    scales = [(x_scale, 1), (w_scale, 1)]
    return (_requantised(call_, emit, sums, scales, y_scale, y_zero, call_.optional(8)),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "MatMulInteger", 10, _matmul_integer),
    OpDef("", "QLinearMatMul", 10, _qlinear_matmul),
    OpDef("", "ConvInteger", 10, _conv_integer),
    OpDef("", "QLinearConv", 10, _qlinear_conv),
)
