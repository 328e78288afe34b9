"""Matrix product with constant weights in registers that hold matrices (see `thirds`).

Rows are split into their parts once, for all columns. Weights stay in the file and in memory as they are, and a panel of columns
is split while the panel before it is multiplied: vectors have nothing to do then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.loops.define import Site, either
from ingot.loops.in_tiles import WORD
from ingot.loops.nest import collapse, loop, split_index
from ingot.loops.nodes import Expr, For, If, Let, LoopKind, Stmt, Var, both, buffer, compare, index, load, store
from ingot.ops.matrix_tile import SIDE, Factors, Steps, sum_then_write
from ingot.ops.register_tile import Tile, balanced, parts, step_cycles, tiles
from ingot.ops.thirds import PAIR, PARTS, PRODUCTS, are_finite, products, split_columns, split_row, splits
from ingot.tensor import DType, TensorType

_TILE = Tile(2 * SIDE, 2, SIDE)
# Tasks by the number of panels; each splits its first panel before it can multiply.
_SHARES = ((8, 4), (2, 2))
# Cycles of a product of tiles with what it loads, of splitting an element of the rows and of the weights, of a tile of results,
# and of a sum that is kept in memory between two chunks.
_PRODUCT_CYCLES, _ROW_CYCLES, _WEIGHT_CYCLES, _RESULT_CYCLES, _KEPT_CYCLES = 20.0, 0.8, 0.3, 60.0, 1.5
_WORTH = 0.9  # of the cycles in vectors


def suits_tiles(site: Site, a: TensorType, b: TensorType, output: TensorType) -> bool:
    """Whether the product can be made in tiles, and is to be."""
    array = site.constant(1)
    if not splits(site, output) or b.rank != 2 or not output.size or not b.size or array is None:
        return False
    rows, depth, columns = math.prod(a.shape[:-1]), a.shape[-1], b.shape[1]
    if rows < SIDE or columns < SIDE or depth < SIDE or not are_finite(array):
        return False
    best = next(iter(tiles(site.machine, DType.FLOAT32, rows, columns).values()))
    vectors = depth * step_cycles(rows, best.rows, columns, best.vectors, best.lanes)
    is_quicker = cycles(rows, depth, columns, site.machine.l2_bytes) <= _WORTH * vectors
    return site.choose("sums", either("tiles", "vectors", is_quicker))


def cycles(rows: int, depth: int, columns: int, cache: int) -> float:
    """What a product in tiles should need, with a second-level cache of so many bytes."""
    tiles_ = sum(-(-size // SIDE) * count for size, count in balanced(rows, _TILE.rows)) * -(-columns // _TILE.columns) * 2
    steps, each = _steps_of_chunks(rows, -(-depth // PAIR), cache)
    made = tiles_ * (steps.count * len(PRODUCTS) * _PRODUCT_CYCLES + _RESULT_CYCLES)
    kept = (steps.count // each - 1) * rows * columns * _KEPT_CYCLES
    return made + kept + depth * (_ROW_CYCLES * rows + _WEIGHT_CYCLES * columns)


@dataclass(frozen=True, slots=True)
class Block:
    """`count` blocks of `size` rows each, from a row and a number of a block on."""

    size: int
    count: int
    first_row: int
    first: int


def blocks_of(rows: int) -> Iterator[Block]:
    """Blocks of rows that tiles can hold the sums of."""
    row = number = 0
    for size, count in balanced(rows, _TILE.rows):
        yield Block(size, count, row, number)
        row, number = row + size * count, number + count


def build_matmul_tiles(site: Site, a: TensorType, b: TensorType) -> Sequence[Stmt]:
    """The statements of a product that `suits_tiles`."""
    return _Writer(site, a, b).statements()


class _Writer:
    """Writes the kernel. Where the parts of all rows do not stay in the second-level cache, the depth is cut into chunks."""

    def __init__(self, site: Site, a: TensorType, b: TensorType) -> None:
        (*lead, self.depth), self.columns = a.shape, b.shape[1]
        self.site, self.lead, self.rows = site, lead, math.prod(lead)
        self.steps, self.each = _steps_of_chunks(self.rows, -(-self.depth // PAIR), site.machine.l2_bytes)
        self.chunks = self.steps.count // self.each
        self.blocks = tuple(blocks_of(self.rows))
        self.number = sum(block.count for block in self.blocks)
        array = site.constant(1)
        assert array is not None
        self.packed = site.pack(1, pack_pairs_of_rows(array, _TILE.columns, self.steps))
        panels = self.packed.shape[0]
        self.shares = next((shares for least, shares in _SHARES if self.columns // _TILE.columns >= least), 1)
        height, words = self.blocks[0].size, self.steps.words
        # As many words are split beside a product.
        self.words = min(some for some in range(1, words + 1) if words % some == 0 and some * self.number >= words)
        # A block reads one piece of memory from end to end.
        self.left = site.workspace("rows", DType.INT32, (self.number, self.each, PARTS, height, words))
        self.right = site.workspace("weights", DType.INT32, (self.shares, 2, self.each, PARTS, words, _TILE.columns))
        self.kept = self.left
        if self.chunks > 1:
            self.kept = site.workspace("kept", DType.FLOAT32, (panels, self.number, height, _TILE.columns))

    def statements(self) -> Sequence[Stmt]:
        last = self.chunks - 1
        stmts = self._chunk(index(0), True, not last)
        stmts += loop("chunk", last - 1, lambda at: self._chunk(at + 1, False, False))
        return stmts + (self._chunk(index(last), False, True) if last else ())

    def _chunk(self, chunk: Expr, is_first: bool, is_last: bool) -> tuple[Stmt, ...]:
        """The products of all rows and panels along a part of the depth."""
        stmts: tuple[Stmt, ...] = ()
        for block in self.blocks:

            def rows(where: tuple[Expr, ...], block: Block = block) -> Sequence[Stmt]:
                return self._split_row(chunk, is_last, block, *where)

            stmts += collapse(f"split{block.size}", (block.count, block.size), rows)
        for first, count, valid in parts(self.columns, _TILE.columns):
            shares = min(self.shares, count)

            def share(
                part: Expr, shares: int = shares, first: int = first, count: int = count, valid: int = valid
            ) -> Sequence[Stmt]:
                some = _Share(part, chunk, Var("first"), Var("number"), Var("last"), valid, is_first, is_last)
                return self._share(some, part * count // shares + first, (part + 1) * count // shares + first)

            stmts += loop(f"part{valid}", shares, share, LoopKind.PARALLEL)
        return stmts

    def _split_row(self, chunk: Expr, is_last: bool, block: Block, at: Expr, row: Expr) -> Sequence[Stmt]:
        """The parts of one row."""
        source = split_index(at * block.size + row + block.first_row, self.lead)
        each = self.each * self.steps.words * PAIR
        depth = self.depth - each * (self.chunks - 1) if is_last else each

        def place(step: Expr, part: int, word: Expr) -> tuple[Expr, ...]:
            return at + block.first, step, index(part), row, word

        steps = Steps(self.each, self.steps.words)
        return split_row(self.left, place, steps, depth, lambda k: self.site.read(0, *source, chunk * each + k))

    def _share(self, some: _Share, begin: Expr, end: Expr) -> Sequence[Stmt]:
        """Some panels, one after the other."""

        def panel(_: Expr) -> Sequence[Stmt]:
            stmts: tuple[Stmt, ...] = ()
            for block in self.blocks:
                stmts += loop(f"m{block.size}", block.count, lambda at: self._block(some, block, at))  # noqa: B023
            return stmts

        def split(step: Expr) -> tuple[Stmt, ...]:
            return self._split_words(some, some.first, index(0), step, index(0), self.steps.words)

        return (
            Let(some.first, begin),
            Let(some.last, end),
            *loop("s", self.each, split),
            For(some.number, some.last - some.first, tuple(panel(some.number))),
        )

    def _split_words(self, some: _Share, panel: Expr, which: Expr, step: Expr, begin: Expr, words: int) -> tuple[Stmt, ...]:
        """Parts of some words of a step of a panel."""
        return split_columns(
            lambda one, word, column: (self.right, (some.part, which, step, index(one), begin + word, column)),
            words,
            _TILE.columns,
            lambda k, column: load(self.packed, panel, some.chunk * self.each + step, begin * PAIR + k, column),
        )

    def _block(self, some: _Share, block: Block, at: Expr) -> Sequence[Stmt]:
        """A block of the result, and beside it a piece of the next panel's parts."""
        panel, here, which = some.first + some.number, at + block.first, some.number % 2
        first_row = at * block.size + block.first_row

        def factors(row: Expr, word: Expr, column: Expr, names: Sequence[Expr]) -> Factors:
            (step,) = names
            return products(
                lambda one: load(self.left, here, step, one, row, word),
                lambda one: load(self.right, some.part, which, step, one, word, column),
            )

        def before(names: Sequence[Expr]) -> Sequence[Stmt]:
            (step,) = names
            # Weights are read from end to end, as processors look ahead.
            done, in_step = here * self.each + step, self.steps.words // self.words
            more = both(compare("lt", panel + 1, some.last), compare("lt", done, self.each * in_step))
            begin = done % in_step * self.words
            return (If(more, self._split_words(some, panel + 1, 1 - which, done // in_step, begin, self.words)),)

        def write(row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
            kept = (panel, here, row, column)
            total = value if some.is_first else value + load(self.kept, *kept)
            if not some.is_last:
                return (store(self.kept, kept, total),)
            where = (*split_index(first_row + row, self.lead), panel * _TILE.columns + column)
            return self.site.write(0, where, total)

        sums = buffer("sums", DType.FLOAT32, (block.size, _TILE.columns))
        columns = some.valid if some.is_last else _TILE.columns
        return sum_then_write(sums, _TILE, self.steps.words, (self.each,), factors, write, columns, None, before)


@dataclass(frozen=True, slots=True)
class _Share:
    """What a task does: the products of the panels from `first` up to `last` along a chunk; it is at the one `number` behind the
    first. `valid` columns of each are stored.
    """

    part: Expr
    chunk: Expr
    first: Var
    number: Var
    last: Var
    valid: int
    is_first: bool
    is_last: bool


def _steps_of_chunks(rows: int, words: int, cache: int) -> tuple[Steps, int]:
    """The steps of so many words, and those of a chunk: as few chunks as leave each step nearly whole."""
    chunks = max(1, min(-(-rows * words * PARTS * WORD // (cache // 4)), -(-words // SIDE)))
    each = -(-words // (SIDE * chunks))
    in_step = -(-words // (each * chunks))
    return Steps(-(-words // (each * in_step)) * each, in_step), each


def pack_pairs_of_rows(array: np.ndarray, width: int, steps: Steps) -> np.ndarray:
    """`[K, N]` → `[panel, step, row, column]`, filled with zeros to whole panels and steps."""
    depth, columns = array.shape
    panels, each = -(-columns // width), steps.words * PAIR
    padded = np.zeros((steps.count * each, panels * width), array.dtype)
    padded[:depth, :columns] = array
    return np.ascontiguousarray(padded.reshape(steps.count, each, panels, width).transpose(2, 0, 1, 3))
