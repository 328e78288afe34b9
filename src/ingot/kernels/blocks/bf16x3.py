"""Float32 numbers as sums of three bfloat16: how matrices of them are multiplied in registers for matrices of bfloat16.

A float32 has 24 digits. Its upper half is a bfloat16 with the first eight of them; of what is left, the upper half has the next
eight, and the rest is the last eight: `x = x₁ + x₂ + x₃`, without error. Of the nine products of the parts of two numbers six are
summed; the others are below 2⁻²¹ of the product. Each product of two parts is exact in float32, and sums are rounded as those of
float32 are, but less often: a register sums many products before it rounds to where they are added. For normal factors the root
mean square of the errors was 0.6 of that by multiply-adds at a depth of 64, 0.3 at 1024. For factors whose magnitudes differ by
2^±20 it was 1.6 times as large at a depth of 16, and less from 256 on.

Where a number has a part below 2⁻¹²⁶, that part counts as zero. An infinity in an operand makes NaN, not infinity: what is left
of it is none. Where that is not wanted there is `math="exact"`.

*Source:* G. Henry, P. T. P. Tang, A. Heinecke, Leveraging the bfloat16 artificial intelligence datatype for higher-precision
computations (2019), arXiv 1904.06376.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import why_not
from ingot.kernels.blocks.amx_tile import SIDE, Factors, Steps
from ingot.kernels.blocks.register_block import Tile
from ingot.kernels.template import Site
from ingot.loops.analyse.amx_sums import HALF, UPPER
from ingot.loops.build.nest import loop, vector_blocks, vectors_of
from ingot.loops.nodes import Binary, Bitcast, Buffer, Const, Expr, If, Stmt, compare, index, store

TILE = Tile(2 * SIDE, 2, SIDE)  # of sums: all four registers
PARTS = 3
PAIR = 2  # parts in a word
# Parts of the left and of the right operand that are multiplied, in an order in which few must be loaded again.
PRODUCTS = ((2, 0), (1, 0), (1, 1), (0, 1), (0, 2), (0, 0))


def splits(site: Site, output: TensorType) -> bool:
    """Whether products of float32 may be made of parts there."""
    return not why_not_split(site, output)


def why_not_split(site: Site, output: TensorType) -> str:
    """Why products of float32 may not be made of parts there; empty if they may."""
    machine = site.machine
    return why_not(
        (machine.grid or not machine.amx_bf16, "the machine has no tiles that multiply bfloat16"),
        (machine.math == "exact", "exact mathematics computes the definition"),
        (output.dtype is not DType.FLOAT32, "it multiplies float32 only"),
    )


def are_finite(array: np.ndarray) -> bool:
    """Whether the parts of all elements are numbers."""
    return bool(np.isfinite(array).all())


def words_of(low: Expr, high: Expr) -> tuple[Expr, ...]:
    """The parts of two float32 numbers, the largest first, each two in a word."""
    mask = Const(UPPER % 2**32, DType.UINT32)
    words: list[Expr] = []
    for _ in range(PARTS):
        bits, top = Bitcast(low, DType.UINT32), Binary("and", Bitcast(high, DType.UINT32), mask)
        words.append(Bitcast(Binary("or", top, Binary("shr", bits, Const(HALF, DType.UINT32))), DType.INT32))
        low = low - Bitcast(Binary("and", bits, mask), DType.FLOAT32)
        high = high - Bitcast(top, DType.FLOAT32)
    return tuple(words)


def split_row(
    into: Buffer,
    where: Callable[[Expr, int, Expr], tuple[Expr, ...]],
    steps: Steps,
    depth: int,
    element: Callable[[Expr], Expr],
) -> tuple[Stmt, ...]:
    """Writes the parts of a row of `depth` elements as words, zeros behind them. `where`: step, part, number of the word."""
    zero = Const(0.0, DType.FLOAT32)

    def write(step: Expr, at: Expr, low: Expr, high: Expr) -> Sequence[Stmt]:
        return [store(into, where(step, part, at), word) for part, word in enumerate(words_of(low, high))]

    def pairs(step: Expr, count: int, is_odd: bool = False) -> tuple[Stmt, ...]:
        def pair(at: Expr) -> Sequence[Stmt]:
            k = (step * steps.words + at) * PAIR
            return write(step, at, element(k), element(k + 1))

        stmts = vector_blocks("w", count, SIDE, pair)
        if is_odd:
            stmts += tuple(write(step, index(count), element(index(depth - 1)), zero))
        rest = steps.words - count - is_odd
        return stmts + vector_blocks(
            "z", rest, SIDE, lambda at: write(step, at + (count + is_odd), zero, zero)
        )

    whole = depth // (PAIR * steps.words)
    stmts = loop("step", whole, lambda step: pairs(step, steps.words))
    for number in range(whole, steps.count):
        left = max(0, depth - number * steps.words * PAIR)
        stmts += pairs(index(number), left // PAIR, left % PAIR == 1)
    return stmts


def split_piece(
    into: Callable[[int, Expr], tuple[Buffer, tuple[Expr, ...]]],
    steps: Steps,
    step: Expr,
    depth: int,
    element: Callable[[Expr], Expr],
) -> tuple[Stmt, ...]:
    """Writes the parts of one step of a row of `depth` elements, zeros behind its end. The halves of a word are elements as far
    apart as a step has words. `into`: part, number of the word.
    """
    words, zero = steps.words, Const(0.0, DType.FLOAT32)
    begin = step * (words * PAIR)

    def write(at: Expr, low: Expr, high: Expr) -> Sequence[Stmt]:
        return [store(*into(part, at), word) for part, word in enumerate(words_of(low, high))]

    def some(valid: int) -> tuple[Stmt, ...]:
        pairs, lows = max(0, valid - words), min(valid, words)
        stmts = vectors_of(
            pairs, SIDE, lambda at: write(at, element(begin + at), element(begin + at + words))
        )
        stmts += vectors_of(
            lows - pairs, SIDE, lambda at: write(at + pairs, element(begin + at + pairs), zero)
        )
        return stmts + vectors_of(words - lows, SIDE, lambda at: write(at + lows, zero, zero))

    rest = depth - (steps.count - 1) * words * PAIR
    if rest == words * PAIR or steps.count == 1:
        return some(rest)
    return (If(compare("lt", step, steps.count - 1), some(words * PAIR), some(rest)),)


def split_columns(
    into: Callable[[int, Expr, Expr], tuple[Buffer, tuple[Expr, ...]]],
    words: int,
    columns: int,
    element: Callable[[Expr, Expr], Expr],
) -> tuple[Stmt, ...]:
    """Writes the parts of `2 * words` rows of columns as words. `into`: part, word, column; `element`: row, column."""

    def row(at: Expr) -> tuple[Stmt, ...]:
        def pair(column: Expr) -> Sequence[Stmt]:
            split = words_of(element(at * PAIR, column), element(at * PAIR + 1, column))
            return [store(*into(part, at, column), word) for part, word in enumerate(split)]

        return vectors_of(columns, SIDE, pair)

    return loop("pair", words, row)


def products(left: Callable[[int], Expr], right: Callable[[int], Expr]) -> Factors:
    """What is multiplied: words of the parts of both operands, by their numbers."""
    return [(left(left_part), right(right_part)) for left_part, right_part in PRODUCTS]
