"""Matrix product with constant weights in registers that hold matrices (see `blocks/bf16x3`).

Rows are split into their parts once, for all columns. Weights stay in the file and in memory as they are, and a panel of columns
is split while the panel before it is multiplied: vectors have nothing to do then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.algorithm import Algorithm, Estimate, why_not
from ingot.kernels.blocks.amx_tile import SIDE, Factors, Steps, between_products, piece_of, sum_then_write
from ingot.kernels.blocks.bf16x3 import (
    PAIR,
    PARTS,
    PRODUCTS,
    TILE,
    are_finite,
    products,
    split_columns,
    split_row,
    why_not_split,
)
from ingot.kernels.blocks.register_block import balanced, parts, step_cycles, tiles
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.template import Home, Site
from ingot.loops.analyse.amx_sums import WORD
from ingot.loops.build.nest import collapse, loop, loop_by_ranges, places, split_index
from ingot.loops.nodes import Expr, For, If, Let, Stmt, Var, both, buffer, compare, index, load, store
from ingot.machines.machine import Machine


def _sizes(problem: MatMul) -> tuple[int, int, int]:
    """Rows, depth and columns of a product with one right operand: rows of a batch are rows like any."""
    return math.prod(problem.a.shape[:-1]), problem.a.shape[-1], problem.b.shape[1]


def _refuses(site: Site, problem: MatMul) -> str:
    b = problem.b
    return (
        why_not_split(site, problem.output)
        or why_not(
            (
                not site.is_constant(1) or b.rank != 2,
                "the right operand is no matrix that is known while building",
            ),
            (not problem.output.size or not b.size, "there is nothing to compute"),
        )
        or why_not(
            (min(_sizes(problem)) < SIDE, f"rows, terms or columns are fewer than {SIDE}, the side of a tile")
        )
    )


def _refuses_values(site: Site, _: MatMul) -> str:
    return why_not((not site.ask(1, are_finite), "some weights are not finite"))


def _estimate(site: Site, problem: MatMul) -> Estimate:
    rows, depth, columns = _sizes(problem)
    best = next(iter(tiles(site.machine, DType.FLOAT32, rows, columns).values()))
    vectors = depth * step_cycles(site.machine, rows, best.rows, columns, best.vectors, best.lanes)
    amx_cycles = cycles(site, rows, depth, columns)
    return Estimate(
        amx_cycles <= site.machine.tuning.amx.matmul_worth * vectors, cycles=amx_cycles, instead=vectors
    )


def cycles(site: Site, rows: int, depth: int, columns: int) -> float:
    """What a product in tiles should need."""
    costs = site.machine.tuning.amx
    cut = _cut(site.machine, rows, depth, columns)
    strips = sum(count for _, count in cut.strips)
    down = sum(
        -(-size // SIDE) * many * count
        for some, count in cut.strips
        for size, many in balanced(some, TILE.rows)
    )
    tiles_ = down * -(-columns // TILE.columns) * TILE.vectors
    product_cycles = tiles_ * (
        cut.steps.count * len(PRODUCTS) * costs.matmul_product_cycles + costs.matmul_result_cycles
    )
    kept = (cut.chunks - 1) * rows * columns * costs.matmul_kept_cycles
    panels = 1 + (columns % TILE.columns != 0)  # that are split alone by one thread
    alone = costs.matmul_alone_cycles * panels * TILE.columns * cut.each * cut.steps.words * PAIR
    far = costs.matmul_far_cycles * depth * columns if site.home is Home.MEMORY else 0.0
    split = strips * (depth * costs.matmul_weight_cycles * columns + alone)
    return product_cycles + kept + far + depth * costs.matmul_row_cycles * rows + split


@dataclass(frozen=True, slots=True)
class Cut:
    """How a product is cut: strips of rows (size, count), and chunks of so many steps each."""

    strips: tuple[tuple[int, int], ...]
    steps: Steps
    each: int

    @property
    def chunks(self) -> int:
        return self.steps.count // self.each


def _cut(machine: Machine, rows: int, depth: int, columns: int) -> Cut:
    """As few strips and chunks as let the parts of rows and of panels stay in a cache, and no step less than nearly whole."""
    words, tuning = -(-depth // PAIR), machine.tuning.amx
    row_bytes, room = words * PARTS * WORD, max(1, machine.l2_bytes // tuning.l2_share)
    strips = balanced(rows, max(tuning.strip_min_rows, room // row_bytes))
    near = min(tuning.near_tasks, max(1, columns // TILE.columns))
    used = max(strips[0][0], near * 2 * TILE.columns) * row_bytes
    steps_max = -(-words // SIDE)
    fewest = min(-(-used // room), steps_max)

    def cut(chunks: int) -> Cut:
        each = -(-words // (SIDE * chunks))
        in_step = -(-words // (each * chunks))
        return Cut(strips, Steps(-(-words // (each * in_step)) * each, in_step), each)

    # One or two more chunks may leave fewer steps empty.
    return min(
        map(cut, range(fewest, min(fewest + 2, steps_max) + 1)),
        key=lambda option: option.steps.count * option.steps.words,
    )


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
    for size, count in balanced(rows, TILE.rows):
        yield Block(size, count, row, number)
        row, number = row + size * count, number + count


def _build(site: Site, problem: MatMul) -> Sequence[Stmt]:
    lead = problem.a.shape[:-1]
    array = site.constant(1)
    assert array is not None

    def read(row: Expr, k: Expr) -> Expr:
        return site.read(0, *split_index(row, lead), k)

    def write(row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
        return site.write(0, (*split_index(row, lead), column), value)

    return build_product(site, Product(math.prod(lead), read, array, write))


AMX = Algorithm("amx", _build, _refuses, _refuses_values, _estimate)


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """A matrix product: elements of the left operand by row and step of the sum, the right one `[K, N]`, which is input 1 of its
    template, and how a result is stored by row and column.
    """

    rows: int
    read: Callable[[Expr, Expr], Expr]
    right: np.ndarray
    write: Callable[[Expr, Expr, Expr], Sequence[Stmt]]


def build_product(site: Site, product: Product) -> Sequence[Stmt]:
    """The statements of a product."""
    return _Writer(site, product).statements()


@dataclass(frozen=True, slots=True)
class _Strip:
    """Rows from `base` on whose parts are in memory together."""

    base: Expr
    blocks: tuple[Block, ...]

    @property
    def number(self) -> int:
        """Of blocks."""
        return sum(block.count for block in self.blocks)


class _Writer:
    """Writes the kernel. Where the parts of all rows do not stay in the second-level cache, the rows are cut into strips, and the
    depth into chunks.
    """

    def __init__(self, site: Site, product: Product) -> None:
        self.depth, self.columns = product.right.shape
        self.product, self.machine = product, site.machine
        cut = _cut(site.machine, product.rows, self.depth, self.columns)
        self.strips, self.steps, self.chunks, self.each = cut.strips, cut.steps, cut.chunks, cut.each
        self.packed = site.pack(1, pack_pairs_of_rows(product.right, TILE.columns, self.steps))
        panels = self.packed.shape[0]
        words = self.steps.words
        # A strip of fewer rows may have fewer and higher blocks.
        blocks = [tuple(blocks_of(size)) for size, _ in self.strips]
        height, number = (
            max(some[0].size for some in blocks),
            max(_Strip(index(0), some).number for some in blocks),
        )
        # A block reads one piece of memory from end to end.
        self.left = site.workspace("rows", DType.INT32, (number, self.each, PARTS, height, words))
        self.places = places(self.columns // TILE.columns, site.machine)
        kept = self.places + (self.columns % TILE.columns != 0)
        self.right = site.workspace("weights", DType.INT32, (kept, 2, self.each, PARTS, words, TILE.columns))
        self.kept = self.left
        if self.chunks > 1:
            self.kept = site.workspace("kept", DType.FLOAT32, (panels, number, height, TILE.columns))

    def statements(self) -> Sequence[Stmt]:
        stmts: tuple[Stmt, ...] = ()
        start = 0
        for rows, count in self.strips:

            def strip(at: Expr, rows: int = rows, start: int = start) -> Sequence[Stmt]:
                return self._strip(_Strip(at * rows + start, tuple(blocks_of(rows))))

            stmts += loop(f"strip{rows}", count, strip)
            start += rows * count
        return stmts

    def _strip(self, strip: _Strip) -> tuple[Stmt, ...]:
        last = self.chunks - 1
        stmts = self._chunk(strip, index(0), True, not last)
        stmts += loop("chunk", last - 1, lambda at: self._chunk(strip, at + 1, False, False))
        return stmts + (self._chunk(strip, index(last), False, True) if last else ())

    def _chunk(self, strip: _Strip, chunk: Expr, is_first: bool, is_last: bool) -> tuple[Stmt, ...]:
        """The products of all rows of a strip and all panels along a part of the depth."""
        stmts: tuple[Stmt, ...] = ()
        for block in strip.blocks:

            def rows(where: tuple[Expr, ...], block: Block = block) -> Sequence[Stmt]:
                return self._split_row(strip, chunk, is_last, block, *where)

            stmts += collapse(f"split{block.size}", (block.count, block.size), rows)
        for first, count, valid in parts(self.columns, TILE.columns):

            def some(
                place: Expr, begin: Expr, end: Expr, first: int = first, valid: int = valid
            ) -> Sequence[Stmt]:
                own = place if valid == TILE.columns else place + self.places
                return self._panels(
                    _Some(strip, own, chunk, valid, is_first, is_last), begin + first, end + first
                )

            stmts += loop_by_ranges(f"part{valid}", count, self.machine, some)
        return stmts

    def _split_row(
        self, strip: _Strip, chunk: Expr, is_last: bool, block: Block, at: Expr, row: Expr
    ) -> Sequence[Stmt]:
        """The parts of one row."""
        source = strip.base + at * block.size + row + block.first_row
        each = self.each * self.steps.words * PAIR
        depth = self.depth - each * (self.chunks - 1) if is_last else each

        def place(step: Expr, part: int, word: Expr) -> tuple[Expr, ...]:
            return at + block.first, step, index(part), row, word

        steps = Steps(self.each, self.steps.words)
        return split_row(
            self.left, place, steps, depth, lambda k: self.product.read(source, chunk * each + k)
        )

    def _panels(self, some: _Some, begin: Expr, end: Expr) -> Sequence[Stmt]:
        """Some panels, one after the other. The first is split before them; splitting the next is interleaved with each panel."""
        first, last, number = _FIRST, _LAST, _NUMBER

        def first_words(step: Expr) -> tuple[Stmt, ...]:
            return self._split_words(some, first, index(0), step, index(0), self.steps.words)

        stmts: tuple[Stmt, ...] = (Let(_WHICH, number % 2),)
        for block in some.strip.blocks:
            stmts += loop(f"m{block.size}", block.count, lambda at: self._block(some, block, at))  # noqa: B023
        return (
            Let(first, begin),
            Let(last, end),
            *loop("s", self.each, first_words),
            For(number, last - first, stmts),
        )

    def _split_words(
        self, some: _Some, panel: Expr, which: Expr, step: Expr, begin: Expr, words: int
    ) -> tuple[Stmt, ...]:
        """Parts of some words of a step of a panel."""
        return split_columns(
            lambda part, word, column: (
                self.right,
                (some.place, which, step, index(part), begin + word, column),
            ),
            words,
            TILE.columns,
            lambda k, column: load(
                self.packed, panel, some.chunk * self.each + step, begin * PAIR + k, column
            ),
        )

    def _block(self, some: _Some, block: Block, at: Expr) -> Sequence[Stmt]:
        """A block of the result, interleaved with splitting a piece of the next panel."""
        panel, here = _FIRST + _NUMBER, at + block.first
        first_row = some.strip.base + at * block.size + block.first_row
        # Words of the next panel that are split within a step of the products.
        words = piece_of(self.steps.words, some.strip.number)

        def factors(row: Expr, word: Expr, column: Expr, names: Sequence[Expr]) -> Factors:
            (step,) = names
            return products(
                lambda part: load(self.left, here, step, part, row, word),
                lambda part: load(self.right, some.place, _WHICH, step, part, word, column),
            )

        def interleaved(names: Sequence[Expr]) -> Sequence[Sequence[Stmt]]:
            (step,) = names
            # Weights are read from end to end, as processors look ahead.
            done, in_step = here * self.each + step, self.steps.words // words
            more = both(compare("lt", panel + 1, _LAST), compare("lt", done, self.each * in_step))
            which, begin = 1 - _WHICH, done % in_step * words

            def split(first: int, count: int) -> Sequence[Stmt]:
                return (
                    If(
                        more, self._split_words(some, panel + 1, which, done // in_step, begin + first, count)
                    ),
                )

            return between_products(words, len(PRODUCTS), split)

        def write(row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
            kept = (panel, here, row, column)
            total = value if some.is_first else value + load(self.kept, *kept)
            if not some.is_last:
                return (store(self.kept, kept, total),)
            return self.product.write(first_row + row, panel * TILE.columns + column, total)

        sums = buffer("sums", DType.FLOAT32, (block.size, TILE.columns))
        columns = some.valid if some.is_last else TILE.columns
        return sum_then_write(
            sums, TILE, self.steps.words, (self.each,), factors, write, columns, None, interleaved
        )


_FIRST, _LAST, _NUMBER, _WHICH = (Var(name) for name in ("first", "last", "number", "which"))


@dataclass(frozen=True, slots=True)
class _Some:
    """What a task does: the products of its panels, from `_FIRST` up to `_LAST`, along a chunk; `valid` columns of each are
    stored. It is at the one `_NUMBER` behind the first. The parts of that one are at `_WHICH` of two in the memory of its
    `place`; at the other one are those of the next panel.
    """

    strip: _Strip
    place: Expr
    chunk: Expr
    valid: int
    is_first: bool
    is_last: bool


def pack_pairs_of_rows(array: np.ndarray, width: int, steps: Steps) -> np.ndarray:
    """`[K, N]` → `[panel, step, row, column]`, filled with zeros to whole panels and steps."""
    depth, columns = array.shape
    panels, each = -(-columns // width), steps.words * PAIR
    padded = np.zeros((steps.count * each, panels * width), array.dtype)
    padded[:depth, :columns] = array
    return np.ascontiguousarray(padded.reshape(steps.count, each, panels, width).transpose(2, 0, 1, 3))
