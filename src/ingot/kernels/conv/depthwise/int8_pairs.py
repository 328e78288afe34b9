"""Depthwise convolution of 8-bit quantized values by products of pairs.

Values of two rows of the input that lie one under the other are a pair, so that one instruction multiplies and adds two taps
(`Dot2`). The input is copied once, with its padding, as pairs of bytes: rows 0 and 1, rows 2 and 3, …; a load widens them to
words of two int16. Rows of outputs begin with a pair or, every other one where the stride is odd, within one: for either
there is a set of weights, with zeros for the rows of pairs that are not wanted.

A tile of two rows of outputs by a few columns widens each pair of values once, for all its outputs. One pair of rows comes
after the other, so that with 16 registers the weights of one stay there: sums of 2×4 outputs, six weights, the values and a
product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.dot_block import PAIR
from ingot.kernels.blocks.register_block import balanced, row_tiles
from ingot.kernels.conv.depthwise.bands import SUMS_MAX, band_sums, tap_uses
from ingot.kernels.conv.depthwise.depthwise import other_counts
from ingot.kernels.conv.problem import Channels, ConvSpec, channel_tasks
from ingot.kernels.template import Site
from ingot.loops.build.nest import collapse, expecting, loop, tiles, vector, vector_blocks, vector_sizes
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Dot2,
    Expr,
    For,
    Let,
    LoopKind,
    Operand,
    Stmt,
    Var,
    both,
    buffer,
    cast,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
    word,
)
from ingot.machines.machine import Machine


def has_pairs(spec: ConvSpec) -> bool:
    """Whether there are rows to make pairs of."""
    return spec.spatial_rank == 2 and spec.kernel[0] > 1 and spec.dilations[0] == 1


def pair_counts(machine: Machine, spec: ConvSpec) -> dict[str, int]:
    """How many neighbouring outputs each of the two rows of a tile may have. The usual number first."""
    return other_counts(max(1, band_sums(machine) // PAIR), spec.y.shape[-1])


def build_pairs(site: Site, spec: ConvSpec, zero_point: int, pixels: int, vectors: int) -> tuple[Stmt, ...]:
    """All sums of a convolution for which `has_pairs` holds, by tiles of two rows of up to `pixels` outputs, with input and
    start numbers as `qconv_template` has them. A task has up to `vectors` vectors of channels.
    """
    array = site.constant(1)
    assert array is not None, "the weights of an integer convolution are constants"
    down, along = spec.strides
    # Where the stride is even all rows of outputs begin with a pair.
    weights = site.pack(1, _pairs(array[:, 0], down % PAIR + 1))
    channels, taps = spec.x.shape[1], spec.kernel[1]
    copy, copied = _copied(site, spec, zero_point)

    def tile(
        n: Expr, first: Expr, width: int, top: Expr, rows: int, left: Expr, size: int
    ) -> tuple[Stmt, ...]:
        acc = buffer("acc", DType.INT32, (rows, size, width))
        wide = buffer("wide", DType.INT16, (width * PAIR,))
        uses = _row_uses(spec, rows)

        def each(body: Callable[[int, int, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            stmts: tuple[Stmt, ...] = ()
            for row in range(rows):
                for pixel in range(size):
                    stmts += vector("lane", width, lambda lane, row=row, pixel=pixel: body(row, pixel, lane))  # type: ignore[misc]
            return stmts

        def add(pair: int, across: Operand, outputs: Sequence[tuple[int, Operand]]) -> tuple[Stmt, ...]:
            """The values of a pair of rows at a column of the tile, for these outputs of a row by these taps."""
            at = (n, top * down // PAIR + pair, ((left * along + across) * channels + first) * PAIR)

            def widened(lane: Expr) -> Sequence[Stmt]:
                return (store(wide, (lane,), cast(load(copied, *at[:-1], at[-1] + lane), DType.INT16)),)

            def added(lane: Expr) -> Sequence[Stmt]:
                value_pair = Var("codes", DType.INT32)
                stmts: list[Stmt] = [Let(value_pair, word(load(wide, lane * PAIR)))]
                for row, begin, number in uses[pair]:
                    for pixel, tap in outputs:
                        factors = word(load(weights, begin, number, tap, (first + lane) * PAIR))
                        stmts.append(
                            store(
                                acc,
                                (row, pixel, lane),
                                Dot2(value_pair, factors, load(acc, row, pixel, lane)),
                            )
                        )
                return stmts

            return (*vector("code", width * PAIR, widened), *vector("lane", width, added))

        def write(row: int, pixel: int, lane: Expr) -> Sequence[Stmt]:
            return site.write(0, (n, first + lane, top + row, left + pixel), load(acc, row, pixel, lane))

        def column(tap: Expr) -> tuple[Stmt, ...]:
            across = [(pixel, pixel * along + tap * spec.dilations[1]) for pixel in range(size)]
            return tuple(
                stmt
                for pixel, at in across
                for pair in sorted(uses)
                for stmt in add(pair, at, [(pixel, tap)])
            )

        if size * taps * sum(map(len, uses.values())) <= SUMS_MAX:
            columns = tap_uses(spec, 1, size)
            sums = tuple(
                stmt for pair in sorted(uses) for at in sorted(columns) for stmt in add(pair, at, columns[at])
            )
        else:
            sums = loop("tap", taps, column)
        stmts = (
            Alloc(acc),
            Alloc(wide),
            *each(lambda row, pixel, lane: (store(acc, (row, pixel, lane), site.read(2, first + lane)),)),
            *sums,
            *each(write),
        )
        return (For(Var("tile"), index(1), stmts, LoopKind.SERIAL),)

    stmts, done = copy, 0
    for rows, count in balanced(spec.y.shape[2], PAIR):

        def task(
            n: Expr, outer: Sequence[Expr], those: Channels, *, rows: int = rows, done: int = done
        ) -> Sequence[Stmt]:
            top = outer[0] * rows + done

            def tiles_at(left: Expr, size: int) -> Sequence[Stmt]:
                return those.each(lambda first: tile(n, first, those.width, top, rows, left, size))

            return row_tiles("w", spec.y.shape[3], pixels, tiles_at)

        stmts += channel_tasks(site, spec, site.machine.lanes(DType.INT32), task, (count,), vectors)
        done += rows * count
    return stmts


def _row_uses(spec: ConvSpec, rows: int) -> dict[int, list[tuple[int, int, int]]]:
    """Pair of rows, from the first output's on → rows of outputs that it is for; the set of weights, and the pair of those."""
    uses: dict[int, list[tuple[int, int, int]]] = {}
    for row in range(rows):
        pair, begin = divmod(row * spec.strides[0], PAIR)
        for number in range((begin + spec.kernel[0] + 1) // PAIR):
            uses.setdefault(pair + number, []).append((row, begin, number))
    return uses


def _copied(site: Site, spec: ConvSpec, zero_point: int) -> tuple[tuple[Stmt, ...], Buffer]:
    """Statements that copy the input with its padding as pairs, and the buffer of the copy, `[N, pair of rows, W * C * 2]`."""
    (batch, channels), (height, width) = spec.x.shape[:2], spec.x.shape[2:]
    (above, left), right = spec.pads_begin, spec.pads_end[1]
    pairs = -(-((spec.y.shape[2] - 1) * spec.strides[0] + spec.kernel[0]) // PAIR)
    copied = site.workspace("pairs", spec.x.dtype, (batch, pairs, spec.padded[1] * channels * PAIR))
    at_once = DType.INT32 if site.is_inlined(0) else DType.UINT8

    def pair_of_rows(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        n, pair = where

        def outside(name: str, first: int, count: int) -> tuple[Stmt, ...]:
            lanes, before = site.machine.lanes(DType.UINT8), first * channels * PAIR
            return vector_blocks(
                name,
                count * channels * PAIR,
                lanes,
                lambda at: (store(copied, (n, pair, at + before), zero_point),),
            )

        def put(w: Expr, c: Expr, part: Expr) -> tuple[Stmt, ...]:
            row = pair * PAIR + part - above
            inside = both(compare("ge", row, 0), compare("lt", row, height))
            code = site.read(0, n, c, minimum(maximum(row, 0), height - 1), w)
            kept = select(inside, code, Const(zero_point, spec.x.dtype))
            return (store(copied, (n, pair, ((w + left) * channels + c) * PAIR + part), kept),)

        def pixel(w: Expr) -> tuple[Stmt, ...]:
            # Both rows of a vector of channels together: they are put side by side in registers.
            return tiles(
                "c",
                channels,
                vector_sizes(site.machine.lanes(at_once)),
                lambda first, size: expecting(
                    "interleave",
                    loop(
                        "part",
                        PAIR,
                        lambda part: vector("lane", size, lambda lane: put(w, first + lane, part)),
                        LoopKind.UNROLLED,
                    ),
                ),
            )

        return (*outside("left", 0, left), *loop("w", width, pixel), *outside("right", left + width, right))

    return collapse("copy", (batch, pairs), pair_of_rows), copied


def _pairs(weights: np.ndarray, begins: int) -> np.ndarray:
    """`[M, rows, taps]` of int8 → `[begin, pair of rows, tap, M * 2]` in int16, filled with zeros: for rows of outputs that
    begin with a pair and, with two `begins`, for those that begin within one.
    """
    outputs, rows, taps = weights.shape
    pairs = (begins + rows) // PAIR
    filled = np.zeros((outputs, begins, pairs * PAIR, taps), np.int16)
    for begin in range(begins):
        filled[:, begin, begin : begin + rows] = weights
    split = filled.reshape(outputs, begins, pairs, PAIR, taps).transpose(1, 2, 4, 0, 3)
    return np.ascontiguousarray(split).reshape(begins, pairs, taps, outputs * PAIR)
