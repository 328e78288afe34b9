"""Long rows for machines that run groups of work items: a group folds a row in a tree, and keeps it in shared memory meanwhile.

Short rows need none of this: there each item has a row of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Site
from ingot.loops.build.grid import below, each, fold_items, groups, items, items_of_row, where
from ingot.loops.build.nest import Combine, add, split_index
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    Space,
    Stmt,
    both,
    buffer,
    call,
    compare,
    load,
    maximum,
    select,
    store,
)
from ingot.machines.tuning import Grid


def is_long(site: Site, extent: int) -> bool:
    """Whether a group folds a row of so many elements."""
    return site.machine.grid and extent >= site.machine.tuning.grid.row_min_elements


# ─── reductions ──────────────────────────────────────────────────────────────────────────────────────────────────────


def grid_fold_rows(
    tuning: Grid,
    kept: Sequence[int],
    folded: Sequence[int],
    read: Callable[[Sequence[Expr], Sequence[Expr]], Expr],
    initial: Const,
    combine: Combine,
    write: Callable[[Sequence[Expr], Expr], Sequence[Stmt]],
) -> tuple[Stmt, ...]:
    """Folds the box `folded`, whose last elements are neighbours in memory, for each place of the box `kept`."""
    extent = math.prod(folded)
    count = items_of_row(tuning, extent)

    def group(flat: Expr) -> Sequence[Stmt]:
        at = split_index(flat, kept)
        stmts, result = fold_items(
            "fold", count, extent, lambda number, _: read(at, split_index(number, folded)), initial, combine
        )
        zero = Const(0, DType.INT64)
        return (
            *stmts,
            *items(count, lambda item: where(compare("eq", item, 0), tuple(write(at, result(zero))))),
        )

    return groups(math.prod(kept), group)


def grid_fold_columns(
    tuning: Grid,
    outer: Sequence[int],
    columns: int,
    folded: Sequence[int],
    read: Callable[[Sequence[Expr], Expr, Sequence[Expr]], Expr],
    initial: Const,
    combine: Combine,
    write: Callable[[Sequence[Expr], Expr, Expr], Sequence[Stmt]],
) -> tuple[Stmt, ...]:
    """Folds the box `folded` for each of `columns`, which are neighbours in memory, at each place of the box `outer`."""
    extent, width, slices = math.prod(folded), tuning.columns, tuning.column_slices
    blocks = -(-columns // width)

    def group(flat: Expr) -> Sequence[Stmt]:
        *at, block = split_index(flat, (*outer, blocks))

        def inside(column: Expr) -> Expr:
            return below(block * width + column, columns, width)

        def element(number: Expr, column: Expr) -> Expr:
            value = read(at, block * width + column, split_index(number, folded))
            return select(inside(column), value, initial)

        stmts, result = fold_items("fold", slices, extent, element, initial, combine, width=width)

        def finish(item: Expr) -> Sequence[Stmt]:
            written = write(at, block * width + item, result(item))
            return where(both(compare("lt", item, width), inside(item)), tuple(written))

        return (*stmts, *items(width * slices, finish))

    return groups(math.prod(outer) * blocks, group)


# ─── rows that are folded and written again ──────────────────────────────────────────────────────────────────────────


class _Row:
    """A row of a group: kept in shared memory where there is room, read again where there is none."""

    def __init__(
        self, tuning: Grid, dtype: DType, extent: int, count: int, read: Callable[[Expr], Expr]
    ) -> None:
        self._read = read
        fits = extent * dtype.size_bytes <= tuning.row_max_bytes
        self._kept = buffer("row", dtype, (extent,)) if fits else None
        self._extent, self._count = extent, count

    def begin(self) -> tuple[Stmt, ...]:
        kept = self._kept
        if kept is None:
            return ()
        fill = each(self._count, self._extent, "fill", lambda at: (store(kept, (at,), self._read(at)),))
        return (Alloc(kept, Space.SHARED), *fill)

    def at(self, number: Expr) -> Expr:
        return self._read(number) if self._kept is None else load(self._kept, number)


_ZERO = Const(0, DType.INT64)


def grid_softmax(
    tuning: Grid,
    dtype: DType,
    outer: Sequence[int],
    extent: int,
    read: Callable[[Sequence[Expr], Expr], Expr],
    write: Callable[[Sequence[Expr], Expr, Expr], Sequence[Stmt]],
    logarithm: bool,
) -> tuple[Stmt, ...]:
    """Softmax, or its logarithm, of rows of `extent` elements, one for each place of the box `outer`."""
    count = items_of_row(tuning, extent)

    def group(flat: Expr) -> Sequence[Stmt]:
        where_ = split_index(flat, outer)
        row = _Row(tuning, dtype, extent, count, lambda at: read(where_, at))
        find, top_of = fold_items(
            "top", count, extent, lambda at, _: row.at(at), Const(-np.inf, dtype), maximum
        )
        top = top_of(_ZERO)
        sum_up, total_of = fold_items(
            "sum", count, extent, lambda at, _: call("exp_flushed", row.at(at) - top), Const(0.0, dtype), add
        )
        total = total_of(_ZERO)

        def finish(at: Expr) -> Sequence[Stmt]:
            value = row.at(at) - top
            return write(
                where_, at, value - call("log", total) if logarithm else call("exp_flushed", value) / total
            )

        return (*row.begin(), *find, *sum_up, *each(count, extent, "write", finish))

    return groups(math.prod(outer), group)


def grid_row_norm(
    site: Site, x: TensorType, centred: bool, epsilon: float, bias: bool, statistics: bool
) -> tuple[Stmt, ...]:
    """Rows of the last dimension, normalised and scaled (see `norm.row_norm`)."""
    dtype, extent, outer = x.dtype, x.shape[-1], x.shape[:-1]
    tuning = site.machine.tuning.grid
    count = items_of_row(tuning, extent)
    zero = Const(0.0, dtype)

    def group(flat: Expr) -> Sequence[Stmt]:
        at_row = split_index(flat, outer)
        row = _Row(tuning, dtype, extent, count, lambda at: site.read(0, *at_row, at))
        stmts = [*row.begin()]
        mean: Expr = zero
        if centred:
            fold, total = fold_items("sum", count, extent, lambda at, _: row.at(at), zero, add)
            stmts += fold
            mean = total(_ZERO) / extent

        def distance(at: Expr) -> Expr:
            return row.at(at) - mean if centred else row.at(at)

        def square(partial: Expr, value: Expr) -> Expr:
            return partial + value * value

        fold, total = fold_items("square", count, extent, lambda at, _: distance(at), zero, square, merge=add)
        stmts += fold
        inverse = Const(1.0, dtype) / call("sqrt", total(_ZERO) / extent + epsilon)

        def finish(at: Expr) -> Sequence[Stmt]:
            scaled = distance(at) * inverse * site.read(1, at)
            return site.write(0, (*at_row, at), scaled + site.read(2, at) if bias else scaled)

        stmts += each(count, extent, "write", finish)
        if statistics:
            written = (*site.write(1, (*at_row, 0), mean), *site.write(2, (*at_row, 0), inverse))
            stmts += items(count, lambda item: where(compare("eq", item, 0), written))
        return stmts

    return groups(math.prod(outer), group)
