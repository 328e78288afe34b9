"""Local response normalisation across channels."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.template import Site, Template, each_but
from ingot.loops.build.nest import (
    by_storage_order,
    collapse,
    contiguous_axis,
    parallel_tiles,
    vector,
    vector_blocks,
    vector_sizes,
)
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    For,
    Let,
    LoopKind,
    Stmt,
    Var,
    buffer,
    call,
    index,
    load,
    maximum,
    minimum,
    store,
)


def inverse_power(base: Expr, exponent: float) -> Expr:
    """`base ** -exponent` of a positive number; the usual exponents by square roots."""
    unit = Const(1, base.dtype)
    if exponent == 1.0:
        return unit / base
    if exponent == 0.5:
        return unit / call("sqrt", base)
    if exponent == 0.75:
        root = call("sqrt", base)
        return unit / (root * call("sqrt", root))
    return call("pow", base, Const(-exponent, base.dtype))


def local_response(x: TensorType, size: int, alpha: float, beta: float, bias: float) -> Template:
    """`x / (bias + alpha/size * Σ x²) ** beta`, the sum over `size` neighbouring channels: `x [N, C, spatial…]`."""
    before, after = (size - 1) // 2, size // 2
    channels = x.shape[1]

    def scaled(value: Expr, total: Expr) -> Expr:
        return value * inverse_power(total * (alpha / size) + bias, beta)

    def build(site: Site) -> Sequence[Stmt]:
        strides = site.input(0).strides
        inner = contiguous_axis(strides, x.shape)
        lanes = site.machine.lanes(x.dtype) if inner is not None else 1
        if inner == 1:
            return _along_channels(site, lanes)
        column = inner if inner is not None else None
        order = [axis for axis in by_storage_order(strides, x.shape) if axis != column]

        def tile(where: tuple[Expr, ...], start: Expr, width: int) -> Sequence[Stmt]:
            point = dict(zip(order, where, strict=True))
            total = buffer("total", x.dtype, (width,))
            first, count = Var("first"), Var("count")
            channel = point[1]

            def at(lane: Expr, other: Expr) -> list[Expr]:
                full = point | {1: other}
                if column is not None:
                    full[column] = start + lane
                return [full[axis] for axis in range(x.rank)]

            def update(other: Expr, lane: Expr) -> Sequence[Stmt]:
                value = site.read(0, *at(lane, other))
                return (store(total, (lane,), load(total, lane) + value * value),)

            neighbour = Var("neighbour")
            return (
                Alloc(total),
                Let(first, maximum(channel - before, 0)),
                Let(count, minimum(channel + (after + 1), channels) - first),
                *vector("lane", width, lambda lane: (store(total, (lane,), 0),)),
                For(
                    neighbour,
                    count,
                    vector("lane", width, lambda lane: update(neighbour + first, lane)),
                    LoopKind.SERIAL,
                ),
                *vector(
                    "lane",
                    width,
                    lambda lane: site.write(
                        0, at(lane, channel), scaled(site.read(0, *at(lane, channel)), load(total, lane))
                    ),
                ),
            )

        extent = x.shape[column] if column is not None else 1
        return parallel_tiles("row", [x.shape[axis] for axis in order], extent, vector_sizes(lanes), tile)

    def _along_channels(site: Site, lanes: int) -> tuple[Stmt, ...]:
        others = [axis for axis in by_storage_order(site.input(0).strides, x.shape) if axis != 1]
        # Channels with all neighbours are written by vectors, those near both ends one by one.
        low = min(before, channels)
        high = max(low, channels - after)

        def pixel(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            point = dict(zip(others, where, strict=True))

            def at(channel: Expr) -> list[Expr]:
                full = point | {1: channel}
                return [full[axis] for axis in range(x.rank)]

            def square(channel: Expr) -> Expr:
                value = site.read(0, *at(channel))
                return value * value

            def whole(channel: Expr) -> Sequence[Stmt]:
                total = square(channel)
                for offset in range(-before, after + 1):
                    if offset:
                        total = total + square(channel + offset)
                return site.write(0, at(channel), scaled(site.read(0, *at(channel)), total))

            def border(channel: int) -> Sequence[Stmt]:
                total: Expr = Const(0, x.dtype)
                for other in range(max(0, channel - before), min(channels, channel + after + 1)):
                    total = total + square(index(other))
                return site.write(0, at(index(channel)), scaled(site.read(0, *at(index(channel))), total))

            stmts: list[Stmt] = []
            for channel in (*range(low), *range(high, channels)):
                stmts += border(channel)
            stmts += vector_blocks("channel", high - low, lanes, lambda channel: whole(channel + low))
            return stmts

        return collapse("pixel", [x.shape[axis] for axis in others], pixel)

    spec = {"size": size, "alpha": alpha, "beta": beta, "bias": bias}
    return Template("local_response", (x,), (x,), build, spec, independent=each_but(x.rank, 1))
