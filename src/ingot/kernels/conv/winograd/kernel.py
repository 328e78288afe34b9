"""What a kernel by Winograd's algorithm does with a tile, a panel of weights and products: what float32 and int8 share."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ingot.base.tensor import DType
from ingot.kernels.blocks.prefetch import PanelPrefetch, Share, window
from ingot.kernels.blocks.register_block import Sums, Tile, row_tiles, sum_steps
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.winograd.images import Images, first_of, tile_grid
from ingot.kernels.conv.winograd.matrices import (
    TAPS,
    Form,
    Names,
    all_sides,
    folded_times,
    times,
    weighted,
    winograd_matrices,
)
from ingot.kernels.conv.winograd.numbering import numbering
from ingot.kernels.conv.winograd.parts import pack_taps, stored_early
from ingot.kernels.template import Arranged, Site
from ingot.loops.build.builder import Builder, Extent, with_body
from ingot.loops.build.nest import loop, tiles, vector, vector_blocks, vectors_of
from ingot.loops.nodes import (
    Buffer,
    Const,
    Expr,
    If,
    Stmt,
    both,
    cast,
    compare,
    load,
    maximum,
    minimum,
    select,
    store,
)
from ingot.machines.machine import LINE_BYTES, Machine

# One step of a sum: from the scalar of each row and the weight of each column to what adds their products.
Step = Callable[[Callable[[int], Expr], Callable[[Expr], Expr]], tuple[Stmt, ...]]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a convolution is computed: tiles of `m` × `m` outputs, or of `m` with one side, in groups of `group`.

    `panels_first`: a thread transforms all tiles that it has first, and its outer loop is over panels of output channels, whose
    weights are transformed where they are needed, `depth` steps of the sums at a time; else its outer loop is over tiles,
    `together` groups of them at a time.
    `by_rows`: of the n² matrices of transformed weights one row of n is made and used before the next.
    `loops/analyse/amx_sums`: a group is multiplied matrix by matrix, in registers that hold matrices (`conv/winograd/amx`).
    """

    m: int
    tile: Tile
    group: int
    panels_first: bool
    depth: int
    by_rows: bool = False
    uses_amx: bool = False
    sides: int = 2
    taps: int = TAPS
    together: int = 1

    @property
    def form(self) -> Form:
        """What is computed of a tile."""
        return Form(self.m, self.sides, self.taps)


@dataclass(frozen=True, slots=True)
class Group:
    """Tiles that follow each other, from `first` on: there is memory for `size`, and `count` are there. Where they are kept:
    transformed inputs behind the indices `inputs`, products with a panel behind `products`.
    """

    number: Expr
    first: Expr
    size: int
    count: Extent
    inputs: tuple[Expr, ...] = ()
    products: tuple[Expr, ...] = ()

    def kept_at(self, inputs: tuple[Expr, ...], products: tuple[Expr, ...]) -> Group:
        """The same group, kept there."""
        return replace(self, inputs=inputs, products=products)


