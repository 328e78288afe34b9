"""The kernel of a pairwise inner product (see `matmul/pairwise`).

A register block is one vector of columns by some rows. Each element of the left operand is used in one instruction, which takes
it from memory by itself; shared by two vectors of columns it would be loaded by an instruction of its own, and on a Zen 4 that
takes a place from the sums: with two vectors the loop took 1.7 times as long.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.prefetch import PanelPrefetch, Share
from ingot.kernels.blocks.register_block import parts, row_pitch, row_tiles
from ingot.kernels.matmul.pairwise.product import (
    Product,
    largest_scale_bits,
    negated,
    paired,
    row_tile_of,
    scaled,
    scales,
)
from ingot.kernels.matmul.pairwise.rows import Rows
from ingot.kernels.template import Site, either
from ingot.loops.build.builder import with_body
from ingot.loops.build.nest import add, loop, loop_by_ranges, places, side_by_side, vector, vector_blocks
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Expr,
    Fma,
    For,
    If,
    LoopKind,
    Operand,
    Stmt,
    Var,
    buffer,
    cast,
    compare,
    index,
    load,
    minimum,
    store,
)

_F32 = DType.FLOAT32
_ROWS_BY_DEFINITION = 2  # that are multiplied together, if one of them is to be: they share what they load
_LINES_MAX = 4  # of weights that a step prefetches: it reads three, and a panel has two more
_BEGIN, _SCALE, _TERMS = (
    0,
    1,
    2,
)  # rows of a panel: what sums begin with, what results are multiplied by, and the terms


@dataclass(frozen=True, slots=True)
class Panels:
    """`count` panels of `width` columns from `first` on, of which `valid` are stored; their weights begin at `start`."""

    first: int
    count: int
    width: int
    valid: int
    start: int


@dataclass(frozen=True, slots=True)
class _TileOfRows:
    """Its `first` row, and how many of its rows are `done` by the tile before."""

    first: Expr
    done: Expr


def build_inner_product(site: Site, product: Product, position: int = 1) -> Sequence[Stmt]:
    """The statements of a product; its weights are input `position`."""
    return _Writer(site, product, position).statements()


_Write = Callable[[Expr, Expr, Expr], Sequence[Stmt]]  # row of the tile, column of the panel, sum
_Element = Callable[[Expr, Expr], Expr]


class _Writer:
    """Writes the kernel: for each tile of rows all panels of weights, or for each panel all tiles of a block, copied before."""

    def __init__(self, site: Site, product: Product, position: int) -> None:
        self.site, self.product = site, product
        self.pairs = paired(product.depth)
        self.lanes = site.machine.lanes(_F32)
        self.height = product.depth + _TERMS
        self.panels = panels_of(product.columns, self.lanes, self.height)
        matrix, panels, lanes = product.matrix, self.panels, self.lanes
        self.weights = site.arrange(position, lambda weights: pack_pairs(matrix(weights), panels, lanes))
        self.late = site.has_long_epilogue
        # Panels whose results go through a function together.
        self._together = site.machine.tuning.pairwise.late_panels if self.late else 1
        self.size = row_tile_of(site.machine, product.rows)
        self.tiles = -(-product.rows // self.size)
        self.rows_outside = site.choose("outer", either("rows", "panels", self._rows_outside()))
        # Copied rows stay in the second-level cache, beside the panels that pass.
        tile_bytes = self.size * row_pitch(product.depth, _F32) * _F32.size_bytes
        fitting = int(site.machine.l2_bytes * site.machine.tuning.pairwise.copied_share) // tile_bytes
        self.blocks = -(-self.tiles // max(1, fitting))
        self.in_block = -(-self.tiles // self.blocks)
        kept = places(self.tiles, site.machine) if self.rows_outside else self.in_block
        scale_bits = site.ask(position, lambda weights: largest_scale_bits(matrix(weights)))
        self.rows = Rows(site, product, kept, self.size, scale_bits)

    def _rows_outside(self) -> bool:
        """Whether weights stay in the second-level cache for all tiles of rows; more of them if copies of all rows would not."""
        size_bytes = self.weights.type.size * _F32.size_bytes
        copied_bytes = self.product.rows * self.product.depth * _F32.size_bytes
        cache, tuning = self.site.machine.l2_bytes, self.site.machine.tuning.pairwise
        is_large = copied_bytes > cache // 2
        maximum = cache * 3 // 4 if is_large else min(cache // 2, tuning.reread_max_bytes)
        return size_bytes <= maximum and self.tiles >= tuning.reread_min_blocks

    def statements(self) -> Sequence[Stmt]:
        if not self.rows_outside:
            return loop("block", self.blocks, self._block)

        def some(place: Expr, first: Expr, last: Expr) -> Sequence[Stmt]:
            number = Var("number")
            each = self._all_panels(place, self._tile_of_rows(number + first))
            return (For(number, last - first, each, LoopKind.SERIAL),)

        return loop_by_ranges("place", self.tiles, self.site.machine, some)

    def _block(self, block: Expr) -> tuple[Stmt, ...]:
        """Some tiles of rows, copied, with all panels."""
        per = self.in_block
        first = block * per
        count: Expr = index(per) if self.tiles % per == 0 else minimum(self.tiles - first, per)

        def copied(at: Expr) -> tuple[Stmt, ...]:
            rows = self._tile_of_rows(first + at)
            stmts = self.rows.fill(at, rows.first, rows.done)
            return stmts if self.tiles % per == 0 else (If(compare("lt", at, count), stmts),)

        stmts = loop("tile", per, copied, LoopKind.PARALLEL)
        few = sum(panels.count for panels in self.panels) < self.site.machine.tuning.threads.tasks
        for panels, begin, groups, together in self._groups():

            def some(
                _place: Expr,
                start: Expr,
                last: Expr,
                panels: Panels = panels,
                begin: int = begin,
                together: int = together,
            ) -> Sequence[Stmt]:
                number, tile = Var("number"), Var("tile")

                def tile_at(group: Expr, at: Expr) -> tuple[Stmt, ...]:
                    return self._group(panels, group + begin, together, at, self._tile_of_rows(first + at))

                if few:
                    at = (number + start) % per
                    stmts = tile_at((number + start) // per, at)
                    each: Sequence[Stmt] = (
                        stmts if self.tiles % per == 0 else (If(compare("lt", at, count), stmts),)
                    )
                else:
                    each = (For(tile, count, tile_at(number + start, tile), LoopKind.SERIAL),)
                return (*self.rows.asked(), For(number, last - start, tuple(each), LoopKind.SERIAL))

            many = groups * per if few else groups
            stmts += loop_by_ranges(f"panel{panels.width}x{together}", many, self.site.machine, some)
        return stmts

    # ─── which tiles, and which panels ─────────────────────────────────────────────────────────────────────────────

    def _tile_of_rows(self, number: Expr) -> _TileOfRows:
        """The tile of that number. The last one begins early enough to be whole."""
        if self.product.rows % self.size == 0:
            return _TileOfRows(number * self.size, index(0))
        first = minimum(number * self.size, self.product.rows - self.size)
        return _TileOfRows(first, number * self.size - first)

    def _groups(self) -> list[tuple[Panels, int, int, int]]:
        """Panels whose results are written together: the panels, the first group, the number of groups, and of panels in each."""
        many = self._together
        return [(panels, *group) for panels in self.panels for group in parts(panels.count, many)]

    def _all_panels(self, place: Expr, tile: _TileOfRows) -> tuple[Stmt, ...]:
        """One tile of rows, copied, with all panels."""
        stmts = self.rows.fill(place, tile.first, tile.done)
        for panels, first, count, together in self._groups():
            stmts += loop(
                f"panel{panels.width}x{together}",
                count,
                lambda at, panels=panels, first=first, together=together: self._group(  # type: ignore[misc]
                    panels, at + first, together, place, tile
                ),
            )
        return stmts

    def _group(
        self, panels: Panels, group: Expr, together: int, place: Expr, tile: _TileOfRows
    ) -> tuple[Stmt, ...]:
        """Some panels with one tile of rows. What goes through a function does so for all of them side by side."""
        width, write = panels.width, self.product.write
        panel = group * self._together
        row, column = tile.first, panel * width + panels.first
        if not self.late:
            return self._tile(
                panels, panel, place, panels.valid, lambda r, c, value: write(row + r, column + c, value)
            )
        stage = buffer("stage", _F32, (self.size, together * width))

        def staged(number: Expr) -> tuple[Stmt, ...]:
            def keep(r: Expr, c: Expr, value: Expr) -> Sequence[Stmt]:
                return (store(stage, (r, c + number * width), value),)

            return self._tile(panels, panel + number, place, width, keep)

        valid = (together - 1) * width + panels.valid

        def finished(at: Expr) -> tuple[Stmt, ...]:
            r = at + tile.done
            return vector_blocks(
                "lane",
                valid,
                side_by_side(self.lanes),
                lambda c: write(row + r, column + c, load(stage, r, c)),
            )

        stmts = (
            Alloc(stage),
            *loop("beside", together, staged),
            *loop("row", self.size - tile.done, finished),
        )
        return (For(Var("group"), index(1), stmts, LoopKind.SERIAL),)

    # ─── one register block ─────────────────────────────────────────────────────────────────────────────────────────

    def _tile(self, panels: Panels, panel: Expr, place: Expr, valid: int, write: _Write) -> tuple[Stmt, ...]:
        width, rows, size = panels.width, self.rows, self.size
        base = panel * (self.height * width) + panels.start

        def weight(step: Expr, lane: Expr) -> Expr:
            return load(self.weights, base + step * width + lane)

        def finish(r: Expr, c: Expr, total: Expr) -> Sequence[Stmt]:
            return write(r, c, total * (rows.scale(place, r) * weight(index(_SCALE), c)))

        def prefetching(name: str, steps: int, body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            """The loop through pairs, which prefetches the next panel meanwhile."""
            if self.rows_outside or not self.site.machine.prefetch:
                return loop(name, steps, body)
            prefetch = PanelPrefetch(
                self.site.machine.tuning.prefetch,
                self.weights,
                self.height * self.lanes,
                self.in_block * size,
            )
            share = Share(panel, place * size, size)
            return with_body(
                lambda k: prefetch.loop(k, name, steps, share, _LINES_MAX, written_out=False), body
            )

        def sums(count: int, first: Expr, wanted: _Wanted | None = None) -> _Sums:
            return _Sums(
                count, width, valid, weight, lambda r, k: rows.x(place, first + r, k),
                lambda r, c, total: finish(first + r, c, total), wanted, self.lanes,
            )  # fmt: skip

        def some(first: Expr, count: int) -> Sequence[Stmt]:
            number = functools.reduce(
                add, (cast(rows.is_odd(place, first + row), DType.INT64) for row in range(count))
            )
            wanted = _Wanted(compare("eq", number, count), lambda r: rows.is_odd(place, first + r))
            return (
                If(
                    compare("gt", number, 0),
                    sums(count, first, wanted).by_definition(self.product.depth, self.pairs),
                ),
            )

        others = rows.others(place)
        # What goes to a stage is overwritten there.
        even = None if self.late else _Wanted(compare("eq", others, 0), lambda r: rows.is_even(place, r))
        in_pairs = sums(size, index(0), even).in_pairs(
            self.product.depth, self.pairs, lambda r: rows.begin(place, r), prefetching
        )
        return (
            If(compare("lt", others, size), in_pairs),
            If(compare("gt", others, 0), row_tiles("some", size, _ROWS_BY_DEFINITION, some)),
        )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Whether every row is to be written, or else which."""

    every: Expr
    row: Callable[[Expr], Expr]


