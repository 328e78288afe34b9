"""Depthwise convolution: one filter for each channel, over feature maps stored with channels last.

A tile is a few neighbouring outputs of a row by one vector of channels. The next tile has the next channels of the same outputs,
so memory is read and written from one end to the other: one vector of channels along a whole row takes a part of each line, far
apart, which not all processors see coming. On one that does, only the channels of a few lines are taken together, and go down the
whole feature map: the rows of the input that neighbouring rows of outputs have in common are then still in the first-level cache,
as if the map were stored in blocks of channels. Nothing is padded: the tiles at the ends of a row know which of their taps lie
outside, and rows near the border leave out those of the kernel's rows that do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.register_block import balanced
from ingot.kernels.conv.depthwise.bands import band_options, band_tasks
from ingot.kernels.conv.problem import Channels, ConvSpec, channel_tasks, column_tiles
from ingot.kernels.template import Site, either
from ingot.loops.build.builder import Span, with_body
from ingot.loops.build.nest import accumulator_type, nest, vector
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    Fma,
    For,
    If,
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
    store,
)
from ingot.machines.machine import LINE_BYTES, Machine

UNROLLED_MAX = 16  # longest row of a kernel whose taps are written out


def build_depthwise(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    """The statements of a convolution with one input and one output channel in each group."""
    weight = _weights(site)
    lanes = site.machine.lanes(accumulator_type(spec.y.dtype))
    bands = site.choose("bands", band_options(site.machine, spec))
    vectors, down = _order(site, spec, 1 if bands is None else bands[0])
    if bands is not None:
        return band_tasks(site, spec, lanes, weight, bands, vectors, down)
    return row_tasks(site, spec, lanes, lambda *tile: _tile(site, spec, weight, *tile), vectors, down)


def _order(site: Site, spec: ConvSpec, rows: int) -> tuple[int, bool]:
    """How many vectors of channels a task of so many rows of outputs may have, tile by tile, and whether the next task is the
    next rows of these channels.
    """
    machine, tuning = site.machine, site.machine.tuning.depthwise
    if not machine.l2_bytes:
        return 1, False
    orders = {"tiles": (tuning.max_vectors, False), "vectors": (1, False)}
    if spec.spatial_rank == 2 and machine.vector_bytes:
        height = (rows - 1) * spec.strides[0] + (spec.kernel[0] - 1) * spec.dilations[0] + 1
        row_bytes = height * max(spec.x.shape[-1], 1) * LINE_BYTES
        lines = max(1, min(tuning.max_lines, tuning.rows_max_bytes // row_bytes))
        down = {"down": (max(1, lines * LINE_BYTES // machine.vector_bytes), True)}
        # Processors with AVX2 were slow to read lines far apart, rows of one vector after another; this they have not been asked.
        orders = (
            {**down, **orders}
            if machine.has_wide_vectors and not machine.double_pumped_512
            else {**orders, **down}
        )
    return site.choose("order", orders)


def vectors_together(site: Site) -> int:
    """How many vectors of channels a task of a depthwise convolution of quantized values may have, tile by tile."""
    return (
        site.machine.tuning.depthwise.max_vectors
        if site.machine.l2_bytes and site.choose("order", either("tiles", "vectors", True))
        else 1
    )


# Writes neighbouring outputs of a row, for a vector of channels: batch, the row, first channel; number of channels; first output,
# number of outputs; whether some rows of the kernel may lie outside of the input.
RowTile = Callable[[tuple[Expr, Sequence[Expr], Expr], int, Expr, int, bool], tuple[Stmt, ...]]


def row_tasks(
    site: Site, spec: ConvSpec, lanes: int, tile: RowTile, vectors: int = 1, down: bool = False
) -> tuple[Stmt, ...]:
    """All rows of outputs by up to `vectors` vectors of up to `lanes` channels, shared out, as tiles; `down` as in
    `channel_tasks`.
    """
    pixels = site.choose("pixels", pixel_counts(site.machine, spec.y.shape[-1]))

    def task(n: Expr, outer: Sequence[Expr], channels: Channels) -> Sequence[Stmt]:
        def row(checked: bool) -> tuple[Stmt, ...]:
            def each(span: Span) -> Sequence[Stmt]:
                return channels.each(lambda first: tile((n, outer, first), channels.width, *span, checked))

            return with_body(lambda k: column_tiles(k, spec, pixels), each)

        inside = both(*(each for axis, at in enumerate(outer) for each in _row_conditions(spec, axis, at)))
        if isinstance(inside, Const):
            return row(not inside.value)
        return (If(inside, row(False), row(True)),)

    return channel_tasks(site, spec, lanes, task, vectors=vectors, down=down)


def pixel_counts(machine: Machine, row_width: int) -> dict[str, int]:
    """How many neighbouring outputs a tile may have: about half as many as there are registers; or half, or twice, as many."""
    return other_counts(max(1, (machine.vector_registers - 4) // 2), row_width)


def other_counts(usual: int, row_width: int) -> dict[str, int]:
    """The usual number of neighbouring outputs, and others that divide a row in another way: half, twice and a quarter of it."""
    others = {balanced(row_width, count)[:1]: count for count in (usual // 2, 2 * usual, usual // 4) if count}
    others.pop(balanced(row_width, usual)[:1], None)
    return {str(count): count for count in (usual, *others.values())}


def _weights(site: Site) -> Callable[[Sequence[Operand], Expr], Expr]:
    """How to read the weight of a tap for a channel: packed with channels last if they are constant."""
    if not site.is_constant(1):
        return lambda k, c: site.read(1, c, 0, *k)
    packed = site.arrange(1, lambda array: np.moveaxis(array[:, 0], 0, -1))
    return lambda k, c: load(packed, *k, c)


def _row_conditions(spec: ConvSpec, axis: int, at: Expr) -> list[Expr]:
    """That all taps of an output's position in a dimension are inside, as far as that is not always so."""
    stride, pad, extent = spec.strides[axis], spec.pads_begin[axis], spec.x.shape[axis + 2]
    reach = (spec.kernel[axis] - 1) * spec.dilations[axis]
    conditions = [compare("ge", at * stride, pad)] if pad else []
    if (spec.y.shape[axis + 2] - 1) * stride - pad + reach >= extent:
        conditions.append(compare("le", at * stride, extent - 1 - reach + pad))
    return conditions


