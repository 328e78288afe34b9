"""Loops that go by ranges (`For.end`) as loops that do not: for who knows how the ranges are cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ingot.loops.nodes import Const, Expr, For, Let, LoopKind, Stmt, Var, index, minimum


def whole(stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
    """With all iterations as one range: for one thread."""

    def once(loop: For, end: Var) -> For:
        once = index(1) if isinstance(loop.extent, Const) else minimum(loop.extent, 1)
        return For(loop.var, once, (Let(end, loop.extent), *loop.body))

    return _each(stmts, once)


def one_by_one(stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
    """With a range for each iteration: for who starts them all at once. Statements without such loops are the same objects."""

    def alone(loop: For, end: Var) -> For:
        following: Expr = loop.var + 1
        return For(loop.var, loop.extent, (Let(end, following), *loop.body), LoopKind.PARALLEL)

    return _each(stmts, alone)


def _each(stmts: Sequence[Stmt], change: Callable[[For, Var], For]) -> tuple[Stmt, ...]:
    return tuple(_changed(stmt, change) for stmt in stmts)


def _changed(stmt: Stmt, change: Callable[[For, Var], For]) -> Stmt:
    if not isinstance(stmt, For):
        return stmt  # such loops stand in loops alone
    if stmt.end is not None:
        return change(stmt, stmt.end)
    body = _each(stmt.body, change)
    return (
        stmt
        if all(new is old for new, old in zip(body, stmt.body, strict=True))
        else replace(stmt, body=body)
    )
