"""Depthwise convolution by bands: tiles of a few rows of outputs by a few columns, for a vector of channels.

Neighbouring rows of outputs read rows of the input in common. A tile of two rows loads each element of the input once and uses
it for all its outputs, with the weights in registers: a third of the loads that one row after another takes. With few registers
these are the weights of two rows of a kernel: sums of 2×4 outputs, six weights and an element fill 15 of 16. At the borders
it is known while building which rows are outside: bands there have code of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.kernels.conv.problem import Channels, ConvSpec, channel_tasks, column_tiles
from ingot.kernels.template import Site
from ingot.loops.build.builder import Span, with_body
from ingot.loops.build.nest import accumulator_type, vector
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    Fma,
    For,
    If,
    Let,
    LoopKind,
    Operand,
    Stmt,
    Var,
    buffer,
    cast,
    compare,
    index,
    load,
    store,
)
from ingot.machines.machine import Machine

SUMS_MAX = 400  # products in one tile, which are written out
_MANY_REGISTERS = 32
_BORDERS_MAX = 4  # bands with code of their own

# How to read the weight of a tap for a channel.
Weight = Callable[[Sequence[Operand], Expr], Expr]


def band_options(machine: Machine, spec: ConvSpec) -> dict[str, tuple[int, int] | None]:
    """Rows and columns of the tiles of bands, as `2x7`, or `no` for single rows. The usual one first."""
    options: dict[str, tuple[int, int] | None] = {}
    if spec.spatial_rank == 2 and machine.l2_bytes:
        for rows in (2, 3):
            pixels = min(band_sums(machine) // rows, spec.y.shape[-1])
            fits = (
                rows <= spec.y.shape[-2] and pixels > 1 and rows * pixels * math.prod(spec.kernel) <= SUMS_MAX
            )
            if fits and _rows_in_common(spec, rows) and len(_borders(spec, rows)) <= _BORDERS_MAX:
                options[f"{rows}x{pixels}"] = rows, pixels
    return {**options, "no": None}


def band_sums(machine: Machine) -> int:
    """How many sums a tile of two rows or more has room for besides weights: half of the registers, or somewhat less of many."""
    return machine.vector_registers // 2 - (2 if machine.vector_registers >= _MANY_REGISTERS else 0)


def _rows_in_common(spec: ConvSpec, rows: int) -> bool:
    """Whether some row of the input is for two rows of outputs of a band: dilated kernels step over the rows of others."""
    return any(len(uses) > 1 for uses in tap_uses(spec, 0, rows).values())


def band_tasks(
    site: Site,
    spec: ConvSpec,
    lanes: int,
    weight: Weight,
    shape: tuple[int, int],
    vectors: int,
    down: bool = False,
) -> tuple[Stmt, ...]:
    """The statements of a depthwise convolution in two dimensions, by tiles of this shape; a task has up to `vectors` vectors of
    up to `lanes` channels.
    """
    rows, pixels = shape
    height = spec.y.shape[-2]
    bands, borders = -(-height // rows), _borders(spec, rows)

    def task(n: Expr, outer: Sequence[Expr], channels: Channels) -> Sequence[Stmt]:
        (band,) = outer

        def tiles(start: Expr, count: int) -> tuple[Stmt, ...]:
            def each(across: Span) -> Sequence[Stmt]:
                return channels.each(
                    lambda first: _tile(
                        site, spec, weight, (n, first), channels.width, (start, count), across
                    )
                )

            return with_body(lambda k: column_tiles(k, spec, pixels), each)

        known = [
            (number, tiles(index(number * rows), min(rows, height - number * rows))) for number in borders
        ]
        if len(known) == bands:
            (_, stmts), *known = reversed(known)
        else:
            stmts = tiles(band * rows, rows)
        for number, here in known:
            stmts = (If(compare("eq", band, number), here, stmts),)
        return stmts

    return channel_tasks(site, spec, lanes, task, (bands,), vectors, down)


def _borders(spec: ConvSpec, rows: int) -> list[int]:
    """The bands of which some taps are outside, or that have fewer rows than others."""
    height, extent = spec.y.shape[-2], spec.x.shape[-2]
    reach = (spec.kernel[-2] - 1) * spec.dilations[-2]

    def inside(first: int) -> bool:
        begin = first * spec.strides[-2] - spec.pads_begin[-2]
        return (
            first + rows <= height and begin >= 0 and begin + (rows - 1) * spec.strides[-2] + reach < extent
        )

    return [first // rows for first in range(0, height, rows) if not inside(first)]


def _tile(
    site: Site,
    spec: ConvSpec,
    weight: Weight,
    place: tuple[Expr, Expr],
    width: int,
    down: tuple[Expr, int],
    across: tuple[Expr, int],
) -> tuple[Stmt, ...]:
    """A tile: `place` is batch and first channel, `down` the first row and the number of rows, `across` the same of columns."""
    (n, first), ((top, rows), (left, columns)) = place, (down, across)
    acc_type = accumulator_type(spec.y.dtype)
    acc = buffer("acc", acc_type, (rows, columns, width))
    row_uses, column_uses = tap_uses(spec, 0, rows), tap_uses(spec, 1, columns)

    def each(body: Callable[[int, int, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        stmts: tuple[Stmt, ...] = ()
        for row in range(rows):
            for column in range(columns):
                stmts += vector("lane", width, lambda lane, row=row, column=column: body(row, column, lane))  # type: ignore[misc]
        return stmts

    def add(down: int, across: int, lane: Expr) -> Sequence[Stmt]:
        """An element of the input, for all outputs that it is for."""
        row = top * spec.strides[0] + (down - spec.pads_begin[0])
        column = left * spec.strides[1] + (across - spec.pads_begin[1])
        value = Var("value", acc_type)
        stmts: list[Stmt] = [Let(value, cast(site.read(0, n, first + lane, row, column), acc_type))]
        for at, k in row_uses[down]:
            for pixel, tap in column_uses[across]:
                factor = cast(weight((index(k), index(tap)), first + lane), acc_type)
                stmts.append(store(acc, (at, pixel, lane), Fma(value, factor, load(acc, at, pixel, lane))))
        return stmts

    sums: tuple[Stmt, ...] = ()
    for down_ in sorted(row_uses):
        for across_ in sorted(column_uses):
            if _inside(spec, 0, top, down_) and _inside(spec, 1, left, across_):
                sums += vector(
                    "lane",
                    width,
                    lambda lane, down=down_, across=across_: add(down, across, lane),  # type: ignore[misc]
                )

    def finish(row: int, column: int, lane: Expr) -> Sequence[Stmt]:
        value = cast(load(acc, row, column, lane), spec.y.dtype)
        return site.write(0, (n, first + lane, top + row, left + column), value)

    stmts = (
        Alloc(acc),
        *each(lambda row, column, lane: (store(acc, (row, column, lane), Const(0, acc_type)),)),
        *sums,
        *each(finish),
    )
    return (For(Var("tile"), index(1), stmts, LoopKind.SERIAL),)


def tap_uses(spec: ConvSpec, axis: int, outputs: int) -> dict[int, list[tuple[int, int]]]:
    """Position in the padded input, from that of the first tap on → outputs and taps that it is for."""
    uses: dict[int, list[tuple[int, int]]] = {}
    for output in range(outputs):
        for tap in range(spec.kernel[axis]):
            uses.setdefault(output * spec.strides[axis] + tap * spec.dilations[axis], []).append(
                (output, tap)
            )
    return uses


def _inside(spec: ConvSpec, axis: int, start: Expr, position: int) -> bool:
    """Whether a position is in the input; of outputs that are not known while building it is."""
    if not isinstance(start, Const):
        return True
    return (
        0 <= int(start.value) * spec.strides[axis] + position - spec.pads_begin[axis] < spec.x.shape[axis + 2]
    )
