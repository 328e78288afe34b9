"""The input of a direct convolution, copied once to where its register tiles read it better.

A tile reads the channels of a few neighbouring outputs. Where each channel is a plane of its own, as in a model's input, every
step of the sum is on another page of memory, and behind some hundred channels a tile finds nothing in the first-level cache
again. Half floats would be made wide one by one, for each tap and each panel of weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from ingot.base.tensor import TensorType
from ingot.kernels.blocks.register_block import ALIAS_BYTES, row_pitch
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site, either
from ingot.loops.build.nest import (
    accumulator_type,
    collapse,
    expecting,
    loop,
    nest,
    tiles,
    vector,
    vector_blocks,
    vector_sizes,
)
from ingot.loops.nodes import Buffer, Expr, LoopKind, Stmt, cast, index, load, store
from ingot.machines.machine import LINE_BYTES

_DEPTH_LEAST = 64  # channels: fewer planes stay within reach
_USES_LEAST = 128  # products of each element that is copied
# The same of one pointwise convolution where vectors are as long as a line: a tile finds what it reads of a plane in a line or
# two. (Zen 5 took 0.89 to 0.98 of the time so with 128 to 512 products of each, as long with 1024.)
_POINTWISE_USES_LEAST = 1024
_WIDE_USES_LEAST = 32  # of a half float


def near_input(
    site: Site, spec: ConvSpec, uses: float | None = None
) -> tuple[tuple[Stmt, ...], ConvSpec, Callable[..., Expr]] | None:
    """Statements that copy the input with channels last, in the type of sums, the convolution of that copy, and how to read the
    copy by batch, channel and place. None where the input is better read in place, or that is wanted.

    Of a dimension in which a kernel of one tap takes strides only the places that it reads are copied. `uses` are the products of
    each element that is copied, where there are more convolutions of this input than this one.
    """
    wide = accumulator_type(spec.x.dtype)
    per_group, depth = spec.w.shape[0] // spec.group, spec.w.shape[1]
    if (
        not site.machine.l2_bytes
        or site.machine.lanes(wide) == 1
        or site.is_inlined(0)
        or not spec.x.size
        or not spec.y.size
    ):
        return None
    planes = site.input(0).strides[1] != 1
    steps = tuple(
        stride if size == 1 and not pad and not end else 1
        for size, stride, pad, end in zip(
            spec.kernel, spec.strides, spec.pads_begin, spec.pads_end, strict=True
        )
    )
    extents = tuple(
        out if step > 1 else extent
        for out, step, extent in zip(spec.y.shape[2:], steps, spec.x.shape[2:], strict=True)
    )
    least = _USES_LEAST
    if uses is None:
        whole_lines = site.machine.has_wide_vectors and not site.machine.double_pumped_512
        least = _POINTWISE_USES_LEAST if whole_lines and math.prod(spec.kernel) == 1 else least
        uses = per_group * math.prod(spec.kernel) * math.prod(spec.y.shape[2:]) / math.prod(extents)
    narrow = wide is not spec.x.dtype and uses >= _WIDE_USES_LEAST
    far = planes and depth >= _DEPTH_LEAST and uses >= least
    if not (narrow or far) or not site.choose("input", either("copied", "in_place", True)):
        return None
    batch, channels = spec.x.shape[:2]
    made = replace(
        spec,
        x=TensorType(wide, (batch, channels, *extents)),
        strides=tuple(1 if step > 1 else stride for step, stride in zip(steps, spec.strides, strict=True)),
    )
    aliased = channels * wide.size_bytes * made.strides[-1] % ALIAS_BYTES == 0
    copy = site.workspace("near", wide, (batch, *extents, row_pitch(channels, wide) if aliased else channels))

    def read(n: Expr, c: Expr, *where: Expr) -> Expr:
        return load(copy, n, *where, c)

    return (_turned if planes else _widened)(site, copy, made, steps), made, read


def _widened(site: Site, copy: Buffer, spec: ConvSpec, steps: Sequence[int]) -> tuple[Stmt, ...]:
    """The copy of an input whose channels lie side by side."""

    def pixel(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        n, *at = where

        def channel(c: Expr) -> tuple[Stmt, ...]:
            value = site.read(0, n, c, *(one * step for one, step in zip(at, steps, strict=True)))
            return (store(copy, (*where, c), cast(value, copy.dtype)),)

        return vector_blocks("c", spec.x.shape[1], site.machine.lanes(copy.dtype), channel)

    return collapse("pixel", (spec.x.shape[0], *spec.x.shape[2:]), pixel)


def _turned(site: Site, copy: Buffer, spec: ConvSpec, steps: Sequence[int]) -> tuple[Stmt, ...]:
    """The copy of an input that has each channel as a plane: by squares of channels and places, which the code generator reads
    along memory and turns in registers. A task has a line's worth of channels along whole rows, which it reads from one end to
    the other.
    """
    lanes = site.machine.lanes(copy.dtype)
    line = max(lanes, LINE_BYTES // copy.dtype.size_bytes)
    batch, channels, *extents = spec.x.shape

    def at(n: Expr, c: Expr, *where: Expr) -> tuple[Stmt, ...]:
        value = site.read(0, n, c, *(one * step for one, step in zip(where, steps, strict=True)))
        return (store(copy, (n, *where, c), cast(value, copy.dtype)),)

    def strip(n: Expr, first: Expr, count: int) -> Sequence[Stmt]:
        def row(outer: tuple[Expr, ...]) -> Sequence[Stmt]:
            def square(start: Expr, size: int) -> Sequence[Stmt]:
                def block(begin: Expr, width: int) -> Sequence[Stmt]:
                    def one(number: Expr) -> Sequence[Stmt]:
                        return vector(
                            "lane", width, lambda lane: at(n, first + (begin + lane), *outer, start + number)
                        )

                    kind = LoopKind.UNROLLED if size == width else LoopKind.SERIAL
                    return expecting("transpose", loop("number", size, one, kind))

                return tiles("block", count, vector_sizes(lanes), block)

            return tiles("square", extents[-1], vector_sizes(lanes), square)

        return nest([f"row{axis}" for axis in range(len(extents) - 1)], extents[:-1], row)

    stmts: tuple[Stmt, ...] = ()
    full, rest = divmod(channels, line)
    stmts += (
        collapse("strip", (batch, full), lambda where: strip(where[0], where[1] * line, line)) if full else ()
    )
    stmts += (
        collapse("strip_rest", (batch,), lambda where: strip(where[0], index(full * line), rest))
        if rest
        else ()
    )
    return stmts
