"""The product of a recurrent network's inputs, computed beside the reading of its recurrent weights.

A step with one sequence reads its weights from the second-level cache, and leaves most multiply-adds of that time unused; the
product of the inputs needs those, and reads little. So a step also computes a share of the product for ROWS later steps: beside
a few terms of a tile's sums one term of ROWS rows by a panel of the product. Tiles of one step belong to panels of their own, so
threads may share them out; a panel's other terms are beside the next steps. Only what the first steps begin with is computed
before them, and the last ROWS steps have nothing beside them. Where that gains nothing, another thread computes BLOCK rows while
one walks as many steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.prefetch import LINE_BYTES
from ingot.kernels.recurrent.input_panels import ROWS, Panels
from ingot.kernels.template import Site
from ingot.loops.build.nest import loop, vector
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    Fma,
    If,
    Let,
    LoopKind,
    Operand,
    Prefetch,
    Stmt,
    Var,
    buffer,
    compare,
    index,
    load,
    minimum,
    select,
    store,
)

BLOCK = (
    2 * ROWS
)  # of steps that one thread walks while another computes the product for as many: weights of a panel serve twice

# What is done to an element of the product, at its row and column, before it is added to the state's part of a gate.
Then = Callable[[Site, tuple[Expr, ...], Expr], Expr]


@dataclass(frozen=True, slots=True)
class Beside:
    """The product `[steps, columns]` of `x [steps, depth]`, operand 0, and weights packed `[panel][k][lane]`.

    Rows are in the order of the steps, so those of `x` in the opposite one if the network walks in `reverse`.
    """

    site: Site
    panels: Panels
    weights: Buffer
    product: Buffer
    depth: int
    reverse: bool
    then: Then | None

    @property
    def dtype(self) -> DType:
        return self.product.dtype

    @property
    def parts(self) -> int:
        return self.panels.shape.parts

    @property
    def steps(self) -> int:
        return self.panels.steps

    @property
    def alone(self) -> int:
        """Steps before the first one with a part of the product beside it: all others but the last ROWS are whole blocks."""
        return self.steps % ROWS

    def row(self, step: Operand) -> Expr:
        """The row of `x` of a step."""
        return index(self.steps - 1) - step if self.reverse else index(step)

    def value(self, step: Expr, column: Expr) -> Expr:
        """What a step begins a gate with."""
        found = load(self.product, self.panels.place(step, column))
        return found if self.then is None else self.then(self.site, (self.row(step), column), found)

    def share(self, step: Expr, tile: Expr) -> Share:
        """What is computed beside a tile of a step, by its number among those of the step: what such a tile begins with later, so
        that a thread that does the same tiles in each step finds it in its own cache.
        """
        since = step - self.alone
        first = since // ROWS * ROWS + (self.alone + ROWS)
        number = since % ROWS
        return Share(
            self, first, ROWS, tile * self.panels.panels_of_tile + number // self.parts, number % self.parts
        )

    def rows(self, first: Expr, count: int, kind: LoopKind = LoopKind.SERIAL) -> tuple[Stmt, ...]:
        """`count` rows from `first` on, a panel after the other."""
        many, rest = divmod(count, ROWS)

        def panel(number: Expr) -> Sequence[Stmt]:
            stmts = loop("rows", many, lambda some: Share(self, some * ROWS + first, ROWS, number).alone())
            return stmts + (Share(self, first + many * ROWS, rest, number).alone() if rest else ())

        return loop("panel", self.panels.count, panel, kind)

    def prefetch(self, step: Expr) -> tuple[Stmt, ...]:
        """Brings in what a step begins with, which may be in the cache of another core."""
        line = LINE_BYTES // self.dtype.size_bytes
        columns = range(0, self.panels.columns, line) if self.site.machine.prefetch else ()
        places = (self.panels.place(minimum(step, self.steps - 1), index(column)) for column in columns)
        return tuple(Prefetch(self.product, (place,), near=True) for place in places)

    def before(self, resting: int) -> tuple[Stmt, ...]:
        """What is computed before the steps, of which the first `resting` ones, at most one, read no weights: the rows of the
        first steps, and what would be beside the one that rests.
        """

        def panel(number: Expr) -> Sequence[Stmt]:
            stmts: tuple[Stmt, ...] = ()
            if self.alone:
                stmts = Share(self, index(ROWS), self.alone, number).alone()
            elif resting:  # the first part of each tile's first panel
                first_part = Share(self, index(ROWS), ROWS, number, index(0)).alone()
                stmts = (If(compare("eq", number % self.panels.panels_of_tile, 0), first_part),)
            return (*stmts, *Share(self, index(0), ROWS, number).alone())

        return loop("first_panel", self.panels.count, panel, LoopKind.PARALLEL)


@dataclass(frozen=True, slots=True)
class Share:
    """`count` rows of a panel of the product from `first` on: all terms, or a part of them."""

    of: Beside
    first: Expr
    count: int
    panel: Expr
    part: Expr | None = None

    @property
    def terms(self) -> int:
        return self.of.depth if self.part is None else self.of.depth // self.of.parts

    def _sums(self) -> Buffer:
        return buffer(f"beside_sums{self.count}", self.of.dtype, (self.count, self.of.panels.width))

    def _each(self, body: Callable[[int, int, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """`body` of each row, each vector of the panel and its lanes."""
        stmts: tuple[Stmt, ...] = ()
        for row in range(self.count):
            for number in range(self.of.panels.shape.vectors):
                stmts += vector(
                    "beside_lane",
                    self.of.panels.lanes,
                    lambda lane, row=row, number=number: body(row, number, lane),  # type: ignore[misc]
                )
        return stmts

    def _element(self, row: int, number: int, lane: Expr) -> Expr:
        return self.of.panels.place(self.first + row, self.of.panels.column(self.panel, number)) + lane

    def _sum(self, row: int, number: int, lane: Expr) -> tuple[Operand, Expr]:
        return row, lane + number * self.of.panels.lanes

    def begin(self) -> tuple[Stmt, ...]:
        sums, zero = self._sums(), Const(0, self.of.dtype)

        def one(row: int, number: int, lane: Expr) -> Sequence[Stmt]:
            before = load(self.of.product, self._element(row, number, lane))
            value = zero if self.part is None else select(compare("eq", self.part, 0), zero, before)
            return (store(sums, self._sum(row, number, lane), value),)

        return (Alloc(sums), *self._each(one))

    def term(self, k: Expr) -> tuple[Stmt, ...]:
        """Adds term `k` of its own to the sums."""
        of, sums = self.of, self._sums()
        at = k if self.part is None else self.part * self.terms + k
        factors = [Var(f"beside_x{self.count}_{row}", of.dtype) for row in range(self.count)]

        def one(row: int, number: int, lane: Expr) -> Sequence[Stmt]:
            where = self._sum(row, number, lane)
            weight = load(of.weights, (self.panel * of.depth + at) * of.panels.width + where[1])
            return (store(sums, where, Fma(factors[row], weight, load(sums, *where))),)

        lets = [
            Let(factor, of.site.read(0, of.row(self.first + row), at)) for row, factor in enumerate(factors)
        ]
        return (*lets, *self._each(one))

    def end(self) -> tuple[Stmt, ...]:
        def one(row: int, number: int, lane: Expr) -> Sequence[Stmt]:
            found = load(self._sums(), *self._sum(row, number, lane))
            return (store(self.of.product, (self._element(row, number, lane),), found),)

        return self._each(one)

    def alone(self) -> tuple[Stmt, ...]:
        return (*self.begin(), *loop(f"beside_k{self.count}", self.terms, self.term), *self.end())


def beside_steps(
    site: Site, dtype: DType, panels: Panels, position: int, reverse: bool, then: Then | None
) -> Beside:
    """The product in a workspace, with its weights, the constant operand at `position`, packed."""
    weights = site.constant(position)
    assert weights is not None
    depth = weights.shape[0]
    ordered = weights[:, panels.order()].reshape(depth, panels.count, panels.width).transpose(1, 0, 2)
    packed = site.pack(position, np.ascontiguousarray(ordered).reshape(-1))
    product = site.workspace("product", dtype, (panels.steps * panels.columns,))
    return Beside(site, panels, packed, product, depth, reverse, then)