def groups_together(machine: Machine, fitting: int, groups: int) -> int:
    """How many groups a thread does with each panel of weights, which it reads from the second cache once for all: those that fit
    there, few of them, as each thread has room for so many; and several ranges of them, so that all threads have some.
    """
    tuning = machine.tuning.winograd
    return max(1, min(fitting, groups // tuning.together_ranges, tuning.together_max))


GroupBody = Callable[[Group], Sequence[Stmt]]
EachGroup = Callable[[str, GroupBody], tuple[Stmt, ...]]
"""A loop over groups, from the name of its variable and the body for each group."""
Element = Callable[..., Expr]
"""The element of a square of inputs, weights or sums in row i and column j, or of a column in row i."""


class Pieces:
    """The pieces of a kernel: transforms of inputs and weights, products, transforms of sums. What they are made of is float32
    here; `conv/winograd/int8` has quantized values. Subclasses put them in an order.

    Args:
        site: what the kernel is written for.
        spec: the convolution.
        plan: how to compute it.
        lanes: input channels that are transformed as one vector; they divide the channels.
        transformed: makes of the weights transformed ones, `[panel, matrix, step, width]`; None: the kernel transforms them.
    """

    factor = sum = DType.FLOAT32  # transformed inputs and weights; their products and the sums of those
    per_step = 1  # channels that one step of a sum takes

    def __init__(
        self, site: Site, spec: ConvSpec, plan: Plan, lanes: int, transformed: Arranged | None = None
    ) -> None:
        rank = spec.spatial_rank
        there = tuple(site.places(0, 2 + axis) for axis in range(rank)) if site.has_room else ()
        self.images = Images(spec, there)
        self.site, self.spec, self.plan = site, self.images.spec, plan
        self.m, self.n, self.sides, self.taps = plan.m, plan.form.n, plan.sides, plan.taps
        assert self.spec.kernel == (self.taps,) * self.sides
        self.matrix_count, self.weight_count = plan.form.matrices, plan.form.weights
        self.matrices = winograd_matrices(plan.m, plan.taps)
        self.lanes = lanes
        self.columns = plan.tile.columns
        self.width = self.columns * self.per_step  # factors of a step
        self.channels = self.spec.x.shape[1]
        self.filters = self.spec.y.shape[1]
        self.grid = tile_grid(self.spec, self.m)
        self.tiles = math.prod(self.grid)
        self.numbering = numbering(site, self.images, self.m)
        self.panels = -(-self.filters // self.columns)
        self.steps = self.channels // self.per_step
        # Tiles read short pieces of many lines far from one another, which no processor foresees behind its second-level cache.
        kept = spec.x.dtype.size_bytes
        is_far = not site.is_inlined(0) and spec.x.size * kept > site.machine.l2_bytes
        is_square = self.sides == 2 and self.spec.dilations == (1, 1)
        self.prefetches = site.machine.prefetch and is_square and is_far and lanes * kept >= LINE_BYTES // 2
        self.has_transformed_weights = transformed is not None
        images, packed = self.images, self.packing()
        self.weights = site.arrange(1, transformed or (lambda array: packed(images.weights(array))))

    # ── what a tile, weights and products are made of ──

    def packing(self) -> Arranged:
        """What arranges weights `[M, C, taps…]` as the kernel reads them."""
        columns, per_step = self.columns, self.per_step
        return lambda array: pack_taps(array, columns, per_step)

    def outside(self) -> Const:
        """An element outside of the input."""
        return Const(0.0, self.factor)

    def inputs_of(self, element: Element, names: Names) -> Iterable[Expr]:
        """`Bᵀ d B`, row by row."""
        return all_sides(times, self.matrices.bt, element, self.n, self.sides, names)

    def weights_of(self, element: Element, names: Names) -> Iterable[Expr]:
        """`G g Gᵀ`, row by row."""
        return all_sides(times, self.matrices.g, element, self.taps, self.sides, names)

    def row_of_weights(self, row: int, element: Element, names: Names) -> list[Expr]:
        """One row of `G g Gᵀ`."""
        columns = [[names.name(element(i, j)) for i in range(self.taps)] for j in range(self.taps)]
        return times(
            self.matrices.g, [names.name(weighted(self.matrices.g[row], each)) for each in columns], names
        )

    def results_of(self, element: Element, _channel: Expr, names: Names) -> Iterable[Expr]:
        """`Aᵀ M A`, row by row, for an output channel."""
        return all_sides(folded_times, self.matrices.at, element, self.n, self.sides, names)

    def operand(self, source: Buffer, *where: Expr) -> Expr:
        """What a step of a sum takes of factors; the last index counts steps, or columns."""
        return load(source, *where)

    def sums(
        self,
        rows: int,
        reduction: Callable[[Step], Sequence[Stmt]],
        write: Callable[[int | Expr, Expr, Expr], Sequence[Stmt]],
    ) -> tuple[Stmt, ...]:
        """A register block of sums, which start from 0."""
        k = Builder()
        with k.block("tile"):
            sums = Sums(k, rows, self.plan.tile, self.sum)
            k.emit(
                reduction(lambda value, weight: sums.products([value(row) for row in range(rows)], weight))
            )
            for row, column, value in sums.results():
                k.emit(write(row, column, value))
        return k.statements()

    def workspace(self, name: str, *shape: int) -> Buffer:
        return self.site.workspace(name, self.sum if name == "products" else self.factor, shape)

    # ── pieces ──

    def transform_weights(
        self,
        panel: Expr,
        channel: Expr,
        target: Buffer,
        place: Callable[[int, Expr], tuple[Expr | int, ...]],
        only: int | None = None,
    ) -> tuple[Stmt, ...]:
        """Transforms the weights of one step for the outputs of a panel: for all matrices, or `only` one row of them."""

        def lanes(lane: Expr) -> Sequence[Stmt]:
            names = Names()

            def element(*where: int) -> Expr:
                return load(self.weights, panel, channel, _flat(where, self.taps), lane)

            transformed = (
                self.weights_of(element, names) if only is None else self.row_of_weights(only, element, names)
            )
            return stored_early(
                names.stmts,
                [(value, (store(target, place(at, lane), value),)) for at, value in enumerate(transformed)],
            )

        # Written out: in a loop, each of their places would have an address in a register of its own.
        return vectors_of(self.width, self.plan.tile.lanes * self.per_step, lanes)

    def transform_input(
        self, tile: Expr, block: Expr, keep: Callable[[int, Expr, Expr], Sequence[Stmt]]
    ) -> tuple[Stmt, ...]:
        """Transforms the input of one tile, for one vector of channels. `keep(ξ, lane, value)` stores a result."""
        batch, outer_places, where = self.numbering.split(tile)
        block, planes, inside = self.images.input(
            outer_places, block, self.images.whole.x.shape[1] // self.lanes
        )
        extents = [self.images.extent(axis) for axis in self.images.sides]
        pads, apart = self.spec.pads_begin, self.spec.dilations
        starts = [first_of(at, self.m, d) - pad for at, pad, d in zip(where, pads, apart, strict=True)]
        spans = [(self.n - 1) * d + 1 for d in apart]
        whole = [
            condition
            for side, (start, extent, pad, span) in enumerate(zip(starts, extents, pads, spans, strict=True))
            for condition in (
                *([compare("ge", start, 0)] if pad else []),
                *([compare("le", start, extent - span)] if self._reaches_over(side, extent) else []),
            )
        ]

        def body(checked: bool) -> tuple[Stmt, ...]:
            outside = Names("at")
            outer = planes
            places = [[start + k * d for k in range(self.n)] for start, d in zip(starts, apart, strict=True)]
            valid: list[list[Expr]] = []
            if checked:
                for at, extent, more in zip(places, extents, (inside, ())[: self.sides], strict=True):
                    valid.append(
                        [
                            outside.name(
                                both(*more, compare("ge", coordinate, 0), compare("lt", coordinate, extent))
                            )
                            for coordinate in at
                        ]
                    )
                outer = [outside.name(coordinate) for coordinate in self.images.clamped(planes)]
                places = [
                    [outside.name(minimum(maximum(coordinate, 0), extent - 1)) for coordinate in at]
                    for at, extent in zip(places, extents, strict=True)
                ]

            def lanes(lane: Expr) -> Sequence[Stmt]:
                names = Names()

                def element(*at: int) -> Expr:
                    where = self.images.index(outer, [along[k] for along, k in zip(places, at, strict=True)])
                    value = cast(self.site.read(0, batch, block * self.lanes + lane, *where), self.factor)
                    if not checked:
                        return value
                    is_valid = both(*(along[k] for along, k in zip(valid, at, strict=True)))
                    return select(is_valid, names.name(value), self.outside())

                result = self.inputs_of(element, names)
                return stored_early(
                    names.stmts, [(value, keep(at, lane, value)) for at, value in enumerate(result)]
                )

            asked: tuple[Stmt, ...] = ()
            if self.prefetches and not checked:  # for what the next tile is the first to read
                columns = [minimum(starts[-1] + self.n + j, extents[-1] - 1) for j in range(self.m)]
                asked = window(self.site.input(0), (batch, block * self.lanes, *planes), places[0], columns)
            return (*outside.stmts, *asked, *vector("lane", self.lanes, lanes))

        checks = [*inside, *whole]
        return (If(both(*checks), body(False), body(True)),) if checks else body(False)

    def _reaches_over(self, side: int, extent: Extent) -> bool:
        """Whether some tiles read places behind the last of a side."""
        span = (self.n - 1) * self.spec.dilations[side] + 1
        return isinstance(extent, Expr) or self._last(side) - self.spec.pads_begin[side] + span > extent

    def _last(self, side: int) -> int:
        """The largest first output of a tile along a side."""
        count, d = self.grid[1 + side], self.spec.dilations[side]
        return (count // d - 1) * self.m * d + d - 1

    def multiply(
        self,
        groups: EachGroup,
        depth: int,
        value: Callable[[Group, Expr, Expr, Expr], Expr],
        weight: Callable[[Expr, Expr, Expr], Expr],
        write: Callable[[Group, Expr, Expr, Expr, Expr], Sequence[Stmt]],
        prefetch: tuple[PanelPrefetch, Expr, Expr] | None = None,
        many: int | None = None,
    ) -> tuple[Stmt, ...]:
        """For each matrix ξ, or the first `many`, the tiles of `groups` times one panel.

        Args:
            groups: loops over them.
            depth: number of steps of each sum.
            value: from group, ξ, row among its transformed inputs and step within a block of channels to an input.
            weight: from ξ, step and column to a weight.
            write: stores the value for a group, ξ, tile in the group and column.
            prefetch: what brings in weights meanwhile, the number of the panel that is in use, and the work done with it before.
            many: how many ξ; all by default.
        """
        per_block = self.lanes // self.per_step

        def products(group: Group, at: Expr, start: Expr, size: int) -> Sequence[Stmt]:
            def reduction(step: Step) -> Sequence[Stmt]:
                def channel(block: Expr, lane: Expr) -> Sequence[Stmt]:
                    return step(
                        lambda row: value(group, at, block * group.size + (start + row), lane),
                        lambda column: weight(at, block * per_block + lane, column),
                    )

                def block_of(block: Expr) -> Sequence[Stmt]:
                    steps = self.plan.tile.steps
                    return sum_steps("c", per_block, steps, lambda c: channel(block, c), adjoin=True)

                blocks = depth // per_block
                if prefetch is None:
                    return loop("block", blocks, block_of)
                weights, panel, before = prefetch
                done = before + at * self.tiles + (group.first + start)
                share = Share(panel, done, size)
                return with_body(lambda k: weights.loop(k, "block", blocks, share, per_block), block_of)

            return self.sums(
                size, reduction, lambda row, column, result: write(group, at, start + row, column, result)
            )

        def of_group(group: Group, at: Expr) -> tuple[Stmt, ...]:
            return self._in_blocks(group, lambda start, size: products(group, at, start, size))

        return loop(
            "at", many or self.matrix_count, lambda at: groups("group", lambda group: of_group(group, at))
        )

    def _in_blocks(self, group: Group, block: Callable[[Expr, int], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """The register blocks of the tiles of a group that are there."""
        rows = self.plan.tile.rows
        whole = row_tiles("row", group.size, rows, block)
        if isinstance(group.count, int):
            return whole
        some = tiles("some", group.count, self.numbering.rows(rows, group.size - 1), block)
        return (If(compare("ge", group.count, group.size), whole, some),)

    def transform_outputs(
        self, start: Expr, count: Extent, panel: Expr, width: int, product: Callable[[int, Expr, Expr], Expr]
    ) -> tuple[Stmt, ...]:
        """Transforms the products of `count` tiles with one panel, and writes the results that are inside of the output."""
        extents, apart = self.spec.y.shape[2:], self.spec.dilations

        def tile_of(t: Expr) -> Sequence[Stmt]:
            batch, places, where = self.numbering.split(start + t)
            firsts = [first_of(at, self.m, d) for at, d in zip(where, apart, strict=True)]

            def lanes(lane: Expr) -> Sequence[Stmt]:
                names = Names()
                channel = panel * self.columns + lane
                results = self.results_of(lambda *at: product(_flat(at, self.n), t, lane), channel, names)
                stores: list[tuple[Expr, Sequence[Stmt]]] = []
                for at, value in zip(
                    itertools.product(range(self.m), repeat=self.sides), results, strict=True
                ):
                    along = [first + k * d for first, k, d in zip(firsts, at, apart, strict=True)]
                    stmts = self.site.write(0, (batch, channel, *self.images.index(places, along)), value)
                    conditions = [
                        compare("lt", place, extent)
                        for side, (place, extent) in enumerate(zip(along, extents, strict=True))
                        if self._last(side) + at[side] * apart[side] >= extent
                    ]
                    stores.append((value, (If(both(*conditions), stmts),) if conditions else stmts))
                return stored_early(names.stmts, stores)

            return vector_blocks("lane", width, self.site.machine.lanes(self.sum), lanes)

        return loop("t", count, tile_of)


def _flat(where: Sequence[int], extent: int) -> int:
    """The number of an element of a square, row by row, or of a column."""
    number = 0
    for at in where:
        number = number * extent + at
    return number
