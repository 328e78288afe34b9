"""Register tiles whose results are stored the other way round: a tile's columns are channels, and each of them is a plane.

The sums of a tile go to the stack, and from there by squares of rows and columns, which the code generator reads along memory and
turns in registers. So a convolution writes what a model gives out as planes, without a copy of the whole result behind it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ingot.base.tensor import DType
from ingot.kernels.blocks.register_block import (
    Result,
    Tile,
    balanced,
    different,
    fitting_tiles,
    rows_without_conflict,
    step_cycles,
)
from ingot.loops.build.builder import Builder, pieces
from ingot.loops.nodes import Buffer, Expr, LoopKind, load
from ingot.machines.machine import Machine

UNIT = 4  # rows of the smallest square that is turned in registers
_SQUARE_LEAST, _SQUARE_MOST = 8, 16
# Of a result, if they are not whole squares: small squares take as long as a copy of the result.
_ROWS_LEAST = 20
# A result that no cache holds is written in as many places at once as a panel has columns, each of them as long as a row.
_FAR_BYTES, _LONG_ROWS = 2 << 20, 256
_PANEL_MOST = 32  # columns that are written side by side


def worth_turning(rows: int, columns: int, plane_bytes: int, size_bytes: int) -> bool:
    """Whether a result of `size_bytes`, of so many rows and columns at a time, is written sooner so than by a copy of all. Planes
    whose lines compete for the same few places in a cache are not.
    """
    squares = rows >= _ROWS_LEAST or (rows > 0 and rows % _SQUARE_LEAST == 0)
    near = size_bytes <= _FAR_BYTES or rows >= _LONG_ROWS
    return (
        squares
        and columns >= UNIT
        and near
        and rows_without_conflict(plane_bytes) >= min(columns, _PANEL_MOST)
    )


def turning_tiles(
    machine: Machine, dtype: DType, rows: int, columns: int, rows_most: int | None, steps: int
) -> dict[str, Tile]:
    """Tiles as those of `tiles`, for sums of `steps` products each that are turned before they are stored."""
    found = []
    for tile in fitting_tiles(machine, dtype, rows, columns, rows_most):
        sums = turns = 0.0
        panels = -(-columns // tile.columns)
        for size, count in balanced(rows, tile.rows, unit(tile)):
            sums += count * step_cycles(size, size, columns, tile.vectors, tile.lanes)
            turns += count * panels * tile.vectors * _turn_cycles(size, tile.lanes)
        found.append((sums * steps + turns, tile))
    return different(rows, found)


def unit(tile: Tile) -> int:
    """What tiles of up to so many rows are made of: whole squares, if that is not too few rows for a long sum."""
    return UNIT if tile.rows % UNIT == 0 else 1


def _turn_cycles(rows: int, lanes: int) -> float:
    """Cycles for a vector of columns: shuffles, loads and stores of squares; below them each element is read alone."""
    total = 0.0
    for _, width in pieces(rows, _SQUARE_MOST):
        squares = lanes / width
        total += squares * width * (math.log2(width) + 2 if width >= UNIT else width + 1)
    return total


def transposed_results(k: Builder, sums: Buffer, columns: int, lanes: int) -> Iterator[Result]:
    """The first `columns` columns of `sums [rows, columns…]`, by vectors of at most `lanes` rows."""
    for first, width in pieces(sums.shape[0], min(lanes, _SQUARE_MOST)):
        for column in _columns(k, columns, width):
            for lane in k.vector("lane", width):
                row = lane + first
                yield Result(row, column, load(sums, row, column))


def _columns(k: Builder, columns: int, width: int) -> Iterator[Expr]:
    """The columns of whole squares, each written out, and the rest."""
    whole = columns // width if width >= UNIT else 0
    for number in k.loop("square", whole):
        for column in k.loop("column", width, LoopKind.UNROLLED, "transpose"):
            yield number * width + column
    for at in k.loop("rest", columns - whole * width):
        yield at + whole * width
