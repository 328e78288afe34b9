"""Comparisons, logic, bits and choice, with broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.loops.nodes import Binary, Const, Expr, compare, minimum, select
from ingot.ops.elementwise import Rule, binary_rule, broadcast_shape, map_broadcast, widened
from ingot.ops.facts import Folding
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor


def _comparison(op: str) -> Rule:
    """Equal, Less, Greater, LessOrEqual, GreaterOrEqual: with a NaN the answer is false. Does not handle strings."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        a, b = call_.input(0), call_.input(1)
        output = TensorType(DType.BOOL, broadcast_shape(call_, a.shape, b.shape))
        return (map_broadcast(call_, emit, [a, b], output, widened(lambda x, y: compare(op, x, y)), op),)

    return lower


def _bits(op: str) -> Rule:
    """And, Or, Xor on bool; BitwiseAnd, BitwiseOr, BitwiseXor on integers."""
    value: Callable[[Expr, Expr], Expr] = lambda a, b: Binary(op, a, b)  # noqa: E731
    return binary_rule(value, op)


def _bit_shift(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """BitShift 11 (unsigned), 28 (signed too, arithmetic to the right): a count outside the width shifts every bit out."""
    left = call_.attr("direction") == "LEFT"

    def value(x: Expr, count: Expr) -> Expr:
        last = Const(x.dtype.bits - 1, x.dtype)
        if not left and x.dtype.is_signed:
            outside = Binary("or", compare("lt", count, 0), compare("gt", count, last))
            return Binary("shr", x, select(outside, last, count))
        inside = compare("le", count, last)
        if x.dtype.is_signed:
            inside = Binary("and", inside, compare("ge", count, 0))
        return select(inside, Binary("shl" if left else "shr", x, minimum(count, last)), 0)

    return binary_rule(value, "bitshift")(call_, emit)


def _where(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Where 9, 16: an element of `x` where the condition is true, else of `y`; all three broadcast."""
    condition, x, y = call_.input(0), call_.input(1), call_.input(2)
    output = TensorType(x.dtype, broadcast_shape(call_, condition.shape, x.shape, y.shape))
    return (map_broadcast(call_, emit, [condition, x, y], output, select, "where"),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Equal", 7, _comparison("eq"), folding=Folding.ARRAYS),
    OpDef("", "Less", 7, _comparison("lt"), folding=Folding.ARRAYS),
    OpDef("", "Greater", 7, _comparison("gt"), folding=Folding.ARRAYS),
    OpDef("", "LessOrEqual", 12, _comparison("le"), folding=Folding.ARRAYS),
    OpDef("", "GreaterOrEqual", 12, _comparison("ge"), folding=Folding.ARRAYS),
    OpDef("", "And", 7, _bits("and"), folding=Folding.ARRAYS),
    OpDef("", "Or", 7, _bits("or"), folding=Folding.ARRAYS),
    OpDef("", "Xor", 7, _bits("xor")),
    OpDef("", "BitwiseAnd", 18, _bits("and")),
    OpDef("", "BitwiseOr", 18, _bits("or")),
    OpDef("", "BitwiseXor", 18, _bits("xor")),
    OpDef("", "BitShift", 11, _bit_shift),
    OpDef("", "Where", 9, _where, moves=True, folding=Folding.ARRAYS),
)
