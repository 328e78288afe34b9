"""The register tile of 8-bit codes: the inner loops that integer convolution and matrix product share.

Four codes that lie one after another in the reduction are one word of 32 bits. A tile holds `rows` × `vectors` accumulators of
int32; each step takes one word for each row, one vector of words of weights for each column vector, and adds their dot products.

`Dot4` wants codes without a sign on the left and weights with one on the right. Signed codes become unsigned by adding 128, zero
points stay in the codes: what both add to a sum is the same for all rows and known while building, so it is part of the number
that each accumulator starts from (`start_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.loops.define import Site
from ingot.loops.nest import vectors_of
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Const,
    Dot2,
    Dot4,
    Expr,
    For,
    LoopKind,
    Stmt,
    Var,
    buffer,
    load,
    store,
)
from ingot.ops.register_tile import Tile, balanced, different, each_vector
from ingot.target import Machine
from ingot.tensor import DType

WORD = 4  # codes in a word
_SIGNS = 0x80808080 - (1 << 32)  # as an int32: the highest bit of each of four bytes
_LATENCY = 5.0  # cycles from one dot product into an accumulator to the next
_LOOP = 1.0  # cycles of a step besides its dot products

# One step of a reduction: from the word of each row and the words of the columns to the statements that accumulate them.
Step = Callable[[Callable[[int], Expr], Callable[[Expr], Expr]], tuple[Stmt, ...]]


def dot_tiles(machine: Machine, rows: int, columns: int) -> dict[str, Tile]:
    """Tiles for a result of this many rows and columns, those that should need the fewest cycles first, named as `14x2` (rows by
    vectors): something to choose between.

    All accumulators, one word of each column vector and one word of a row must fit in the registers.
    """
    lanes = machine.lanes(DType.INT32)
    while lanes > 1 and lanes >= 2 * columns:
        lanes //= 2
    found: list[tuple[float, Tile]] = []
    for vectors in range(1, min(6, -(-columns // lanes)) + 1):
        for limit in range(1, max(1, (machine.vector_registers - 1 - vectors) // vectors) + 1):
            if limit > rows:
                break
            panels = -(-columns // (vectors * lanes))
            cost = panels * sum(
                count * (max(size * vectors / 2, (size + vectors) / 2, _LATENCY) + _LOOP)
                for size, count in balanced(rows, limit)
            )
            found.append((cost, Tile(limit, vectors, lanes)))
    return different(rows, found or [(0.0, Tile(1, 1, lanes))])


def accumulate(
    rows: int,
    tile: Tile,
    start_of: Callable[[Expr], Expr],
    reduction: Callable[[Step], Sequence[Stmt]],
    write: Callable[[int, Expr, Expr], Sequence[Stmt]],
    columns: int,
    dot: type[Dot4] | type[Dot2] = Dot4,
) -> tuple[Stmt, ...]:
    """One tile of the result.

    Args:
        rows: rows of this tile (at most `tile.rows`).
        tile: the shape of the tile.
        start_of: the number that the accumulators of a column start from.
        reduction: writes the loops of the reduction; it calls its argument, `step(row_word, column_word)`, in the innermost one.
        write: `write(row, column, sum)` stores one result.
        columns: how many of the columns are stored.
        dot: what is in a word: four codes, or two 16-bit numbers.
    """
    acc = buffer("acc", DType.INT32, (rows, tile.columns))

    def step(row_word: Callable[[int], Expr], column_word: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
        words = [row_word(row) for row in range(rows)]
        return each_vector(
            rows,
            tile,
            lambda row, column: (store(acc, (row, column), dot(words[row], column_word(column), load(acc, row, column))),)
        )

    stmts: list[Stmt] = [Alloc(acc)]
    stmts += each_vector(rows, tile, lambda row, column: (store(acc, (row, column), start_of(column)),))
    stmts += reduction(step)
    for row in range(rows):
        stmts += vectors_of(columns, tile.lanes, lambda column, row=row: write(row, column, load(acc, row, column)))  # type: ignore[misc]
    return (For(Var("tile"), Const(1, DType.INT64), tuple(stmts), LoopKind.SERIAL),)


# ─── codes and weights ─────────────────────────────────────────────────────────────────────────────────────────────


def unsigned_word(word: Expr, codes: DType) -> Expr:
    """A word of codes with 128 added to each of them if they are signed."""
    return Binary("xor", word, Const(_SIGNS, DType.INT32)) if codes.is_signed else word


def unsigned_code(code: Expr) -> Expr:
    """A code as a uint8, with 128 added if it is signed."""
    if code.dtype is DType.UINT8:
        return code
    return Binary("xor", Bitcast(code, DType.UINT8), Const(128, DType.UINT8))


def unsigned_zero(zero_point: int, codes: DType) -> int:
    """The zero point of codes as `unsigned_code` gives them."""
    return zero_point + 128 if codes.is_signed else zero_point


def pack_words(weights: np.ndarray, columns: int) -> np.ndarray:
    """`[…, N, K]` of int8 → words `[…, N/columns, ⌈K/4⌉, columns]` in int32, filled with zeros."""
    *lead, outputs, depth = weights.shape
    panels, words = -(-outputs // columns), -(-depth // WORD)
    padded = np.zeros((*lead, panels * columns, words * WORD), np.int8)
    padded[..., :outputs, :depth] = weights
    split = padded.reshape(*lead, panels, columns, words, WORD)
    return np.ascontiguousarray(np.swapaxes(split, -3, -2)).view("<i4")[..., 0].astype(np.int32)


def pack_columns(numbers: np.ndarray, columns: int) -> np.ndarray:
    """`[…, N]` → `[…, N/columns, columns]`, filled with zeros."""
    *lead, outputs = numbers.shape
    panels = -(-outputs // columns)
    padded = np.zeros((*lead, panels * columns), numbers.dtype)
    padded[..., :outputs] = numbers
    return padded.reshape(*lead, panels, columns)


def starts(weights: np.ndarray, zero_point: int, codes: DType, bias: np.ndarray | None = None) -> np.ndarray:
    """What the sums over `unsigned_code`s start from, for weights `[N, …]`: the bias without what the codes' zero points add."""
    sums = weights.reshape(weights.shape[0], -1).sum(axis=1, dtype=np.int64)
    total = -unsigned_zero(zero_point, codes) * sums
    if bias is not None:
        total = total + bias.astype(np.int64)
    return np.asarray(total).astype(np.int32)  # wraps, as all sums of int32 do


def reads_words(site: Site, position: int, axis: int) -> bool:
    """Whether whole words can be read from an input where it is: it is stored, and dense along this axis."""
    return not site.is_inlined(position) and site.input(position).strides[axis] == 1
