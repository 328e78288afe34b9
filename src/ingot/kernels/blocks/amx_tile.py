"""AMX tiles: sums of products in the matrix unit, of 8-bit quantized values and of bf16x3 (see `blocks/bf16x3`).

One instruction multiplies up to 16 rows of 64 int8 values, or of 32 bfloat16 values, with 16 columns of weights: for int8 eight
times what vectors of 64 bytes do in the same time. Its registers are few and can only be filled from memory, so that sums are
stored once they are complete, and what becomes of them reads them from there: a loop over rows, of vectors of columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.dot_block import WORD, pack_words
from ingot.kernels.blocks.register_block import Tile
from ingot.loops.analyse.amx_sums import tile_sums
from ingot.loops.build.nest import flat_index, loop, vectors_of
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    For,
    If,
    LoopKind,
    Prefetch,
    Stmt,
    Var,
    both,
    buffer,
    compare,
    index,
    load,
    maximum,
)
from ingot.machines.machine import Machine
from ingot.machines.tuning import Amx

SIDE = 16  # rows of a tile, columns of words, and words in a row, at most
# Rows by tiles of columns, of which four fill the registers.
_SHAPES = ((2 * SIDE, 2), (4 * SIDE, 1), (SIDE, 4))


@dataclass(frozen=True, slots=True)
class Steps:
    """A row of words cut into equal steps of at most SIDE words; the last one may end in words of zeros."""

    count: int
    words: int

    @property
    def values(self) -> int:
        """What all steps take of a row."""
        return self.count * self.words * WORD


def steps_of(values: int) -> Steps:
    """The steps of rows of `values` quantized values."""
    return steps_of_words(-(-values // WORD))


def steps_of_words(words: int) -> Steps:
    """The steps of rows of `words` words."""
    count = max(1, -(-words // SIDE))
    return Steps(count, -(-words // count))


def amx_tiles(machine: Machine, rows: int, columns: int, depth: int, taps: int = 1) -> dict[str, Tile]:
    """Tiles for a result of this many rows and columns, those that should need the fewest cycles first, named as `32x2` (rows by
    tiles of columns); none where vectors should be quicker. A sum has `depth` products, and each value is in `taps` sums.
    """
    if not machine.amx_int8 or rows < machine.tuning.amx.min_rows or columns < SIDE // 2:
        return {}
    rated = []
    costs = machine.tuning.amx
    for height, across_max in _SHAPES:
        across = min(across_max, -(-columns // SIDE))
        each = -(-rows // -(-rows // height))
        down = -(-each // SIDE)
        tiles = -(-rows // each) * down * -(-columns // (across * SIDE)) * across
        value_cycles = _load_cycles(costs, rows * depth if taps == 1 else 0) / across
        weight_cycles = _load_cycles(costs, depth * across * SIDE) / down
        rated.append(
            (tiles * (costs.product_cycles + (value_cycles + weight_cycles) / 2), Tile(each, across, SIDE))
        )
    rated.sort(key=lambda entry: entry[0])
    return {f"{tile.rows}x{tile.vectors}": tile for _, tile in rated}


def _load_cycles(costs: Amx, size_bytes: int) -> int:
    """Of a tile of what is read again and again."""
    return next((cycles for limit, cycles in costs.load_cycles if size_bytes <= limit), costs.load_far_cycles)


def pack_tiles(weights: np.ndarray, columns: int, steps: Steps) -> np.ndarray:
    """`[…, N, K]` of int8 → words `[…, panel, step, word, column]` in int32, filled with zeros."""
    *lead, outputs, depth = weights.shape
    padded = np.zeros((*lead, outputs, steps.values), np.int8)
    padded[..., :depth] = weights
    packed = pack_words(padded, columns)
    return packed.reshape(*packed.shape[:-2], steps.count, steps.words, columns)


def accumulate_in_tiles(
    rows: int,
    tile: Tile,
    words: int,
    outer: Sequence[int],
    word_at: Callable[[Expr, Expr, Sequence[Expr]], Expr],
    weights_at: Callable[[Expr, Expr, Sequence[Expr]], Expr],
    start_of: Callable[[Expr], Expr],
    write: Callable[[Expr, Expr, Expr], Sequence[Stmt]],
    columns: int,
    is_result: Callable[[Expr], Expr] | None = None,
    prefetch: Callable[[Expr], Sequence[Prefetch]] | None = None,
) -> tuple[Stmt, ...]:
    """One block of the result.

    Args:
        rows: rows of this block.
        tile: its columns.
        words: words of one step.
        outer: extents of the loops of the reduction, the steps last.
        word_at: the word of a row of values: row, number of the word in its step, and the indices of the loops.
        weights_at: words of weights: number of the word in its step, column, and the indices of the loops.
        start_of: what is added to the sums of a column.
        write: `write(row, column, sum)` stores one result.
        columns: how many of the columns are stored.
        prefetch: what is prefetched before a step, by the number of the step.
        is_result: whether a row is stored; None: all are.
    """
    sums = buffer("sums", DType.INT32, (rows, tile.columns))

    def factors(row: Expr, word: Expr, column: Expr, names: Sequence[Expr]) -> Factors:
        return [(word_at(row, word, names), weights_at(word, column, names))]

    def prefetch_of(names: Sequence[Expr]) -> Sequence[Sequence[Stmt]]:
        return (prefetch(flat_index(names, outer)),) if prefetch is not None else ()

    def write_sum(row: Expr, lane: Expr, value: Expr) -> Sequence[Stmt]:
        return write(row, lane, value + start_of(lane))

    return sum_then_write(sums, tile, words, outer, factors, write_sum, columns, is_result, prefetch_of)


# The words that are multiplied with one another, left and right: row, number of the word, column, and the indices of the loops.
Factors = Sequence[tuple[Expr, Expr]]
FactorsAt = Callable[[Expr, Expr, Expr, Sequence[Expr]], Factors]


def sums_in_turns(
    count: Expr,
    rows: int,
    tile: Tile,
    words: int,
    steps: int,
    named: Callable[[Expr, str], tuple[Sequence[Stmt], TurnAt]],
) -> tuple[Stmt, ...]:
    """Blocks of float32 results one after the other: the stores of a block are interleaved with the products of the next one, as
    vectors have nothing else to do then.

    Args:
        count: how many blocks.
        rows: rows of a block.
        tile: its columns.
        words: words of one product.
        steps: the extent of the loop of the reduction.
        named: of the number of a block, and how names are to end, statements that name values, and what is done in the block.
    """
    sums = [buffer(f"sums{which}", DType.FLOAT32, (rows, tile.columns)) for which in range(2)]
    word, row, column, step = Var("word"), Var("row"), Var("col"), Var("step")
    each = piece_of(rows, steps)  # rows stored in a step

    def written(number: Expr, which: int, first: Expr, many: int) -> tuple[Stmt, ...]:
        names, turn = named(number, "_before")
        stmts = loop(
            "r", many, lambda at: turn.write(first + at, lambda lane: load(sums[which], first + at, lane))
        )
        return (For(Var("behind"), Const(1, DType.INT64), (*names, *stmts)),)

    def block(number: Expr, which: int) -> tuple[Stmt, ...]:
        names, turn = named(number, "")
        factors = turn.factors(step, row, word, column)
        more = both(compare("ge", number, 1), compare("lt", step * each, rows))

        def some(first: int, many: int) -> Sequence[Stmt]:
            return (If(more, written(maximum(number - 1, 0), 1 - which, step * each + first, many)),)

        results = between_products(each, len(factors), some)
        others = [
            (*statements, *stored) for statements, stored in zip(turn.interleaved(step), results, strict=True)
        ]
        filled = tile_sums(sums[which], [(step, steps)], words, factors, (word, row, column), others)
        return (For(Var("turn"), Const(1, DType.INT64), (*names, filled)),)

    def pair(at: Expr) -> Sequence[Stmt]:
        second = at * 2 + 1
        return (*block(at * 2, 0), If(compare("lt", second, count), block(second, 1)))

    last = If(
        compare("eq", count % 2, 1),
        *(written(maximum(count - 1, 0), which, index(0), rows) for which in range(2)),
    )
    return (*(Alloc(target) for target in sums), *loop("pair", (count + 1) // 2, pair), last)


@dataclass(frozen=True, slots=True)
class TurnAt:
    """What is done in a block of `sums_in_turns`.

    Attributes:
        factors: what is multiplied: step, row, number of the word, column.
        interleaved: step → statements to emit before each of its products. They write nothing that the step reads.
        write: stores a row of results, of which the sum of a column is given.
    """

    factors: Callable[[Expr, Expr, Expr, Expr], Factors]
    interleaved: Callable[[Expr], Sequence[Sequence[Stmt]]]
    write: Callable[[Expr, Callable[[Expr], Expr]], Sequence[Stmt]]


def piece_of(whole: int, times: int) -> int:
    """The smallest divisor of `whole` that covers it in at most `times` pieces."""
    return next(some for some in range(1, whole + 1) if whole % some == 0 and some * times >= whole)


def between_products(
    count: int, products: int, some: Callable[[int, int], Sequence[Stmt]]
) -> Sequence[Sequence[Stmt]]:
    """What is done in front of each of the products of a step, `count` pieces in all: `some` writes a number of them, from one
    on. A processor looks ahead by less than all products, so that it finds something for its vectors in front of each.
    """
    bounds = [count * number // products for number in range(products + 1)]
    return [some(first, last - first) if last > first else () for first, last in itertools.pairwise(bounds)]


def sum_then_write(
    sums: Buffer,
    tile: Tile,
    words: int,
    outer: Sequence[int],
    factors: FactorsAt,
    write: Callable[[Expr, Expr, Expr], Sequence[Stmt]],
    columns: int,
    is_result: Callable[[Expr], Expr] | None = None,
    interleaved: Callable[[Sequence[Expr]], Sequence[Sequence[Stmt]]] | None = None,
) -> tuple[Stmt, ...]:
    """One block of the result: its sums `[rows, columns]` of a tile, and then what becomes of them.

    Args:
        sums: where they are put.
        tile: their columns.
        words: words of one product.
        outer: extents of the loops of the reduction.
        factors: what is multiplied in each of their iterations.
        write: `write(row, column, sum)` stores one result.
        columns: how many of the columns are stored.
        is_result: whether a row is stored; None: all are.
        interleaved: by the indices of the loops, statements in front of the first, the second and each further product of an
            iteration. They write nothing that the iteration reads.
    """
    word, row, column = Var("word"), Var("row"), Var("col")
    names = [Var(f"s{axis}") for axis in range(len(outer))]
    filled = tile_sums(
        sums,
        list(zip(names, outer, strict=True)),
        words,
        factors(row, word, column, names),
        (word, row, column),
        interleaved(names) if interleaved is not None else (),
    )

    def result(at: Expr) -> Sequence[Stmt]:
        stored = vectors_of(columns, tile.lanes, lambda lane: write(at, lane, load(sums, at, lane)))
        is_one = is_result(at) if is_result is not None else Const(True, DType.BOOL)
        return stored if isinstance(is_one, Const) else (If(is_one, stored),)

    stmts = (Alloc(sums), filled, *loop("r", sums.shape[0], result))
    return (For(Var("tile"), Const(1, DType.INT64), stmts, LoopKind.SERIAL),)
