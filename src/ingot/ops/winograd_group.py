"""Some tiles that go through one panel of weights after another: Winograd's algorithm where weights are many and tiles few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingot.loops.nest import loop, vector_blocks
from ingot.loops.nodes import Buffer, Const, Expr, If, Stmt, compare, index, load, store
from ingot.ops.ahead import Ahead
from ingot.ops.winograd_matrices import TAPS

if TYPE_CHECKING:
    from ingot.ops.winograd_kernel import Writer


class Group:
    """Some tiles, `size` from `first` on, that go through one panel of output channels after another, and where task `part` keeps
    what it makes of them: `inputs` has the transformed ones behind the indices `own`, `factors` `many` matrices of transformed
    weights.
    """

    def __init__(
        self, writer: Writer, part: Expr, first: Expr, size: int, inputs: Buffer, own: tuple[Expr, ...], factors: Buffer,
        products: Buffer, many: int,
    ) -> None:  # fmt: skip
        self.writer, self.part, self.first, self.size, self.many = writer, part, first, size, many
        self.inputs, self.own, self.factors, self.products = inputs, own, factors, products
        n2, depth = writer.n**2, writer.plan.depth
        self.by_rows = many < n2
        self.rounds, self.steps = n2 // many, writer.steps // depth
        # While the weights of one piece are used, those of the next are brought in: they are to be transformed at once.
        piece = depth * (self.steps if self.by_rows else 1)
        fetches = writer.site.machine.prefetch and not writer.is_made
        work = n2 * size * piece // depth
        self.ahead = Ahead(writer.weights, piece * TAPS**2 * writer.width, work) if fetches else None

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
