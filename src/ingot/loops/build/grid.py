"""Builders of groups and items, for the templates that write them themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.loops.build.nest import Body, Combine, loop
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    For,
    If,
    LoopKind,
    Space,
    Stmt,
    Var,
    buffer,
    compare,
    index,
    load,
    store,
)
from ingot.machines.tuning import Grid


def groups(count: int, body: Body) -> tuple[Stmt, ...]:
    """`count` groups; of none it is nothing."""
    group = Var("group")
    return (For(group, index(count), tuple(body(group)), LoopKind.GROUP),) if count > 0 else ()


def items(count: int, body: Body) -> tuple[Stmt, ...]:
    """What each of a group's items does."""
    item = Var("item")
    return (For(item, index(count), tuple(body(item)), LoopKind.ITEM),)


def where(condition: Expr, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
    """The statements under a condition; a constant one chooses at once."""
    if isinstance(condition, Const):
        return tuple(stmts) if condition.value else ()
    return (If(condition, tuple(stmts)),)


def below(value: Expr, extent: int, size: int) -> Expr:
    """Whether a value is below an extent that is covered in steps of `size`; true where the steps fit."""
    return compare("lt", value, extent) if extent % size else compare("lt", index(0), 1)


def each(count: int, extent: int, name: str, body: Body) -> tuple[Stmt, ...]:
    """`body(i)` for every `i` in `range(extent)`, shared out to a group's items: neighbours have neighbouring `i`."""

    def of(item: Expr) -> Sequence[Stmt]:
        def step(number: Expr) -> Sequence[Stmt]:
            at = number * count + item
            return where(below(at, extent, count), tuple(body(at)))

        return loop(name, -(-extent // count), step)

    return items(count, of)


def items_of_row(tuning: Grid, extent: int) -> int:
    """How many items fold a row of this many elements."""
    return tuning.few_items if extent < tuning.long_row_min_elements else tuning.items


def fold_items(
    name: str,
    slices: int,
    extent: int,
    element: Callable[[Expr, Expr], Expr],
    initial: Expr,
    combine: Combine,
    merge: Combine | None = None,
    width: int = 1,
) -> tuple[tuple[Stmt, ...], Callable[[Expr], Expr]]:
    """Folds `extent` elements of each of `width` columns by a group of `slices * width` items, in a tree in shared memory.

    Args:
        name: prefix of the names of loops and buffers; unique in the group.
        slices: how many items share out a column; a power of two.
        extent: number of elements in a column.
        element: `(number of the element, column)` → the element, of the type of `initial`.
        initial: the neutral element.
        combine: `(partial result, element) → partial result`.
        merge: `(partial result, partial result) → partial result`; by default `combine`.
        width: how many columns; neighbouring items have neighbouring columns, or elements of the only one.

    Returns:
        Statements of a group, and the result of a column, which items may read in the item loops behind them.
    """
    join = merge or combine
    count = slices * width
    parts = buffer(f"{name}_parts", initial.dtype, (slices, width))
    total = buffer(f"{name}_part", initial.dtype, ())

    def begin(item: Expr) -> Sequence[Stmt]:
        part, column = item // width, item % width

        def step(number: Expr) -> Sequence[Stmt]:
            at = number * slices + part
            added = store(total, (), combine(load(total), element(at, column)))
            return where(below(at, extent, slices), (added,))

        return (
            Alloc(total),
            store(total, (), initial),
            *loop(f"{name}_step", -(-extent // slices), step),
            store(parts, (part, column), load(total)),
        )

    stmts: list[Stmt] = [Alloc(parts, Space.SHARED), *items(count, begin)]
    half = slices // 2
    while half:

        def halve(item: Expr, half: int = half) -> Sequence[Stmt]:
            part, column = item // width, item % width
            joined = store(
                parts, (part, column), join(load(parts, part, column), load(parts, part + half, column))
            )
            return where(compare("lt", part, half), (joined,))

        stmts += items(count, halve)
        half //= 2
    return tuple(stmts), lambda column: load(parts, 0, column)
