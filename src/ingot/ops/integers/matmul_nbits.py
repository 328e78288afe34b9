"""MatMulNBits of onnxruntime: a matrix product with weights of 2, 4 or 8 bits in blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.matmul.grouped_weights import Blocks
from ingot.kernels.matmul.weight_only import block_matmul
from ingot.ops.elementwise import map_broadcast
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast

_FLOAT = DType.FLOAT32


def unpacked(array: np.ndarray, bits: int, count: int) -> np.ndarray:
    """The first `count` quantized values packed in the last dimension of bytes, the lowest bits of a byte first."""
    each = 8 // bits
    quantized = array[..., None] >> (np.arange(each, dtype=np.uint8) * bits) & np.uint8(2**bits - 1)
    return np.asarray(quantized.reshape(*array.shape[:-1], -1)[..., :count], np.uint8)


def _lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """MatMulNBits 1: float32 or half floats times quantized constants; computed in float32 whatever `accuracy_level` allows.

    Does not handle: weights in an order of their own (`g_idx`, `weight_prepacked`) or of other widths than 2, 4 and 8 bits.
    """
    a = call_.input(0)
    numbers = [
        call_.attr(name, default) for name, default in (("K", 0), ("N", 0), ("block_size", 0), ("bits", 4))
    ]
    if not all(isinstance(number, int) for number in numbers) or min(numbers[:2]) < 1:
        call_.unsupported(
            "K={}, N={}, block_size={}, bits={}: expected whole numbers above 0".format(*numbers)
        )
    depth, columns, size, bits = numbers
    if bits not in (2, 4, 8) or size < 16 or size % 16 or call_.attr("weight_prepacked", 0):
        call_.unsupported(
            f"bits={bits}, block_size={size}, weight_prepacked={call_.attr('weight_prepacked', 0)}"
        )
    if a.rank == 0 or a.shape[-1] != depth or not a.dtype.is_float:
        call_.unsupported(f"input 0 (A) is {a.type}, expected floats {depth} wide")
    count = -(-depth // size)
    _check_order(call_, depth, size)
    packed = call_.constant(1, "B")
    if call_.input(1).dtype is not DType.UINT8 or packed.size != columns * count * size * bits // 8:
        call_.unsupported(
            f"input 1 (B) is {call_.input(1).type}, expected uint8[{columns}, {count}, {size * bits // 8}]"
        )
    whole = unpacked(packed.reshape(columns, -1), bits, depth)
    scales = _scales(call_, 2, "scales", (columns, count))
    zero, offsets = _zeros(call_, bits, scales)
    blocks = Blocks(bits, size, depth, zero)
    operands = [emit.constant(np.ascontiguousarray(whole.T)), emit.constant(np.ascontiguousarray(scales.T))]
    if offsets is not None:
        operands.append(emit.constant(np.ascontiguousarray(offsets.T)))
    rows = emit.reshape(emit_cast(emit, a, _FLOAT), (math.prod(a.shape[:-1]), depth))
    y = emit.template(block_matmul(rows.type, columns, blocks), [rows, *operands])[0]
    bias = call_.optional(5)
    if bias is not None:
        call_.require_shape(5, "bias", (columns,))
        wide = emit_cast(emit, bias, _FLOAT)
        y = map_broadcast(
            call_,
            emit,
            [y, wide],
            TensorType(_FLOAT, y.shape),
            lambda product, offset: product + offset,
            "bias",
        )
    return (emit_cast(emit, emit.reshape(y, (*a.shape[:-1], columns)), a.dtype),)


def _check_order(call_: OpCall, depth: int, size: int) -> None:
    order = call_.optional_constant(4, "g_idx")
    if order is not None and not np.array_equal(order.reshape(-1)[:depth], np.arange(depth) // size):
        call_.unsupported(
            "input 4 (g_idx) gives elements of the depth to blocks in another order than their own"
        )


def _scales(call_: OpCall, position: int, role: str, shape: tuple[int, int]) -> np.ndarray:
    """Floats `[N, blocks]` of any type, in float32."""
    given, scales = call_.input(position).dtype, call_.constant(position, role)
    if scales.size != shape[0] * shape[1] or not given.is_float:
        call_.unsupported(
            f"input {position} ({role}) is {call_.input(position).type}, expected floats {list(shape)}"
        )
    if given is DType.BFLOAT16:
        scales = (scales.astype(np.uint32) << 16).view(np.float32)
    return np.asarray(scales.reshape(shape), np.float32)


def _zeros(call_: OpCall, bits: int, scales: np.ndarray) -> tuple[float | None, np.ndarray | None]:
    """The zero point of all blocks, or scale times zero point of each."""
    given = call_.optional(3)
    if given is None:
        return float(2 ** (bits - 1)), None
    columns, count = scales.shape
    if given.dtype.is_float:
        zeros = _scales(call_, 3, "zero_points", (columns, count))
    else:
        packed = call_.constant(3, "zero_points")
        if given.dtype is not DType.UINT8 or packed.size != columns * -(-count * bits // 8):
            call_.unsupported(
                f"input 3 (zero_points) is {given.type} for {columns} columns of {count} blocks"
            )
        zeros = unpacked(packed.reshape(columns, -1), bits, count).astype(np.float32)
    if np.all(zeros == zeros.flat[0]):
        return float(zeros.flat[0]), None
    return None, scales * zeros


OPERATORS: tuple[OpDef, ...] = (
    OpDef("com.microsoft", "MatMulNBits", 1, _lower, constant_inputs=(1, 2, 3, 4)),
)
