"""How long a piece of a kernel takes, roughly: enough to decide whether other threads are worth waking."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.codegen.llvm_forms import Chip
from ingot.loops.nodes import Binary, Call, Cast, Const, Expr, For, If, Load, LoopKind, Stmt, Store, Var
from ingot.loops.rewrite import expressions, walk
from ingot.tensor import DType

_CHEAP = frozenset({"abs", "sqrt", "floor", "ceil", "trunc", "rint", "isnan", "isinf"})
_UNKNOWN_EXTENT = 16
_CALL_CYCLES, _LIBM_CYCLES, _DIVIDE_CYCLES = 10.0, 40.0, 6.0
_LIBM = frozenset({"tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "pow"})


def call_is_cheap(call: Call) -> bool:
    """Whether a function is about one instruction."""
    return call.function in _CHEAP


def expression_cycles(expr: Expr) -> float:
    """Cycles of one evaluation, all operands included. Index arithmetic is taken to be free."""
    total = 0.0
    for node in walk(expr):
        match node:
            case Const() | Var():
                pass
            case Call():
                total += 1.0 if call_is_cheap(node) else _LIBM_CYCLES if node.function in _LIBM else _CALL_CYCLES
            case Binary() if node.left.dtype is DType.INT64:
                total += _DIVIDE_CYCLES if node.op in ("div", "rem") else 0.0
            case Binary():
                total += _DIVIDE_CYCLES if node.op in ("div", "rem") else 0.5
            case Load() | Cast():
                total += 1.0
            case _:
                total += 0.5
    return total


def block_cycles(stmts: Sequence[Stmt], chip: Chip, width: float = 1.0) -> float:
    """Cycles of a block; `width` elements are done at a time inside a vector loop."""
    total = 0.0
    for stmt in stmts:
        own = sum(expression_cycles(expr) for expr in expressions(stmt)) + isinstance(stmt, Store)
        match stmt:
            case For():
                count = int(stmt.extent.value) if isinstance(stmt.extent, Const) else _UNKNOWN_EXTENT
                if stmt.kind is LoopKind.VECTOR:
                    per_vector = max(1.0, min(float(count), chip.vector_bytes / 4))
                    own += count / per_vector * block_cycles(stmt.body, chip, per_vector)
                else:
                    own += count * (block_cycles(stmt.body, chip, width) + (stmt.kind is LoopKind.SERIAL))
            case If():
                own += max(block_cycles(stmt.then, chip, width), block_cycles(stmt.otherwise, chip, width))
        total += own
    return total
