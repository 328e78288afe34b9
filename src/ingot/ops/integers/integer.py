"""Matrix products and convolutions of quantized 8-bit values, summed in int32, and the requantisation of the sums.

The rule of requantisation, which `docs/use/quantization.md` states: with `multiplier = x_scale * w_scale / y_scale` in float32,
from left to right, the quantized value of a sum is `saturate(round_half_to_even(float32(sum) * multiplier) + zero_point)`. Each
step is rounded as IEEE says and none is contracted, so the result does not depend on the processor.

Where weights are known while building, and fit int8 without their zero points, the sums are dot products of packed int8x4
(`conv/int8`, `matmul/int8`); so are those of products of which less is known (`matmul/int8_dynamic`). Elsewhere the values are
widened to int32 first, which is slow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.dot_block import starts
from ingot.kernels.blocks.elements import broadcast_index
from ingot.kernels.blocks.quantized import coded, saturated
from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.int8.conv import qconv_template
from ingot.kernels.conv.int8.problem import is_depthwise
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.matmul.int8 import qmatmul_template
from ingot.kernels.matmul.int8_dynamic import dynamic_product
from ingot.loops.nodes import Expr, both, call, cast, compare, select
from ingot.ops.conv import conv_spec
from ingot.ops.facts import Folding, WindowSize
from ingot.ops.integers.quantize import QUANTIZED_TYPES, known_zero
from ingot.ops.matmul import matmul
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

# Reads a parameter (a scale or zero point) for an index of the tensor that it belongs to.
Parameter = Callable[[Callable[..., Expr], tuple[Expr, ...]], Expr]


def _along(call_: OpCall, parameter: Tensor, shape: tuple[int, ...], axis: int, role: str) -> Parameter:
    """A parameter with one value, one for each position along `axis`, or of a shape that broadcasts to the tensor's."""
    own = parameter.shape
    if parameter.type.size == 1:
        return lambda read, _: read(*([0] * len(own)))
    axis %= len(shape)
    if own == (shape[axis],):
        return lambda read, where: read(where[axis])
    if len(own) == len(shape) and all(extent in (1, whole) for extent, whole in zip(own, shape, strict=True)):
        return lambda read, where: read(*broadcast_index(where, own))
    return call_.unsupported(
        f"the {role} of shape {list(own)} does not fit axis {axis} of shape {list(shape)}"
    )


def _centred(call_: OpCall, emit: Emitter, quantized: Tensor, zero_point: Tensor | None, axis: int) -> Tensor:
    """Emits `int32(quantized) - zero_point`; while building where both are known."""
    if quantized.dtype not in QUANTIZED_TYPES or quantized.dtype.bits != 8:
        call_.unsupported(f"quantized values of type {quantized.dtype.value}, expected int8 or uint8")
    output = TensorType(DType.INT32, quantized.shape)
    if zero_point is None:
        if quantized.constant is not None:
            return emit.constant(quantized.constant.astype(np.int32))
        return emit.pointwise(
            [quantized], output, lambda where, read: cast(read(*where), DType.INT32), "widen"
        )
    at = _along(call_, zero_point, quantized.shape, axis, "zero point")
    if quantized.constant is not None and zero_point.constant is not None:
        zeros = zero_point.constant.astype(np.int32)
        if zeros.size == 1:
            zeros = zeros.reshape(())
        elif zeros.ndim == 1:
            zeros = zeros.reshape(
                [-1 if dimension == axis % quantized.rank else 1 for dimension in range(quantized.rank)]
            )
        return emit.constant(quantized.constant.astype(np.int32) - zeros)
    return emit.pointwise(
        [quantized, zero_point],
        output,
        lambda where, read, read_zero: (
            cast(read(*where), DType.INT32) - cast(at(read_zero, where), DType.INT32)
        ),
        "centre",
    )


