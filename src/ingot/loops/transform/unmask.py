"""Stores without the mask that puts neutral places behind the last one, where nobody needs these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingot.loops.analyse.accesses import is_same
from ingot.loops.analyse.of_sizes import OfSizes
from ingot.loops.nodes import Binary, Const, Expr, For, If, Select, Stmt, Store


@dataclass(frozen=True, slots=True)
class Masked:
    """An axis of an output of which so many elements are there. Behind them are elements of a value that nobody needs."""

    axis: int
    elements: Expr
    value: float


def unmasked(
    stmts: Sequence[Stmt], masked: Mapping[str, Sequence[Masked]], sizes: OfSizes
) -> tuple[Stmt, ...]:
    """Statements that store the same where elements are there, and anything behind them; the same objects if nothing changes."""

    def changed(stmt: Stmt) -> Stmt:
        match stmt:
            case Store() if stmt.buffer.name in masked:
                value = _inside(stmt, masked[stmt.buffer.name], sizes)
                return stmt if value is stmt.value else replace(stmt, value=value)
            case For():
                body = block(stmt.body)
                return stmt if body is stmt.body else replace(stmt, body=body)
            case If():
                then, otherwise = block(stmt.then), block(stmt.otherwise)
                is_old = then is stmt.then and otherwise is stmt.otherwise
                return stmt if is_old else If(stmt.condition, then, otherwise)
        return stmt

    def block(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        new = tuple(map(changed, stmts))
        return stmts if all(a is b for a, b in zip(new, stmts, strict=True)) else new

    return block(tuple(stmts))


def _inside(store: Store, masked: Sequence[Masked], sizes: OfSizes) -> Expr:
    """What a store writes where elements are there."""
    value = store.value
    while isinstance(value, Select) and any(_is_mask(value, store, each, sizes) for each in masked):
        value = value.if_true
    return value


def _is_mask(value: Select, store: Store, masked: Masked, sizes: OfSizes) -> bool:
    condition, behind = value.condition, value.if_false
    if not isinstance(condition, Binary) or condition.op != "lt" or condition.right not in sizes:
        return False
    is_value = isinstance(behind, Const) and float(behind.value) == masked.value
    # What is there is never taken to be behind.
    is_end = sizes.is_no_larger(masked.elements, condition.right)
    return is_value and is_end and is_same((condition.left,), (store.index[masked.axis],))
