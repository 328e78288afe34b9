"""Matrix products by groups of work items: what matrix product and convolution share on a GPU.

A group computes a tile of the result. Step by step its items bring a slice of both operands into shared memory, each element
once, and then every item adds to the sums of its own small tile, which stay in its registers. A thin product, of a few rows, has
too few results for that: there the items of a group share out the reduction, and add their parts at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.loops.build.grid import below, groups, items, where
from ingot.loops.build.nest import loop, nest, split_index
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    Fma,
    If,
    Let,
    Space,
    Stmt,
    Var,
    both,
    buffer,
    compare,
    load,
    select,
    store,
)
from ingot.machines.tuning import Grid

_BANK = 4  # elements added to each row of a tile, so that items that walk along a column meet different banks


@dataclass(frozen=True, slots=True)
class GroupTile:
    """`rows` × `columns` results of a group, in steps of `depth`; each item has `item_rows` × `item_columns` of them."""

    rows: int
    columns: int
    depth: int
    item_rows: int
    item_columns: int

    @property
    def items(self) -> int:
        return (self.rows // self.item_rows) * (self.columns // self.item_columns)

    @property
    def global_loads(self) -> float:
        """Elements that the group reads from global memory for each multiply-add."""
        return 1 / self.rows + 1 / self.columns

    @property
    def shared_loads(self) -> float:
        """Elements that an item reads from shared memory for each multiply-add."""
        return 1 / self.item_rows + 1 / self.item_columns


# What there is to choose between; what each costs is in `Tuning.grid`.
TILES = (
    GroupTile(128, 128, 8, 8, 8),
    GroupTile(128, 64, 16, 8, 4),
    GroupTile(64, 128, 16, 8, 4),
    GroupTile(64, 64, 16, 8, 4),
    GroupTile(64, 64, 16, 4, 4),
    GroupTile(32, 64, 16, 4, 4),
    GroupTile(64, 32, 16, 4, 4),
    GroupTile(32, 32, 16, 4, 4),
    GroupTile(16, 64, 16, 4, 4),
    GroupTile(64, 16, 16, 4, 4),
    GroupTile(16, 16, 16, 4, 1),
)


def choose_group_tile(costs: Grid, batch: int, rows: int, columns: int) -> GroupTile:
    """The tile that costs least: large ones read less, small ones waste less at the edges and keep more of a device busy."""

    def cost(tile: GroupTile) -> float:
        count = batch * -(-rows // tile.rows) * -(-columns // tile.columns)
        return max(1.0, count / costs.groups_at_once) * _cycles(costs, tile)

    return min(TILES, key=cost)


def _cycles(costs: Grid, tile: GroupTile) -> float:
    """Cycles for one step of the reduction in one group: it does some multiply-adds and reads shared memory once in a cycle, for
    all items that go together. What all of them read is read several at once.
    """
    of_item = max(
        tile.item_rows * tile.item_columns / costs.fmas_per_cycle,
        -(-tile.item_rows // costs.loads_together) + tile.item_columns,
    )
    fill = 2 * (tile.rows + tile.columns) / costs.items_together
    return tile.items / costs.items_together * of_item + fill + costs.wait_cycles / tile.depth


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """`result[…, row, column] = Σ left[…, row, k] * right[…, k, column]`.

    `depth` are the extents of the reduction, the innermost last. `left` and `right` read an element as it is, `write` stores a
    result. Where `left_along_k` (or `right_along_k`) elements that follow one another in memory follow one another in the
    reduction, otherwise in the rows (or columns). `rows_across`: results that follow one another in memory are in neighbouring
    rows, not columns.
    """

    batch: tuple[int, ...]
    rows: int
    columns: int
    depth: tuple[int, ...]
    dtype: DType
    left: Callable[[tuple[Expr, ...], Expr, tuple[Expr, ...]], Expr]
    right: Callable[[tuple[Expr, ...], tuple[Expr, ...], Expr], Expr]
    write: Callable[[tuple[Expr, ...], Expr, Expr, Expr], Sequence[Stmt]]
    left_along_k: bool
    right_along_k: bool
    rows_across: bool = False


def product_loops(costs: Grid, product: Product) -> tuple[Stmt, ...]:
    """The loops of a product: thin ones and others."""
    batch = math.prod(product.batch)
    if product.rows <= costs.few_rows_max:
        return _split_reduction(costs, product)
    return _tiled(product, choose_group_tile(costs, batch, product.rows, product.columns))


def _zero(dtype: DType) -> Const:
    return Const(0.0 if dtype.is_float else 0, dtype)


# ─── tiles ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _tiled(p: Product, tile: GroupTile) -> tuple[Stmt, ...]:
    *outer, inner = p.depth
    left = buffer("left", p.dtype, (tile.depth, tile.rows), (tile.rows + _BANK, 1))
    right = buffer("right", p.dtype, (tile.depth, tile.columns), (tile.columns + _BANK, 1))
    sums = buffer("sums", p.dtype, (tile.items, tile.item_rows, tile.item_columns))
    down, across = tile.rows // tile.item_rows, tile.columns // tile.item_columns
    zero = _zero(p.dtype)

    # Neighbouring items have neighbouring columns, and the same rows, which are read several at a time; or the other way round.
    def place(item: Expr) -> tuple[Expr, Expr]:
        """Where an item's first result is in the tile."""
        if p.rows_across:
            return item % down, item // down * tile.item_columns
        return item // across * tile.item_rows, item % across

    row_step, column_step = (down, 1) if p.rows_across else (1, across)

    def group(flat: Expr) -> Sequence[Stmt]:
        *index, row_tile, column_tile = split_index(
            flat, (*p.batch, -(-p.rows // tile.rows), -(-p.columns // tile.columns))
        )
        batch = tuple(index)
        first_row, first_column = row_tile * tile.rows, column_tile * tile.columns

        def fill(ks: tuple[Expr, ...], start: Expr) -> Sequence[Stmt]:
            def elements(
                item: Expr, extent: int, along_k: bool, put: Callable[[Expr, Expr], Sequence[Stmt]]
            ) -> Sequence[Stmt]:
                total = extent * tile.depth

                def put_element(step: Expr) -> Sequence[Stmt]:
                    flat = step * tile.items + item
                    k, at = (
                        (flat % tile.depth, flat // tile.depth)
                        if along_k
                        else (flat // extent, flat % extent)
                    )
                    stmts = put(k, at)
                    return (
                        stmts if total % tile.items == 0 else (If(compare("lt", flat, total), tuple(stmts)),)
                    )

                return loop("step", -(-total // tile.items), put_element)

            def put_left(k: Expr, at: Expr) -> Sequence[Stmt]:
                inside = both(below(first_row + at, p.rows, tile.rows), below(start + k, inner, tile.depth))
                return (
                    store(
                        left, (k, at), select(inside, p.left(batch, first_row + at, (*ks, start + k)), zero)
                    ),
                )

            def put_right(k: Expr, at: Expr) -> Sequence[Stmt]:
                inside = both(
                    below(first_column + at, p.columns, tile.columns), below(start + k, inner, tile.depth)
                )
                return (
                    store(
                        right,
                        (k, at),
                        select(inside, p.right(batch, (*ks, start + k), first_column + at), zero),
                    ),
                )

            return items(
                tile.items,
                lambda item: (
                    *elements(item, tile.rows, p.left_along_k, put_left),
                    *elements(item, tile.columns, p.right_along_k, put_right),
                ),
            )

        def add(item: Expr) -> Sequence[Stmt]:
            row, column = place(item)

            def step(k: Expr) -> Sequence[Stmt]:
                of_row = [Var(f"row{at}", p.dtype) for at in range(tile.item_rows)]
                of_column = [Var(f"column{at}", p.dtype) for at in range(tile.item_columns)]
                return (
                    *(Let(var, load(left, k, row + at * row_step)) for at, var in enumerate(of_row)),
                    *(
                        Let(var, load(right, k, column + at * column_step))
                        for at, var in enumerate(of_column)
                    ),
                    *(
                        store(sums, (item, r, c), Fma(of_row[r], of_column[c], load(sums, item, r, c)))
                        for r in range(tile.item_rows)
                        for c in range(tile.item_columns)
                    ),
                )

            return loop("k", tile.depth, step)

        def finish(item: Expr) -> Sequence[Stmt]:
            row, column = place(item)
            stmts: list[Stmt] = []
            for r in range(tile.item_rows):
                line: list[Stmt] = []
                for c in range(tile.item_columns):
                    at = (first_row + row + r * row_step, first_column + column + c * column_step)
                    written = p.write(batch, *at, load(sums, item, r, c))
                    line += where(below(at[1], p.columns, tile.columns), written)
                stmts += where(below(first_row + row + r * row_step, p.rows, tile.rows), line)
            return stmts

        def slices(ks: tuple[Expr, ...]) -> Sequence[Stmt]:
            return loop(
                "slice",
                -(-inner // tile.depth),
                lambda at: (*fill(ks, at * tile.depth), *items(tile.items, add)),
            )

        every = [(r, c) for r in range(tile.item_rows) for c in range(tile.item_columns)]
        return (
            Alloc(left, Space.SHARED),
            Alloc(right, Space.SHARED),
            Alloc(sums, Space.PER_ITEM),
            *items(tile.items, lambda item: [store(sums, (item, r, c), zero) for r, c in every]),
            *nest([f"k{axis}" for axis in range(len(outer))], outer, slices),
            *items(tile.items, finish),
        )

    count = math.prod(p.batch) * -(-p.rows // tile.rows) * -(-p.columns // tile.columns)
    return groups(count, group)


# ─── thin products ───────────────────────────────────────────────────────────────────────────────────────────────────


def _split_reduction(costs: Grid, p: Product) -> tuple[Stmt, ...]:
    """A group has some columns, of all rows, and its items share out the reduction."""
    depth = math.prod(p.depth)
    width = costs.few_rows_along_columns if p.right_along_k else costs.few_rows_across_columns
    while width > 1 and width >= 2 * p.columns:
        width //= 2
    # No more slices than there are elements to share out, so that none has nothing to do.
    slices = min(costs.few_rows_items // width, 1 << (depth - 1).bit_length())
    count = slices * width
    parts = buffer("parts", p.dtype, (slices, p.rows, width))
    sums = buffer("sums", p.dtype, (count, p.rows))

    def place(item: Expr) -> tuple[Expr, Expr]:
        """An item's slice and column."""
        return (item % slices, item // slices) if p.right_along_k else (item // width, item % width)

    def group(flat: Expr) -> Sequence[Stmt]:
        *index, block = split_index(flat, (*p.batch, -(-p.columns // width)))
        batch = tuple(index)

        def add(item: Expr) -> Sequence[Stmt]:
            part, at = place(item)
            column = block * width + at

            def step(number: Expr) -> Sequence[Stmt]:
                k = number * slices + part
                ks = split_index(k, p.depth)
                weight = Var("weight", p.dtype)
                body: tuple[Stmt, ...] = (
                    Let(weight, p.right(batch, ks, column)),
                    *(
                        store(
                            sums,
                            (item, row),
                            Fma(p.left(batch, Const(row, DType.INT64), ks), weight, load(sums, item, row)),
                        )
                        for row in range(p.rows)
                    ),
                )
                return where(below(k, depth, slices), body) if depth % slices else body

            walk = loop("step", -(-depth // slices), step)
            return (
                *(store(sums, (item, row), _zero(p.dtype)) for row in range(p.rows)),
                *where(below(column, p.columns, width), walk),
                *(store(parts, (part, row, at), load(sums, item, row)) for row in range(p.rows)),
            )

        def join(half: int) -> tuple[Stmt, ...]:
            def add_half(item: Expr) -> Sequence[Stmt]:
                part, at = item // width, item % width
                added = tuple(
                    store(
                        parts, (part, row, at), load(parts, part, row, at) + load(parts, part + half, row, at)
                    )
                    for row in range(p.rows)
                )
                return where(compare("lt", part, half), added)

            return items(count, add_half)

        def finish(item: Expr) -> Sequence[Stmt]:
            column = block * width + item
            written = [
                stmt
                for row in range(p.rows)
                for stmt in p.write(batch, Const(row, DType.INT64), column, load(parts, 0, row, item))
            ]
            inside = both(compare("lt", item, width), below(column, p.columns, width))
            return (If(inside, tuple(written)),)

        halves = []
        half = slices // 2
        while half:
            halves.append(half)
            half //= 2
        return (
            Alloc(parts, Space.SHARED),
            Alloc(sums, Space.PER_ITEM),
            *items(count, add),
            *(stmt for half in halves for stmt in join(half)),
            *items(count, finish),
        )

    return groups(math.prod(p.batch) * -(-p.columns // width), group)
