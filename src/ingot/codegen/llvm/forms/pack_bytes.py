"""Words made of four codes: `a | b << 8 | c << 16 | d << 24`. In vectors the bytes are put side by side in registers, one or two
instructions, where shifts would take each of them apart into words first. And words made of two halves, which some dot products
want apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value, constant
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.forms.interleave import interleaved
from ingot.loops.nodes import Binary, Bitcast, Cast, Const, Expr

_WORDS = (DType.INT32, DType.UINT32)
_BYTES = 4


def joined_bytes(expr: Expr) -> tuple[Expr, ...] | None:
    """The four bytes of which an expression makes a word, the lowest first, if it does and two of them at least are not known."""
    if not isinstance(expr, Binary) or expr.op != "or" or expr.dtype not in _WORDS:
        return None
    found: dict[int, Expr] = {}
    known = 0
    waiting: list[Expr] = [expr]
    while waiting:
        part = waiting.pop()
        shift = 0
        match part:
            case Const(value=value):
                known |= int(value) & 0xFFFFFFFF
                continue
            case Binary(op="or", left=left, right=right) if len(found) < _BYTES:
                waiting += (left, right)
                continue
            case Binary(op="shl", left=moved, right=Const(value=count)):
                part, shift = moved, int(count)
        at, rest = divmod(shift, 8)
        if rest or at in found or not isinstance(part, Cast) or part.operand.dtype is not DType.UINT8:
            return None
        found[at] = part.operand
    if len(found) < 2 or any(known >> 8 * at & 0xFF for at in found):
        return None
    return tuple(found.get(at, Const(known >> 8 * at & 0xFF, DType.UINT8)) for at in range(_BYTES))


def joined_halves(expr: Expr) -> tuple[Expr, Expr] | None:
    """The two int16 of which an expression makes a word, the lower one first, if it does."""
    match expr:
        case Binary(
            op="or",
            left=Cast(operand=Bitcast(operand=low, dtype=DType.UINT16)),
            right=Binary(op="shl", left=Cast(operand=high), right=Const(value=16)),
        ) if expr.dtype is DType.INT32 and low.dtype is DType.INT16 and high.dtype is DType.INT16:
            return low, high
    return None


def joined(ops: Operations, parts: Sequence[Value], dtype: DType) -> Value:
    """The words of bytes, as `joined_bytes` has found them."""
    lanes = max(part.lanes for part in parts)
    if not lanes:
        result = ops.cast(parts[0], dtype)
        for at, part in enumerate(parts[1:], 1):
            result = ops.binary(
                "or", result, ops.binary("shl", ops.cast(part, dtype), constant(8 * at, dtype))
            )
        return result
    side_by_side = interleaved(ops, [ops.vector(part, lanes) for part in parts])
    return Value(ops.fn.emit(f"bitcast {side_by_side.typed} to <{lanes} x i32>"), dtype, lanes)
