"""Matrix products: MatMul and Gemm."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.matmul.matmul import matmul_template
from ingot.loops.nodes import Const, Expr, cast
from ingot.ops.elementwise import broadcast_shape, map_broadcast
from ingot.ops.facts import Folding
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor


def matmul(call_: OpCall, emit: Emitter, a: Tensor, b: Tensor) -> Tensor:
    """Emits numpy.matmul of two tensors of rank 1 or more."""
    if a.rank == 0 or b.rank == 0 or a.dtype != b.dtype:
        call_.unsupported(f"matrix product of {a.type} and {b.type}")
    wide_a = emit.reshape(a, (1, *a.shape)) if a.rank == 1 else a
    wide_b = emit.reshape(b, (*b.shape, 1)) if b.rank == 1 else b
    if wide_a.shape[-1] != wide_b.shape[-2]:
        call_.unsupported(
            f"matrix product of shapes {list(a.shape)} and {list(b.shape)}: inner dimensions differ"
        )
    batch = broadcast_shape(call_, wide_a.shape[:-2], wide_b.shape[:-2])
    lead = wide_a.shape[:-2]
    if wide_b.rank == 2 and math.prod(lead) > 1:
        # One matrix on the right: all rows of the left operand are one long matrix.
        flat = emit.reshape(wide_a, (math.prod(wide_a.shape[:-1]), wide_a.shape[-1]))
        result = _product(emit, flat, wide_b, ())
    else:
        result = _product(emit, wide_a, wide_b, batch)
    return emit.reshape(
        result, (*batch, *wide_a.shape[-2:-1] * (a.rank > 1), *wide_b.shape[-1:] * (b.rank > 1))
    )


def _product(emit: Emitter, a: Tensor, b: Tensor, batch: tuple[int, ...]) -> Tensor:
    output = TensorType(a.dtype, (*batch, a.shape[-2], b.shape[-1]))
    return emit.template(matmul_template(a.type, b.type, output), [a, b])[0]


def transpose_last(emit: Emitter, tensor: Tensor) -> Tensor:
    """The tensor with its last two dimensions swapped; of a constant it is a constant."""
    if tensor.constant is not None:
        return emit.constant(np.swapaxes(tensor.constant, -1, -2), tensor.dtype)
    shape = (*tensor.shape[:-2], tensor.shape[-1], tensor.shape[-2])
    return emit.pointwise(
        [tensor], TensorType(tensor.dtype, shape), lambda at, x: x(*at[:-2], at[-1], at[-2]), "transpose"
    )


def _lower_matmul(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ONNX MatMul 1, 9, 13: numpy.matmul, all number types."""
    return (matmul(call_, emit, call_.input(0), call_.input(1)),)


def _lower_gemm(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ONNX Gemm 7, 9, 11, 13: `alpha * A' * B' + beta * C`."""
    a, b, c = call_.input(0), call_.input(1), call_.optional(2)
    if call_.attr("transA", 0):
        a = transpose_last(emit, a)
    if call_.attr("transB", 0):
        b = transpose_last(emit, b)
    alpha, beta = float(call_.attr("alpha", 1.0)), float(call_.attr("beta", 1.0))
    product = matmul(call_, emit, a, b)

    def scaled(value: Expr, factor: float) -> Expr:
        if factor == 1.0:
            return value
        wide = DType.FLOAT32 if value.dtype.is_integer or value.dtype.size_bytes == 2 else value.dtype
        return cast(cast(value, wide) * Const(factor, wide), value.dtype)

    if c is None or beta == 0.0:
        if alpha == 1.0:
            return (product,)
        return (map_broadcast(call_, emit, [product], product.type, lambda x: scaled(x, alpha), "scale"),)
    return (
        map_broadcast(
            call_, emit, [product, c], product.type, lambda x, y: scaled(x, alpha) + scaled(y, beta), "bias"
        ),
    )


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "MatMul", 1, _lower_matmul, folding=Folding.PAIRS, factors=(0, 1)),
    OpDef("", "Gemm", 7, _lower_gemm, folding=Folding.PAIRS, factors=(0, 1)),
)