def _multiplier(scales: Sequence[tuple[Tensor, int]], y_scale: Tensor, rank: int) -> np.ndarray | None:
    """`Π scales / y_scale` as numbers that broadcast to a result of this rank, if they are known while building."""
    if any(tensor.dtype is DType.BFLOAT16 for tensor in (*(scale for scale, _ in scales), y_scale)):
        return None  # to numpy their bits are whole numbers
    arrays = [*((tensor.constant, axis) for tensor, axis in scales), (y_scale.constant, -2)]
    product: np.ndarray | None = None
    for position, (array, axis) in enumerate(arrays):
        if array is None or (array.size > 1 and array.ndim != 1):
            return None
        shape = [1] * rank
        shape[axis] = array.size
        scale = array.astype(np.float32).reshape(shape)
        with np.errstate(all="ignore"):
            product = (
                scale if product is None else product / scale if position == len(scales) else product * scale
            )
    return product


def _requantised(
    call_: OpCall,
    emit: Emitter,
    sums: Tensor,
    scales: Sequence[tuple[Tensor, int]],
    y_scale: Tensor,
    y_zero: Tensor,
    bias: Tensor | None = None,
) -> Tensor:
    """Emits `round(sums * Π scales / y_scale) + y_zero`, saturated; each scale runs along its axis of the result."""
    real = DType.FLOAT32
    ats = [_along(call_, scale, sums.shape, axis, "scale") for scale, axis in scales]
    end = _along(call_, y_scale, sums.shape, -2, "output scale")
    zero = _along(call_, y_zero, sums.shape, -2, "output zero point")
    known = _multiplier(scales, y_scale, sums.rank)
    factors = [emit.constant(known)] if known is not None else [*(scale for scale, _ in scales), y_scale]
    known_y = known_zero(y_zero)
    is_small = known is not None and bool((np.abs(known) <= 0.5).all())  # times at most 2^31; false for a NaN
    operands = [sums, y_zero, *factors]
    if bias is not None:
        operands.append(bias)

    def multiplier(where: tuple[Expr, ...], reads: Sequence[Callable[..., Expr]]) -> Expr:
        if known is not None:
            return reads[0](*broadcast_index(where, known.shape))
        product = cast(ats[0](reads[0], where), real)
        for at, read in zip(ats[1:], reads[1:], strict=False):
            product = product * cast(at(read, where), real)
        return product / cast(end(reads[len(ats)], where), real)

    def value(where: tuple[Expr, ...], *reads: Callable[..., Expr]) -> Expr:
        total = reads[0](*where)
        if bias is not None:
            total = total + reads[-1](where[1])
        scaled = cast(total, real) * multiplier(where, reads[2:])
        if known_y is not None:
            return coded(scaled, known_y, y_zero.dtype, is_small)
        return saturated(
            call("rint", scaled) + cast(zero(reads[1], where), real), y_zero.dtype, is_whole=True
        )

    return emit.pointwise(operands, TensorType(y_zero.dtype, sums.shape), value, "requantise")


# ─── sums ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _scalar_zero(call_: OpCall, tensor: Tensor | None, quantized: Tensor) -> int | None:
    """A zero point that is known while building and the same for all values, else None."""
    if quantized.dtype not in QUANTIZED_TYPES or quantized.dtype.bits != 8:
        call_.unsupported(f"quantized values of type {quantized.dtype.value}, expected int8 or uint8")
    if tensor is None:
        return 0
    if tensor.constant is None or tensor.constant.size != 1:
        return None
    return int(tensor.constant.reshape(-1)[0])


def _signed_weights(
    call_: OpCall, quantized: Tensor, zero_point: Tensor | None, axis: int
) -> np.ndarray | None:
    """The weights without their zero points, as int8, if they are known while building and fit."""
    if quantized.constant is None or (zero_point is not None and zero_point.constant is None):
        return None
    if zero_point is not None and zero_point.type.size > 1 and zero_point.shape != (quantized.shape[axis],):
        return None
    wide = _centred(call_, Emitter(""), quantized, zero_point, axis).constant
    assert wide is not None
    if wide.size and (wide.min() < -128 or wide.max() > 127):
        return None
    return wide.astype(np.int8)


