"""The register block of 8-bit quantized values: the inner loops that integer convolution and matrix product share.

Four values that lie one after another in the reduction are one packed int8x4, a word of 32 bits. A tile holds `rows` ×
`vectors` accumulators of int32; each step takes one int8x4 for each row, one vector of int8x4 of weights for each column
vector, and adds their dot products.

`Dot4` wants values without a sign on the left and weights with one on the right. Signed values become unsigned by adding 128,
zero points stay in the values: what both add to a sum is the same for all rows and known while building, so it is part of the
number that each accumulator starts from (`start_of`). A processor whose instruction wants signs on both sides gets them
(`SIGNED_INT8X4`): unsigned values become signed by taking 128 away.

A processor that has no instruction for that, but one for pairs of 16-bit numbers, would have to make pairs of each int8x4
again and again. There a step takes two values (`PAIRS`): on the left they are widened once, when they are copied into rows;
on the right they stay bytes, which an instruction widens while it loads them. NEON without dot products adds two products
of bytes in 16 bits, and two such sums to an accumulator: the int8x4 of weights lie as halves there, the first ones of all
columns before the second ones (`SPLIT_INT8X4`). Only two weights of -128 would not fit; with such weights, and where both
sides are computed, a step takes one value, which is multiplied by as a lane of a register (`SINGLES`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.register_block import (
    Tile,
    balanced,
    different,
    each_vector,
    rows_by_lane,
    steps_written_out,
)
from ingot.kernels.template import Site
from ingot.loops.build.nest import vectors_of
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Buffer,
    Const,
    Dot2,
    Dot4,
    Expr,
    Fma,
    For,
    LoopKind,
    Operand,
    Stmt,
    Var,
    buffer,
    cast,
    load,
    store,
    word,
)
from ingot.machines.machine import Machine
from ingot.machines.tuning import DotProducts

WORD = 4  # values in an int8x4
PAIR = 2  # 16-bit numbers in a word
_SIGNS = 0x80808080 - (1 << 32)  # as an int32: the highest bit of each of four bytes
_SPLIT_SPARE = 8  # registers for halves of int8x4 in all lanes, and for products before they are added
_MANY_REGISTERS = 32  # as AVX-512 and NEON have
_LONG_VECTOR_BYTES = 32  # of x86, which fills a vector with a word of memory while it loads it

# One step of a reduction: from the int8x4 of each row and the int8x4 of the columns to the statements that accumulate them.
Step = Callable[[Callable[[int], Expr], Callable[[Expr], Expr]], tuple[Stmt, ...]]


@dataclass(frozen=True, slots=True)
class Factors:
    """What one step of a sum takes of each row and column: an int8x4 of `per_step` factors, or a single one. Those of rows lie
    in memory as elements of type `row`; those of columns are bytes that are to be widened (`widens`), or packed already, or
    halves of int8x4 (`split`). `dot` adds their products to a sum.
    """

    per_step: int
    row: DType
    dot: Callable[[Expr, Expr, Expr], Expr]
    widens: bool
    split: bool = False

    @property
    def takes_int8x4(self) -> bool:
        """Whether a step takes packed int8x4 as they are."""
        return self.per_step == WORD

    @property
    def moved(self) -> int:
        """What values of rows have less than unsigned ones."""
        return 128 if self.row is DType.INT8 else 0

    def factor(self, element: Expr) -> Expr:
        """What a step takes of a row of widened or copied values, or of widened weights."""
        return cast(element, DType.INT32) if self.per_step == 1 else word(element)

    def code(self, code: Expr) -> Expr:
        """A value as an element of a row."""
        if self.moved:
            return (
                code
                if code.dtype is DType.INT8
                else Bitcast(Binary("xor", code, Const(128, DType.UINT8)), DType.INT8)
            )
        return cast(unsigned_value(code), self.row)

    def word(self, read: Expr, dtype: DType) -> Expr:
        """An int8x4 that is read where it is, as a step takes it."""
        return (
            Binary("xor", read, Const(_SIGNS, DType.INT32)) if dtype.is_signed != bool(self.moved) else read
        )

    def zero(self, zero_point: int, dtype: DType) -> int:
        """The zero point of values in rows."""
        return unsigned_zero(zero_point, dtype) - self.moved

    def starts(self, begin: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The numbers `[N]` that sums over rows start from, for weights `[N, …]`: of unsigned values they are `begin`."""
        if not self.moved:
            return begin
        sums = weights.reshape(weights.shape[0], -1).sum(axis=1, dtype=np.int64)
        return np.asarray(begin.astype(np.int64) + self.moved * sums).astype(np.int32)

    def pack(self, weights: np.ndarray, columns: int) -> np.ndarray:
        """Weights `[…, N, K]` as the steps of each panel of columns want them: `[…, panel, step, what a step takes]`."""
        if self.split:
            return pack_halves(weights, columns)
        return (
            pack_words(weights, columns) if self.takes_int8x4 else pack_steps(weights, columns, self.per_step)
        )

    def packed_bytes(self, outputs: int, depth: int, columns: int) -> int:
        """The size of weights `[outputs, depth]` as `pack` arranges them."""
        return -(-outputs // columns) * columns * -(-depth // self.per_step) * self.per_step


WORDS = Factors(WORD, DType.UINT8, Dot4, widens=False)
SIGNED_INT8X4 = Factors(WORD, DType.INT8, partial(Dot4, signed=True), widens=False)
SPLIT_INT8X4 = Factors(WORD, DType.INT8, partial(Dot4, signed=True, narrow=True), widens=False, split=True)
SINGLES = Factors(1, DType.INT16, Fma, widens=True)
WIDE_SINGLES = Factors(1, DType.INT16, Fma, widens=False)
PAIRS = Factors(PAIR, DType.INT16, Dot2, widens=True)
WIDE_PAIRS = Factors(PAIR, DType.INT16, Dot2, widens=False)


def factors(machine: Machine, weights: np.ndarray | None = None) -> Factors:
    """What a step of a sum of quantized values takes on a machine, for weights `[N, …]` that are known."""
    if machine.dot_i8x4 or not (machine.dot_i16x2 or machine.fma_by_element):
        return int8x4_factors(machine)
    if machine.dot_i16x2:
        return PAIRS
    return SINGLES if weights is None or _has_two_minima(weights) else SPLIT_INT8X4


def _has_two_minima(weights: np.ndarray) -> bool:
    """Whether a column has two weights of -128: with two values of -128 their products are 2^15, one too many for 16 bits."""
    return bool(((weights == -128).sum(axis=tuple(range(1, weights.ndim))) > 1).any())


def int8x4_factors(machine: Machine) -> Factors:
    """Packed int8x4 as dot products of a machine take them."""
    return SIGNED_INT8X4 if machine.dot_i8x4_signed else WORDS


def wide_factors(machine: Machine) -> Factors | None:
    """What a step of a sum of products of 16-bit numbers takes; None where nothing is quick at those."""
    if machine.dot_i16x2:
        return WIDE_PAIRS
    return WIDE_SINGLES if machine.fma_by_element and not machine.dot_i8x4 else None


def packed_at(packed: Buffer, *where: Operand) -> Callable[[Expr], Expr]:
    """The packed weights of one step, which lie at `where`, by the column, as `accumulate` wants them."""
    return lambda column: load(packed, *where, column)


def dot_tiles(machine: Machine, rows: int, columns: int, kind: Factors | None = None) -> dict[str, Tile]:
    """Tiles for a result of this many rows and columns, those that should need the fewest cycles first, named as `14x2`
    (rows by vectors): something to choose between.

    All accumulators, one int8x4 of each column vector and one int8x4 of a row must fit in the registers. `kind` is what a
    step takes, that of `factors` unless it is said.
    """
    kind = kind or factors(machine)
    in_two = (
        machine.dot_i16x2 and not machine.dot_i8x4
    )  # what is multiplied lies in a register of its own before it is added
    lanes = machine.lanes(DType.INT32)
    while lanes > 1 and lanes >= 2 * columns:
        lanes //= 2
    rated: list[tuple[float, Tile]] = []
    costs = machine.tuning.dots
    has_many = machine.vector_registers >= _MANY_REGISTERS and not in_two
    vectors_max = costs.many_registers_max_vectors if has_many else costs.max_vectors
    together = steps_written_out(machine)
    for vectors in range(1, min(vectors_max, -(-columns // lanes)) + 1):
        spare = machine.vector_registers - 1 - vectors - (1 if in_two else 0)
        rows_max = rows_by_lane(machine, vectors) if machine.fma_by_element else max(1, spare // vectors)
        if kind.split:  # a vector of columns is two registers, and products are in one before they are added
            rows_max = max(1, (machine.vector_registers - 2 * vectors - _SPLIT_SPARE) // (vectors + 1))
        for limit in range(1, min(rows_max, rows) + 1):
            panels = -(-columns // (vectors * lanes))
            cost = panels * sum(
                count * _cycles(costs, size, vectors, in_two, kind) for size, count in balanced(rows, limit)
            )
            rated.append((cost, Tile(limit, vectors, lanes, together)))
    return different(rows, rated or [(0.0, Tile(1, 1, lanes))])


def _cycles(costs: DotProducts, rows: int, vectors: int, in_two: bool, kind: Factors) -> float:
    """Of a step. `in_two`: a multiplication and an addition for each sum share units with what widens weights; else one
    instruction does both. Halves of int8x4 take two multiplications for each sum, which have one unit, and two instructions for
    each row that fill registers with the halves of its int8x4.
    """
    if kind.split:
        return 2 * rows * vectors + rows + vectors
    if in_two:
        work = 2 * rows * vectors + (vectors if kind.widens else 0)
        return max(work / costs.pairs_per_cycle, (rows + vectors) / costs.pair_loads_per_cycle)
    return max(rows * vectors / 2, (rows + vectors) / 2, costs.latency_cycles) + costs.step_cycles


def accumulate(
    rows: int,
    tile: Tile,
    start_of: Callable[[Expr], Expr],
    reduction: Callable[[Step], Sequence[Stmt]],
    write: Callable[[int, Expr, Expr], Sequence[Stmt]],
    columns: int,
    kind: Factors = WORDS,
) -> tuple[Stmt, ...]:
    """One tile of the result.

    Args:
        rows: rows of this tile (at most `tile.rows`).
        tile: the shape of the tile.
        start_of: the number that the accumulators of a column start from.
        reduction: writes the loops of the reduction; it calls its argument, `step(row_word, column_word)`, in the innermost
            one.
        write: `write(row, column, sum)` stores one result.
        columns: how many of the columns are stored.
        kind: what a step takes. Where it widens, the second argument of `step` gives values, `kind.per_step` of them for each
            column.
    """
    acc = buffer("acc", DType.INT32, (rows, tile.columns))
    wide = buffer("wide", DType.INT16, (tile.columns * kind.per_step,))
    to_widen = tile.columns * kind.per_step if kind.widens else 0

    def step(row_word: Callable[[int], Expr], column_word: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
        words = [row_word(row) for row in range(rows)]
        read = column_word
        if kind.split:
            read = lambda column: halves(column_word(column), column_word(column + tile.columns))  # noqa: E731
        elif kind.widens:
            read = lambda column: kind.factor(load(wide, column * kind.per_step))  # noqa: E731
        widened = vectors_of(
            to_widen,
            tile.lanes * PAIR,
            lambda lane: (store(wide, (lane,), cast(column_word(lane), DType.INT16)),),
        )
        return widened + each_vector(
            rows,
            tile,
            lambda row, column: (
                store(acc, (row, column), kind.dot(words[row], read(column), load(acc, row, column))),
            ),
        )

    stmts: list[Stmt] = [Alloc(acc), *([Alloc(wide)] if kind.widens else [])]
    stmts += each_vector(rows, tile, lambda row, column: (store(acc, (row, column), start_of(column)),))
    stmts += reduction(step)
    # Two vectors that are narrowed to values together take fewer instructions.
    at_once = tile.lanes * (2 if kind.widens or tile.steps > 1 else 1)
    for row in range(rows):
        stmts += vectors_of(
            columns,
            at_once,
            lambda column, row=row: write(row, column, load(acc, row, column)),  # type: ignore[misc]
        )
    return (For(Var("tile"), Const(1, DType.INT64), tuple(stmts), LoopKind.SERIAL),)


# ─── values and weights ─────────────────────────────────────────────────────────────────────────────────────────────


def unsigned_value(code: Expr) -> Expr:
    """A value as a uint8, with 128 added if it is signed."""
    if code.dtype is DType.UINT8:
        return code
    return Binary("xor", Bitcast(code, DType.UINT8), Const(128, DType.UINT8))


def unsigned_zero(zero_point: int, dtype: DType) -> int:
    """The zero point of values as `unsigned_value` gives them."""
    return zero_point + 128 if dtype.is_signed else zero_point


def joined(values: Sequence[Expr]) -> Expr:
    """Up to four values as the bytes of an int32, the first lowest."""
    result: Expr | None = None
    for position, code in enumerate(values):
        byte = code if code.dtype is DType.UINT8 else Bitcast(code, DType.UINT8)
        wide = cast(byte, DType.INT32)
        moved = Binary("shl", wide, Const(8 * position, DType.INT32)) if position else wide
        result = moved if result is None else Binary("or", result, moved)
    assert result is not None
    return result


def halves(low: Expr, high: Expr) -> Expr:
    """Two int16 as the halves of an int32."""
    moved = Binary("shl", cast(high, DType.INT32), Const(16, DType.INT32))
    return Binary("or", cast(Bitcast(low, DType.UINT16), DType.INT32), moved)


def pack_words(weights: np.ndarray, columns: int) -> np.ndarray:
    """`[…, N, K]` of int8 → int8x4 `[…, N/columns, ⌈K/4⌉, columns]` in int32, filled with zeros."""
    *lead, outputs, depth = weights.shape
    panels, words = -(-outputs // columns), -(-depth // WORD)
    padded = np.zeros((*lead, panels * columns, words * WORD), np.int8)
    padded[..., :outputs, :depth] = weights
    split = padded.reshape(*lead, panels, columns, words, WORD)
    return np.ascontiguousarray(np.swapaxes(split, -3, -2)).view("<i4")[..., 0].astype(np.int32)


def pack_halves(weights: np.ndarray, columns: int) -> np.ndarray:
    """`[…, N, K]` of int8 → halves of int8x4 `[…, N/columns, ⌈K/4⌉, 2 * columns]` in int16: first ones, then second ones."""
    words = pack_words(weights, columns)
    return np.ascontiguousarray(np.swapaxes(words.view("<i2").reshape(*words.shape, 2), -1, -2)).reshape(
        *words.shape[:-1], -1
    )


def pack_steps(weights: np.ndarray, columns: int, step: int) -> np.ndarray:
    """`[…, N, K]` of int8 → `[…, N/columns, ⌈K/step⌉, columns * step]`, the values of a step side by side."""
    *lead, outputs, depth = weights.shape
    panels, steps = -(-outputs // columns), -(-depth // step)
    padded = np.zeros((*lead, panels * columns, steps * step), np.int8)
    padded[..., :outputs, :depth] = weights
    split = padded.reshape(*lead, panels, columns, steps, step)
    return np.ascontiguousarray(np.swapaxes(split, -3, -2)).reshape(*lead, panels, steps, columns * step)


def pack_columns(numbers: np.ndarray, columns: int) -> np.ndarray:
    """`[…, N]` → `[…, N/columns, columns]`, filled with zeros."""
    *lead, outputs = numbers.shape
    panels = -(-outputs // columns)
    padded = np.zeros((*lead, panels * columns), numbers.dtype)
    padded[..., :outputs] = numbers
    return padded.reshape(*lead, panels, columns)


def starts(weights: np.ndarray, zero_point: int, dtype: DType, bias: np.ndarray | None = None) -> np.ndarray:
    """What the sums over `unsigned_value`s start from, for weights `[N, …]`: the bias without what their zero points add."""
    sums = weights.reshape(weights.shape[0], -1).sum(axis=1, dtype=np.int64)
    total = -unsigned_zero(zero_point, dtype) * sums
    if bias is not None:
        total = total + bias.astype(np.int64)
    return np.asarray(total).astype(np.int32)  # wraps, as all sums of int32 do


def spreads_int8x4(machine: Machine, dtype: DType, count: int) -> bool:
    """Whether int8x4 of `count` values in a row are best taken from where they are. Signed ones would be made unsigned one
    by one, in a general register, and moving them from there into all lanes takes the units for dot products as long as one
    of these: for two column vectors a step took twice as long as with values that were copied once (Ice Lake, as llvm-mca
    has it).
    """
    are_many = count >= machine.tuning.dots.copy_min_values
    return not (dtype.is_signed and machine.vector_bytes >= _LONG_VECTOR_BYTES and are_many)


def reads_int8x4(site: Site, position: int, axis: int) -> bool:
    """Whether whole int8x4 can be read from an input where it is: it is stored, and dense along this axis."""
    return not site.is_inlined(position) and site.input(position).strides[axis] == 1
