"""Elementwise operators: unary, binary and variadic ones with broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.loops.nodes import Const, Expr, Operand, binary, call, index, maximum
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.tensor import TensorType


def broadcast_shape(call_: OpCall, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that operands of these shapes broadcast to (NumPy's rule)."""
    rank = max(map(len, shapes))
    result = []
    for axis in range(rank):
        extents = {shape[axis - rank] for shape in shapes if axis - rank >= -len(shape)} - {1}
        if len(extents) > 1:
            call_.unsupported(f"shapes {' and '.join(map(str, shapes))} do not broadcast")
        result.append(extents.pop() if extents else 1)
    return tuple(result)


def broadcast_index(where: Sequence[Expr], shape: tuple[int, ...]) -> tuple[Operand, ...]:
    """The index into an operand of `shape` for the index `where` of the broadcast result."""
    tail = where[len(where) - len(shape) :]
    return tuple(index(0) if extent == 1 else part for part, extent in zip(tail, shape, strict=True))


def map_broadcast(
    call_: OpCall, emit: Emitter, inputs: Sequence[Tensor], output: TensorType, value: Callable[..., Expr], name: str
) -> Tensor:
    """Emits `value(x, y, …)` over operands that broadcast to the output's shape."""

    def at(where: tuple[Expr, ...], *reads: Callable[..., Expr]) -> Expr:
        return value(
            *(read(*broadcast_index(where, tensor.shape)) for read, tensor in zip(reads, inputs, strict=True))
        )

    return emit.pointwise(inputs, output, at, name)


def _unary(value: Callable[[Expr], Expr], name: str) -> Callable[[OpCall, Emitter], Sequence[Tensor]]:
    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        return (map_broadcast(call_, emit, [x], x.type, value, name),)

    return lower


def _arithmetic(op: str) -> Callable[[OpCall, Emitter], Sequence[Tensor]]:
    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        a, b = call_.input(0), call_.input(1)
        output = TensorType(a.dtype, broadcast_shape(call_, a.shape, b.shape))
        return (map_broadcast(call_, emit, [a, b], output, lambda x, y: binary(op, x, y), op),)

    return lower


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Add", 7, _arithmetic("add")),
    # max(0, x) is x for a NaN, see nodes.ARITHMETIC.
    OpDef("", "Relu", 6, _unary(lambda x: maximum(Const(0, x.dtype), x), "relu")),
    OpDef("", "Exp", 6, _unary(lambda x: call("exp", x), "exp")),
)
