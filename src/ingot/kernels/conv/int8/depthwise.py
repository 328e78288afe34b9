"""Depthwise integer convolution: one filter for each channel, so vectors are channels.

Taps are multiplied four neighbours in a row at once (`depthwise/int8`), two rows at once (`depthwise/int8_pairs`), or
one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import Algorithm, Estimate, why_not
from ingot.kernels.blocks.dot_block import reads_int8x4
from ingot.kernels.blocks.register_block import row_tiles
from ingot.kernels.conv.depthwise.depthwise import pixel_counts, vectors_together
from ingot.kernels.conv.depthwise.int8 import build_words, has_words
from ingot.kernels.conv.depthwise.int8_pairs import build_pairs, has_pairs, pair_counts
from ingot.kernels.conv.int8.input_rows import padded_values
from ingot.kernels.conv.int8.problem import QConv, is_depthwise, known_operands
from ingot.kernels.conv.problem import Channels, channel_tasks
from ingot.kernels.template import Site
from ingot.loops.build.nest import nest, vector
from ingot.loops.nodes import Alloc, Const, Expr, Fma, For, LoopKind, Stmt, Var, buffer, cast, load, store


def _refuses(_site: Site, problem: QConv) -> str:
    return why_not((not is_depthwise(problem.spec), "a channel of the output has several of the input"))


def _refuses_words(site: Site, problem: QConv) -> str:
    apart = "taps of a row are no neighbours, too many, or too far from one output to the next"
    return _refuses(site, problem) or why_not(
        (not has_words(site.machine.tuning.depthwise, problem.spec), apart)
    )


def _refuses_pairs(site: Site, problem: QConv) -> str:
    return _refuses(site, problem) or why_not(
        (not site.machine.dot_i16x2, "the machine has no dot products of pairs of int16"),
        (not has_pairs(problem.spec), "the kernel has no two rows side by side"),
    )


def _estimate_words(site: Site, problem: QConv) -> Estimate:
    machine = site.machine
    # On Arm packing four values into an int8x4 takes less than two more products by taps.
    # Processors with wide vectors have dot products of int8x4, or lose nothing by doing without.
    worth = machine.has_wide_vectors or (machine.fma_by_element and machine.dot_i8x4)
    return Estimate(worth and (machine.dot_i8x4 or bool(_refuses_pairs(site, problem))))


def _build_words(site: Site, problem: QConv) -> Sequence[Stmt]:
    spec, vectors = problem.spec, vectors_together(site)
    if reads_int8x4(site, 0, 1):
        return build_words(site, spec, problem.zero_point, lambda n, c, at: site.read(0, n, c, *at), vectors)
    padding, read = padded_values(site, problem)
    padded = TensorType(spec.x.dtype, (*spec.x.shape[:2], *spec.padded))
    none = (0,) * spec.spatial_rank
    inner = replace(spec, x=padded, pads_begin=none, pads_end=none)
    return (*padding, *build_words(site, inner, problem.zero_point, read, vectors))


def _build_pairs(site: Site, problem: QConv) -> Sequence[Stmt]:
    spec, vectors = problem.spec, vectors_together(site)
    return build_pairs(
        site, spec, problem.zero_point, site.choose("pixels", pair_counts(site.machine, spec)), vectors
    )


def _build_taps(site: Site, problem: QConv) -> Sequence[Stmt]:
    """Accumulators are pixels × vectors of channels."""
    spec, vectors = problem.spec, vectors_together(site)
    row_width, lanes = spec.y.shape[-1], site.machine.lanes(DType.INT32)
    pixels = site.choose("pixels", pixel_counts(site.machine, row_width))
    # Two bytes a weight: products of two 16-bit numbers are what processors multiply fastest.
    array = known_operands(site)[0]
    packed = site.pack(1, np.moveaxis(array[:, 0], 0, -1).astype(np.int16))
    padding, read = padded_values(site, problem)

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
                    value = read(n, channel + lane, (*origin, (start + row) * spec.strides[-1] + column))
                    factor = cast(load(packed, *k, channel + lane), DType.INT32)
                    return (
                        store(acc, (row, lane), Fma(cast(value, DType.INT32), factor, load(acc, row, lane))),
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

        def all_channels(start: Expr, size: int) -> Sequence[Stmt]:
            return channels.each(lambda channel: tile_of(channel, start, size))

        return row_tiles("w", row_width, pixels, all_channels)

    return (*padding, *channel_tasks(site, spec, lanes, block, vectors=vectors))


WORDS = Algorithm("depthwise_words", _build_words, _refuses_words, estimate=_estimate_words)
PAIRS = Algorithm("depthwise_pairs", _build_pairs, _refuses_pairs)
TAPS = Algorithm("depthwise_taps", _build_taps, _refuses)
