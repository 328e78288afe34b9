"""Register blocks whose results are stored transposed: the columns are channels, and each of them is a plane.

The sums of a tile go to the stack, and from there by squares of rows and columns, which the code generator reads along memory and
transposes in registers. So a convolution writes what a model gives out as planes, without a copy of the whole result behind it.
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
from ingot.machines.tuning import TransposedStore

UNIT = 4  # rows of the smallest square that is transposed in registers
_SQUARE_MAX = 16  # rows of the largest: what the longest vectors of float32 have


def worth_transposing(
    tuning: TransposedStore, rows: int, columns: int, plane_bytes: int, size_bytes: int
) -> bool:
    """Whether a result of `size_bytes`, of so many rows and columns at a time, is written sooner so than by a copy of all. Planes
    whose lines compete for the same few places in a cache are not.
    """
    squares = rows >= tuning.min_rows or (rows > 0 and rows % tuning.min_square == 0)
    near = size_bytes <= tuning.near_max_bytes or rows >= tuning.far_min_rows
    return (
        squares
        and columns >= UNIT
        and near
        and rows_without_conflict(plane_bytes) >= min(columns, tuning.max_columns)
    )


def transposing_tiles(
    machine: Machine, dtype: DType, rows: int, columns: int, rows_max: int | None, steps: int
) -> dict[str, Tile]:
    """Tiles as those of `tiles`, for sums of `steps` products each that are transposed before they are stored."""
    rated = []
    for tile in fitting_tiles(machine, dtype, rows, columns, rows_max):
        sums = transposes = 0.0
        panels = -(-columns // tile.columns)
        for size, count in balanced(rows, tile.rows, unit(tile)):
            sums += count * step_cycles(machine, size, size, columns, tile.vectors, tile.lanes)
            each = _transpose_cycles(machine.tuning.transposed_store, size, tile.lanes)
            transposes += count * panels * tile.vectors * each
        rated.append((sums * steps + transposes, tile))
    return different(rows, rated)


def unit(tile: Tile) -> int:
    """What tiles of up to so many rows are made of: whole squares, if that is not too few rows for a long sum."""
    return UNIT if tile.rows % UNIT == 0 else 1


def _transpose_cycles(costs: TransposedStore, rows: int, lanes: int) -> float:
    """Cycles for a vector of columns: shuffles, loads and stores of squares; below them each element is read alone."""
    total = 0.0
    for _, width in pieces(rows, _SQUARE_MAX):
        squares = lanes / width
        alone = costs.element_cycles * width + costs.row_cycles
        in_square = costs.shuffle_cycles * math.log2(width) + costs.square_row_cycles
        total += squares * width * (in_square if width >= UNIT else alone)
    return total


def transposed_results(k: Builder, sums: Buffer, columns: int, lanes: int) -> Iterator[Result]:
    """The first `columns` columns of `sums [rows, columns…]`, by vectors of at most `lanes` rows."""
    for first, width in pieces(sums.shape[0], min(lanes, _SQUARE_MAX)):
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
