"""A 1×1 convolution of 8-bit codes with few weights: a task has some pixels and all output channels.

All weights stay in the first-level cache, so pixels need not pass by panel after panel. A task copies the codes of its pixels
itself, if they need that. So a thread reads what it wrote in the layer before, if that shares out pixels in the same order,
and no two threads write channels of the same pixel, which may lie in one line of a cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType
from ingot.kernels.blocks.dot_block import Factors, Step, accumulate, packed_at
from ingot.kernels.blocks.register_block import Tile, balanced, parts, sum_steps
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site
from ingot.loops.build.nest import collapse, loop, vector_blocks
from ingot.loops.nodes import (
    Alloc,
    Buffer,
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

_WEIGHT_BYTES_MOST = 16 * 1024  # half of a small first-level cache
_TASKS_LEAST = 4


def pixel_tiles(site: Site, spec: ConvSpec, tile: Tile, weight_bytes: int) -> tuple[tuple[int, int], ...]:
    """The tiles of pixels that are shared out, as (size, count), at most two sizes; nothing if another way should be better."""
    pixels = spec.y.shape[-1]
    ones = all(one == 1 for one in (spec.spatial_rank, spec.group, *spec.kernel, *spec.strides))
    if not ones or spec.has_padding or not site.machine.vector_bytes or weight_bytes > _WEIGHT_BYTES_MOST:
        return ()
    count = -(-pixels // tile.rows)
    if spec.x.shape[0] * count < _TASKS_LEAST:
        return ()
    return balanced(pixels, -(-pixels // (count + count % 2)))  # an even number divides better among threads


def build_pointwise(
    site: Site, spec: ConvSpec, sizes: Sequence[tuple[int, int]], tile: Tile, packed: Buffer, first: Buffer, kind: Factors,
    direct: bool,
) -> Sequence[Stmt]:  # fmt: skip
    """All sums by tiles of pixels of these `sizes`. `packed` and `first` are weights and start numbers by panels, as `conv/int8`
    packs them; `direct`: words are read where they are.
    """
    outputs, steps, taps = spec.w.shape[0], packed.shape[-2], (0,) * (len(packed.shape) - 4)  # the only one

    def pixels(n: Expr, start: Expr, size: int) -> tuple[Stmt, ...]:
        word_at, copied = _words(site, spec, kind, direct, n, start, size)

        def panel_of(width: int) -> Callable[[Expr], Sequence[Stmt]]:
            def panel(number: Expr) -> Sequence[Stmt]:
                def sums(step: Step) -> Sequence[Stmt]:
                    def at(j: Expr) -> Sequence[Stmt]:
                        return step(lambda row: word_at(row, j), packed_at(packed, 0, number, *taps, j))

                    return sum_steps("j", steps, tile.steps, at)

                def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
                    return site.write(0, (n, number * tile.columns + column, start + row), value)

                return accumulate(
                    size, tile, lambda column: load(first, 0, number, column), sums, write, width, kind
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
    site: Site, spec: ConvSpec, kind: Factors, direct: bool, n: Expr, start: Expr, size: int
) -> tuple[Callable[[int, Expr], Expr], tuple[Stmt, ...]]:
    """How to read a word of a pixel of a tile, and statements that copy its codes, if need be."""
    channels = spec.x.shape[1]
    if direct:
        source = site.input(0)
        return lambda row, j: kind.word(word(load(source, n, j * kind.codes, start + row)), spec.x.dtype), ()
    whole = -(-channels // kind.codes) * kind.codes
    rows = buffer("rows", kind.row, (size, whole))
    lanes = site.machine.lanes(DType.INT32 if site.is_inlined(0) else DType.UINT8)

    def copy(row: Expr) -> tuple[Stmt, ...]:
        def code(c: Expr) -> tuple[Stmt, ...]:
            return (store(rows, (row, c), kind.code(site.read(0, n, c, start + row))),)

        rest = loop("z", whole - channels, lambda z: (store(rows, (row, z + channels), 0),))
        return vector_blocks("c", channels, lanes, code) + rest

    return lambda row, j: kind.factor(load(rows, row, j * kind.codes)), (
        Alloc(rows),
        *loop("copy", size, copy),
    )
