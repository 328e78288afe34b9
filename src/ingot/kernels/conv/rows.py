"""The loops of a direct convolution: rows of outputs by register blocks, shared out to threads.

Nothing is padded: the tiles at the ends of a row know which of their taps lie outside, and a row near the border leaves out the
rows of the kernel that do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ingot.base.tensor import DType
from ingot.kernels.blocks.prefetch import PanelPrefetch, Share
from ingot.kernels.blocks.register_block import Result, Sums, Tile, parts, reduction_steps
from ingot.kernels.blocks.transposed_store import transposed_results, unit
from ingot.kernels.conv.depthwise.depthwise import UNROLLED_MAX
from ingot.kernels.conv.problem import ConvSpec, column_tiles
from ingot.kernels.conv.reduce_input_channels import InputChannelSums
from ingot.kernels.template import Site, either
from ingot.loops.build.builder import Builder, MakeLoop, Span, vector_sizes
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import (
    Buffer,
    Const,
    Expr,
    LoopKind,
    Prefetch,
    Stmt,
    Var,
    cast,
    index,
    maximum,
    minimum,
    select,
)
from ingot.loops.transform.rewrite import expressions, loads
from ingot.machines.machine import LINE_BYTES
from ingot.machines.tuning import Tuning

Weight = Callable[[Expr, Expr, Sequence[Expr], Expr, Expr], Expr]  # group, panel, kernel index, channel, lane


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """The first `width` channels of a panel of a group, in the row of outputs at `outer`, the index but for the last axis."""

    n: Expr
    g: Expr
    panel: Expr
    outer: tuple[Expr, ...]
    width: int


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """A register block: the outputs of a place from `start` on, `size` of them; `taps` of the kernel lie in the input there."""

    place: Place
    taps: KernelRows
    start: Expr
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class _Tap:
    """One place of the kernel: its index, the row of the input that it reads, its number among those inside, and whether it lies
    in the input for each output of a block.
    """

    index: tuple[Expr, ...]
    row: tuple[Expr, ...]
    number: Expr
    inside: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """How one row of a convolution's outputs is made.

    `read` gives an element of its input, `weight` one of its weights in panels of `tile.columns` output channels, `write` stores
    a result by its index `[n, channel, *spatial]`. `packed`, if the weights are packed, has their panels one behind the other.
    `by_inputs`: vectors are of input channels (see `conv/reduce_input_channels`), at this site. `source`, if it is given, is what
    `read` reads, and is prefetched. `prefetches`: so is what `write` reads. `transposed`, if it is not 0, is how many
    neighbouring results of a channel are stored at once, because they lie side by side.
    """

    spec: ConvSpec
    tile: Tile
    read: Callable[..., Expr]
    weight: Weight
    write: Callable[[tuple[Expr, ...], Expr], Sequence[Stmt]]
    tuning: Tuning
    packed: Buffer | None = None
    by_inputs: Site | None = None
    source: Buffer | None = None
    prefetches: bool = False
    transposed: int = 0

    @property
    def panels(self) -> int:
        """Panels of each group."""
        return -(-self.spec.w.shape[0] // (self.spec.group * self.tile.columns))

    @property
    def sum_type(self) -> DType:
        return accumulator_type(self.spec.y.dtype)

    @property
    def depth(self) -> int:
        """Input channels of each group."""
        return self.spec.w.shape[1]

    def prefetch(self) -> PanelPrefetch | None:
        """How the next panel of weights is brought in while one is used by all rows of outputs."""
        if self.packed is None or self.by_inputs is not None or not self.spec.y.size:
            return None
        spec = self.spec
        panel_elements = math.prod(spec.kernel) * self.depth * self.tile.columns
        rows = math.prod(sum(spec.taps_of(axis)) for axis in range(spec.spatial_rank - 1))
        return PanelPrefetch(
            self.tuning.prefetch, self.packed, panel_elements, rows * spec.y.shape[-1] * spec.kernel[-1]
        )

    def write_outputs(self, k: Builder, place: Place, prefetch: PanelPrefetch | None = None) -> None:
        """Computes and writes all outputs of a place."""
        taps = KernelRows(k, self.spec, place.outer)
        for start, size in self.columns(k):
            self._write_block(k, _Block(place, taps, start, size), prefetch)

    def write_by_tiles(self, k: Builder) -> None:
        """The only row that there is in one dimension: a long row of few channels is shared out by its tiles."""
        spec = self.spec
        for start, size in self.columns(k, LoopKind.PARALLEL):
            for first, count, width in parts(spec.w.shape[0] // spec.group, self.tile.columns):
                names, extents = ("n", "g", f"panel{width}"), (spec.x.shape[0], spec.group, count)
                for n, g, panel in k.nest(names, extents):
                    place = Place(n, g, panel + first, (), width)
                    self._write_block(k, _Block(place, KernelRows(k, spec, ()), start, size), None)

    def columns(self, k: Builder, kind: LoopKind = LoopKind.SERIAL) -> Iterator[Span]:
        """A row by its tiles."""
        return column_tiles(k, self.spec, self.tile.rows, unit(self.tile) if self.transposed else 1, kind)

    def _write_block(self, k: Builder, block: _Block, prefetch: PanelPrefetch | None) -> None:
        if self.by_inputs is not None:
            results = self._sums_over_input_channels(k, block, self.by_inputs)
        else:
            self._prefetch_next_row(k, block)
            self._prefetch_added(k, block)
            results = self._sums_of_output_channels(k, block, prefetch)
        with k.block("tile"):
            for column, channel, value in results:
                at = (block.place.n, self._channel(block.place) + channel, *block.place.outer)
                k.emit(self.write((*at, block.start + column), cast(value, self.spec.y.dtype)))

    def _channel(self, place: Place) -> Expr:
        """The first output channel of a place."""
        return place.g * (self.spec.w.shape[0] // self.spec.group) + place.panel * self.tile.columns

    # ── sums ──

    def _sums_of_output_channels(
        self, k: Builder, block: _Block, prefetch: PanelPrefetch | None
    ) -> Iterator[Result]:
        """A lane is an output channel."""
        sums = Sums(k, block.size, self.tile, self.sum_type)
        for tap in self._taps(k, block):
            make_loop = self._channel_loop(block, tap, prefetch)
            for c in reduction_steps(k, "c", self.depth, self.tile.steps, make_loop):
                values = [self._value(block, tap, c, column) for column in range(block.size)]
                sums.add(values, partial(self._weight, block.place, tap, c))
        if self.transposed and block.size > 1:
            yield from transposed_results(k, sums.staged(), block.place.width, self.transposed)
        else:
            yield from sums.results(block.place.width)

    def _sums_over_input_channels(self, k: Builder, block: _Block, site: Site) -> Iterator[Result]:
        """A lane is an input channel."""
        lanes = site.machine.lanes(self.sum_type)
        sums = InputChannelSums(k, block.size, block.place.width, lanes, self.sum_type)
        for tap in self._taps(k, block):
            for c, width in k.tiles("c", self.depth, vector_sizes(lanes)):

                def value(column: int, lane: Expr, tap: _Tap = tap, c: Expr = c) -> Expr:
                    return self._value(block, tap, c + lane, column)

                def weight(channel: int, lane: Expr, tap: _Tap = tap, c: Expr = c) -> Expr:
                    return self._weight(block.place, tap, c + lane, index(channel))

                sums.add(width, value, weight)
        yield from sums.results()

    def _value(self, block: _Block, tap: _Tap, c: Expr, column: int) -> Expr:
        """What a tap reads for an output; what lies outside is zero."""
        spec, place = self.spec, block.place
        last = tap.index[-1] * spec.dilations[-1] - spec.pads_begin[-1]
        at = (block.start + column) * spec.strides[-1] + last
        value = self.read(place.n, place.g * self.depth + c, *tap.row, at)
        return cast(select(tap.inside[column], value, 0), self.sum_type)

    def _weight(self, place: Place, tap: _Tap, c: Expr, lane: Expr) -> Expr:
        return cast(self.weight(place.g, place.panel, tap.index, c, lane), self.sum_type)

    def _channel_loop(self, block: _Block, tap: _Tap, prefetch: PanelPrefetch | None) -> MakeLoop:
        """What makes the loop over the input channels of a tap."""
        if prefetch is None:
            return Builder.loop
        spec, place = self.spec, block.place
        before = block.taps.rows_before * spec.y.shape[-1] + block.taps.count * block.start
        done = before * spec.kernel[-1] + tap.number * block.size
        share = Share(place.g * self.panels + place.panel, done, block.size)
        return prefetch.along(share, written_out=self.tile.steps == 1)

    def _taps(self, k: Builder, block: _Block) -> Iterator[_Tap]:
        """The taps that lie in the input for some output of a block."""
        for at, row, number in block.taps.rows(k):
            for last in self._taps_of_row(k, block.start):
                inside = tuple(
                    self.spec.column_inside(block.start + column, last) for column in range(block.size)
                )
                if not all(isinstance(each, Const) and not each.value for each in inside):
                    yield _Tap((*at, last), row, number * self.spec.kernel[-1] + last, inside)

    def _taps_of_row(self, k: Builder, start: Expr) -> Iterator[Expr]:
        """At the ends of a row the taps are written out, so that what lies outside is known while building."""
        size = self.spec.kernel[-1]
        if isinstance(start, Const) and self.spec.pads_row and size <= UNROLLED_MAX:
            yield from map(index, range(size))
        else:
            yield from k.loop(f"k{self.spec.spatial_rank - 1}", size)

    # ── prefetches ──

    def _prefetch_added(self, k: Builder, block: _Block) -> None:
        """Prefetches what is read for each result of a block when it is written, such as what is added to it: pieces of rows that
        are far apart.
        """
        spec, place = self.spec, block.place
        if (
            not self.prefetches
            or math.prod(spec.kernel) * spec.w.shape[1] < self.tuning.conv.prefetch_min_steps
        ):
            return
        for column in range(block.size):
            where = (place.n, self._channel(place), *place.outer, block.start + column)
            written = self.write(where, Var("result", spec.y.dtype))
            operands = {
                node.buffer.name: node
                for stmt in written
                for value in expressions(stmt)
                for node in loads(value)
                if node.buffer.shape == spec.y.shape and node.buffer.strides[1] == 1
            }
            for node in operands.values():
                before, at, *rest = node.index
                step = max(1, LINE_BYTES // node.buffer.dtype.size_bytes)
                k.emit(
                    Prefetch(node.buffer, (before, at + lane, *rest), near=True)
                    for lane in range(0, place.width, step)
                )

    def _prefetch_next_row(self, k: Builder, block: _Block) -> None:
        """Prefetches what a block of the next row of outputs is the first to read, if that is not too much."""
        spec, source, outer = self.spec, self.source, block.place.outer
        if (
            source is None
            or not outer
            or spec.group > 1
            or not 0 < spec.x.shape[1] <= self.tuning.conv.prefetch_max_channels
        ):
            return
        in_line = LINE_BYTES // source.dtype.size_bytes
        # Channels that are not in the same lines.
        apart = spec.x.shape[1] if source.strides[1] >= in_line else 1
        step = max(1, in_line // source.strides[-1])
        height, width = spec.x.shape[-2:]
        stride = spec.strides[-2]
        first = outer[-1] * stride + ((spec.kernel[-2] - 1) * spec.dilations[-2] + 1 - spec.pads_begin[-2])
        before = [
            minimum(maximum(at * s - pad, 0), extent - 1)
            for at, s, pad, extent in zip(
                outer[:-1], spec.strides, spec.pads_begin, spec.x.shape[2:], strict=False
            )
        ]
        columns = range(0, block.size * spec.strides[-1], step)
        lines = list(itertools.product(range(apart), range(stride), columns))
        if len(lines) > self.tuning.conv.prefetch_max_lines:
            return
        for c, down, across in lines:
            row = minimum(maximum(first + down, 0), height - 1)
            column = minimum(block.start * spec.strides[-1] + across, width - 1)
            k.emit((Prefetch(source, (block.place.n, index(c), *before, row, column), near=True),))


# A row by its number, and how many there are; they differ only in which weights they read and where they write.
RowAt = tuple[Callable[[Expr], Row], int]


def write_rows(k: Builder, site: Site, rows: Sequence[RowAt], choice: str = "outer") -> None:
    """All outputs, a task for each row and panel of channels. Of several `rows` each task makes one after the other: they have
    equal input and output channels, equal tiles, and as many rows of outputs, only their columns differ. Few rows in one
    dimension are shared out by their tiles. `choice` is what the site calls the order of tasks.
    """
    firsts = [row(index(0)) for row, _ in rows]
    first = firsts[0]
    spec = first.spec
    taps = sum(math.prod(row.spec.kernel) * count for row, (_, count) in zip(firsts, rows, strict=True))
    panel_bytes = taps * first.depth * first.tile.columns * first.sum_type.size_bytes
    fitting = first.panels * panel_bytes <= min(
        site.machine.l2_bytes // 2, site.machine.tuning.conv.row_weights_max_bytes
    )
    rows_outside = site.choose(choice, either("rows", "panels", fitting))
    alone = len(rows) == 1 and rows[0][1] == 1
    rows_all = spec.x.shape[0] * spec.group * first.panels
    if (
        alone
        and rows_outside
        and spec.spatial_rank == 1
        and rows_all < site.machine.tuning.conv.row_min_tasks
    ):
        first.write_by_tiles(k)
        return
    prefetch = first.prefetch() if alone and not rows_outside and site.machine.prefetch else None
    for place in _places(k, first, rows_outside):
        if alone:
            first.write_outputs(k, place, prefetch)
            continue
        for row, count in rows:
            for number in _numbers(k, count):
                row(number).write_outputs(k, place)


def _places(k: Builder, row: Row, rows_outside: bool) -> Iterator[Place]:
    """A task for each row of outputs and panel of channels: all panels of a row, or all rows of a panel, follow each other."""
    spec = row.spec
    batch, outputs = spec.x.shape[0], spec.y.shape[2:-1]
    for first, count, width in parts(spec.w.shape[0] // spec.group, row.tile.columns):
        if rows_outside:
            for n, *outer, g, panel in k.collapse(f"task{width}", (batch, *outputs, spec.group, count)):
                yield Place(n, g, panel + first, tuple(outer), width)
        else:
            for n, g, panel, *outer in k.collapse(f"task{width}", (batch, spec.group, count, *outputs)):
                yield Place(n, g, panel + first, tuple(outer), width)


def _numbers(k: Builder, count: int) -> Iterator[Expr]:
    """The numbers of `count` rows, in a nested block, so that names do not leave it."""
    if count > 1:
        yield from k.loop("part", count)
    else:
        with k.block("part"):
            yield index(0)


class KernelRows:
    """Which rows of the kernel lie in the input for a row of outputs at `outer`. What it takes to know that is written first."""

    def __init__(self, k: Builder, spec: ConvSpec, outer: Sequence[Expr]) -> None:
        self.spec, self.outer = spec, outer
        self._ranges: list[tuple[Expr, Expr]] = []
        for axis, at in enumerate(outer):
            begin, end = (
                value if isinstance(value, Const) else k.let(f"{name}{axis}", value)
                for name, value in zip(("begin", "end"), spec.taps_inside(axis, at), strict=True)
            )
            self._ranges.append((begin, end))

    @property
    def count(self) -> Expr:
        """How many there are."""
        return math.prod((end - begin for begin, end in self._ranges), start=index(1))

    @property
    def rows_before(self) -> Expr:
        """How many there are for all rows of outputs before this one. Exact where the padding is one row, as it mostly is."""
        before: Expr = index(0)
        for axis, at in enumerate(self.outer):
            taps = self.spec.taps_of(axis)
            missing = sum(self.spec.kernel[axis] - many for many in taps[: len(taps) // 2])
            here = (
                maximum(at * self.spec.kernel[axis] - missing, 0) if missing else at * self.spec.kernel[axis]
            )
            before = (
                before * sum(taps)
                + math.prod((end - begin for begin, end in self._ranges[:axis]), start=index(1)) * here
            )
        return before

    def rows(self, k: Builder) -> Iterator[tuple[tuple[Expr, ...], tuple[Expr, ...], Expr]]:
        """Loops over them: gives the position in the kernel and in the input, but for the last axis, and the number of the row
        among them.
        """
        spec = self.spec
        names = [f"k{axis}" for axis in range(len(self.outer))]
        for begun in k.nest(names, [end - begin for begin, end in self._ranges]):
            at = tuple(begin + number for (begin, _), number in zip(self._ranges, begun, strict=True))
            axes = zip(self.outer, spec.strides, at, spec.dilations, spec.pads_begin, strict=False)
            where = tuple(o * stride + (tap * dilation - pad) for o, stride, tap, dilation, pad in axes)
            row: Expr = index(0)
            for number, (begin, end) in zip(begun, self._ranges, strict=True):
                row = row * (end - begin) + number
            yield at, where, row
