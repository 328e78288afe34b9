"""The numbers of a convolution, which all ways to compute one share."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.register_block import balanced, row_blocks
from ingot.kernels.blocks.window import read_by
from ingot.kernels.template import Independent, Site, Windowed, windowed
from ingot.loops.build.builder import Builder, Span
from ingot.loops.build.nest import collapse, loop, split_index, vector_sizes
from ingot.loops.nodes import (
    Const,
    Expr,
    Let,
    LoopKind,
    Stmt,
    Var,
    both,
    compare,
    index,
    maximum,
    minimum,
    select,
)
from ingot.machines.machine import Machine


@dataclass(frozen=True, slots=True)
class ConvSpec:
    """The numbers of a convolution with d spatial dimensions.

    `x [N, C, *spatial]`, `w [M, C/group, *kernel]`, `y [N, M, *out]`; pads are those in front, then those behind.
    """

    x: TensorType
    w: TensorType
    y: TensorType
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    group: int

    @property
    def spatial_rank(self) -> int:
        return len(self.kernel)

    @property
    def has_padding(self) -> bool:
        return any(self.pads_begin) or any(self.pads_end)

    @property
    def padded(self) -> tuple[int, ...]:
        """Spatial extents of the padded input."""
        extents = self.x.shape[2:]
        return tuple(b + e + a for b, e, a in zip(self.pads_begin, extents, self.pads_end, strict=True))

    @property
    def pads_row(self) -> bool:
        """Whether some tap of the last dimension lies outside of the input."""
        first, stop = self._inside(len(self.kernel) - 1)
        return first > 0 or stop < self.y.shape[-1]

    def _inside(self, axis: int) -> tuple[int, int]:
        """The range of outputs in a dimension whose taps are all inside, if there are any."""
        reach = (self.kernel[axis] - 1) * self.dilations[axis]
        first = -(-self.pads_begin[axis] // self.strides[axis])
        return first, (self.x.shape[axis + 2] - 1 - reach + self.pads_begin[axis]) // self.strides[axis] + 1

    def row_ends(self, pixels: int) -> tuple[int, int]:
        """How many outputs at the left and right end of a row belong to tiles that must know where they are, because some of
        their taps lie outside. They have more than `pixels` outputs only if the padding is that large.
        """
        width = self.y.shape[-1]
        first, stop = self._inside(len(self.kernel) - 1)
        if width <= pixels:
            return (width, 0) if self.pads_row else (0, 0)
        size = balanced(width, pixels)[0][0]
        left = min(max(size, first), width) if first > 0 else 0
        return left, min(max(size, width - stop), width - left) if stop < width else 0

    def cut(self, first: int, stop: int) -> tuple[ConvSpec, int, int] | None:
        """The convolution that makes these outputs of the first dimension alone, and the part of the input that is its own; None
        where it would read nothing.
        """
        geometry = (self.x.shape[2], self.kernel[0], self.strides[0], self.dilations[0], self.pads_begin[0])
        begin, end, before, behind = read_by(first, stop, *geometry)
        if begin >= end:
            return None
        cut = replace(
            self,
            x=TensorType(self.x.dtype, (*self.x.shape[:2], end - begin, *self.x.shape[3:])),
            y=TensorType(self.y.dtype, (*self.y.shape[:2], stop - first, *self.y.shape[3:])),
            pads_begin=(before, *self.pads_begin[1:]),
            pads_end=(behind, *self.pads_end[1:]),
        )
        return cut, begin, end

    def column_inside(self, output: Expr, tap: Expr) -> Expr:
        """Whether a tap of the last dimension lies in the input. Of outputs that are not known while building it is so:
        `row_ends` has the others.
        """
        if not isinstance(output, Const):
            return Const(True, DType.BOOL)
        column = output * self.strides[-1] + (tap * self.dilations[-1] - self.pads_begin[-1])
        return (
            both(compare("ge", column, 0), compare("lt", column, self.x.shape[-1]))
            if self.pads_row
            else both()
        )

    def taps_inside(self, axis: int, output: Expr) -> tuple[Expr, Expr]:
        """The first tap in a dimension that is inside for an output, and the one behind the last; they are never negative."""
        kernel, dilation = self.kernel[axis], self.dilations[axis]
        first, stop = self._inside(axis)
        origin = output * self.strides[axis] - self.pads_begin[axis]
        begin: Expr = index(0)
        end: Expr = index(kernel)
        if first > 0:
            begin = minimum(maximum(index(dilation - 1) - origin, 0) // dilation, kernel)
        if stop < self.y.shape[axis + 2]:
            end = maximum(
                minimum((index(self.x.shape[axis + 2] + dilation - 1) - origin) // dilation, kernel), begin
            )
        return begin, end

    def along_axes(self, neutral: float) -> tuple[tuple[Independent, ...], tuple[Windowed, ...]]:
        """What it does along each axis, where it reads `neutral` outside of the input."""
        alone, mixed = [Independent((0, None), (0,))], []
        for axis, size in enumerate(self.kernel):
            geometry = (size, self.strides[axis], self.pads_begin[axis], self.pads_end[axis])
            if geometry == (1, 1, 0, 0):
                alone.append(Independent((axis + 2, None), (axis + 2,)))
                continue
            span = (size - 1) * self.dilations[axis] + 1
            mixed.append(windowed(axis + 2, neutral, span=span, stride=geometry[1], pads=geometry[2:]))
        return tuple(alone), tuple(mixed)

    @property
    def share_inside(self) -> float:
        """The share of all taps of all outputs that lie in the input."""
        axes = range(self.spatial_rank)
        return math.prod(
            sum(self.taps_of(axis)) / (self.kernel[axis] * self.y.shape[axis + 2]) for axis in axes
        )

    def taps_of(self, axis: int) -> tuple[int, ...]:
        """How many taps of a dimension lie in the input, for each output in it."""
        kernel, dilation, extent = self.kernel[axis], self.dilations[axis], self.x.shape[axis + 2]
        origins = (
            output * self.strides[axis] - self.pads_begin[axis] for output in range(self.y.shape[axis + 2])
        )
        return tuple(
            sum(0 <= origin + tap * dilation < extent for tap in range(kernel)) for origin in origins
        )


@dataclass(frozen=True, slots=True)
class Channels:
    """The channels of a task: `many` vectors of `width` channels from `start` on. No vector begins behind channel `last`."""

    start: Expr
    width: int
    many: int
    last: int | None

    def each(self, body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """A loop over the vectors: `body` of the first channel."""

        def vector(at: Expr) -> Sequence[Stmt]:
            first = self.start + at * self.width
            if self.last is None:
                return body(first)
            channel = Var("channel")
            return (Let(channel, minimum(first, self.last)), *body(channel))

        return loop("c", self.many, vector)


# Writes one row of outputs: batch, the row, and the channels.
ChannelTask = Callable[[Expr, Sequence[Expr], Channels], Sequence[Stmt]]


def channel_tasks(
    site: Site,
    spec: ConvSpec,
    lanes: int,
    task: ChannelTask,
    rows: Sequence[int] | None = None,
    vectors: int = 1,
    down: bool = False,
) -> tuple[Stmt, ...]:
    """All rows of outputs by up to `vectors` vectors of up to `lanes` channels, shared out. `rows` are the extents of `outer`
    where a task is not one row of outputs. `down`: the next task is the next row of the same channels, not the next channels,
    in each half of the rows for itself: two threads get these, as they do from kernels that go through all channels of a row
    first, and so read what they wrote themselves.

    The last vector begins early enough to be whole: what it has in common with the one before is computed, and written, twice (if
    by two threads, both write the same). Code for each of its bits takes three times as long to make, and longer to run.
    """
    batch, channels = spec.x.shape[:2]
    outputs = spec.y.shape[2:-1] if rows is None else rows
    stmts: tuple[Stmt, ...] = ()

    def in_task(count: int) -> int:
        return _vectors_in_task(site.machine, count, batch * math.prod(outputs), vectors)

    cover = _vectors_of_channels(channels, lanes, in_task)
    site.writes_again |= sum(size * count for _, size, count, _ in cover) > channels
    for start, size, count, last in cover:
        many = in_task(count)

        def block(
            where: tuple[Expr, ...],
            start: int = start,
            size: int = size,
            many: int = many,
            last: int | None = last,
        ) -> Sequence[Stmt]:
            n, *outer, number = where
            return task(n, outer, Channels(number * (many * size) + start, size, many, last))

        groups = count // many
        if down:
            stmts += collapse(
                f"task{size}", (batch, groups * math.prod(outputs)), _by_halves(groups, outputs, block)
            )
        else:
            stmts += collapse(f"task{size}", (batch, *outputs, groups), block)
    return stmts


def _vectors_of_channels(
    channels: int, lanes: int, in_task: Callable[[int], int]
) -> list[tuple[int, int, int, int | None]]:
    """How to cover channels by vectors of two widths at most: the first channel, the width, how many, and the channel behind
    which none begins, where one would. `in_task`: how many of so many vectors a task has.
    """
    if not channels:
        return []
    size = next(extent for extent in vector_sizes(lanes) if extent <= channels)
    count, rest = divmod(channels, size)
    if not rest:
        return [(0, size, count, None)]
    width = 1 << (rest - 1).bit_length()
    if width == size and in_task(count + 1) >= in_task(count):
        return [(0, size, count + 1, channels - size)]
    return [(0, size, count, None), (channels - width, width, 1, None)]


def _by_halves(
    groups: int, outputs: Sequence[int], block: Callable[[tuple[Expr, ...]], Sequence[Stmt]]
) -> Callable[[tuple[Expr, ...]], Sequence[Stmt]]:
    """From the number of a task within its batch to `block` of batch, row and group of channels: the first half of the rows,
    group by group, the row in the middle if there is one, the other half.
    """
    rows = math.prod(outputs)
    half, middle = rows // 2, rows % 2
    behind = (half + middle) * groups

    def task(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        n, number = where
        if not half:
            return block((n, *split_index(index(0), outputs), number))
        at, second = Var("at"), compare("ge", number, behind)
        row, group = Var("at_row"), Var("at_group")
        position = at % half + select(second, index(half + middle), 0), at // half
        if middle:
            between = both(compare("ge", number, half * groups), compare("lt", number, behind))
            position = (
                select(between, index(half), position[0]),
                select(between, number - half * groups, position[1]),
            )
        lets = (
            Let(at, number - select(second, index(behind), 0)),
            Let(row, position[0]),
            Let(group, position[1]),
        )
        return (*lets, *block((n, *split_index(row, outputs), group)))

    return task


def _vectors_in_task(machine: Machine, count: int, rows: int, vectors_max: int) -> int:
    """How many of a row's `count` vectors one task has: all tasks the same number, and there are enough of them to share out."""
    return max(
        many
        for many in range(1, vectors_max + 1)
        if many == 1 or (count % many == 0 and rows * count // many >= machine.tuning.threads.tasks)
    )


def column_tiles(
    k: Builder, spec: ConvSpec, pixels: int, unit: int = 1, kind: LoopKind = LoopKind.SERIAL
) -> Iterator[Span]:
    """A row of outputs as tiles of up to `pixels` of them, whole units if they are known to be inside. Where some taps of a tile
    may lie outside, its start is known. Of a parallel `kind` all tiles are shared out.
    """
    row_width = spec.y.shape[-1]
    left, right = spec.row_ends(pixels)
    before, behind = _tiles_of_end(0, left, pixels), _tiles_of_end(row_width - right, right, pixels)
    if kind is LoopKind.PARALLEL:
        ends = before + behind
        for at in k.loop("end", len(ends), kind):
            for number in k.one_of(at, len(ends)):
                yield ends[number]
    else:
        yield from before
    for start, size in row_blocks(k, "w", row_width - left - right, pixels, kind, unit):
        yield Span(start + left, size)
    if kind is not LoopKind.PARALLEL:
        yield from behind


def _tiles_of_end(first: int, extent: int, pixels: int) -> list[Span]:
    """The tiles of so many outputs from `first` on, each with a start that is known."""
    sizes = [size for size, count in balanced(extent, pixels) for _ in range(count)]
    starts = itertools.accumulate(sizes, initial=first)
    return [Span(index(start), size) for start, size in zip(starts, sizes, strict=False)]
