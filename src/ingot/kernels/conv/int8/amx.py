"""Convolution of 8-bit quantized values in registers that hold matrices (see `blocks/amx_tile`).

The rows of a matrix of values are pixels. With a stride of 1 all pixels of an image follow each other, those of padding between
its lines included: sums of what lies there are made, too, and left out when results are stored. Of 7×7 pixels these are 61 rows
for four tiles, where lines of seven would fill seven tiles by less than half.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.algorithm import Algorithm, Estimate, why_not
from ingot.kernels.blocks.amx_tile import SIDE, Steps, accumulate_in_tiles, amx_tiles, pack_tiles, steps_of
from ingot.kernels.blocks.dot_block import WORD, WORDS, pack_columns, reads_int8x4, unsigned_value
from ingot.kernels.blocks.register_block import Tile, parts
from ingot.kernels.conv.int8.input_rows import copy_rows
from ingot.kernels.conv.int8.problem import QConv, known_operands
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site
from ingot.loops.build.nest import collapse, flat_index, loop, split_index, vector_blocks
from ingot.loops.nodes import (
    Alloc,
    Expr,
    For,
    LoopKind,
    Stmt,
    Var,
    both,
    buffer,
    compare,
    index,
    load,
    minimum,
    store,
    word,
)
from ingot.machines.machine import Machine

# The int8x4 that begins at a value of a pixel: batch, index of the pixel in the padded input, number of the value.
PixelWordAt = Callable[[Expr, Sequence[Expr], Expr], Expr]


def _refuses(site: Site, problem: QConv) -> str:
    machine, spec = site.machine, problem.spec
    return why_not(
        (not machine.amx_int8, "the machine has no tiles that multiply int8"),
        (not spec.y.size, "there is nothing to compute"),
    ) or why_not(
        (
            not _tiles(machine, spec, _rows(spec, direct=False)),
            "rows or output channels are too few for a tile",
        )
    )


def _estimate(site: Site, problem: QConv) -> Estimate:
    spec, costs = problem.spec, site.machine.tuning.amx
    per_group = spec.w.shape[0] // spec.group
    outer, steps, _ = _reduction(spec, direct=False)
    lines = math.prod(spec.y.shape[2:-2] if _is_flat(spec) else spec.y.shape[2:-1]) * spec.x.shape[0]
    tiles = lines * -(-_rows(spec, direct=False) // SIDE) * spec.group * -(-per_group // SIDE)
    cycles = tiles * (math.prod(outer) * steps.count * costs.int8_product_cycles + costs.int8_result_cycles)
    words = (
        spec.y.size
        * math.prod(outer)
        * min(steps.count * steps.words, -(-math.prod(spec.kernel) * spec.w.shape[1] // WORD))
    )
    instead = words / (costs.int8_vectors_per_cycle * site.machine.lanes(DType.INT32))
    return Estimate(cycles < instead, cycles < instead, cycles, instead)


def _build(site: Site, problem: QConv) -> Sequence[Stmt]:
    spec, (array, begin) = problem.spec, known_operands(site)
    group, (out_channels, depth), channels = spec.group, spec.w.shape[:2], spec.x.shape[1]
    per_group = out_channels // group
    direct = not spec.x.dtype.is_signed and not spec.has_padding and reads_int8x4(site, 0, 1)
    direct = (
        direct
        and steps_of(depth).values == depth
        and bool(_tiles(site.machine, spec, _rows(spec, direct=True)))
    )
    outer, steps, merged = _reduction(spec, direct)
    flat, rows, line = not direct and _is_flat(spec), _rows(spec, direct), spec.padded[-1]
    box = spec.y.shape[2:-2] if flat else spec.y.shape[2:-1]
    tile = site.choose("tile", _tiles(site.machine, spec, rows))
    packed = site.pack(1, _pack(array, spec, outer, steps, tile))
    first = site.pack(2, pack_columns(begin.reshape(group, per_group), tile.columns))
    tuning = site.machine.tuning.conv_int8
    # A task does all columns of its pixels.
    alone = group == 1 and packed.type.size_bytes <= tuning.weights_max_bytes
    # Threads that share out pixels read what they wrote themselves, and write no lines of a cache that others write.
    by_pixels = packed.type.size_bytes <= spec.x.size + spec.y.size
    own = (
        alone and not direct and _is_pointwise(spec) and tile.rows * steps.values <= tuning.amx_own_max_values
    )
    stmts: tuple[Stmt, ...] = ()
    read: PixelWordAt = _as_stored(site)
    exact = direct or own
    if not exact:
        # All blocks are equally long: behind the last line are values for rows that are no pixels.
        more = -(-rows // tile.rows) * tile.rows - rows
        stmts, read = _dense_lines(site, problem, more * spec.strides[-1] * channels + steps.values)

    def block(
        where: Sequence[Expr], panel: Expr, width: int, start: Expr, size: int, word_at: PixelWordAt
    ) -> Sequence[Stmt]:
        """`where`: batch, group, and the line of outputs."""
        n, g, *outer_at = where
        lines = [*outer_at, index(0)] if flat else outer_at

        def code_word(row: Expr, at: Expr, indices: Sequence[Expr]) -> Expr:
            *k, j = indices
            pixel = (start + row) * spec.strides[-1]
            if not merged:
                pixel = pixel + k[-1] * spec.dilations[-1]
            above = [
                o * s + kk * d for o, s, kk, d in zip(lines, spec.strides, k, spec.dilations, strict=False)
            ]
            return word_at(n, (*above, pixel), (j * steps.words + at) * WORD + g * depth)

        def write(row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
            at = start + row
            pixel = (at // line, at % line) if flat else (at,)
            return site.write(
                0, (n, column + (g * per_group + panel * tile.columns), *outer_at, *pixel), value
            )

        def is_pixel(row: Expr) -> Expr:
            at = start + row
            inside = [compare("lt", at, rows)] if not exact and rows % tile.rows else []
            return both(*inside, *([compare("lt", at % line, spec.y.shape[-1])] if flat else []))

        return accumulate_in_tiles(
            size,
            tile,
            steps.words,
            (*outer, steps.count),
            code_word,
            lambda at, column, k: load(packed, g, panel, *k, at, column),
            lambda column: load(first, g, panel, column),
            write,
            width,
            is_pixel,
        )

    def all_panels(body: Callable[[Expr, int], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        stmts: tuple[Stmt, ...] = ()
        for first_panel, panels, width in parts(per_group, tile.columns):
            stmts += loop(
                f"panel{width}",
                panels,
                lambda at, first=first_panel, width=width: body(at + first, width),  # type: ignore[misc]
            )
        return stmts

    def some_blocks(first_piece: int, count: int, size: int) -> tuple[Stmt, ...]:
        in_lines = math.prod(box[-1:]) * count
        each = blocks_of_share(site.machine, in_lines)

        def all_columns(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            n, *line_at, number = where
            start = (number + first_piece) * tile.rows
            copies, word_at = _own_pixels(site, spec, steps, n, start, size) if own else ((), read)
            body = all_panels(
                lambda panel, width: block((n, index(0), *line_at), panel, width, start, size, word_at)
            )
            return (For(Var("some"), index(1), (*copies, *body), LoopKind.SERIAL),)

        def share(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            g, n, *outer_at, number = where
            begin_block, many = number * each, minimum(in_lines - number * each, each)

            def panel_of(panel: Expr, width: int) -> Sequence[Stmt]:
                def block_at(at: Expr) -> Sequence[Stmt]:
                    *line_at, piece = split_index(begin_block + at, (*box[-1:], count))
                    return block(
                        (n, g, *outer_at, *line_at),
                        panel,
                        width,
                        (piece + first_piece) * tile.rows,
                        size,
                        read,
                    )

                return loop(f"block{width}", many, block_at)

            return all_panels(panel_of)

        def task(first_panel: int, width: int, where: tuple[Expr, ...]) -> Sequence[Stmt]:
            g, panel, n, *line_at, number = where
            return block(
                (n, g, *line_at), panel + first_panel, width, (number + first_piece) * tile.rows, size, read
            )

        if alone:
            return collapse(f"pixels{size}", (spec.x.shape[0], *box, count), all_columns)
        if by_pixels and in_lines > 1:
            return collapse(f"share{size}", (group, spec.x.shape[0], *box[:-1], -(-in_lines // each)), share)
        stmts: tuple[Stmt, ...] = ()
        for first_panel, panels, width in parts(per_group, tile.columns):
            extents = (group, panels, spec.x.shape[0], *box, count)
            stmts += collapse(f"task{width}x{size}", extents, partial(task, first_panel, width))
        return stmts

    for piece in parts(rows, tile.rows) if exact else ((0, -(-rows // tile.rows), tile.rows),):
        stmts += some_blocks(*piece)
    return stmts


def _dense_lines(site: Site, problem: QConv, more: int) -> tuple[tuple[Stmt, ...], PixelWordAt]:
    """Statements that copy the input into padded lines one behind the other, with room for `more` values behind the last
    one, and how to read an int8x4. What lies behind does not matter.
    """
    spec = problem.spec
    batch, channels = spec.x.shape[:2]
    line = spec.padded[-1] * channels
    rows = site.workspace("rows", DType.UINT8, (batch, math.prod(spec.padded) * channels + more))

    def place(where: Sequence[Expr], value: Expr) -> tuple[Expr, ...]:
        n, *outer = where
        return n, flat_index(outer, spec.padded[:-1]) * line + value

    def word_at(n: Expr, at: Sequence[Expr], value: Expr) -> Expr:
        *outer, pixel = at
        return word(load(rows, *place((n, *outer), pixel * channels + value)))

    return copy_rows(site, problem, WORDS, rows, place), word_at


def _tiles(machine: Machine, spec: ConvSpec, rows: int) -> dict[str, Tile]:
    taps = math.prod(spec.kernel)
    return amx_tiles(machine, rows, spec.w.shape[0] // spec.group, taps * spec.w.shape[1], taps)


def blocks_of_share(machine: Machine, count: int) -> int:
    """How many of so many blocks a task does: shares are few, and those of two threads, or of all cores, are equally large."""

    def longest(each: int) -> int:
        shares = -(-count // each)
        return -(-shares // (cores or 2)) * each

    cores = machine.cores
    share_counts = range(cores, 4 * cores + 1) if cores else machine.tuning.conv_int8.amx_shares
    return min((-(-count // shares) for shares in share_counts), key=longest)


def _is_flat(spec: ConvSpec) -> bool:
    """Whether the pixels of an image follow each other at one distance."""
    return spec.spatial_rank > 1 and spec.strides[-1] == spec.strides[-2] == 1


def _is_pointwise(spec: ConvSpec) -> bool:
    return spec.spatial_rank == 1 and not spec.has_padding and math.prod((*spec.kernel, *spec.strides)) == 1


def _rows(spec: ConvSpec, direct: bool) -> int:
    """From the first pixel of a line, or of a flat image, to its last one."""
    width = spec.y.shape[-1]
    return (spec.y.shape[-2] - 1) * spec.padded[-1] + width if _is_flat(spec) and not direct else width


def _reduction(spec: ConvSpec, direct: bool) -> tuple[tuple[int, ...], Steps, bool]:
    """The loops in front of the steps, the steps, and whether these run over the last kernel dimension too."""
    depth = spec.w.shape[1]
    if not direct and spec.group == 1 and spec.dilations[-1] == 1:
        return spec.kernel[:-1], steps_of(spec.kernel[-1] * depth), True
    return spec.kernel, steps_of(depth), False


def _pack(array: np.ndarray, spec: ConvSpec, outer: tuple[int, ...], steps: Steps, tile: Tile) -> np.ndarray:
    """`[M, C/group, *kernel]` → `[group, panel, *outer, step, int8x4, column]`."""
    out_channels, depth, *kernel = array.shape
    per_group = out_channels // spec.group
    behind = np.moveaxis(array.reshape(spec.group, per_group, depth, *kernel), 2, -1)
    rows = behind.reshape(spec.group, per_group, *outer, -1)
    packed = pack_tiles(
        np.moveaxis(rows, 1, -2), tile.columns, steps
    )  # [group, *outer, panel, step, int8x4, column]
    return np.ascontiguousarray(np.moveaxis(packed, -4, 1))


def _as_stored(site: Site) -> PixelWordAt:
    return lambda n, at, code: word(load(site.input(0), n, code, *at))


def _own_pixels(
    site: Site, spec: ConvSpec, steps: Steps, n: Expr, start: Expr, size: int
) -> tuple[tuple[Stmt, ...], PixelWordAt]:
    """Statements that copy some pixels, and how to read them."""
    channels = spec.x.shape[1]
    rows = buffer("rows", DType.UINT8, (size, steps.values))
    lanes = site.machine.lanes(DType.INT32 if site.is_inlined(0) else DType.UINT8)

    def copy(row: Expr) -> tuple[Stmt, ...]:
        def code(c: Expr) -> tuple[Stmt, ...]:
            return (store(rows, (row, c), unsigned_value(site.read(0, n, c, start + row))),)

        rest = loop("z", steps.values - channels, lambda z: (store(rows, (row, z + channels), 0),))
        return vector_blocks("c", channels, lanes, code) + rest

    return (Alloc(rows), *loop("copy", size, copy)), lambda _, at, code: word(
        load(rows, at[-1] - start, code)
    )


AMX = Algorithm("amx", _build, _refuses, estimate=_estimate)
