"""Convolution of 8-bit codes with constant weights, summed in int32: dot products of words (see `blocks/dot_block`).

The reduction runs over the last kernel dimension and the channels as one row of bytes where it can, so that few channels fill
their words as well as many do. An input that is stored with channels last and needs no padding is read where it is; any other
is first copied into rows of codes, padded with its zero point, and so is each on a processor that multiplies pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.dot_block import (
    WORD,
    WORDS,
    Factors,
    Step,
    accumulate,
    dot_tiles,
    factors,
    pack_columns,
    packed_at,
    reads_words,
    spreads_words,
)
from ingot.kernels.blocks.prefetch import Ahead
from ingot.kernels.blocks.register_block import Tile, parts, row_tiles, sum_steps
from ingot.kernels.conv.conv import channels_last
from ingot.kernels.conv.depthwise.depthwise import pixel_counts, vectors_together
from ingot.kernels.conv.depthwise.int8 import build_words, has_words
from ingot.kernels.conv.depthwise.int8_pairs import build_pairs, has_pairs, pair_counts
from ingot.kernels.conv.int8.amx import CodesAt, build_qconv_tiles, has_matrix_tiles
from ingot.kernels.conv.int8.pointwise import build_pointwise, pixel_tiles
from ingot.kernels.conv.problem import Channels, ConvSpec, channel_tasks
from ingot.kernels.conv.winograd.int8 import build_qwinograd, qwinograd_plan
from ingot.kernels.template import Site, Template, either
from ingot.loops.build.nest import (
    Along,
    collapse,
    flat_index,
    loop,
    nest,
    tiles,
    vector,
    vector_blocks,
    vector_sizes,
)
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    Fma,
    For,
    If,
    LoopKind,
    Stmt,
    Var,
    both,
    buffer,
    cast,
    compare,
    index,
    load,
    store,
    word,
)
from ingot.machines.machine import Machine

_TILES_PER_TASK = 8
_FEW_CHANNELS = 8  # fewer are copied one by one: a vector of them is shorter than what it costs to begin one
_INTERLEAVED_CHANNELS = 4  # vectors of so many channels are put in order in registers
_LINE_BYTES_MAX = 8192
_PIECE_CODES = 4096  # copied by one task of an input that is one row
_LONG_VECTOR_BYTES = 64  # processors with vectors of so many bytes have dot products of words, or lose nothing by doing without


def qconv_template(spec: ConvSpec, zero_point: int) -> Template:
    """Sums `[N, M, *out]` in int32 of a convolution of codes `x` with int8 weights `w`, which must be constants.

    Input 2 is the number `[M]` that each sum starts from, as `dot_tile.starts` makes it (for a depthwise convolution: of the
    codes as they are). Outside of the input the code is `zero_point`.
    """
    depthwise = spec.group > 1 and spec.w.shape[1] == 1 and spec.w.shape[0] == spec.group
    build = _build_depthwise if depthwise else _build
    return Template(
        "depthwise_qconv" if depthwise else "qconv",
        (spec.x, spec.w, TensorType(DType.INT32, (spec.w.shape[0],))),
        (spec.y,),
        lambda site: build(site, spec, zero_point),
        spec={
            "kernel": spec.kernel,
            "strides": spec.strides,
            "dilations": spec.dilations,
            "pads": (*spec.pads_begin, *spec.pads_end),
            "group": spec.group,
            "zero_point": zero_point,
        },
        inlines=frozenset({0}),
        prefers={("output", 0): channels_last(spec.y.rank)},
    )


def is_depthwise(spec: ConvSpec) -> bool:
    """Whether each output channel has one input channel to itself."""
    return spec.group > 1 and spec.w.shape[1] == 1 and spec.w.shape[0] == spec.group


@dataclass(frozen=True, slots=True)
class _Reduction:
    """The loops of a reduction: extents in front, then steps. `merged`: the steps run over the last kernel dimension too."""

    outer: tuple[int, ...]
    steps: int
    merged: bool


def _reduction(spec: ConvSpec, direct: bool, codes: int) -> _Reduction:
    depth = spec.w.shape[1]
    if not direct and spec.group == 1 and spec.dilations[-1] == 1:
        return _Reduction(spec.kernel[:-1], -(-spec.kernel[-1] * depth // codes), True)
    return _Reduction(spec.kernel, -(-depth // codes), False)


# Reads a word: batch, spatial index in the padded input (all but the last dimension), and the number of the code in the row.
WordAt = Callable[[Expr, Sequence[Expr], Expr], Expr]


def _build(site: Site, spec: ConvSpec, zero_point: int) -> Sequence[Stmt]:
    array = site.constant(1)
    begin = site.constant(2)
    assert array is not None and begin is not None, "the weights of an integer convolution are constants"
    group, (out_channels, depth), channels = spec.group, spec.w.shape[:2], spec.x.shape[1]
    per_group = out_channels // group
    *outer_extents, row_width = spec.y.shape[2:]
    if has_matrix_tiles(site.machine, spec) and site.choose("sums", either("tiles", "words", True)):
        return build_qconv_tiles(
            site, spec, array, begin, lambda more: _dense_lines(site, spec, zero_point, more)
        )
    plan = qwinograd_plan(site, spec)
    if plan is not None:
        return build_qwinograd(site, spec, zero_point, plan)
    kind = factors(site.machine, array)
    direct = kind.in_words and not spec.has_padding and depth % WORD == 0 and reads_words(site, 0, 1)
    direct = direct and spreads_words(site.machine, spec.x.dtype, depth)
    reduction = _reduction(spec, direct, kind.codes)
    tile = site.choose("tile", dot_tiles(site.machine, row_width, per_group, kind))
    packed = site.pack(1, _pack(array, spec, reduction, tile, kind))
    first = site.pack(2, pack_columns(kind.starts(begin, array).reshape(group, per_group), tile.columns))
    sizes = pixel_tiles(site, spec, tile, packed.type.size_bytes)
    if sizes:
        return build_pointwise(site, spec, sizes, tile, packed, first, kind, direct)
    prologue, word_at = _rows_of_codes(site, spec, zero_point, direct, kind)
    ahead = None
    if site.machine.prefetch and spec.y.size and packed.type.size_bytes > site.machine.l2_bytes // 2:
        work = math.prod(spec.y.shape[2:]) * math.prod(reduction.outer)
        ahead = Ahead(packed, math.prod(packed.shape[2:]), work)

    def row_of_outputs(
        n: Expr, g: Expr, panel: Expr, outer: Sequence[Expr], width: int, first_pixel: Expr, pixels: int
    ) -> Sequence[Stmt]:
        channel = g * per_group + panel * tile.columns

        def tile_of(within: Expr, size: int) -> Sequence[Stmt]:
            start = within + first_pixel

            def sums(step: Step) -> Sequence[Stmt]:
                def at(indices: tuple[Expr, ...]) -> Sequence[Stmt]:
                    *k, j = indices
                    at_outer = [
                        o * s + kk * d
                        for o, s, kk, d in zip(outer, spec.strides, k, spec.dilations, strict=False)
                    ]
                    code = g * depth + j * kind.codes
                    if not reduction.merged:
                        code = code + k[-1] * (spec.dilations[-1] * channels)

                    def row_word(row: int) -> Expr:
                        return word_at(n, at_outer, (start + row) * (spec.strides[-1] * channels) + code)

                    return step(row_word, packed_at(packed, g, panel, *k, j))

                def steps(k: tuple[Expr, ...]) -> Sequence[Stmt]:
                    along: Along = loop
                    if ahead is not None:
                        rounds, number = math.prod(reduction.outer), g * packed.shape[1] + panel
                        done = (
                            flat_index((*outer, start), spec.y.shape[2:]) * rounds
                            + flat_index(k, reduction.outer) * size
                        )
                        along = ahead.along(number, done, size, written_out=kind.in_words and tile.steps == 1)
                    return sum_steps("j", reduction.steps, tile.steps, lambda j: at((*k, j)), along)

                return nest([f"k{axis}" for axis in range(len(reduction.outer))], reduction.outer, steps)

            def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
                return site.write(0, (n, channel + column, *outer, start + row), value)

            return accumulate(
                size, tile, lambda column: load(first, g, panel, column), sums, write, width, kind
            )

        return row_tiles("w", pixels, tile.rows, tile_of)

    # A task is one row of outputs, or a part of it where there is only one row, for one panel of channels. The weights of a panel
    # stay in the cache while the rows pass by.
    piece = row_width if outer_extents else tile.rows * _TILES_PER_TASK
    stmts = tuple(prologue)
    for first_panel, panels, width in parts(per_group, tile.columns):
        for first_piece, pieces, pixels in parts(row_width, piece):

            def task(
                where: tuple[Expr, ...],
                first_panel: int = first_panel,
                width: int = width,
                first_piece: int = first_piece,
                pixels: int = pixels,
            ) -> Sequence[Stmt]:
                g, panel, n, *outer, number = where
                return row_of_outputs(
                    n, g, panel + first_panel, outer, width, (number + first_piece) * piece, pixels
                )

            box = (group, panels, spec.x.shape[0], *outer_extents, pieces)
            stmts += collapse(f"task{width}x{pixels}", box, task)
    return stmts


def _pack(array: np.ndarray, spec: ConvSpec, reduction: _Reduction, tile: Tile, kind: Factors) -> np.ndarray:
    """`[M, C/group, *kernel]` → `[group, panel, *outer kernel, step, what a step takes]`."""
    out_channels, depth, *kernel = array.shape
    per_group = out_channels // spec.group
    channels_behind = np.moveaxis(array.reshape(spec.group, per_group, depth, *kernel), 2, -1)
    rows = channels_behind.reshape(spec.group, per_group, *reduction.outer, -1)
    steps = kind.pack(
        np.moveaxis(rows, 1, -2), tile.columns
    )  # [group, *outer, panel, step, what a step takes]
    return np.ascontiguousarray(np.moveaxis(steps, -3, 1))


def _rows_of_codes(
    site: Site, spec: ConvSpec, zero_point: int, direct: bool, kind: Factors
) -> tuple[tuple[Stmt, ...], WordAt]:
    """Statements that copy the input into padded rows of codes, unless words are read where it is, and how to read words."""
    batch, channels = spec.x.shape[:2]
    if direct:
        source = site.input(0)
        # The byte in a row is taken apart again: `simplify` sees through it, since words never cross a pixel.
        return (), lambda n, outer, byte: kind.word(
            word(load(source, n, byte % channels, *outer, byte // channels)), spec.x.dtype
        )
    row_codes = -(-(spec.padded[-1] * channels + kind.codes - 1) // kind.codes) * kind.codes
    rows = site.workspace("rows", kind.row, (batch, *spec.padded[:-1], row_codes))
    stmts = _copy_rows(site, spec, zero_point, kind, rows, lambda where, code: (*where, code))
    return stmts, lambda n, outer, code: kind.factor(load(rows, n, *outer, code))


def _dense_lines(site: Site, spec: ConvSpec, zero_point: int, more: int) -> tuple[tuple[Stmt, ...], CodesAt]:
    """Statements that copy the input into padded lines one behind the other, with some codes more behind the last one, and how to
    read words. What the codes behind are does not matter.
    """
    batch, channels = spec.x.shape[:2]
    line = spec.padded[-1] * channels
    rows = site.workspace("rows", DType.UINT8, (batch, math.prod(spec.padded) * channels + more))

    def place(where: Sequence[Expr], code: Expr) -> tuple[Expr, ...]:
        n, *outer = where
        return n, flat_index(outer, spec.padded[:-1]) * line + code

    def word_at(n: Expr, at: Sequence[Expr], code: Expr) -> Expr:
        *outer, pixel = at
        return word(load(rows, *place((n, *outer), pixel * channels + code)))

    return _copy_rows(site, spec, zero_point, WORDS, rows, place), word_at


def _copy_rows(
    site: Site,
    spec: ConvSpec,
    zero_point: int,
    kind: Factors,
    rows: Buffer,
    place: Callable[[Sequence[Expr], Expr], tuple[Expr, ...]],
) -> tuple[Stmt, ...]:
    """Copies the input into padded rows. `place`: where a code lies, by its row and its number there."""
    channels = spec.x.shape[1]
    zero = kind.zero(zero_point, spec.x.dtype)
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
        if channels >= _FEW_CHANNELS:
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
                lambda first, size: loop(
                    "c",
                    channels,
                    lambda c: vector("lane", size, lambda lane: put(first + lane, c, code(first + lane, c))),
                    LoopKind.UNROLLED,
                ),
            )
        if not site.is_inlined(0) or channels * width > _LINE_BYTES_MAX:
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

    return _padded_rows(spec, fill, copy)


# Writes a part of a row of padding: the row, first code, number of codes.
Fill = Callable[[Sequence[Expr], int, int], tuple[Stmt, ...]]
# Copies a part of a row of the input: the row in the copy; batch and spatial index in the input; first pixel, number of pixels.
Copy = Callable[[Sequence[Expr], Expr, Sequence[Expr], Expr, int], tuple[Stmt, ...]]


def _padded_rows(spec: ConvSpec, fill: Fill, copy: Copy) -> tuple[Stmt, ...]:
    """All rows of the padded input, shared out; pieces of them where there is only one, as 1×1 convolutions see a picture."""
    batch, channels = spec.x.shape[:2]
    if spec.spatial_rank > 1:
        return collapse(
            "copy", (batch, *spec.padded[:-1]), lambda where: _padded_row(spec, where, fill, copy, channels)
        )
    left, width, right = spec.pads_begin[0], spec.x.shape[2], spec.pads_end[0]

    def edges(where: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        return fill(where, 0, left * channels) + fill(where, (left + width) * channels, right * channels)

    stmts = collapse("edges", (batch,), edges) if spec.has_padding else ()
    pixels_per_piece = max(1, _PIECE_CODES // channels)
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


def _build_depthwise(site: Site, spec: ConvSpec, zero_point: int) -> Sequence[Stmt]:
    """One filter for each channel: accumulators are pixels × vectors of channels."""
    array, begin = site.constant(1), site.constant(2)
    assert array is not None and begin is not None, "the weights of an integer convolution are constants"
    way = site.choose("sums", _ways_to_sum(site.machine, spec))
    vectors, row_width = vectors_together(site), spec.y.shape[-1]
    if way == "words":
        if reads_words(site, 0, 1):
            return build_words(site, spec, zero_point, lambda n, c, at: site.read(0, n, c, *at), vectors)
        padding, read = _padded_codes(site, spec, zero_point)
        padded = TensorType(spec.x.dtype, (*spec.x.shape[:2], *spec.padded))
        none = (0,) * spec.spatial_rank
        inner = replace(spec, x=padded, pads_begin=none, pads_end=none)
        return (*padding, *build_words(site, inner, zero_point, read, vectors))
    if way == "pairs":
        return build_pairs(
            site, spec, zero_point, site.choose("pixels", pair_counts(site.machine, spec)), vectors
        )
    pixels = site.choose("pixels", pixel_counts(site.machine, row_width))
    lanes = site.machine.lanes(DType.INT32)
    # Two bytes a weight: products of two 16-bit numbers are what processors multiply fastest.
    packed = site.pack(1, np.moveaxis(array[:, 0], 0, -1).astype(np.int16))
    padding, read = _padded_codes(site, spec, zero_point)

    def block(n: Expr, outer: Sequence[Expr], channels: Channels) -> Sequence[Stmt]:
        width = channels.width

        def tile_of(channel: Expr, start: Expr, size: int) -> Sequence[Stmt]:
            acc = buffer("acc", DType.INT32, (size, width))

            def each(body: Callable[[int, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
                stmts: tuple[Stmt, ...] = ()
                for row in range(size):
                    stmts += vector("lane", width, lambda lane, row=row: body(row, lane))  # type: ignore[misc]
                return stmts

            def at(k: tuple[Expr, ...]) -> Sequence[Stmt]:
                origin = [
                    o * s + kk * d
                    for o, s, kk, d in zip(outer, spec.strides, k, spec.dilations, strict=False)
                ]
                column = k[-1] * spec.dilations[-1]

                def tap(row: int, lane: Expr) -> Sequence[Stmt]:
                    code = read(n, channel + lane, (*origin, (start + row) * spec.strides[-1] + column))
                    factor = cast(load(packed, *k, channel + lane), DType.INT32)
                    return (
                        store(acc, (row, lane), Fma(cast(code, DType.INT32), factor, load(acc, row, lane))),
                    )

                return each(tap)

            names = [f"k{axis}" for axis in range(spec.spatial_rank)]
            stmts: list[Stmt] = [Alloc(acc)]
            stmts += each(lambda row, lane: (store(acc, (row, lane), site.read(2, channel + lane)),))
            stmts += nest(names, spec.kernel, at)
            stmts += each(
                lambda row, lane: site.write(
                    0, (n, channel + lane, *outer, start + row), load(acc, row, lane)
                )
            )
            return (For(Var("tile"), Const(1, DType.INT64), tuple(stmts), LoopKind.SERIAL),)

        def each(start: Expr, size: int) -> Sequence[Stmt]:
            return channels.each(lambda channel: tile_of(channel, start, size))

        return row_tiles("w", row_width, pixels, each)

    return (*padding, *channel_tasks(site, spec, lanes, block, vectors=vectors))


def _ways_to_sum(machine: Machine, spec: ConvSpec) -> dict[str, str]:
    """How a depthwise convolution may be summed: by products of words (`words`), of pairs, or of single codes. The usual one
    first.
    """
    # On Arm putting four codes into a word takes less than two more products by taps.
    worth = machine.vector_bytes >= _LONG_VECTOR_BYTES or (machine.fma_by_element and machine.dot_i8x4)
    by_words, by_pairs = has_words(spec), machine.dot_i16x2 and has_pairs(spec)
    best = (
        "words"
        if by_words and worth and (machine.dot_i8x4 or not by_pairs)
        else "pairs"
        if by_pairs
        else "taps"
    )
    possible = {"words": by_words, "pairs": by_pairs, "taps": True}
    return {best: best, **{way: way for way, is_possible in possible.items() if is_possible}}


def _padded_codes(
    site: Site, spec: ConvSpec, zero_point: int
) -> tuple[tuple[Stmt, ...], Callable[[Expr, Expr, Sequence[Expr]], Expr]]:
    """Statements that copy the input with its padding, channels last, if it needs that, and how to read a code then."""
    if not spec.has_padding and reads_words(site, 0, 1):
        return (), lambda n, c, at: site.read(0, n, c, *at)
    batch, channels = spec.x.shape[:2]
    padded = site.workspace("padded", spec.x.dtype, (batch, *spec.padded[:-1], spec.padded[-1] * channels))
    lanes = site.machine.lanes(DType.INT32)
    copied_at_once = lanes if site.is_inlined(0) else site.machine.lanes(DType.UINT8)
    left = spec.pads_begin[-1]

    def fill(where: Sequence[Expr], first: int, count: int) -> tuple[Stmt, ...]:
        return vector_blocks(
            f"fill{first}", count, lanes * 4, lambda at: (store(padded, (*where, at + first), zero_point),)
        )

    def copy(
        where: Sequence[Expr], n: Expr, inner: Sequence[Expr], begin: Expr, width: int
    ) -> tuple[Stmt, ...]:
        def element(w: Expr, c: Expr) -> tuple[Stmt, ...]:
            return (
                store(
                    padded, (*where, (w + begin + left) * channels + c), site.read(0, n, c, *inner, w + begin)
                ),
            )

        return loop(
            "w", width, lambda w: vector_blocks("c", channels, copied_at_once, lambda c: element(w, c))
        )

    return _padded_rows(spec, fill, copy), lambda n, c, at: load(padded, n, *at[:-1], at[-1] * channels + c)
