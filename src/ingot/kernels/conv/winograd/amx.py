"""Winograd's products in registers that hold matrices (see `blocks/bf16x3`).

A block of tiles goes matrix by matrix: transformed inputs are written as words of their parts, and each panel of transformed
weights is split into parts while the panel before it is multiplied. So weights are read from memory once for a block, and of its
inputs, which do not stay in the second-level cache either, one matrix is in use.

A word holds channels that are `SIDE` apart, as transforms make them: weights lie in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.amx_tile import SIDE, Factors, between_products, piece_of, sum_then_write
from ingot.kernels.blocks.bf16x3 import PAIR, PARTS, PRODUCTS, products, split_columns, words_of
from ingot.kernels.blocks.register_block import balanced, parts
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.winograd.kernel import Pieces, Plan
from ingot.kernels.conv.winograd.matrices import TAPS
from ingot.kernels.conv.winograd.parts import pack_taps, spread
from ingot.kernels.template import Arranged, Site
from ingot.loops.build.nest import collapse, loop, loop_by_ranges, places
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Expr,
    If,
    Let,
    Prefetch,
    Stmt,
    Var,
    both,
    buffer,
    compare,
    index,
    load,
    minimum,
    store,
)

CHANNELS = PAIR * SIDE  # of a step


def block_of(tiles: int, maximum: int) -> int:
    """How many tiles to take at a time, up to a maximum."""
    return -(-tiles // -(-tiles // maximum))


class TilesWriter(Pieces):
    """Writes the kernel."""

    def __init__(self, site: Site, spec: ConvSpec, plan: Plan) -> None:
        super().__init__(site, spec, plan, SIDE)
        self.depth = self.channels // CHANNELS  # steps of a sum
        self.sizes = balanced(self.tiles, plan.group)
        largest = self.sizes[0][0]
        self.height = -(-largest // -(-largest // plan.tile.rows))  # rows of a block of sums
        n2, down = self.matrix_count, -(-largest // self.height)
        self.pieces = n2 * self.panels  # a matrix and a panel each
        kept = places(self.pieces, site.machine)
        self.factors = self.workspace("factors", self.panels, n2, spread(self.channels), self.columns)
        self.left = site.workspace(
            "inputs", DType.INT32, (n2, spread(down * self.depth), PARTS, self.height, SIDE)
        )
        self.right = site.workspace("parts", DType.INT32, (kept, 2, self.depth, PARTS, SIDE, self.columns))
        self.kept = self.workspace("products", self.panels, n2, spread(down * self.height), self.columns)

    def packing(self) -> Arranged:
        columns, per_step = self.columns, self.per_step

        def pack(array: np.ndarray) -> np.ndarray:
            filters, channels = array.shape[:2]
            halves = array.reshape(filters, channels // CHANNELS, PAIR, SIDE, TAPS, TAPS).swapaxes(2, 3)
            return pack_taps(halves.reshape(array.shape), columns, per_step)

        return pack

    def statements(self) -> Sequence[Stmt]:
        def weights(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            panel, channel = where
            return self.transform_weights(
                panel, channel, self.factors, lambda at, lane: (panel, at, channel, lane)
            )

        stmts, start = collapse("weight", (self.panels, self.channels), weights), 0
        for size, count in self.sizes:

            def block(number: Expr, size: int = size, start: int = start) -> Sequence[Stmt]:
                return self._block(number * size + start, size)

            stmts += loop(f"block{size}", count, block)
            start += size * count
        return stmts

    def _block(self, first: Expr, size: int) -> Sequence[Stmt]:
        """`size` tiles of outputs, from the `first` on."""
        stmts = collapse("tile", (size, self.depth), lambda where: self._split_input(first, *where))
        down = -(-size // self.height)
        stmts += loop_by_ranges(
            "part",
            self.pieces,
            self.site.machine,
            lambda place, begin, end: self._products(place, begin, end, down),
        )
        for begin, panels, width in parts(self.filters, self.columns):

            def outputs(where: tuple[Expr, ...], begin: int = begin, width: int = width) -> Sequence[Stmt]:
                panel, tile = where[0] + begin, where[1]
                return self.transform_outputs(
                    first + tile, 1, panel, width, lambda at, _, lane: load(self.kept, panel, at, tile, lane)
                )

            stmts += collapse(f"out{width}", (panels, size), outputs)
        return stmts

    def _split_input(self, first: Expr, tile: Expr, step: Expr) -> Sequence[Stmt]:
        """The parts of the transformed input of a tile, for the channels of a step."""
        lows = buffer("lows", DType.FLOAT32, (self.matrix_count, SIDE))
        block, row = tile // self.height, tile % self.height

        def keep_low(at: int, lane: Expr, value: Expr) -> Sequence[Stmt]:
            return (store(lows, (index(at), lane), value),)

        def keep_words(at: int, lane: Expr, high: Expr) -> Sequence[Stmt]:
            low = Var(f"low{at}", DType.FLOAT32)
            words = enumerate(words_of(low, high))
            where = block * self.depth + step
            stores = [
                store(self.left, (index(at), where, index(part), row, lane), word) for part, word in words
            ]
            return (Let(low, load(lows, index(at), lane)), *stores)

        return (
            Alloc(lows),
            *self.transform_input(first + tile, step * PAIR, keep_low),
            *self.transform_input(first + tile, step * PAIR + 1, keep_words),
        )

    def _products(self, place: Expr, begin: Expr, end: Expr, down: int) -> Sequence[Stmt]:
        """The products of some pieces, with `down` blocks of rows each."""
        first, count = Var("first"), Var("count")

        def piece(number: Expr) -> Sequence[Stmt]:
            some = _Piece(
                place,
                Var("matrix"),
                Var("panel"),
                Var("which"),
                first + number + 1,
                compare("lt", number + 1, count),
            )
            return (
                Let(some.matrix, (first + number) // self.panels),
                Let(some.panel, (first + number) % self.panels),
                Let(some.which, number % 2),
                *loop("down", down, lambda block: self._product(some, block, down)),
            )

        alone = loop(
            "alone",
            self.depth,
            lambda step: self._split_weights(place, first, index(0), step, index(0), SIDE),
        )
        return (Let(first, begin), Let(count, end - begin), *alone, *loop("piece", count, piece))

    def _split_weights(
        self, kept: Expr, piece: Expr, which: Expr, step: Expr, begin: Expr, words: int
    ) -> tuple[Stmt, ...]:
        """Parts of some words of a step of a panel of a matrix."""

        def place(part: int, word: Expr, column: Expr) -> tuple[Buffer, tuple[Expr, ...]]:
            return self.right, (kept, which, step, index(part), begin + word, column)

        def element(k: Expr, column: Expr) -> Expr:
            return load(
                self.factors,
                piece % self.panels,
                piece // self.panels,
                step * CHANNELS + begin * PAIR + k,
                column,
            )

        return split_columns(place, words, self.columns, element)

    def _product(self, piece: _Piece, block: Expr, down: int) -> Sequence[Stmt]:
        """A block of rows of one matrix with one panel, interleaved with splitting some of the next panel."""
        some = piece_of(SIDE, down)  # words that are split within a step

        def factors(row: Expr, word: Expr, column: Expr, names: Sequence[Expr]) -> Factors:
            (step,) = names
            return products(
                lambda part: load(self.left, piece.matrix, block * self.depth + step, index(part), row, word),
                lambda part: load(self.right, piece.place, piece.which, step, index(part), word, column),
            )

        def interleaved(names: Sequence[Expr]) -> Sequence[Sequence[Stmt]]:
            done, in_step = block * self.depth + names[0], SIDE // some
            wanted = both(piece.more, compare("lt", done, self.depth * in_step))
            begin = done % in_step * some

            def split(first: int, count: int) -> Sequence[Stmt]:
                where = 1 - piece.which, done // in_step, begin + first
                return (If(wanted, self._split_weights(piece.place, piece.next, *where, count)),)

            first, *others = between_products(some, len(PRODUCTS), split)
            return (
                (*first, *(self._fetch(piece, done, down) if self.site.machine.prefetch else ())),
                *others,
            )

        def write(row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
            return (store(self.kept, (piece.panel, piece.matrix, block * self.height + row, column), value),)

        sums = buffer("sums", DType.FLOAT32, (self.height, self.columns))
        return sum_then_write(
            sums, self.plan.tile, SIDE, (self.depth,), factors, write, self.columns, None, interleaved
        )

    def _fetch(self, piece: _Piece, done: Expr, down: int) -> Sequence[Stmt]:
        """Asks for a part of the weights of the piece behind the next one, and of the inputs of the next matrix."""
        last = self.matrix_count - 1
        weights = minimum(piece.next + 1, self.matrix_count * self.panels - 1)
        rows = -(-CHANNELS // down)
        stmts: list[Stmt] = []
        for at in range(rows):
            row = minimum(done * rows + at, self.channels - 1)
            for column in range(0, self.columns, SIDE):
                stmts.append(
                    Prefetch(
                        self.factors, (weights % self.panels, weights // self.panels, row, index(column))
                    )
                )
        rows = -(-self.height // self.panels)
        for part in range(PARTS):
            for at in range(rows):
                row = minimum(piece.panel * rows + at, self.height - 1)
                stmts.append(
                    Prefetch(self.left, (minimum(piece.matrix + 1, last), done, index(part), row, index(0)))
                )
        return stmts


@dataclass(frozen=True, slots=True)
class _Piece:
    """One matrix and one panel. `which` of two rooms in a `place` has the parts of its weights; into the other one come those of
    the `next` piece meanwhile, if there is `more` to do.
    """

    place: Expr
    matrix: Var
    panel: Var
    which: Var
    next: Expr
    more: Expr
