"""The register tile of a convolution with few output channels: vectors of input channels, summed up at the end.

Vectors of output channels would be mostly empty. Here a lane has every so manyth input channel, and a tile holds one vector of
sums for each of a few neighbouring outputs and each output channel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.algorithm import FOR_PROCESSORS, why_not
from ingot.kernels.blocks.register_block import Tile
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site
from ingot.loops.build.nest import accumulator_type, tiles, vector, vector_sizes, vectors_of
from ingot.loops.nodes import Alloc, Const, Expr, Fma, For, LoopKind, Stmt, Var, buffer, index, load, store
from ingot.machines.machine import Machine

THIN_MAX = 4  # output channels
_VECTORS_LEAST = 8  # of products for each sum: fewer are soon added, but not soon summed up
_ROWS_MOST = 12

# One step: from the number of lanes, an element of each row, and a weight of each column, to what adds their products up.
ThinStep = Callable[[int, Callable[[int, Expr], Expr], Callable[[int, Expr], Expr]], tuple[Stmt, ...]]


def is_thin(x: TensorType, outputs: int, group: int) -> bool:
    """Whether a convolution of `x [N, C, …]` has few output channels and more input channels."""
    return group == 1 and outputs <= THIN_MAX and x.shape[1] >= 2 * outputs and x.dtype.is_float


def why_not_thin(site: Site, x: TensorType, outputs: int, row_width: int) -> str:
    """Why vectors are no input channels, of a convolution that `is_thin`, with rows of so many outputs; empty if they are."""
    machine, lanes = site.machine, site.machine.lanes(accumulator_type(x.dtype))
    return why_not(
        (machine.grid, FOR_PROCESSORS),
        (lanes < 2 * outputs, f"vectors of {lanes} are too short for {outputs} output channels"),
        (site.is_inlined(0), "its input is not in memory"),
        (site.constant(1) is None, "weights are not known while building"),
        (not row_width, "there is nothing to compute"),
        (x.shape[1] < lanes, "input channels fill no vector"),
    ) or why_not((site.input(0).strides[1] != 1, "input channels do not lie side by side"))


def fills_vectors(site: Site, x: TensorType, taps: int) -> bool:
    """Whether each sum has enough vectors of products."""
    return taps * x.shape[1] >= _VECTORS_LEAST * site.machine.lanes(accumulator_type(x.dtype))


def tile_of(machine: Machine, outputs: int, row_width: int) -> Tile:
    """The tile, with outputs as vectors of one lane."""
    return Tile(min(row_width, _rows(machine, outputs)), outputs, 1)


def _rows(machine: Machine, outputs: int) -> int:
    """Rows of a tile: all sums, and one vector of weights for each output channel, are in registers."""
    return max(1, min(_ROWS_MOST, (machine.vector_registers - 1 - outputs) // outputs))


def channels(depth: int, lanes: int, body: Callable[[Expr, int], Sequence[Stmt]]) -> tuple[Stmt, ...]:
    """`body(first, width)` for all input channels, by vectors."""
    return tiles("c", depth, vector_sizes(lanes), body)


def accumulate_thin(
    rows: int,
    columns: int,
    site: Site,
    spec: ConvSpec,
    reduction: Callable[[ThinStep], Sequence[Stmt]],
    write: Callable[[Expr, int, Expr], Sequence[Stmt]],
) -> tuple[Stmt, ...]:
    """One tile of the result. `reduction` writes the loops and calls its argument in the innermost one; `write(row, column,
    value)` stores a result.
    """
    dtype = accumulator_type(spec.y.dtype)
    lanes = site.machine.lanes(dtype)
    acc, sums = buffer("acc", dtype, (rows, columns, lanes)), buffer("sums", dtype, (columns, rows))
    each = [(row, column) for row in range(rows) for column in range(columns)]

    def step(
        width: int, value: Callable[[int, Expr], Expr], weight: Callable[[int, Expr], Expr]
    ) -> tuple[Stmt, ...]:
        def one(row: int, column: int, lane: Expr) -> tuple[Stmt, ...]:
            return (
                store(
                    acc,
                    (row, column, lane),
                    Fma(value(row, lane), weight(column, lane), load(acc, row, column, lane)),
                ),
            )

        return tuple(
            stmt
            for row, column in each
            for stmt in vector("lane", width, lambda lane, r=row, c=column: one(r, c, lane))  # type: ignore[misc]
        )

    def joined(row: int, column: int) -> tuple[Stmt, ...]:
        stmts: tuple[Stmt, ...] = ()
        for power in reversed(range(int(math.log2(lanes)))):
            half = 1 << power

            def fold(lane: Expr, half: int = half) -> tuple[Stmt, ...]:
                total = load(acc, row, column, lane) + load(acc, row, column, lane + half)
                return (store(acc, (row, column, lane), total),)

            stmts += vector("lane", half, fold)
        return (*stmts, store(sums, (column, row), load(acc, row, column, 0)))

    zero = Const(0.0, dtype)
    stmts: list[Stmt] = [Alloc(acc), Alloc(sums)]
    for row, column in each:
        stmts += vector("lane", lanes, lambda lane, r=row, c=column: (store(acc, (r, c, lane), zero),))  # type: ignore[misc]
    stmts += reduction(step)
    for row, column in each:
        stmts += joined(row, column)
    for column in range(columns):
        stmts += vectors_of(rows, lanes, lambda row, c=column: write(row, c, load(sums, c, row)))  # type: ignore[misc]
    return (For(Var("tile"), index(1), tuple(stmts), LoopKind.SERIAL),)