def _matrix_sums(
    call_: OpCall,
    emit: Emitter,
    a: Tensor,
    a_zero: Tensor | None,
    b: Tensor,
    b_zero: Tensor | None,
    bias: np.ndarray | None = None,
) -> Tensor:
    """Emits sums `[…, M, N]` in int32 of `(a - a_zero) · (b - b_zero) + bias`."""
    zero = _scalar_zero(call_, a_zero, a)
    weights = (
        _signed_weights(call_, b, b_zero, -1) if b.rank == 2 and a.rank >= 1 and zero is not None else None
    )
    if weights is None or zero is None or a.shape[-1] != b.shape[0] or not weights.size or not a.type.size:
        if _is_dynamic_product(a, a_zero, b, b_zero):
            if b.rank == 2:
                a = emit.reshape(a, (math.prod(a.shape[:-1]), a.shape[-1]))
            sums = emit_dynamic_product(emit, a, a_zero, b, b_zero)
        else:
            sums = matmul(
                call_,
                emit,
                _centred(call_, emit, a, a_zero, -2 if a.rank > 1 else -1),
                _centred(call_, emit, b, b_zero, -1),
            )
        if bias is None:
            return sums
        added = emit.constant(bias)
        return emit.pointwise(
            [sums, added], sums.type, lambda at, read, more: read(*at) + more(at[-1]), "bias"
        )
    flat = emit.reshape(a, (math.prod(a.shape[:-1]), a.shape[-1]))
    begin = emit.constant(starts(weights.T, zero, a.dtype, bias))
    template = qmatmul_template(flat.type, TensorType(DType.INT8, weights.shape))
    (sums,) = emit.template(template, [flat, emit.constant(weights), begin])
    return sums


def _is_dynamic_product(a: Tensor, a_zero: Tensor | None, b: Tensor, b_zero: Tensor | None) -> bool:
    """Whether `emit_dynamic_product` takes these operands."""
    if min(a.rank, b.rank) < 2 or not a.type.size or not b.type.size or a.shape[-1] != b.shape[-2]:
        return False
    if any(operand.dtype not in QUANTIZED_TYPES or operand.dtype.bits != 8 for operand in (a, b)):
        return False
    one_for_a = a_zero is None or a_zero.type.size == 1
    return one_for_a and (b_zero is None or b_zero.type.size == 1 or b_zero.shape == b.shape[-1:])


def _conv_sums(
    call_: OpCall,
    emit: Emitter,
    x: Tensor,
    x_zero: Tensor | None,
    w: Tensor,
    w_zero: Tensor | None,
    bias: np.ndarray | None = None,
) -> Tensor:
    """Emits sums `[N, M, *out]` in int32; of a convolution that is a matrix product, with one spatial dimension."""
    spec = conv_spec(call_, x.type, w.type, DType.INT32)
    zero = _scalar_zero(call_, x_zero, x)
    dynamic_zero = x_zero if zero is None and x_zero is not None and x_zero.type.size == 1 else None
    weights = _signed_weights(call_, w, w_zero, 0) if zero is not None or dynamic_zero is not None else None
    if weights is None or not weights.size or not spec.y.size:
        x, w = _centred(call_, emit, x, x_zero, 1), _centred(call_, emit, w, w_zero, 0)
        (sums,) = emit.template(conv_template(conv_spec(call_, x.type, w.type)), [x, w])
        if bias is None:
            return sums
        added = emit.constant(bias)
        return emit.pointwise(
            [sums, added], sums.type, lambda at, read, more: read(*at) + more(at[1]), "bias"
        )
    spec = replace(spec, w=TensorType(DType.INT8, weights.shape))
    if dynamic_zero is not None:
        x = _with_borders(emit, x, dynamic_zero, spec)
        none = (0,) * spec.spatial_rank
        spec = replace(spec, x=x.type, pads_begin=none, pads_end=none)
    if _is_product(spec):
        x = emit.reshape(x, (*x.shape[:2], math.prod(x.shape[2:])))
        weights = weights.reshape(*weights.shape[:2], 1)
        y = TensorType(DType.INT32, (spec.y.shape[0], spec.y.shape[1], x.shape[2]))
        spec = ConvSpec(
            x.type, TensorType(DType.INT8, weights.shape), y, (1,), (1,), (1,), (0,), (0,), spec.group
        )
    zero = zero or 0
    if is_depthwise(spec):
        begin = (-zero * weights.reshape(weights.shape[0], -1).sum(axis=1, dtype=np.int64)).astype(np.int32)
        begin = begin if bias is None else begin + bias.astype(np.int32)
    else:
        begin = starts(weights, zero, x.dtype, bias)
    (sums,) = emit.template(qconv_template(spec, zero), [x, emit.constant(weights), emit.constant(begin)])
    if dynamic_zero is None:
        return sums
    totals = emit.constant(weights.reshape(weights.shape[0], -1).sum(axis=1, dtype=np.int32))
    # Padding has the value of the zero point, so every tap of every output, padded or not, carries the offset.
    return emit.pointwise(
        [sums, emit.reshape(dynamic_zero, (1,)), totals],
        sums.type,
        lambda at, read, read_zero, total: read(*at) - cast(read_zero(0), DType.INT32) * total(at[1]),
        "zero_point",
    )


