"""How Winograd's algorithm goes through tiles, channels and panels of weights.

Tiles lie in groups, of as many as a register block has rows or so, and a thread has some of them. Of inputs and weights it
transforms what it needs itself, even if others need it too, as long as there is memory for that: a line that another core has
written takes longer to fetch than to make.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.kernels.blocks.prefetch import PanelPrefetch
from ingot.kernels.blocks.register_block import balanced, parts
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.winograd.kernel import EachGroup, Group, GroupBody, Pieces, Plan
from ingot.kernels.conv.winograd.parts import spread, when
from ingot.kernels.template import Arranged, Site
from ingot.loops.build.boxes import Range, cut_box
from ingot.loops.build.builder import Extent
from ingot.loops.build.nest import (
    collapse,
    loop,
    loop_by_ranges,
    parts_max,
    places,
    vector_blocks,
)
from ingot.loops.nodes import (
    Buffer,
    Const,
    Expr,
    For,
    If,
    Let,
    Stmt,
    Var,
    compare,
    index,
    load,
    maximum,
    minimum,
    store,
)

_LOW, _HIGH, _SLOT = Var("low"), Var("high"), Var("slot")


class Writer(Pieces):
    """Writes the kernel: how tiles, weights and products lie in memory and follow each other."""

    def __init__(
        self, site: Site, spec: ConvSpec, plan: Plan, lanes: int, transformed: Arranged | None = None
    ) -> None:
        super().__init__(site, spec, plan, lanes, transformed)
        self.sizes = balanced(self.tiles, plan.group)
        if self.numbering.there:  # whole register blocks, so that only the last group has others
            rows = self.numbering.largest_rows(plan.tile.rows)
            group = -(-plan.group // rows) * rows
            self.sizes = ((group, -(-self.tiles // group)),)
        self.groups, self.largest_group = sum(count for _, count in self.sizes), self.sizes[0][0]
        self.blocks = self.channels // self.lanes
        self.groups_there: Extent = self.groups
        if self.numbering.there:
            self.groups_there = (self.numbering.count + (self.largest_group - 1)) // self.largest_group

    def statements(self) -> Sequence[Stmt]:
        return _PanelsFirst(self).statements() if self.plan.panels_first else _TilesFirst(self).statements()

    def room(self, inputs: tuple[int, ...], products: tuple[int, ...]) -> tuple[Buffer, Buffer]:
        """Memory for the transformed inputs of groups, and for their products with a panel, in so many places each."""
        n2, largest = self.matrix_count, self.largest_group
        return (
            self.workspace("inputs", *inputs, n2, spread(self.blocks * largest), self.lanes),
            self.workspace("products", *products, n2, spread(largest), self.columns),
        )

    def groups_of(self, name: str, low: Expr, high: Expr, body: GroupBody) -> tuple[Stmt, ...]:
        """A loop over the groups from number `low` up to `high`, for each of the sizes that groups have."""
        stmts: tuple[Stmt, ...] = ()
        number = tile = 0
        for size, count in self.sizes:
            last, at = number + count, Var(f"{name}{size}")
            begin, end = (low, high) if count == self.groups else (maximum(low, number), minimum(high, last))
            first, there = (begin + at - number) * size + tile, self.numbering.count
            group = Group(
                begin + at, first, size, size if isinstance(there, int) else minimum(there - first, size)
            )
            stmts += (For(at, end - begin, tuple(body(group))),)
            number, tile = last, tile + count * size
        return stmts

    def transform_inputs(self, each: EachGroup, inputs: Buffer) -> tuple[Stmt, ...]:
        """Transforms the inputs of groups."""

        def of_group(group: Group) -> tuple[Stmt, ...]:
            def tile(t: Expr, block: Expr) -> Sequence[Stmt]:
                def keep(at: int, lane: Expr, value: Expr) -> Sequence[Stmt]:
                    return (store(inputs, (*group.inputs, index(at), block * group.size + t, lane), value),)

                return self.transform_input(group.first + t, block, keep)

            return loop("t", group.count, lambda t: loop("block", self.blocks, lambda block: tile(t, block)))

        return each("group_in", of_group)

    def write_outputs(self, each: EachGroup, products: Buffer, panel: Expr, width: int) -> tuple[Stmt, ...]:
        """Transforms the products of groups with a panel, and writes the results."""

        def of_group(group: Group) -> tuple[Stmt, ...]:
            def product(at: int, t: Expr, lane: Expr) -> Expr:
                return load(products, *group.products, at, t, lane)

            return self.transform_outputs(group.first, group.count, panel, width, product)

        return each("group_out", of_group)

    def in_panels(self, body: Callable[[Expr, int], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """A loop over panels of output channels, with the number and the width of each."""
        stmts: tuple[Stmt, ...] = ()
        for begin, count, width in parts(self.filters, self.columns):
            stmts += loop(
                f"panel{width}",
                count,
                lambda panel, begin=begin, width=width: body(panel + begin, width),  # type: ignore[misc]
            )
        return stmts


class _TilesFirst:
    """All weights, then some groups of tiles after others, and all panels with each."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.factors = writer, writer.weights
        kept, self.together = (
            places(writer.groups, writer.site.machine),
            min(writer.plan.together, writer.groups),
        )
        elements = writer.panels * writer.matrix_count * spread(writer.steps) * writer.width
        size_bytes = elements * writer.factor.size_bytes
        limit = writer.site.machine.tuning.winograd.own_weights_max_bytes
        self.is_own = not writer.has_transformed_weights and size_bytes <= limit
        if not writer.has_transformed_weights:
            of_thread = (kept,) if self.is_own else ()
            shape = writer.panels, writer.matrix_count, spread(writer.steps), writer.width
            self.factors = writer.workspace("factors", *of_thread, *shape)
        self.inputs, self.products = writer.room((kept, self.together), (kept, self.together))

    def statements(self) -> Sequence[Stmt]:
        """The kernel."""
        writer = self.writer
        stmts: tuple[Stmt, ...] = ()
        if not writer.has_transformed_weights and not self.is_own:
            stmts = collapse(
                "weight", (writer.panels, writer.steps), lambda where: self._transform((), *where)
            )
        run_min = writer.groups if self.is_own else None
        ranges = loop_by_ranges(
            "part", writer.groups, writer.site.machine, self._range, run_min, writer.groups_there
        )
        return (*stmts, *ranges)

    def _transform(self, own: tuple[Expr, ...], panel: Expr, channel: Expr) -> Sequence[Stmt]:
        return self.writer.transform_weights(
            panel, channel, self.factors, lambda at, lane: (*own, panel, at, channel, lane)
        )

    def _range(self, place: Expr, begin: Expr, end: Expr) -> Sequence[Stmt]:
        first, last, number, writer = Var("first"), Var("last"), Var("number"), self.writer
        own = (place,) if self.is_own else ()
        stmts: tuple[Stmt, ...] = (Let(first, begin), Let(last, end))
        if self.is_own:
            stmts += loop(
                "p",
                writer.panels,
                lambda panel: loop("c", writer.steps, lambda c: self._transform(own, panel, c)),
            )
        low, rounds = first + number * self.together, (last - first + (self.together - 1)) // self.together
        some = Let(_LOW, low), Let(_HIGH, minimum(low + self.together, last)), *self._some(place, own)
        return (*stmts, For(number, rounds, some))

    def _some(self, place: Expr, own: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        """Groups from `_LOW` up to `_HIGH`."""
        writer = self.writer

        def each(name: str, body: GroupBody) -> tuple[Stmt, ...]:
            def of_group(group: Group) -> Sequence[Stmt]:
                where = place, group.number - _LOW
                return body(group.kept_at(where, where))

            return writer.groups_of(name, _LOW, _HIGH, of_group)

        def panel_of(panel: Expr, width: int) -> Sequence[Stmt]:
            def factor(at: Expr, c: Expr, column: Expr) -> Expr:
                return writer.operand(self.factors, *own, panel, at, c, column)

            def value(group: Group, at: Expr, row: Expr, lane: Expr) -> Expr:
                return writer.operand(self.inputs, *group.inputs, at, row, lane)

            def keep(group: Group, at: Expr, row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
                return (store(self.products, (*group.products, at, row, column), value),)

            return (
                *writer.multiply(each, writer.steps, value, factor, keep),
                *writer.write_outputs(each, self.products, panel, width),
            )

        return (*writer.transform_inputs(each, self.inputs), *writer.in_panels(panel_of))


class _PanelsFirst:
    """All tiles that a thread has, then panel after panel."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.depth, plan = writer, writer.plan.depth, writer.plan
        self.box = cut_box(writer.groups, writer.panels, parts_max(writer.site.machine), *_cycles(writer))
        # Matrices that are made and used together.
        self.by_rows = plan.by_rows and not writer.has_transformed_weights
        self.many = writer.n if self.by_rows else writer.matrix_count
        self.rounds, self.steps = writer.matrix_count // self.many, writer.steps // self.depth
        # Inputs are kept where the first piece of a range that has their group has room for them.
        self.inputs, self.products = writer.room(
            (self.box.column_pieces, writer.groups), (self.box.pieces, writer.groups)
        )
        self.factors = writer.weights
        if not writer.has_transformed_weights:
            self.factors = writer.workspace(
                "factors", self.box.pieces, self.many, spread(self.depth), writer.width
            )
        # While the weights of one piece are used, those of the next are brought in: they are to be transformed at once.
        piece = self.depth * (self.steps if self.by_rows else 1)
        work = writer.matrix_count * writer.tiles * piece // self.depth
        fetches = writer.site.machine.prefetch and not writer.has_transformed_weights
        self.prefetch = (
            PanelPrefetch(
                writer.site.machine.tuning.prefetch,
                writer.weights,
                piece * writer.weight_count * writer.width,
                work,
            )
            if fetches
            else None
        )

    def statements(self) -> Sequence[Stmt]:
        """The kernel."""
        return self.box.loop("part", self._range)

    def _range(self, own: Range) -> Sequence[Stmt]:
        def each(has: Callable[[Expr], Expr]) -> EachGroup:
            def groups(name: str, body: GroupBody) -> tuple[Stmt, ...]:
                def of_group(group: Group) -> Sequence[Stmt]:
                    at = group.number
                    stmts = body(group.kept_at((_SLOT, at), (own.begin, at)))
                    return when(has(at), (Let(_SLOT, own.first(at)), *stmts))

                return self.writer.groups_of(name, index(0), index(self.writer.groups_there), of_group)

            return groups

        def panel_of(panel: Expr, width: int) -> Sequence[Stmt]:
            some = each(lambda row: own.has(row, panel))
            return when(own.has_column(panel), self._panel(own.begin, some, panel, width))

        return (
            *self.writer.transform_inputs(each(own.has_row), self.inputs),
            *self.writer.in_panels(panel_of),
        )

    def _panel(self, place: Expr, each: EachGroup, panel: Expr, width: int) -> Sequence[Stmt]:
        """Some groups with one panel: products, and results."""

        def round_of(round_: Expr) -> Sequence[Stmt]:
            return (
                *(self._zero(each, round_) if self.steps > 1 else ()),
                *loop("step", self.steps, lambda step: self._step(place, each, panel, round_, step)),
            )

        return (
            *(loop("round", self.rounds, round_of) if self.rounds > 1 else round_of(index(0))),
            *self.writer.write_outputs(each, self.products, panel, width),
        )

    def _zero(self, each: EachGroup, round_: Expr) -> tuple[Stmt, ...]:
        writer = self.writer
        none = Const(0 if writer.sum.is_integer else 0.0, writer.sum)

        def row(group: Group, at: Expr, t: Expr) -> Sequence[Stmt]:
            where = *group.products, round_ * self.many + at, t
            return vector_blocks(
                "lane",
                writer.columns,
                writer.plan.tile.lanes,
                lambda lane: (store(self.products, (*where, lane), none),),
            )

        return each(
            "group_zero",
            lambda group: loop(
                "at", self.many, lambda at: loop("t", group.count, lambda t: row(group, at, t))
            ),
        )

    def _step(self, place: Expr, each: EachGroup, panel: Expr, round_: Expr, step: Expr) -> Sequence[Stmt]:
        """Some steps of all sums, for some of the matrices."""
        writer, depth, per_block = self.writer, self.depth, self.writer.lanes // self.writer.per_step

        def keep(group: Group, at: Expr, row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
            where = *group.products, round_ * self.many + at, row, column
            return (
                store(
                    self.products, where, value if self.steps == 1 else load(self.products, *where) + value
                ),
            )

        def weights(c: Expr, row: int | None) -> Sequence[Stmt]:
            return writer.transform_weights(
                panel, step * depth + c, self.factors, lambda at, lane: (place, at, c, lane), row
            )

        def transformed_weights() -> Sequence[Stmt]:
            if writer.has_transformed_weights:
                return ()
            if not self.by_rows:
                return loop("c", depth, lambda c: weights(c, None))
            return [
                If(compare("eq", round_, row), loop("c", depth, lambda c, row=row: weights(c, row)))  # type: ignore[misc]
                for row in range(writer.n)
            ]

        def factor(at: Expr, c: Expr, column: Expr) -> Expr:
            where = (panel, at, step * depth + c) if writer.has_transformed_weights else (place, at, c)
            return writer.operand(self.factors, *where, column)

        def value(group: Group, at: Expr, row: Expr, lane: Expr) -> Expr:
            before = step * (depth // per_block * group.size)
            return writer.operand(self.inputs, *group.inputs, round_ * self.many + at, before + row, lane)

        by_rows = self.by_rows
        number = panel if by_rows else panel * self.steps + step
        done = (round_ * self.steps + step) * (self.many * writer.tiles) if by_rows else index(0)
        prefetch = None if self.prefetch is None else (self.prefetch, number, done)
        return (
            *transformed_weights(),
            *writer.multiply(each, depth, value, factor, keep, prefetch, self.many),
        )


def _cycles(writer: Writer) -> tuple[float, float, float]:
    """What the products and results of all tiles and panels take, transforms of all inputs, and those of all weights."""
    machine, n2 = writer.site.machine, writer.matrix_count
    lanes, fmas = machine.lanes(writer.sum), 1 if machine.double_pumped_512 else 2
    tuning = machine.tuning.winograd
    matrix, line = tuning.box_matrix_cycles, tuning.box_line_cycles
    of_filters = writer.filters / lanes
    work = writer.tiles * n2 * of_filters * (writer.steps / fmas + matrix)
    inputs = writer.tiles * writer.blocks * (matrix * n2 + writer.m**writer.sides * line)
    return (
        work,
        inputs,
        0.0 if writer.has_transformed_weights else writer.steps * of_filters * tuning.box_weight_cycles,
    )
