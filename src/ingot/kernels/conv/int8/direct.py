"""The plain algorithm of integer convolution: rows of outputs by panels of channels, with dot products of packed values.

The reduction runs over the last kernel dimension and the channels as one row of bytes where it can, so that few channels fill
their int8x4 as well as many do. An input that is stored with channels last and needs no padding is read where it is; any other
is first copied into rows, padded with its zero point, and so is each on a processor that multiplies pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.kernels.algorithm import Algorithm, Estimate
from ingot.kernels.blocks.dot_block import Step, accumulate, packed_at
from ingot.kernels.blocks.prefetch import PanelPrefetch, Share
from ingot.kernels.blocks.register_block import parts, row_tiles, sum_steps
from ingot.kernels.conv.int8.input_rows import copy_rows
from ingot.kernels.conv.int8.packed_weights import PackedWeights, pack_weights
from ingot.kernels.conv.int8.problem import QConv, is_depthwise
from ingot.kernels.template import Site
from ingot.loops.build.builder import Builder, MakeLoop
from ingot.loops.build.nest import collapse, flat_index, nest
from ingot.loops.nodes import Expr, Stmt, load, word

# Reads an int8x4: batch, spatial index in the padded input (all but the last dimension), and the number of the value in the row.
WordAt = Callable[[Expr, Sequence[Expr], Expr], Expr]


def _build(site: Site, problem: QConv) -> Sequence[Stmt]:
    spec, packing = problem.spec, pack_weights(site, problem)
    kind, reduction, tile, packed = packing.kind, packing.reduction, packing.tile, packing.weights
    group, (out_channels, depth), channels = spec.group, spec.w.shape[:2], spec.x.shape[1]
    per_group = out_channels // group
    *outer_extents, row_width = spec.y.shape[2:]
    prologue, word_at = _input_rows(site, problem, packing)
    prefetch = None
    if site.machine.prefetch and spec.y.size and packed.type.size_bytes > site.machine.l2_bytes // 2:
        work = math.prod(spec.y.shape[2:]) * math.prod(reduction.outer)
        prefetch = PanelPrefetch(site.machine.tuning.prefetch, packed, math.prod(packed.shape[2:]), work)

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
                    code = g * depth + j * kind.per_step
                    if not reduction.merged:
                        code = code + k[-1] * (spec.dilations[-1] * channels)

                    def row_word(row: int) -> Expr:
                        return word_at(n, at_outer, (start + row) * (spec.strides[-1] * channels) + code)

                    return step(row_word, packed_at(packed, g, panel, *k, j))

                def steps(k: tuple[Expr, ...]) -> Sequence[Stmt]:
                    along: MakeLoop = Builder.loop
                    if prefetch is not None:
                        rounds, number = math.prod(reduction.outer), g * packed.shape[1] + panel
                        done = (
                            flat_index((*outer, start), spec.y.shape[2:]) * rounds
                            + flat_index(k, reduction.outer) * size
                        )
                        along = prefetch.along(
                            Share(number, done, size), kind.takes_int8x4 and tile.steps == 1
                        )
                    return sum_steps(
                        "j", reduction.steps, tile.steps, lambda j: at((*k, j)), along, adjoin=True
                    )

                return nest([f"k{axis}" for axis in range(len(reduction.outer))], reduction.outer, steps)

            def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
                return site.write(0, (n, channel + column, *outer, start + row), value)

            return accumulate(
                size, tile, lambda column: load(packing.starts, g, panel, column), sums, write, width, kind
            )

        return row_tiles("w", pixels, tile.rows, tile_of)

    # A task is one row of outputs, or a part of it where there is only one row, for one panel of channels. The weights of a panel
    # stay in the cache while the rows pass by.
    piece = row_width if outer_extents else tile.rows * site.machine.tuning.conv_int8.task_tiles
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


def _input_rows(site: Site, problem: QConv, packing: PackedWeights) -> tuple[tuple[Stmt, ...], WordAt]:
    """Statements that copy the input into padded rows, unless it is read where it is, and how to read what a step takes."""
    spec, kind = problem.spec, packing.kind
    batch, channels = spec.x.shape[:2]
    if packing.in_place:
        source = site.input(0)
        # The byte in a row is taken apart again: `simplify` sees through it, since int8x4 never cross a pixel.
        return (), lambda n, outer, byte: kind.word(
            word(load(source, n, byte % channels, *outer, byte // channels)), spec.x.dtype
        )
    row_values = -(-(spec.padded[-1] * channels + kind.per_step - 1) // kind.per_step) * kind.per_step
    rows = site.workspace("rows", kind.row, (batch, *spec.padded[:-1], row_values))
    stmts = copy_rows(site, problem, kind, rows, lambda where, value: (*where, value))
    return stmts, lambda n, outer, value: kind.factor(load(rows, n, *outer, value))


# Of a depthwise convolution it would use one lane of each vector.
DIRECT = Algorithm(
    "direct",
    _build,
    estimate=lambda _, problem: Estimate(True, worth_measuring=not is_depthwise(problem.spec)),
)