def _with_borders(emit: Emitter, x: Tensor, zero_point: Tensor, spec: ConvSpec) -> Tensor:
    """Emits a quantized tensor with the padding of a convolution: its zero point `[1]`, known only while running."""
    if not spec.has_padding:
        return x
    padded = TensorType(x.dtype, (*x.shape[:2], *spec.padded))

    def code(at: Sequence[Expr], read: Callable[..., Expr], read_zero: Callable[..., Expr]) -> Expr:
        inner = [place - pad for place, pad in zip(at[2:], spec.pads_begin, strict=True)]
        inside = both(
            *(compare("ge", place, 0) for place, pad in zip(inner, spec.pads_begin, strict=True) if pad),
            *(
                compare("lt", place, extent)
                for place, extent, pad in zip(inner, spec.x.shape[2:], spec.pads_end, strict=True)
                if pad
            ),
        )
        return select(inside, read(*at[:2], *inner), read_zero(0))

    return emit.pointwise([x, emit.reshape(zero_point, (1,))], padded, code, "borders")


def _is_product(spec: ConvSpec) -> bool:
    is_single = all(size == 1 for size in (*spec.kernel, *spec.strides))
    return is_single and not spec.has_padding and spec.spatial_rank > 1 and not is_depthwise(spec)


# ─── operators ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _product_shape(a: Tensor, b: Tensor) -> tuple[int, ...]:
    return (*a.shape[:-1], b.shape[-1]) if b.rank == 2 else ()


