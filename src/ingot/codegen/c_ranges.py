"""Integer ranges of expressions, and a rewriting that uses them.

The C code generator needs to know where 32-bit arithmetic is enough and where signed arithmetic cannot overflow, so
that what it prints is plain `i * 4 + j` and not a chain of casts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ingot.loops.nodes import (
    COMPARISONS,
    Binary,
    Buffer,
    Cast,
    Const,
    Expr,
    Fma,
    Load,
    Select,
    Store,
    Unary,
    Var,
    binary,
    index,
)
from ingot.loops.rewrite import Rewriter
from ingot.tensor import DType


@dataclass(frozen=True, slots=True)
class Range:
    """All whole numbers from `low` to `high`, both included."""

    low: int
    high: int

    def within(self, other: Range) -> bool:
        """Whether every number of this range is in the other one."""
        return other.low <= self.low and self.high <= other.high


def range_of_type(dtype: DType) -> Range:
    """What an integer type, or bool, can hold."""
    if dtype is DType.BOOL:
        return Range(0, 1)
    if dtype.is_signed:
        return Range(-(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1)
    return Range(0, (1 << dtype.bits) - 1)


INT32 = range_of_type(DType.INT32)


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


class Ranges:
    """The ranges of the expressions of one statement. `variables` has the range of each variable in sight, by its IR name."""

    def __init__(self, variables: Mapping[str, Range]) -> None:
        self._variables = variables
        self._memory: dict[int, tuple[Expr, Range]] = {}  # the expression is kept, so that its id stays its own

    def __call__(self, expr: Expr) -> Range:
        """The range of an integer or bool expression."""
        found = self._memory.get(id(expr))
        if found is None:
            found = (expr, self._find(expr))
            self._memory[id(expr)] = found
        return found[1]

    def exact(self, expr: Expr) -> Range:
        """The range of the mathematical result of `add`, `sub`, `mul`, `neg` or Fma, before it wraps."""
        match expr:
            case Binary():
                a, b = self(expr.left), self(expr.right)
                match expr.op:
                    case "add":
                        return Range(a.low + b.low, a.high + b.high)
                    case "sub":
                        return Range(a.low - b.high, a.high - b.low)
                    case "mul":
                        corners = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
                        return Range(min(corners), max(corners))
            case Unary(op="neg"):
                a = self(expr.operand)
                return Range(-a.high, -a.low)
        return range_of_type(expr.dtype)

    def _find(self, expr: Expr) -> Range:
        full = range_of_type(expr.dtype)
        match expr:
            case Const():
                value = int(expr.value)
                return Range(value, value)
            case Var():
                return self._variables.get(expr.name, full)
            case Select():
                a, b = self(expr.if_true), self(expr.if_false)
                return Range(min(a.low, b.low), max(a.high, b.high))
            case Cast() if not expr.operand.dtype.is_float and expr.dtype is not DType.BOOL:
                a = self(expr.operand)
                return a if a.within(full) else full
            case Unary(op="neg"):
                a = self.exact(expr)
                return a if a.within(full) else full
            case Binary() if expr.dtype is not DType.BOOL:
                return self._binary(expr, full)
        return full

    def _binary(self, expr: Binary, full: Range) -> Range:
        a, b = self(expr.left), self(expr.right)
        match expr.op:
            case "add" | "sub" | "mul":
                exact = self.exact(expr)
                return exact if exact.within(full) else full
            case "div" if b.low > 0:
                corners = [_truncated(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
                return Range(min(corners), max(corners))
            case "rem" if b.low > 0:
                return Range(max(a.low, 1 - b.high) if a.low < 0 else 0, min(max(a.high, 0), b.high - 1))
            case "min":
                return Range(min(a.low, b.low), min(a.high, b.high))
            case "max":
                return Range(max(a.low, b.low), max(a.high, b.high))
            case "and" if a.low >= 0 or b.low >= 0:
                return Range(0, min(x.high for x in (a, b) if x.low >= 0))
            case "shr" if a.low >= 0:
                return Range(0, a.high)
        return full


def flat_index(buffer: Buffer, where: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The offset in elements of a logical index, as the index into `flat(buffer)`. A dimension of extent 1 can only be indexed
    by 0, so it adds nothing."""
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


class Flattener:
    """Rewrites expressions so that every load has one index, an offset in elements, and decides comparisons that the ranges decide."""

    def __init__(self, variables: Mapping[str, Range]) -> None:
        self._ranges = Ranges(variables)
        self._rewrite = Rewriter(self._leave)

    def __call__(self, expr: Expr) -> Expr:
        return self._rewrite(expr)

    def store(self, stmt: Store) -> Store:
        """The store with one index."""
        where = tuple(self._rewrite(part) for part in stmt.index)
        return Store(flat(stmt.buffer), flat_index(stmt.buffer, where), self._rewrite(stmt.value))

    def _leave(self, node: Expr) -> Expr | None:
        match node:
            case Load():
                return Load(flat(node.buffer), flat_index(node.buffer, node.index))
            case Binary() if node.op in COMPARISONS and not node.left.dtype.is_float:
                truth = self._decide(node)
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

    def _decide(self, node: Binary) -> bool | None:
        a, b = self._ranges(node.left), self._ranges(node.right)
        if node.left is node.right or (isinstance(node.left, Var) and node.left == node.right):
            return node.op in ("le", "ge", "eq")
        match node.op:
            case "lt" | "ge":
                found = True if a.high < b.low else False if a.low >= b.high else None
                return found if node.op == "lt" or found is None else not found
            case "le" | "gt":
                found = True if a.high <= b.low else False if a.low > b.high else None
                return found if node.op == "le" or found is None else not found
        if a.low == a.high == b.low == b.high:
            return node.op == "eq"
        return node.op == "ne" if a.high < b.low or a.low > b.high else None


def _logical(node: Binary) -> Expr | None:
    for constant, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(constant, Const):
            absorbs = bool(constant.value) == (node.op == "or")
            return Const(node.op == "or", DType.BOOL) if absorbs else other
    return None
