"""How Winograd's algorithm goes through tiles, channels and panels of weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.loops.nest import collapse, loop, vector_blocks
from ingot.loops.nodes import Buffer, Const, Expr, If, LoopKind, Stmt, compare, index, load, store
from ingot.ops.ahead import Ahead
from ingot.ops.register_tile import balanced, parts
from ingot.ops.winograd_kernel import PARTS, Pieces
from ingot.ops.winograd_pieces import share, spread


class Writer(Pieces):
    """Writes the kernel: how tiles, weights and products lie in memory and follow each other."""

    def statements(self) -> Sequence[Stmt]:
        return self._panels_first() if self.plan.panels_first else self._tiles_first()

    def _tiles_first(self) -> Sequence[Stmt]:
        """All weights, then block after block of tiles."""
        n2, sizes = self.matrix_count, balanced(self.tiles, self.plan.block)
        blocks, most = sum(count for _, count in sizes), sizes[0][0]
        tasks = min(PARTS, blocks)
        factors = self.weights
        if not self.is_made:
            factors = self.workspace("factors", self.panels, n2, spread(self.steps), self.width)
        inputs = self.workspace("inputs", tasks, n2, spread(self.channels // self.lanes * most), self.lanes)
        products = self.workspace("products", tasks, n2, spread(most), self.columns)

        def weights(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            panel, channel = where
            return self.transform_weights(panel, channel, factors, lambda at, lane: (panel, at, channel, lane))

        def panel_of(part: Expr, first: Expr, size: int, panel: Expr, width: int) -> Sequence[Stmt]:
            return (
                *self.multiply(
                    size,
                    self.steps,
                    lambda at, block, row, lane: self.operand(inputs, part, at, block * size + row, lane),
                    lambda at, c, column: self.operand(factors, panel, at, c, column),
                    lambda at, row, column, value: (store(products, (part, at, row, column), value),),
                ),
                *self.transform_outputs(first, size, panel, width, lambda at, t, lane: load(products, part, at, t, lane)),
            )

        def block_of(part: Expr, first: Expr, size: int) -> tuple[Stmt, ...]:
            stmts = loop(
                "t",
                size,
                lambda t: loop(
                    "block",
                    self.channels // self.lanes,
                    lambda block: self.transform_input(
                        first + t,
                        block,
                        lambda at, lane, value: (store(inputs, (part, at, block * size + t, lane), value),),
                    ),
                ),
            )
            for begin, panels, width in parts(self.filters, self.columns):
                stmts += loop(
                    f"panel{width}",
                    panels,
                    lambda panel, begin=begin, width=width: panel_of(part, first, size, panel + begin, width),  # type: ignore[misc]
                )
            return stmts

        def numbered(part: Expr, number: Expr) -> Sequence[Stmt]:
            """All blocks in one loop: of those of each size in a loop of its own, a few would be for one thread."""
            (size, count), *smaller = sizes
            larger = block_of(part, number * size, size)
            if not smaller:
                return larger
            ((less, _),) = smaller
            return (If(compare("lt", number, count), larger, block_of(part, number * less + count * (size - less), less)),)

        stmts = () if self.is_made else collapse("weight", (self.panels, self.steps), weights)
        return stmts + loop(
            "part", tasks, lambda part: share(part, tasks, blocks, lambda number: numbered(part, number)), LoopKind.PARALLEL
        )

    def _panels_first(self) -> Sequence[Stmt]:
        """All tiles, then panel after panel of output channels; or so half of the tiles by each of two tasks."""
        n2, blocks = self.matrix_count, self.channels // self.lanes
        pieces = parts(self.filters, self.columns)
        halves = self.plan.halves
        tasks, most = (2, -(-self.tiles // 2)) if halves else (min(PARTS, pieces[0][1]), self.tiles)
        of_task = (tasks,) if halves else ()  # dimensions of what is a task's own, if all do not share it
        many = self.n if self.plan.by_rows and not self.is_made else n2  # matrices that are made and used together
        inputs = self.workspace("inputs", *of_task, n2, spread(blocks * most), self.lanes)
        made = self.workspace("factors", tasks, many, spread(self.plan.depth), self.width) if not self.is_made else self.weights
        products = self.workspace("products", tasks, n2, spread(most), self.columns)

        def group(part: Expr, first: Expr, size: int) -> Group:
            return Group(self, part, first, size, inputs, (part,) if halves else (), made, products, many)

        def panels(begin: int, width: int, shares: int, count: int) -> Callable[[Expr], Sequence[Stmt]]:
            return lambda part: share(
                part, shares, count, lambda number: group(part, index(0), self.tiles).panel(number + begin, width)
            )

        if not halves:
            stmts = collapse("tile", (self.tiles, blocks), lambda where: group(index(0), index(0), self.tiles).input(*where))
            for begin, count, width in pieces:
                shares = min(tasks, count)
                stmts += loop(f"part{width}", shares, panels(begin, width, shares, count), LoopKind.PARALLEL)
            return stmts

        def half(part: Expr, first: Expr, size: int) -> tuple[Stmt, ...]:
            own = group(part, first, size)
            stmts = loop("t", size, lambda t: loop("block", blocks, lambda block: own.input(t, block)))
            for begin, count, width in pieces:
                stmts += loop(f"panel{width}", count, lambda panel, begin=begin, width=width: own.panel(panel + begin, width))  # type: ignore[misc]
            return stmts

        def either_half(part: Expr) -> tuple[Stmt, ...]:
            if self.tiles % 2 == 0:
                return half(part, part * most, most)
            return (If(compare("eq", part, 0), half(index(0), index(0), most), half(index(1), index(most), most - 1)),)

        return loop("half", 2, either_half, LoopKind.PARALLEL)


class Group:
    """Some tiles, `size` from `first` on, that go through one panel of output channels after another, and where task `part` keeps
    what it makes of them: `inputs` has the transformed ones behind the indices `own`, `factors` `many` matrices of transformed
    weights.
    """

    def __init__(
        self, writer: Pieces, part: Expr, first: Expr, size: int, inputs: Buffer, own: tuple[Expr, ...], factors: Buffer,
        products: Buffer, many: int,
    ) -> None:  # fmt: skip
        self.writer, self.part, self.first, self.size, self.many = writer, part, first, size, many
        self.inputs, self.own, self.factors, self.products = inputs, own, factors, products
        n2, depth = writer.matrix_count, writer.plan.depth
        self.by_rows = many < n2
        self.rounds, self.steps = n2 // many, writer.steps // depth
        # While the weights of one piece are used, those of the next are brought in: they are to be transformed at once.
        piece = depth * (self.steps if self.by_rows else 1)
        fetches = writer.site.machine.prefetch and not writer.is_made
        work = n2 * size * piece // depth
        self.ahead = Ahead(writer.weights, piece * writer.weight_count * writer.width, work) if fetches else None

    def input(self, tile: Expr, block: Expr) -> Sequence[Stmt]:
        """Transforms the input of a tile, for one vector of channels."""

        def keep(at: int, lane: Expr, value: Expr) -> Sequence[Stmt]:
            return (store(self.inputs, (*self.own, index(at), block * self.size + tile, lane), value),)

        return self.writer.transform_input(self.first + tile, block, keep)

    def panel(self, panel: Expr, width: int) -> Sequence[Stmt]:
        """All tiles with one panel: products, and results."""

        def round_of(round_: Expr) -> Sequence[Stmt]:
            return (
                *(self._zero(round_) if self.steps > 1 else ()),
                *loop("step", self.steps, lambda step: self._step(panel, round_, step)),
            )

        return (
            *(loop("round", self.rounds, round_of) if self.rounds > 1 else round_of(index(0))),
            *self.writer.transform_outputs(
                self.first, self.size, panel, width, lambda at, t, lane: load(self.products, self.part, at, t, lane)
            ),
        )

    def _zero(self, round_: Expr) -> tuple[Stmt, ...]:
        writer = self.writer
        none = Const(0 if writer.sum.is_integer else 0.0, writer.sum)

        def row(at: Expr, t: Expr) -> Sequence[Stmt]:
            where = self.part, round_ * self.many + at, t
            return vector_blocks(
                "lane", writer.columns, writer.plan.tile.lanes, lambda lane: (store(self.products, (*where, lane), none),)
            )

        return loop("at", self.many, lambda at: loop("t", self.size, lambda t: row(at, t)))

    def _step(self, panel: Expr, round_: Expr, step: Expr) -> Sequence[Stmt]:
        """Some steps of all sums, for some of the matrices."""
        writer, depth, per_block = self.writer, self.writer.plan.depth, self.writer.lanes // self.writer.per_step

        def keep(at: Expr, row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
            where = (self.part, round_ * self.many + at, row, column)
            return (store(self.products, where, value if self.steps == 1 else load(self.products, *where) + value),)

        def weights(c: Expr, row: int | None) -> Sequence[Stmt]:
            return writer.transform_weights(
                panel, step * depth + c, self.factors, lambda at, lane: (self.part, at, c, lane), row
            )

        def made() -> Sequence[Stmt]:
            if writer.is_made:
                return ()
            if not self.by_rows:
                return loop("c", depth, lambda c: weights(c, None))
            return [
                If(compare("eq", round_, row), loop("c", depth, lambda c, row=row: weights(c, row)))  # type: ignore[misc]
                for row in range(writer.n)
            ]

        def factor(at: Expr, c: Expr, column: Expr) -> Expr:
            where = (panel, at, step * depth + c) if writer.is_made else (self.part, at, c)
            return writer.operand(self.factors, *where, column)

        def value(at: Expr, block: Expr, row: Expr, lane: Expr) -> Expr:
            tile = (step * (depth // per_block) + block) * self.size + row
            return writer.operand(self.inputs, *self.own, round_ * self.many + at, tile, lane)

        by_rows = self.by_rows
        number = panel if by_rows else panel * self.steps + step
        done = (round_ * self.steps + step) * (self.many * self.size) if by_rows else index(0)
        ahead = None if self.ahead is None else (self.ahead, number, done)
        return (*made(), *writer.multiply(self.size, depth, value, factor, keep, ahead, self.many))
