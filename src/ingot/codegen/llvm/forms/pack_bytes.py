"""Words made of bytes: `a | b << 8 | c << 16 | d << 24`. In vectors the bytes are put side by side in registers, one or two
instructions, where shifts would take each of them apart into words first. And words made of two halves, which some dot products
want apart.
"""

from __future__ import annotations

from ingot.base.tensor import DType
from ingot.loops.nodes import Binary, Bitcast, Cast, Const, Expr

_WORDS = (DType.INT32, DType.UINT32)
_BYTES = 4


def packed_bytes(expr: Expr) -> tuple[Expr, ...] | None:
    """The four bytes of which an expression makes a word, the lowest first, if it does and two of them at least are not known."""
    if not isinstance(expr, Binary) or expr.op != "or" or expr.dtype not in _WORDS:
        return None
    bytes_: dict[int, Expr] = {}
    known = 0
    waiting: list[Expr] = [expr]
    while waiting:
        part = waiting.pop()
        shift = 0
        match part:
            case Const(value=value):
                known |= int(value) & 0xFFFFFFFF
                continue
            case Binary(op="or", left=left, right=right) if len(bytes_) < _BYTES:
                waiting += (left, right)
                continue
            case Binary(op="shl", left=moved, right=Const(value=count)):
                part, shift = moved, int(count)
        at, rest = divmod(shift, 8)
        if rest or at in bytes_ or not isinstance(part, Cast) or part.operand.dtype is not DType.UINT8:
            return None
        bytes_[at] = part.operand
    if len(bytes_) < 2 or any(known >> 8 * at & 0xFF for at in bytes_):
        return None
    return tuple(bytes_.get(at, Const(known >> 8 * at & 0xFF, DType.UINT8)) for at in range(_BYTES))


def packed_halves(expr: Expr) -> tuple[Expr, Expr] | None:
    """The two int16 of which an expression makes a word, the lower one first, if it does."""
    match expr:
        case Binary(
            op="or",
            left=Cast(operand=Bitcast(operand=low, dtype=DType.UINT16)),
            right=Binary(op="shl", left=Cast(operand=high), right=Const(value=16)),
        ) if expr.dtype is DType.INT32 and low.dtype is DType.INT16 and high.dtype is DType.INT16:
            return low, high
    return None
