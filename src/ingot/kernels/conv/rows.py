"""The loops of a direct convolution: rows of outputs by register tiles, shared out to threads.

Nothing is padded: the tiles at the ends of a row know which of their taps lie outside, and a row near the border leaves out the
rows of the kernel that do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.kernels.blocks.prefetch import Ahead
from ingot.kernels.blocks.register_block import Step, Tile, accumulate, parts, sum_steps
from ingot.kernels.blocks.transposed_store import unit, write_turned
from ingot.kernels.conv.depthwise.depthwise import UNROLLED_MAX
from ingot.kernels.conv.problem import ConvSpec, column_tiles
from ingot.kernels.conv.reduce_input_channels import ThinStep, accumulate_thin
from ingot.kernels.conv.reduce_input_channels import channels as channel_blocks
from ingot.kernels.template import Site, either
from ingot.loops.build.nest import accumulator_type, collapse, loop, nest
from ingot.loops.nodes import (
    Buffer,
    Const,
    Expr,
    For,
    Let,
    LoopKind,
    Operand,
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

# An input of so few channels is that of a model. It lies far away, in short rows of which a processor's own prefetching finds
# the beginnings too late.
FEW_CHANNELS = 4
# Weights that are read for each row of outputs come at first without being asked for. (Of 14×14 images those of 1 MB took a sixth
# of the time to come from the slow third-level cache of a Granite Rapids, and none as panels that are asked for in time.)
_WEIGHTS_MOST = 512 * 1024
_STEPS_LEAST = 32  # of a sum; with fewer, asking takes its share
# A row for each of so many cannot be shared out well: three threads have three rows each, or two.
_TASKS_FEW = 8
# That a tile asks for, one by one: patches of 16×16 would need hundreds, and take 4 % longer.
_LINES_MOST = 64

# Adds the products of one tap: an element of a row and channel, the index in the kernel, and its number among those inside.
Products = Callable[[Callable[[int, Expr], Expr], Sequence[Expr], Expr], Sequence[Stmt]]
Weight = Callable[[Expr, Expr, Sequence[Expr], Expr, Expr], Expr]  # group, panel, kernel index, channel, lane
TileOf = Callable[
    [Expr, int], Sequence[Stmt]
]  # writes the tile of a row that begins there and has so many outputs


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """How one row of a convolution's outputs is made.

    `read` gives an element of its input, `weight` one of its weights in panels of `tile.columns` output channels, `write` stores
    a result by its index `[n, channel, *spatial]`. `packed`, if the weights are packed, has their panels one behind the other.
    `thin`: vectors are of input channels (see `conv/reduce_input_channels`), at this site. `source`, if it is given, is what
    `read` reads, and is prefetched. `asks`: so is what `write` reads. `turned`, if it is not 0, is how many neighbouring results
    of a channel are stored at once, because they lie side by side.
    """

    spec: ConvSpec
    tile: Tile
    read: Callable[..., Expr]
    weight: Weight
    write: Callable[[tuple[Expr, ...], Expr], Sequence[Stmt]]
    packed: Buffer | None = None
    thin: Site | None = None
    source: Buffer | None = None
    asks: bool = False
    turned: int = 0

    @property
    def panels(self) -> int:
        """Panels of each group."""
        return -(-self.spec.w.shape[0] // (self.spec.group * self.tile.columns))

    def ahead(self) -> Ahead | None:
        """How the next panel of weights is brought in while one is used by all rows of outputs."""
        if self.packed is None or self.thin is not None or not self.spec.y.size:
            return None
        spec = self.spec
        panel_elements = math.prod(spec.kernel) * spec.w.shape[1] * self.tile.columns
        rows = math.prod(sum(spec.taps_of(axis)) for axis in range(spec.spatial_rank - 1))
        return Ahead(self.packed, panel_elements, rows * spec.y.shape[-1] * spec.kernel[-1])

    def outputs(
        self, n: Expr, g: Expr, panel: Expr, outer: Sequence[Expr], width: int, ahead: Ahead | None = None
    ) -> tuple[Stmt, ...]:
        """The row at `outer`, the first `width` channels of a panel."""
        bounds = _Bounds(self.spec, outer)
        return (*bounds.stmts, *self.columns(self._tile_of(n, g, panel, outer, width, bounds, ahead)))

    def columns(self, tile_of: TileOf, kind: LoopKind = LoopKind.SERIAL) -> tuple[Stmt, ...]:
        """A row by its tiles."""
        return column_tiles(self.spec, self.tile.rows, tile_of, unit(self.tile) if self.turned else 1, kind)

    def alone(self, n: Expr, g: Expr, panel: Expr, width: int) -> TileOf:
        """What writes a tile of the only row that there is in one dimension."""
        return self._tile_of(n, g, panel, (), width, _Bounds(self.spec, ()))

    def _tile_of(
        self,
        n: Expr,
        g: Expr,
        panel: Expr,
        outer: Sequence[Expr],
        width: int,
        bounds: _Bounds,
        ahead: Ahead | None = None,
    ) -> TileOf:
        spec, tile = self.spec, self.tile
        acc_type = accumulator_type(spec.y.dtype)
        depth = spec.w.shape[1]
        channel = g * (spec.w.shape[0] // spec.group) + panel * tile.columns

        def tile_of(start: Expr, size: int) -> Sequence[Stmt]:
            def tap(
                add: Products, k: Sequence[Expr], rows: Sequence[Expr], number: Expr, last: Expr
            ) -> Sequence[Stmt]:
                """All channels of one tap; what lies outside is zero, and a tap that is outside for all outputs is left out."""
                inside = [spec.column_inside(start + row, last) for row in range(size)]
                if all(isinstance(each, Const) and not each.value for each in inside):
                    return ()

                def value(row: int, c: Expr) -> Expr:
                    column = (start + row) * spec.strides[-1] + (
                        last * spec.dilations[-1] - spec.pads_begin[-1]
                    )
                    return cast(select(inside[row], self.read(n, g * depth + c, *rows, column), 0), acc_type)

                return add(value, (*k, last), number * spec.kernel[-1] + last)

            def by_outputs(step: Step) -> Products:
                def add(
                    value: Callable[[int, Expr], Expr], k: Sequence[Expr], number: Expr
                ) -> Sequence[Stmt]:
                    def channels(c: Expr) -> Sequence[Stmt]:
                        return step(
                            lambda row: value(row, c),
                            lambda lane: cast(self.weight(g, panel, k, c, lane), acc_type),
                        )

                    if ahead is None:
                        return sum_steps("c", depth, tile.steps, channels)
                    before = bounds.rows_before * spec.y.shape[-1] + bounds.count * start
                    done = before * spec.kernel[-1] + number * size
                    along = ahead.along(g * self.panels + panel, done, size, written_out=tile.steps == 1)
                    return sum_steps("c", depth, tile.steps, channels, along)

                return add

            def by_inputs(step: ThinStep, lanes: int) -> Products:
                def add(
                    value: Callable[[int, Expr], Expr], k: Sequence[Expr], _number: Expr
                ) -> Sequence[Stmt]:
                    def block(c: Expr, many: int) -> Sequence[Stmt]:
                        def weight(column: int, lane: Expr) -> Expr:
                            return cast(self.weight(g, panel, k, c + lane, index(column)), acc_type)

                        return step(many, lambda row, lane: value(row, c + lane), weight)

                    return channel_blocks(depth, lanes, block)

                return add

            def reduction(add: Products) -> Sequence[Stmt]:
                def taps(k: Sequence[Expr], rows: Sequence[Expr], number: Expr) -> Sequence[Stmt]:
                    # At the ends of a row the taps are written out, so that what lies outside is known while building.
                    if isinstance(start, Const) and spec.pads_row and spec.kernel[-1] <= UNROLLED_MAX:
                        return [
                            stmt
                            for last in range(spec.kernel[-1])
                            for stmt in tap(add, k, rows, number, index(last))
                        ]
                    return loop(
                        f"k{spec.spatial_rank - 1}",
                        spec.kernel[-1],
                        lambda last: tap(add, k, rows, number, last),
                    )

                return bounds.rows(taps)

            def write(row: Operand, column: Operand, value: Expr) -> Sequence[Stmt]:
                return self.write((n, channel + column, *outer, start + row), cast(value, spec.y.dtype))

            if self.thin is not None:
                lanes = self.thin.machine.lanes(acc_type)
                return accumulate_thin(
                    size, width, self.thin, spec, lambda step: reduction(by_inputs(step, lanes)), write
                )
            turned = (lambda sums: write_turned(sums, width, self.turned, write)) if self.turned else None
            sums = accumulate(
                size, tile, acc_type, lambda step: reduction(by_outputs(step)), write, width, turned=turned
            )
            return (
                *self._next(n, outer, start, size),
                *self._beside(n, channel, outer, start, size, width),
                *sums,
            )

        return tile_of

    def _beside(
        self, n: Expr, channel: Expr, outer: Sequence[Expr], start: Expr, size: int, width: int
    ) -> tuple[Stmt, ...]:
        """Asks for what is read beside each result of a tile when it is written, such as what is added to it: pieces of rows that
        are far apart.
        """
        spec = self.spec
        if not self.asks or math.prod(spec.kernel) * spec.w.shape[1] < _STEPS_LEAST:
            return ()
        stmts: tuple[Stmt, ...] = ()
        for row in range(size):
            written = self.write((n, channel, *outer, start + row), Var("result", spec.y.dtype))
            found = {
                node.buffer.name: node
                for stmt in written
                for value in expressions(stmt)
                for node in loads(value)
                if node.buffer.shape == spec.y.shape and node.buffer.strides[1] == 1
            }
            for node in found.values():
                before, at, *rest = node.index
                step = max(1, LINE_BYTES // node.buffer.dtype.size_bytes)
                stmts += tuple(
                    Prefetch(node.buffer, (before, at + lane, *rest), near=True)
                    for lane in range(0, width, step)
                )
        return stmts

    def _next(self, n: Expr, outer: Sequence[Expr], start: Expr, size: int) -> tuple[Stmt, ...]:
        """Asks for what a tile of the next row of outputs is the first to read, if that is not too much."""
        spec, source = self.spec, self.source
        if source is None or not outer or spec.group > 1 or not 0 < spec.x.shape[1] <= FEW_CHANNELS:
            return ()
        in_line = LINE_BYTES // source.dtype.size_bytes
        apart = (
            spec.x.shape[1] if source.strides[1] >= in_line else 1
        )  # channels that are not in the same lines
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
        lines = list(itertools.product(range(apart), range(stride), range(0, size * spec.strides[-1], step)))
        if len(lines) > _LINES_MOST:
            return ()
        stmts: tuple[Stmt, ...] = ()
        for c, down, across in lines:
            row = minimum(maximum(first + down, 0), height - 1)
            column = minimum(start * spec.strides[-1] + across, width - 1)
            where = (n, index(c), *before, row, column)
            stmts += (Prefetch(source, where, near=True),)
        return stmts


# A row by its number, and how many there are; they differ only in which weights they read and where they write.
RowAt = tuple[Callable[[Expr], Row], int]


def row_tasks(site: Site, rows: Sequence[RowAt], choice: str = "outer") -> tuple[Stmt, ...]:
    """All outputs, a task for each row and panel of channels. Of several `rows` each task makes one after the other: they have
    equal input and output channels, equal tiles, and as many rows of outputs, only their columns differ. Few rows in one
    dimension are shared out by their tiles. `choice` is what the site calls the order of tasks.
    """
    firsts = [row(index(0)) for row, _ in rows]
    spec, tile = firsts[0].spec, firsts[0].tile
    per_group, depth = spec.w.shape[0] // spec.group, spec.w.shape[1]
    taps = sum(math.prod(first.spec.kernel) * count for first, (_, count) in zip(firsts, rows, strict=True))
    size_bytes = accumulator_type(spec.y.dtype).size_bytes
    fitting = firsts[0].panels * taps * depth * tile.columns * size_bytes <= min(
        site.machine.l2_bytes // 2, _WEIGHTS_MOST
    )
    rows_outside = site.choose(choice, either("rows", "panels", fitting))
    alone = len(rows) == 1 and rows[0][1] == 1
    ahead = firsts[0].ahead() if alone and not rows_outside and site.machine.prefetch else None
    extents = (spec.x.shape[0], *spec.y.shape[2:-1])
    rows_all = extents[0] * spec.group * firsts[0].panels
    if alone and rows_outside and spec.spatial_rank == 1 and rows_all < _TASKS_FEW:
        return firsts[0].columns(_all_of_tile(firsts[0]), LoopKind.PARALLEL)
    stmts: tuple[Stmt, ...] = ()
    for first, count, width in parts(per_group, tile.columns):

        def task(where: tuple[Expr, ...], first: int = first, width: int = width) -> Sequence[Stmt]:
            if rows_outside:
                n, *outer, g, panel = where
            else:
                n, g, panel, *outer = where
            if alone:
                return firsts[0].outputs(n, g, panel + first, outer, width, ahead)
            # In blocks of their own, so that the names they make are theirs.
            stmts: list[Stmt] = []
            for row, many in rows:
                number: Expr = Var("part") if many > 1 else index(0)
                stmts.append(
                    For(
                        Var("part"),
                        index(many),
                        row(number).outputs(n, g, panel + first, outer, width),
                        LoopKind.SERIAL,
                    )
                )
            return stmts

        box = (*extents, spec.group, count) if rows_outside else (extents[0], spec.group, count, *extents[1:])
        stmts += collapse(f"task{width}", box, task)
    return stmts


def _all_of_tile(row: Row) -> TileOf:
    """Writes all channels of a tile: a long row of few channels is shared out by its tiles."""
    spec = row.spec

    def tile_of(start: Expr, size: int) -> Sequence[Stmt]:
        stmts: tuple[Stmt, ...] = ()
        for first, count, width in parts(spec.w.shape[0] // spec.group, row.tile.columns):

            def panel_of(where: tuple[Expr, ...], first: int = first, width: int = width) -> Sequence[Stmt]:
                n, g, panel = where
                return row.alone(n, g, panel + first, width)(start, size)

            stmts += nest(["n", "g", f"panel{width}"], [spec.x.shape[0], spec.group, count], panel_of)
        return stmts

    return tile_of


class _Bounds:
    """Which rows of the kernel lie in the input for a row of outputs, `count` of them, and how many do for all rows of outputs
    before it; `stmts` compute that.
    """

    def __init__(self, spec: ConvSpec, outer: Sequence[Expr]) -> None:
        self.spec, self.outer = spec, outer
        self.stmts: list[Stmt] = []
        self._ranges: list[tuple[Expr, Expr]] = []
        for axis, at in enumerate(outer):
            bounds: list[Expr] = []
            for name, value in zip(("begin", "end"), spec.taps_inside(axis, at), strict=True):
                if isinstance(value, Const):
                    bounds.append(value)
                    continue
                self.stmts.append(Let(Var(f"{name}{axis}"), value))
                bounds.append(Var(f"{name}{axis}"))
            self._ranges.append((bounds[0], bounds[1]))

    @property
    def count(self) -> Expr:
        return math.prod((end - begin for begin, end in self._ranges), start=index(1))

    @property
    def rows_before(self) -> Expr:
        """Exact where the padding is one row, as it mostly is."""
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

    def rows(
        self, body: Callable[[Sequence[Expr], Sequence[Expr], Expr], Sequence[Stmt]]
    ) -> tuple[Stmt, ...]:
        """Loops over the rows that lie inside; `body` gets the position in the kernel and in the input, but for the last axis,
        and the number of the row among them.
        """
        spec = self.spec

        def inner(begun: tuple[Expr, ...]) -> Sequence[Stmt]:
            k = [begin + at for (begin, _), at in zip(self._ranges, begun, strict=True)]
            where = [
                at * stride + (kk * dilation - pad)
                for at, stride, kk, dilation, pad in zip(
                    self.outer, spec.strides, k, spec.dilations, spec.pads_begin, strict=False
                )
            ]
            number: Expr = index(0)
            for at, (begin, end) in zip(begun, self._ranges, strict=True):
                number = number * (end - begin) + at
            return body(k, where, number)

        return nest(
            [f"k{axis}" for axis in range(len(self.outer))],
            [end - begin for begin, end in self._ranges],
            inner,
        )