@dataclass(frozen=True, slots=True)
class _Sums:
    """The sums of a register block of `rows` rows by `width` columns: `weight(row of the panel, column)` by `x(row, term)`."""

    rows: int
    width: int
    valid: int
    weight: _Element
    x: _Element
    write: _Write
    wanted: _Wanted | None  # which rows are written; all are if there is none
    lanes: int

    def in_pairs(
        self, depth: int, pairs: int, begin: Callable[[Expr], Expr],
        prefetching: Callable[[str, int, Callable[[Expr], Sequence[Stmt]]], tuple[Stmt, ...]],
    ) -> tuple[Stmt, ...]:  # fmt: skip
        """Two terms by one product, and one by itself, in each step; then the single terms that are left."""
        sums = self._sums()

        def three(j: Expr) -> tuple[Stmt, ...]:
            def each(r: Expr, c: Expr) -> Sequence[Stmt]:
                second, first, single = (self.weight(j * 3 + (at + _TERMS), c) for at in range(3))
                return (
                    *_added(sums, (r, c), self.x(r, j) + first, self.x(r, j + pairs) + second),
                    *_added(sums, (r, c), self.x(r, j + 2 * pairs), single),
                )

            return self._each(each)

        started = self._each(lambda r, c: (store(sums, (r, c), self.weight(index(_BEGIN), c) + begin(r)),))
        return self._block(
            sums, started, (*prefetching("three", pairs, three), *self._single(sums, depth, 3 * pairs))
        )

    def by_definition(self, depth: int, pairs: int) -> tuple[Stmt, ...]:
        """Term by term, in three sums, so that no multiply-add waits for the one before. Where signs are negated, both factors
        are negative.
        """
        sums, others = self._sums(), buffer("others", _F32, (2, self.rows, self.width))

        def three(j: Expr) -> tuple[Stmt, ...]:
            def each(r: Expr, c: Expr) -> Sequence[Stmt]:
                first, *more = (
                    (self.x(r, j + at * pairs), self.weight(j * 3 + (at + _TERMS), c)) for at in range(3)
                )
                added = [
                    stmt for at, factors in enumerate(more) for stmt in _added(others, (at, r, c), *factors)
                ]
                return (*_added(sums, (r, c), *first), *added)

            return self._each(each)

        def zero(r: Expr, c: Expr) -> Sequence[Stmt]:
            return (store(sums, (r, c), 0.0), *(store(others, (at, r, c), 0.0) for at in range(2)))

        def join(r: Expr, c: Expr) -> Sequence[Stmt]:
            return (store(sums, (r, c), load(sums, r, c) + (load(others, 0, r, c) + load(others, 1, r, c))),)

        summed = (*loop("three", pairs, three), *self._each(join), *self._single(sums, depth, 3 * pairs))
        return (Alloc(others), *self._block(sums, self._each(zero), summed))

    def _single(self, sums: Buffer, depth: int, first: int) -> tuple[Stmt, ...]:
        """Terms from `first` on, one by one."""

        def add_term(k: Expr) -> tuple[Stmt, ...]:
            return self._each(
                lambda r, c: _added(sums, (r, c), self.x(r, k + first), self.weight(k + (first + _TERMS), c))
            )

        return loop("one", depth - first, add_term)

    def _sums(self) -> Buffer:
        return buffer("sums", _F32, (self.rows, self.width))

    def _each(self, body: Callable[[Expr, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """A vector for each row."""
        stmts: tuple[Stmt, ...] = ()
        for row in range(self.rows):
            stmts += vector("lane", self.width, lambda c, row=row: body(index(row), c))  # type: ignore[misc]
        return stmts

    def _block(self, sums: Buffer, started: Sequence[Stmt], summed: Sequence[Stmt]) -> tuple[Stmt, ...]:
        def written(row: int) -> tuple[Stmt, ...]:
            return vector_blocks(
                "lane", self.valid, self.lanes, lambda c: self.write(index(row), c, load(sums, row, c))
            )

        every = tuple(stmt for row in range(self.rows) for stmt in written(row))
        if self.wanted is not None:
            some = tuple(If(self.wanted.row(index(row)), written(row)) for row in range(self.rows))
            every = (If(self.wanted.every, every, some),)
        return (For(Var("sum"), index(1), (Alloc(sums), *started, *summed, *every), LoopKind.SERIAL),)


def _added(sums: Buffer, where: tuple[Operand, ...], left: Expr, right: Expr) -> tuple[Stmt, ...]:
    return (store(sums, where, Fma(left, right, load(sums, *where))),)


def panels_of(columns: int, lanes: int, height: int) -> tuple[Panels, ...]:
    """Panels of a vector each, and what is left in one of a vector, a half or a quarter of it."""
    full, rest = divmod(columns, lanes)
    panels = [Panels(0, full, lanes, lanes, 0)] if full else []
    if rest:
        width = next(size for size in (lanes // 4, lanes // 2, lanes) if size >= rest)
        panels.append(Panels(full * lanes, 1, width, rest, full * lanes * height))
    return tuple(panels)


def pack_pairs(weights: np.ndarray, panels: Sequence[Panels], lanes: int) -> np.ndarray:
    """`[K, N]` → all panels one behind the other, each `[K + 2, width]`, filled with zeros to whole panels.

    Terms are in the order in which they are used: the two of a pair and a single one, then the single ones that are left.
    """
    depth, columns = weights.shape
    pairs = paired(depth)
    values = scaled(weights)
    first, second, single = (values[number * pairs : (number + 1) * pairs] for number in range(3))
    first = np.where(negated(pairs, lanes)[:, None], -first, first)
    begin = -np.einsum("kn,kn->n", first, second, dtype=np.float64).astype(np.float32)
    three = np.stack([first, second, single], 1).reshape(3 * pairs, columns)
    rows = np.concatenate([begin[None], scales(weights)[None], three, values[3 * pairs :]])
    packed = []
    for each in panels:
        filled = np.zeros((depth + _TERMS, each.count * each.width), np.float32)
        stored = (each.count - 1) * each.width + each.valid
        filled[:, :stored] = rows[:, each.first : each.first + stored]
        packed.append(filled.reshape(depth + _TERMS, each.count, each.width).transpose(1, 0, 2).ravel())
    return np.concatenate(packed)
