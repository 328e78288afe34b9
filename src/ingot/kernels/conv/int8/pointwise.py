"""A 1×1 integer convolution with few weights: a task has some pixels and all output channels.

All weights stay in the first-level cache, so pixels need not pass by panel after panel. A task copies its pixels
itself, if they need that. So a thread reads what it wrote in the layer before, if that shares out pixels in the same order,
and no two threads write channels of the same pixel, which may lie in one line of a cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType
from ingot.kernels.algorithm import Algorithm, Estimate, why_not
from ingot.kernels.blocks.dot_block import Factors, Step, accumulate, packed_at
from ingot.kernels.blocks.register_block import Tile, balanced, parts, sum_steps
from ingot.kernels.conv.int8.packed_weights import factors_of, offered_tiles, pack_weights
from ingot.kernels.conv.int8.problem import QConv
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site
from ingot.loops.build.nest import collapse, loop, vector_blocks
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    For,
    If,
    LoopKind,
    Stmt,
    Var,
    buffer,
    compare,
    load,
    store,
    word,
)


def _refuses(site: Site, problem: QConv) -> str:
    spec = problem.spec
    ones = all(extent == 1 for extent in (spec.spatial_rank, spec.group, *spec.kernel, *spec.strides))
    return why_not(
        (not ones, "it takes one row, one tap, stride 1 and no groups"),
        (spec.has_padding, "its input is padded"),
        (not site.machine.vector_bytes, "the machine has no vectors"),
        (not spec.y.size, "there is nothing to compute"),
    )


def _estimate(site: Site, problem: QConv) -> Estimate:
    """Whether all weights stay near, and there are tasks for some threads, with the register block that is the best."""
    spec, kind = problem.spec, factors_of(site)
    tile = next(iter(offered_tiles(site, spec, kind).values()))
    tuning = site.machine.tuning.conv_int8
    near = kind.packed_bytes(spec.w.shape[0], spec.w.shape[1], tile.columns) <= tuning.weights_max_bytes
    pays = near and spec.x.shape[0] * -(-spec.y.shape[-1] // tile.rows) >= tuning.pointwise_min_tasks
    return Estimate(pays, worth_measuring=pays)


def _pixel_tiles(spec: ConvSpec, tile: Tile) -> tuple[tuple[int, int], ...]:
    """The tiles of pixels that are shared out, as (size, count), at most two sizes."""
    pixels = spec.y.shape[-1]
    count = -(-pixels // tile.rows)
    return balanced(pixels, -(-pixels // (count + count % 2)))  # an even number divides better among threads


def _build(site: Site, problem: QConv) -> Sequence[Stmt]:
    spec, packing = problem.spec, pack_weights(site, problem)
    kind, tile, packed = packing.kind, packing.tile, packing.weights
    sizes = _pixel_tiles(spec, tile)
    outputs, steps, taps = spec.w.shape[0], packed.shape[-2], (0,) * (len(packed.shape) - 4)  # the only one

    def pixels(n: Expr, start: Expr, size: int) -> tuple[Stmt, ...]:
        word_at, copied = _words(site, spec, kind, packing.in_place, n, start, size)

        def panel_of(width: int) -> Callable[[Expr], Sequence[Stmt]]:
            def panel(number: Expr) -> Sequence[Stmt]:
                def sums(step: Step) -> Sequence[Stmt]:
                    def at(j: Expr) -> Sequence[Stmt]:
                        return step(lambda row: word_at(row, j), packed_at(packed, 0, number, *taps, j))

                    return sum_steps("j", steps, tile.steps, at, adjoin=True)

                def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
                    return site.write(0, (n, number * tile.columns + column, start + row), value)

                return accumulate(
                    size,
                    tile,
                    lambda column: load(packing.starts, 0, number, column),
                    sums,
                    write,
                    width,
                    kind,
                )

            return panel

        stmts = copied
        for begin, count, width in parts(outputs, tile.columns):
            body = panel_of(width)
            stmts += loop(f"panel{width}", count, lambda at, begin=begin, body=body: body(at + begin))  # type: ignore[misc]
        return (For(Var("some"), Const(1, DType.INT64), stmts, LoopKind.SERIAL),)

    def task(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        n, number = where
        (size, count), *others = sizes
        usual = pixels(n, number * size, size)
        if not others:
            return usual
        rest = others[0][0]
        return (
            If(compare("lt", number, count), usual, pixels(n, number * rest + count * (size - rest), rest)),
        )

    return collapse("pixels", (spec.x.shape[0], sum(count for _, count in sizes)), task)


def _words(
    site: Site, spec: ConvSpec, kind: Factors, in_place: bool, n: Expr, start: Expr, size: int
) -> tuple[Callable[[int, Expr], Expr], tuple[Stmt, ...]]:
    """How to read what a step takes of a pixel of a tile, and statements that copy the pixels, if need be."""
    channels = spec.x.shape[1]
    if in_place:
        source = site.input(0)
        return lambda row, j: kind.word(
            word(load(source, n, j * kind.per_step, start + row)), spec.x.dtype
        ), ()
    whole = -(-channels // kind.per_step) * kind.per_step
    rows = buffer("rows", kind.row, (size, whole))
    lanes = site.machine.lanes(DType.INT32 if site.is_inlined(0) else DType.UINT8)

    def copy(row: Expr) -> tuple[Stmt, ...]:
        def code(c: Expr) -> tuple[Stmt, ...]:
            return (store(rows, (row, c), kind.code(site.read(0, n, c, start + row))),)

        rest = loop("z", whole - channels, lambda z: (store(rows, (row, z + channels), 0),))
        return vector_blocks("c", channels, lanes, code) + rest

    return lambda row, j: kind.factor(load(rows, row, j * kind.per_step)), (
        Alloc(rows),
        *loop("copy", size, copy),
    )


POINTWISE = Algorithm("pointwise", _build, _refuses, estimate=_estimate)
