"""What the C code generator needs to know of integers: where 32 bits are enough and where nothing can overflow, so that it
prints plain `i * 4 + j` and not a chain of casts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingot.base.tensor import DType
from ingot.loops.analyse.ranges import Interval, Ranges, type_interval
from ingot.loops.nodes import (
    COMPARISONS,
    Alloc,
    Binary,
    Buffer,
    Const,
    Expr,
    Fma,
    For,
    If,
    Let,
    Load,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
    binary,
    index,
)
from ingot.loops.transform.rewrite import Rewriter

INT32: Interval = (-(2**31), 2**31 - 1)


def within(inner: Interval, outer: Interval) -> bool:
    """Whether every number of the one interval is in the other."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def full(dtype: DType) -> Interval:
    """What an integer type, or bool, can hold."""
    interval = type_interval(dtype)
    assert interval is not None, f"{dtype} is no integer"
    return interval


def bounds(ranges: Ranges, expr: Expr) -> Interval:
    """The smallest and largest value of an integer or bool expression."""
    return ranges.bounds(expr) or full(expr.dtype)


def exact(ranges: Ranges, expr: Expr) -> Interval:
    """The bounds of the mathematical result of `add`, `sub`, `mul` or `neg`: before it wraps."""
    match expr:
        case Binary():
            (a, b), (c, d) = bounds(ranges, expr.left), bounds(ranges, expr.right)
            match expr.op:
                case "add":
                    return a + c, b + d
                case "sub":
                    return a - d, b - c
                case "mul":
                    corners = (a * c, a * d, b * c, b * d)
                    return min(corners), max(corners)
        case Unary(op="neg"):
            a, b = bounds(ranges, expr.operand)
            return -b, -a
    return full(expr.dtype)


def flat_index(buffer: Buffer, where: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The offset in elements of a logical index, as the index into `flat(buffer)`. A dimension of extent 1 can only be indexed
    by 0, so it adds nothing.
    """
    if not buffer.shape:
        return ()
    offset: Expr = index(0)
    for part, extent, stride in zip(where, buffer.shape, buffer.strides, strict=True):
        if extent != 1 and stride != 0:
            offset = binary("add", offset, binary("mul", part, index(stride)))
    return (offset,)


def flat(buffer: Buffer) -> Buffer:
    """The memory of a buffer as one dimension; a scalar stays a scalar."""
    if not buffer.shape:
        return buffer
    return Buffer(buffer.name, buffer.dtype, (buffer.span,), (1,))


def flatten(block: Sequence[Stmt], intervals: Mapping[Var, Interval]) -> tuple[Stmt, ...]:
    """The statements with one index, an offset in elements, for each load and store, and with those comparisons decided that the
    intervals of the variables decide.
    """
    known = dict(intervals)
    ranges = Ranges(known)
    rewrite = Rewriter(lambda node: _flat_node(node, ranges))
    result: list[Stmt] = []
    for stmt in block:
        match stmt:
            case For():
                extent = rewrite(stmt.extent)
                inside = {**known, stmt.var: (0, max(bounds(ranges, extent)[1] - 1, 0))}
                result.append(For(stmt.var, extent, flatten(stmt.body, inside), stmt.kind))
            case If():
                result.append(
                    If(rewrite(stmt.condition), flatten(stmt.then, known), flatten(stmt.otherwise, known))
                )
            case Let():
                value = rewrite(stmt.value)
                result.append(Let(stmt.var, value))
                if not value.dtype.is_float:
                    known[stmt.var] = bounds(ranges, value)
                    ranges = Ranges(known)
                    rewrite = Rewriter(lambda node, ranges=ranges: _flat_node(node, ranges))  # type: ignore[misc]
            case Store():
                where = tuple(rewrite(part) for part in flat_index(stmt.buffer, stmt.index))
                result.append(Store(flat(stmt.buffer), where, rewrite(stmt.value)))
            case Alloc():
                result.append(stmt)
    return tuple(result)


def _flat_node(node: Expr, ranges: Ranges) -> Expr | None:
    match node:
        case Load():
            return Load(flat(node.buffer), flat_index(node.buffer, node.index))
        case Binary() if node.op in COMPARISONS and node.left.dtype.is_integer:
            truth = ranges.truth(node)
            return None if truth is None else Const(truth, DType.BOOL)
        case Binary(op="and" | "or") if node.dtype is DType.BOOL:
            return _logical(node)
        case Unary(op="not") if isinstance(node.operand, Const) and node.dtype is DType.BOOL:
            return Const(not node.operand.value, DType.BOOL)
        case Select() if isinstance(node.condition, Const):
            return node.if_true if node.condition.value else node.if_false
        case Fma() if not node.dtype.is_float:
            # Integers have no fused form: two nodes keep the rules of wrapping in one place.
            return binary("add", binary("mul", node.a, node.b), node.c)
    return None


def _logical(node: Binary) -> Expr | None:
    for constant, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(constant, Const):
            absorbs = bool(constant.value) == (node.op == "or")
            return Const(node.op == "or", DType.BOOL) if absorbs else other
    return None
