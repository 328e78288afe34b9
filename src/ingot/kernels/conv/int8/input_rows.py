"""Copies of the input of an integer convolution: rows with their padding, as steps of a sum want them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType
from ingot.kernels.blocks.dot_block import Factors, reads_int8x4
from ingot.kernels.blocks.register_block import parts
from ingot.kernels.conv.int8.problem import QConv
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site
from ingot.loops.build.nest import collapse, expecting, loop, tiles, vector, vector_blocks, vector_sizes
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
    both,
    buffer,
    compare,
    index,
    load,
    store,
)

_INTERLEAVED_CHANNELS = 4  # vectors of so many channels are put in order in registers


def copy_rows(
    site: Site,
    problem: QConv,
    kind: Factors,
    rows: Buffer,
    place: Callable[[Sequence[Expr], Expr], tuple[Expr, ...]],
) -> tuple[Stmt, ...]:
    """Copies the input into padded rows. `place`: where a value lies, by its row and its number there."""
    spec = problem.spec
    channels = spec.x.shape[1]
    zero = kind.zero(problem.zero_point, spec.x.dtype)
    lanes = site.machine.lanes(DType.INT32)
    copied_at_once = lanes if site.is_inlined(0) else site.machine.lanes(DType.UINT8)
    left = spec.pads_begin[-1]

    def fill(where: Sequence[Expr], first: int, count: int) -> tuple[Stmt, ...]:
        return vector_blocks(
            f"fill{first}", count, lanes * 4, lambda at: (store(rows, place(where, at + first), zero),)
        )

    def copy(
        where: Sequence[Expr], n: Expr, inner: Sequence[Expr], begin: Expr, width: int
    ) -> tuple[Stmt, ...]:
        def code(w: Expr, c: Expr) -> Expr:
            return kind.code(site.read(0, n, c, *inner, w + begin))

        def put(w: Expr, c: Expr, value: Expr) -> tuple[Stmt, ...]:
            return (store(rows, place(where, (w + begin + left) * channels + c), value),)

        def pixels(body: Callable[[Expr, Expr], tuple[Stmt, ...]]) -> tuple[Stmt, ...]:
            return loop("w", width, lambda w: loop("c", channels, lambda c: body(w, c), LoopKind.UNROLLED))

        if channels == 1:
            return vector_blocks("w", width, copied_at_once, lambda w: put(w, index(0), code(w, index(0))))
        if channels >= site.machine.tuning.conv_int8.vectors_min_channels:
            return loop(
                "w",
                width,
                lambda w: vector_blocks("c", channels, copied_at_once, lambda c: put(w, c, code(w, c))),
            )
        if channels <= _INTERLEAVED_CHANNELS:
            return tiles(
                "w",
                width,
                vector_sizes(lanes),
                lambda first, size: expecting(
                    "interleave",
                    loop(
                        "c",
                        channels,
                        lambda c: vector(
                            "lane", size, lambda lane: put(first + lane, c, code(first + lane, c))
                        ),
                        LoopKind.UNROLLED,
                    ),
                ),
            )
        if not site.is_inlined(0) or channels * width > site.machine.tuning.conv_int8.line_max_bytes:
            return pixels(lambda w, c: put(w, c, code(w, c)))
        # What is computed is computed in vectors along the row, one channel after another, and then put in order.
        line = buffer("line", rows.dtype, (channels, width))
        computed = loop(
            "channel",
            channels,
            lambda c: vector_blocks("x", width, lanes, lambda w: (store(line, (c, w), code(w, c)),)),
        )
        ordered = pixels(lambda w, c: put(w, c, load(line, c, w)))
        return (For(Var("row"), index(1), (Alloc(line), *computed, *ordered), LoopKind.SERIAL),)

    return _padded_rows(site, spec, fill, copy)


def padded_values(
    site: Site, problem: QConv
) -> tuple[tuple[Stmt, ...], Callable[[Expr, Expr, Sequence[Expr]], Expr]]:
    """Statements that copy the input with its padding, channels last, if it needs that, and how to read a value then: batch,
    channel, spatial index in the padded input.
    """
    spec = problem.spec
    if not spec.has_padding and reads_int8x4(site, 0, 1):
        return (), lambda n, c, at: site.read(0, n, c, *at)
    batch, channels = spec.x.shape[:2]
    padded = site.workspace("padded", spec.x.dtype, (batch, *spec.padded[:-1], spec.padded[-1] * channels))
    lanes = site.machine.lanes(DType.INT32)
    copied_at_once = lanes if site.is_inlined(0) else site.machine.lanes(DType.UINT8)
    left = spec.pads_begin[-1]

    def fill(where: Sequence[Expr], first: int, count: int) -> tuple[Stmt, ...]:
        return vector_blocks(
            f"fill{first}",
            count,
            lanes * 4,
            lambda at: (store(padded, (*where, at + first), problem.zero_point),),
        )

    def copy(
        where: Sequence[Expr], n: Expr, inner: Sequence[Expr], begin: Expr, width: int
    ) -> tuple[Stmt, ...]:
        def element(w: Expr, c: Expr) -> tuple[Stmt, ...]:
            place = (*where, (w + begin + left) * channels + c)
            return (store(padded, place, site.read(0, n, c, *inner, w + begin)),)

        return loop(
            "w", width, lambda w: vector_blocks("c", channels, copied_at_once, lambda c: element(w, c))
        )

    return _padded_rows(site, spec, fill, copy), lambda n, c, at: load(
        padded, n, *at[:-1], at[-1] * channels + c
    )


# Writes a part of a row of padding: the row, first value, number of values.
Fill = Callable[[Sequence[Expr], int, int], tuple[Stmt, ...]]
# Copies a part of a row of the input: the row in the copy; batch and spatial index in the input; first pixel, number of pixels.
Copy = Callable[[Sequence[Expr], Expr, Sequence[Expr], Expr, int], tuple[Stmt, ...]]


def _padded_rows(site: Site, spec: ConvSpec, fill: Fill, copy: Copy) -> tuple[Stmt, ...]:
    """All rows of the padded input, shared out; pieces of them where there is only one, as 1×1 convolutions see an image."""
    batch, channels = spec.x.shape[:2]
    if spec.spatial_rank > 1:
        return collapse(
            "copy", (batch, *spec.padded[:-1]), lambda where: _padded_row(spec, where, fill, copy, channels)
        )
    left, width, right = spec.pads_begin[0], spec.x.shape[2], spec.pads_end[0]

    def edges(where: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        return fill(where, 0, left * channels) + fill(where, (left + width) * channels, right * channels)

    stmts = collapse("edges", (batch,), edges) if spec.has_padding else ()
    pixels_per_piece = max(1, site.machine.tuning.conv_int8.copy_values // channels)
    for first, count, pixels in parts(width, pixels_per_piece):

        def piece(where: tuple[Expr, ...], first: int = first, pixels: int = pixels) -> tuple[Stmt, ...]:
            n, number = where
            return copy((n,), n, (), (number + first) * pixels_per_piece, pixels)

        stmts += collapse(f"copy{pixels}", (batch, count), piece)
    return stmts


def _padded_row(
    spec: ConvSpec, where: tuple[Expr, ...], fill: Fill, copy: Copy, channels: int
) -> Sequence[Stmt]:
    """One row of the padded input: a row of padding, or padding, a row of the input, padding."""
    n, *outer = where
    left, width, right = spec.pads_begin[-1], spec.x.shape[-1], spec.pads_end[-1]
    inner = [at - pad for at, pad in zip(outer, spec.pads_begin[:-1], strict=True)]
    conditions: list[Expr] = []
    for at, before, pad, extent, total in zip(
        outer, inner, spec.pads_begin[:-1], spec.x.shape[2:-1], spec.padded[:-1], strict=True
    ):
        conditions += [compare("ge", at, pad)] if pad else []
        conditions += [compare("lt", before, extent)] if pad + extent < total else []
    edges = fill(where, 0, left * channels) + fill(where, (left + width) * channels, right * channels)
    copied = copy(where, n, inner, index(0), width)
    inside = both(*conditions)
    if isinstance(inside, Const):
        return (*edges, *copied)
    return (If(inside, (*edges, *copied), fill(where, 0, spec.padded[-1] * channels)),)