def _matmul_integer(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """MatMulInteger 10: zero points for all, for rows of the left operand, for columns of the right one."""
    a, b = call_.input(0), call_.input(1)
    sums = _matrix_sums(call_, emit, a, call_.optional(2), b, call_.optional(3))
    return (emit.reshape(sums, _product_shape(a, b)) if b.rank == 2 else sums,)


def _qlinear_matmul(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """QLinearMatMul 10, 21, of 8-bit integers.

    Does not handle float8.
    """
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = (call_.input(position) for position in range(8))
    if y_zero.dtype not in QUANTIZED_TYPES or a.rank < 2 or b.rank < 2:
        call_.unsupported(f"a quantised matrix product of {a.type} and {b.type} to {y_zero.dtype.value}")
    sums = _matrix_sums(call_, emit, a, a_zero, b, b_zero)
    if b.rank == 2 and any(parameter.type.size > 1 for parameter in (a_scale, y_scale, y_zero)):
        sums = emit.reshape(sums, _product_shape(a, b))  # parameters by row need the rows
    quantized = _requantised(call_, emit, sums, [(a_scale, -2), (b_scale, -1)], y_scale, y_zero)
    return (emit.reshape(quantized, _product_shape(a, b)) if b.rank == 2 else quantized,)


def _conv_integer(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ConvInteger 10: one zero point for the input, one or one for each output channel for the weights."""
    x, w = call_.input(0), call_.input(1)
    sums = _conv_sums(call_, emit, x, call_.optional(2), w, call_.optional(3))
    return (emit.reshape(sums, conv_spec(call_, x.type, w.type).y.shape),)


def _qlinear_conv(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """QLinearConv 10: weights' scale and zero point for all or for each output channel, bias in int32."""
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = (call_.input(position) for position in range(8))
    if y_zero.dtype not in QUANTIZED_TYPES:
        call_.unsupported(f"quantized values of type {y_zero.dtype.value}")
    bias = call_.optional(8)
    call_.require_shape(8, "bias", w.shape[:1])
    sums = _conv_sums(call_, emit, x, x_zero, w, w_zero, None if bias is None else bias.constant)
    later = bias if bias is not None and bias.constant is None else None
    quantized = _requantised(call_, emit, sums, [(x_scale, 1), (w_scale, 1)], y_scale, y_zero, later)
    return (emit.reshape(quantized, conv_spec(call_, x.type, w.type).y.shape),)


def emit_dynamic_product(
    emit: Emitter, a: Tensor, a_zero: Tensor | None, b: Tensor, b_zero: Tensor | None
) -> Tensor:
    """Emits sums `[…, M, N]` in int32 of `(a - a_zero) · (b - b_zero)`. `a_zero` has one element, `b_zero` one or one for each
    column; batch dimensions broadcast.
    """
    over_a = _over(emit, a_zero, 128 if a.dtype.is_signed else 0)
    over_b = _over(emit, b_zero, 0 if b.dtype.is_signed else -128)
    has_over_a, has_over_b = not _is_zero(over_a), not _is_zero(over_b)
    neutral = _scalar(a_zero)
    if neutral is not None and not all(_holds(operand.dtype, neutral) for operand in (a, b)):
        neutral = None
    template = dynamic_product(a.type, b.type, over_a.type, over_b.type, has_over_a, has_over_b, neutral)
    return emit.template(template, [a, b, over_a, over_b])[0]


def _scalar(zero: Tensor | None) -> int | None:
    """A zero point that is known while building, else None."""
    if zero is None:
        return 0
    return None if zero.constant is None else int(zero.constant.reshape(-1)[0])


def _holds(dtype: DType, number: int) -> bool:
    """Whether a type of 8 bits has a number."""
    return -128 <= number < 128 if dtype.is_signed else 0 <= number < 256


def _over(emit: Emitter, zero: Tensor | None, moved: int) -> Tensor:
    """Emits the offset of quantized values as a vector: their zero point plus `moved`, which makes them unsigned or signed."""
    if zero is None:
        return emit.constant(_whole([moved]))
    flat = emit.reshape(zero, (zero.type.size,))
    if flat.constant is not None:
        return emit.constant(_whole(flat.constant) + _whole([moved]))
    output = TensorType(DType.INT32, flat.shape)
    return emit.pointwise([flat], output, lambda at, read: cast(read(*at), DType.INT32) + moved, "zero_point")


def _whole(numbers: object) -> np.ndarray:
    return np.asarray(numbers).astype(np.int32)


def _is_zero(tensor: Tensor) -> bool:
    return tensor.constant is not None and not tensor.constant.any()


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "MatMulInteger", 10, _matmul_integer, folding=Folding.PAIRS),
    OpDef("", "QLinearMatMul", 10, _qlinear_matmul, folding=Folding.PAIRS),
    OpDef("", "ConvInteger", 10, _conv_integer, folding=Folding.PAIRS, window=WindowSize(weights=1)),
    OpDef("", "QLinearConv", 10, _qlinear_conv, folding=Folding.PAIRS, window=WindowSize(weights=3)),
)
