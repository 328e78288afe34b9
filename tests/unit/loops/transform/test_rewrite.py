"""Expressions under other operands."""

from __future__ import annotations

from ingot.base.tensor import DType
from ingot.loops.nodes import Const, Expr, Load, binary, buffer, load
from ingot.loops.transform.rewrite import Rewriter


def test_what_an_operation_with_zero_becomes_is_not_taken_for_an_old_operand() -> None:
    """`a + b` where `a` becomes 0 and `b` a read of a buffer that has the name of `a`."""
    first, second = (buffer(name, DType.INT64, (4,)) for name in ("a", "b"))
    new = load(buffer("a", DType.INT64, (4,)), 3)

    def leave(node: Expr) -> Expr | None:
        if not isinstance(node, Load):
            return None
        return Const(0, DType.INT64) if node.buffer.name == "a" else new

    assert Rewriter(leave)(binary("add", load(first, 1), load(second, 2))) is new
