"""The input of a direct convolution, copied once to where its register blocks read it better.

A tile reads the channels of a few neighbouring outputs. Where each channel is a plane of its own, as in a model's input, every
step of the sum is on another page of memory, and behind some hundred channels a tile finds nothing in the first-level cache
again. Half floats would be made wide one by one, for each tap and each panel of weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ingot.base.tensor import TensorType
from ingot.kernels.blocks.register_block import ALIAS_BYTES, row_pitch
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site, either
from ingot.loops.build.builder import Builder, Span, vector_sizes
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Buffer, Expr, LoopKind, Stmt, cast, index, load
from ingot.machines.machine import LINE_BYTES


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
    tuning = site.machine.tuning.conv
    minimum = tuning.copy_min_uses
    if uses is None:
        whole_lines = site.machine.has_wide_vectors and not site.machine.double_pumped_512
        if whole_lines and math.prod(spec.kernel) == 1:
            minimum = tuning.copy_min_uses_pointwise
        uses = per_group * math.prod(spec.kernel) * math.prod(spec.y.shape[2:]) / math.prod(extents)
    narrow = wide is not spec.x.dtype and uses >= tuning.copy_min_uses_half
    far = planes and depth >= tuning.copy_min_channels and uses >= minimum
    if not (narrow or far) or not site.choose("input", either("copied", "in_place", True)):
        return None
    batch, channels = spec.x.shape[:2]
    copied = replace(
        spec,
        x=TensorType(wide, (batch, channels, *extents)),
        strides=tuple(1 if step > 1 else stride for step, stride in zip(steps, spec.strides, strict=True)),
    )
    aliased = channels * wide.size_bytes * copied.strides[-1] % ALIAS_BYTES == 0
    copy = site.workspace("near", wide, (batch, *extents, row_pitch(channels, wide) if aliased else channels))

    def read(n: Expr, c: Expr, *where: Expr) -> Expr:
        return load(copy, n, *where, c)

    k = Builder()
    (_transposed if planes else _widened)(k, _Copy(site, copy, copied, steps))
    return k.statements(), copied, read


@dataclass(frozen=True, slots=True, eq=False)
class _Copy:
    """What is copied: the places of `spec.x`, of which every so many `steps` in each dimension are read, to `target`."""

    site: Site
    target: Buffer
    spec: ConvSpec
    steps: Sequence[int]

    @property
    def lanes(self) -> int:
        return self.site.machine.lanes(self.target.dtype)

    def copy(self, k: Builder, n: Expr, c: Expr, where: Sequence[Expr]) -> None:
        """Copies one element."""
        source = (at * step for at, step in zip(where, self.steps, strict=True))
        value = self.site.read(0, n, c, *source)
        k.store(self.target, (n, *where, c), cast(value, self.target.dtype))


def _widened(k: Builder, copy: _Copy) -> None:
    """The copy of an input whose channels lie side by side."""
    batch, channels, *extents = copy.spec.x.shape
    for n, *where in k.collapse("pixel", (batch, *extents)):
        for c in k.vector_blocks("c", channels, copy.lanes):
            copy.copy(k, n, c, where)


def _transposed(k: Builder, copy: _Copy) -> None:
    """The copy of an input that has each channel as a plane: by squares of channels and places, which the code generator reads
    along memory and transposes in registers. A task has a line's worth of channels along whole rows, which it reads from one end
    to the other.
    """
    line = max(copy.lanes, LINE_BYTES // copy.target.dtype.size_bytes)
    batch, channels = copy.spec.x.shape[:2]
    full, rest = divmod(channels, line)
    if full:
        for n, number in k.collapse("strip", (batch, full)):
            _strip(k, copy, n, Span(number * line, line))
    if rest:
        for (n,) in k.collapse("strip_rest", (batch,)):
            _strip(k, copy, n, Span(index(full * line), rest))


def _strip(k: Builder, copy: _Copy, n: Expr, channels: Span) -> None:
    """Some channels along whole rows."""
    for outer, square, block in _squares(k, copy, channels.size):
        kind = LoopKind.UNROLLED if square.size == block.size else LoopKind.SERIAL
        for number in k.loop("number", square.size, kind, "transpose"):
            for lane in k.vector("lane", block.size):
                where = (*outer, square.start + number)
                copy.copy(k, n, channels.start + (block.start + lane), where)


def _squares(k: Builder, copy: _Copy, channels: int) -> Iterator[tuple[tuple[Expr, ...], Span, Span]]:
    """The index of a row, some of its places, and some channels."""
    *outer_extents, width = copy.spec.x.shape[2:]
    sizes = vector_sizes(copy.lanes)
    for outer in k.nest([f"row{axis}" for axis in range(len(outer_extents))], outer_extents):
        for square in k.tiles("square", width, sizes):
            for block in k.tiles("block", channels, sizes):
                yield outer, square, block
