"""Convolution for machines that run groups of work items.

A convolution is a matrix product of pixels × taps with taps × output channels. No matrix of taps is ever made: a group reads the
input where each tap lies while it fills its shared tile, zeros for the padding. A depthwise convolution has no product to tile:
an item sums some neighbouring pixels of one channel, and reads the row under them once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.grid_block import Product, product_loops
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site
from ingot.loops.build.grid import below, where
from ingot.loops.build.nest import accumulator_type, collapse, loop, nest, split_index
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    Fma,
    Let,
    LoopKind,
    Stmt,
    Var,
    both,
    buffer,
    cast,
    compare,
    load,
    select,
    store,
)

Weight = Callable[
    [Expr, Sequence[Expr], Expr, Expr], Expr
]  # group, tap, channel, output channel in the group → weight


def _inside(spec: ConvSpec, outs: Sequence[Expr], taps: Sequence[Expr]) -> tuple[Expr, list[Expr]]:
    """Whether taps of an output position are in the input, and where, of as many dimensions as are given."""
    conditions: list[Expr] = []
    places: list[Expr] = []
    for axis, (tap, out) in enumerate(zip(taps, outs, strict=True)):
        place = out * spec.strides[axis] + tap * spec.dilations[axis] - spec.pads_begin[axis]
        conditions += _bounded(place, spec.x.shape[2 + axis])
        places.append(place)
    return both(*conditions), places


def build_grid_conv(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    """The loops of a convolution as a matrix product, one for each group of channels."""
    weight, by_channel = _weight(site, spec, spec.w.shape[0] // spec.group)
    return grid_conv_loops(site, spec, weight, by_channel, lambda where, value: site.write(0, where, value))


def grid_conv_loops(
    site: Site,
    spec: ConvSpec,
    weight: Weight,
    by_channel: bool,
    write: Callable[[tuple[Expr, ...], Expr], Sequence[Stmt]],
) -> tuple[Stmt, ...]:
    """The same, with weights and results wherever they are. `by_channel`: weights of neighbouring output channels adjoin."""
    acc_type = accumulator_type(spec.y.dtype)
    out_channels, depth = spec.w.shape[:2]
    per_group = out_channels // spec.group
    pixels = (spec.x.shape[0], *spec.y.shape[2:])
    taps_apart = depth >= site.machine.tuning.grid.taps_min_channels or math.prod(spec.kernel) == 1

    def split(ks: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """Tap and channel of a place in the reduction."""
        return ks if taps_apart else split_index(ks[0], (*spec.kernel, depth))

    def left(at: tuple[Expr, ...], row: Expr, ks: tuple[Expr, ...]) -> Expr:
        *taps, channel = split(ks)
        batch, *out = split_index(row, pixels)
        inside, places = _inside(spec, out, taps)
        return cast(select(inside, site.read(0, batch, at[0] * depth + channel, *places), 0), acc_type)

    def right(at: tuple[Expr, ...], ks: tuple[Expr, ...], column: Expr) -> Expr:
        *taps, channel = split(ks)
        return cast(weight(at[0], taps, channel, column), acc_type)

    def put(at: tuple[Expr, ...], row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
        batch, *out = split_index(row, pixels)
        return write((batch, at[0] * per_group + column, *out), cast(value, spec.y.dtype))

    of_x, of_y = site.input(0).strides, site.outputs[0].strides
    return product_loops(
        site.machine.tuning.grid,
        Product(
            (spec.group,),
            math.prod(pixels),
            per_group,
            (*spec.kernel, depth) if taps_apart else (math.prod(spec.kernel) * depth,),
            acc_type,
            left,
            right,
            put,
            left_along_k=of_x[1] <= of_x[-1],
            right_along_k=not by_channel,
            rows_across=of_y[-1] < of_y[1] and spec.y.shape[-1] > 1,
        ),
    )


def _weight(site: Site, spec: ConvSpec, per_group: int) -> tuple[Weight, bool]:
    """How to read a weight, and whether those of neighbouring output channels are neighbours: constants are so transposed."""
    depth = spec.w.shape[1]
    if not site.is_constant(1):
        return lambda g, taps, c, column: site.read(1, g * per_group + column, c, *taps), False
    rank = spec.spatial_rank
    extents = (spec.group, per_group, depth, *spec.kernel)
    packed = site.arrange(1, lambda array: array.reshape(extents).transpose(0, *range(3, 3 + rank), 2, 1))
    return lambda g, taps, c, column: load(packed, g, *taps, c, column), True


def build_grid_depthwise(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    """One filter for each channel. What is written next to one another in memory is done by neighbouring items."""
    batch, channels = spec.x.shape[:2]
    *outer_extents, row_width = spec.y.shape[2:]
    acc_type = accumulator_type(spec.y.dtype)
    weight: Callable[[Sequence[Expr], Expr], Expr]
    if site.is_constant(1):
        packed = site.arrange(1, lambda array: np.moveaxis(array[:, 0], 0, -1))
        weight = lambda k, c: load(packed, *k, c)  # noqa: E731
    else:
        weight = lambda k, c: site.read(1, c, 0, *k)  # noqa: E731
    strides = site.outputs[0].strides
    last = strides[1] <= strides[-1] or row_width == 1
    count = min(site.machine.tuning.grid.depthwise_pixels, row_width) if last else 1
    blocks = -(-row_width // count)
    *outer_taps, row_taps = spec.kernel
    step, apart = spec.strides[-1], spec.dilations[-1]
    # What the pixels of an item read of a row: each place once, however many taps it is under.
    offsets = sorted({pixel * step + tap * apart for pixel in range(count) for tap in range(row_taps)})

    def task(where_: tuple[Expr, ...]) -> Sequence[Stmt]:
        n, *rest = where_
        c, (*outer, block) = (rest[-1], rest[:-1]) if last else (rest[0], rest[1:])
        first = block * count
        sums = buffer("sums", acc_type, (count,))

        def row(taps: tuple[Expr, ...]) -> Sequence[Stmt]:
            stmts: list[Stmt] = []
            read: dict[int, Var] = {}
            for offset in offsets:
                inside, places = _row_place(spec, outer, taps, first, offset)
                read[offset] = Var(f"x{offset}", acc_type)
                stmts.append(
                    Let(read[offset], cast(select(inside, site.read(0, n, c, *places), 0), acc_type))
                )
            for tap in range(row_taps):
                of_tap = Var(f"w{tap}", acc_type)
                stmts.append(Let(of_tap, cast(weight((*taps, Const(tap, DType.INT64)), c), acc_type)))
                stmts += (
                    store(sums, (pixel,), Fma(read[pixel * step + tap * apart], of_tap, load(sums, pixel)))
                    for pixel in range(count)
                )
            return stmts

        written: list[Stmt] = []
        for pixel in range(count):
            result = site.write(0, (n, c, *outer, first + pixel), cast(load(sums, pixel), spec.y.dtype))
            written += where(below(first + pixel, row_width, count), result)
        return (
            Alloc(sums),
            *(store(sums, (pixel,), 0) for pixel in range(count)),
            *nest(
                [f"k{axis}" for axis in range(len(outer_taps))],
                outer_taps,
                lambda taps: _own_block(row(taps)),
            ),
            *written,
        )

    box = (batch, *outer_extents, blocks, channels) if last else (batch, channels, *outer_extents, blocks)
    return collapse("task", box, task)


def _own_block(stmts: Sequence[Stmt]) -> Sequence[Stmt]:
    """The statements in a block of their own, so that the names they make are theirs."""
    return loop("row", 1, lambda _: stmts, LoopKind.SERIAL)


def _row_place(
    spec: ConvSpec, outer: Sequence[Expr], taps: Sequence[Expr], first: Expr, offset: int
) -> tuple[Expr, list[Expr]]:
    """Where an item's row of the input lies at an offset from its first pixel, and whether that is in the input."""
    inside, places = _inside(spec, outer, taps)
    place = first * spec.strides[-1] + (offset - spec.pads_begin[-1])
    return both(inside, *_bounded(place, spec.x.shape[-1])), [*places, place]


def _bounded(place: Expr, extent: int) -> tuple[Expr, Expr]:
    """The place is not outside; what is sure is decided when the kernel is simplified."""
    return compare("ge", place, 0), compare("lt", place, extent)