def kernel_row(spec: ConvSpec, outer: Sequence[Expr], k: Sequence[Expr]) -> tuple[list[Expr], Expr]:
    """Where in the input a row of the kernel lies for a row of outputs, and whether that is inside."""
    where = [
        at * s + kk * d - p
        for at, s, kk, d, p in zip(outer, spec.strides, k, spec.dilations, spec.pads_begin, strict=False)
    ]
    inside = [
        each
        for at, end in zip(where, spec.x.shape[2:-1], strict=True)
        for each in (compare("ge", at, 0), compare("lt", at, end))
    ]
    return where, both(*inside)


def _tile(
    site: Site,
    spec: ConvSpec,
    weight: Callable[[Sequence[Operand], Expr], Expr],
    place: tuple[Expr, Sequence[Expr], Expr],
    width: int,
    start: Expr,
    size: int,
    checked: bool,
) -> tuple[Stmt, ...]:
    n, outer, first = place
    acc_type = accumulator_type(spec.y.dtype)
    acc = buffer("acc", acc_type, (size, width))
    stride, dilation, pad = spec.strides[-1], spec.dilations[-1], spec.pads_begin[-1]

    def each(
        body: Callable[[int, Expr], Sequence[Stmt]], pixels: Sequence[int] = range(size)
    ) -> tuple[Stmt, ...]:
        stmts: tuple[Stmt, ...] = ()
        for pixel in pixels:
            stmts += vector("lane", width, lambda lane, pixel=pixel: body(pixel, lane))  # type: ignore[misc]
        return stmts

    def inside(pixel: int, tap: int) -> bool:
        known = spec.column_inside(start + pixel, index(tap))
        assert isinstance(known, Const)
        return bool(known.value)

    def taps(k: tuple[Expr, ...]) -> Sequence[Stmt]:
        where, is_inside = kernel_row(spec, outer, k)
        stmts: tuple[Stmt, ...] = ()
        for tap in range(spec.kernel[-1]):

            def add(pixel: int, lane: Expr, tap: int = tap) -> Sequence[Stmt]:
                value = site.read(
                    0, n, first + lane, *where, (start + pixel) * stride + (tap * dilation - pad)
                )
                factor = weight((*k, tap), first + lane)
                return (
                    store(
                        acc,
                        (pixel, lane),
                        Fma(cast(value, acc_type), cast(factor, acc_type), load(acc, pixel, lane)),
                    ),
                )

            stmts += each(add, [pixel for pixel in range(size) if inside(pixel, tap)])
        return (If(is_inside, stmts),) if checked else stmts

    def finish(pixel: int, lane: Expr) -> Sequence[Stmt]:
        return site.write(
            0, (n, first + lane, *outer, start + pixel), cast(load(acc, pixel, lane), spec.y.dtype)
        )

    stmts = (
        Alloc(acc),
        *each(lambda pixel, lane: (store(acc, (pixel, lane), 0),)),
        *nest([f"k{axis}" for axis in range(spec.spatial_rank - 1)], spec.kernel[:-1], taps),
        *each(finish),
    )
    return (For(Var("tile"), Const(1, DType.INT64), stmts, LoopKind.SERIAL),)
