"""The product of a recurrent network's inputs, computed beside the reading of its recurrent weights.

A step with one sequence reads its weights from the second-level cache, and leaves most multiply-adds of that time unused; the
product of the inputs needs those, and reads little. So a step also computes a share of the product for ROWS later steps: beside
a few terms of a tile's sums one term of ROWS rows by two vectors of the product. Tiles of one step belong to panels of their own,
so threads may share them out; a panel's other terms are beside the next steps. Only what the first steps begin with is computed
before them, and the last ROWS steps have nothing beside them. Where that gains nothing, another thread computes BLOCK rows while
one walks as many steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.loops.define import Site
from ingot.loops.nest import loop, vectors_of
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
from ingot.ops.ahead import LINE_BYTES
from ingot.target import Machine
from ingot.tensor import DType

ROWS = 8  # of the product, for as many steps
VECTORS = 2  # of its columns: a panel
BLOCK = 2 * ROWS  # of steps that one thread walks while another computes the product for as many: weights of a panel serve twice

# What is done to an element of the product, at its row and column, before it is added to the state's part of a gate.
Then = Callable[[Site, tuple[Expr, ...], Expr], Expr]


def parts_of(machine: Machine) -> int:
    """Parts of the terms of ROWS rows and a panel: a tile of recurrent weights has one beside it. Four leave tiles of four
    vectors, enough where one multiply-add begins in a cycle, and two of them to share out in the second phase of a GRU.
    """
    return 4 if machine.in_halves else 2


@dataclass(frozen=True, slots=True)
class Beside:
    """The product `[steps, columns]` of `x [steps, depth]`, operand 0, and weights packed `[panel][k][lane]`.

    Rows are in the order of the steps, so those of `x` in the opposite one if the network walks in `reverse`.
    """

    site: Site
    weights: Buffer
    product: Buffer
    lanes: int
    depth: int
    reverse: bool
    then: Then | None

    @property
    def dtype(self) -> DType:
        return self.product.dtype

    @property
    def steps(self) -> int:
        return self.product.shape[0]

    @property
    def parts(self) -> int:
        return parts_of(self.site.machine)

    @property
    def width(self) -> int:
        """Columns of a panel."""
        return VECTORS * self.lanes

    @property
    def tile(self) -> int:
        """Recurrent weights for each term of a tile: beside `parts` of them is one of the share, with as many multiply-adds."""
        return ROWS * VECTORS // self.parts * self.lanes

    @property
    def panels(self) -> int:
        return self.product.shape[1] // self.width

    @property
    def alone(self) -> int:
        """Steps before the first one with a part of the product beside it: all others but the last ROWS are whole blocks."""
        return self.steps % ROWS

    def row(self, step: Operand) -> Expr:
        """The row of `x` of a step."""
        return index(self.steps - 1) - step if self.reverse else index(step)

    def value(self, step: Expr, column: Expr) -> Expr:
        """What a step begins a gate with."""
        found = load(self.product, step, column)
        return found if self.then is None else self.then(self.site, (self.row(step), column), found)

    def share(self, step: Expr, tile: Expr) -> Share:
        """What is computed beside a tile of a step, by its number among those of the step."""
        since = step - self.alone
        first = since // ROWS * ROWS + (self.alone + ROWS)
        number = since % ROWS
        return Share(self, first, ROWS, number // self.parts * (self.panels * self.parts // ROWS) + tile, number % self.parts)

    def rows(self, first: Expr, count: int, kind: LoopKind = LoopKind.SERIAL) -> tuple[Stmt, ...]:
        """`count` rows from `first` on, a panel after the other."""
        many, rest = divmod(count, ROWS)

        def panel(number: Expr) -> Sequence[Stmt]:
            stmts = loop("rows", many, lambda some: Share(self, some * ROWS + first, ROWS, number).alone())
            return stmts + (Share(self, first + many * ROWS, rest, number).alone() if rest else ())

        return loop("panel", self.panels, panel, kind)

    def prefetch(self, step: Expr) -> tuple[Stmt, ...]:
        """Brings in what a step begins with, which may be in the cache of another core."""
        line = LINE_BYTES // self.dtype.size_bytes
        columns = range(0, self.product.shape[1], line) if self.site.machine.prefetch else ()
        return tuple(Prefetch(self.product, (minimum(step, self.steps - 1), index(at)), near=True) for at in columns)

    def before(self, resting: int) -> tuple[Stmt, ...]:
        """What is computed before the steps, of which the first `resting` ones, at most one, read no weights: the rows of the
        first steps, and what would be beside the one that rests.
        """

        def panel(number: Expr) -> Sequence[Stmt]:
            stmts: tuple[Stmt, ...] = ()
            if self.alone:
                stmts = Share(self, index(ROWS), self.alone, number).alone()
            elif resting:  # the first part of some panels, which are spread over all
                each = ROWS // self.parts
                first_part = Share(self, index(ROWS), ROWS, number // each, index(0)).alone()
                stmts = (If(compare("eq", number % each, 0), first_part),)
            return (*stmts, *Share(self, index(0), ROWS, number).alone())

        return loop("first_panel", self.panels, panel, LoopKind.PARALLEL)


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
        return buffer(f"beside_sums{self.count}", self.of.dtype, (self.count, self.of.width))

    def _each(self, body: Callable[[int, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        stmts: tuple[Stmt, ...] = ()
        for row in range(self.count):
            stmts += vectors_of(self.of.width, self.of.lanes, lambda lane, row=row: body(row, lane), name="beside_lane")  # type: ignore[misc]
        return stmts

    def _element(self, row: int, lane: Expr) -> tuple[Expr, Expr]:
        return self.first + row, self.panel * self.of.width + lane

    def begin(self) -> tuple[Stmt, ...]:
        sums, zero = self._sums(), Const(0, self.of.dtype)

        def one(row: int, lane: Expr) -> Sequence[Stmt]:
            before = load(self.of.product, *self._element(row, lane))
            value = zero if self.part is None else select(compare("eq", self.part, 0), zero, before)
            return (store(sums, (row, lane), value),)

        return (Alloc(sums), *self._each(one))

    def term(self, k: Expr) -> tuple[Stmt, ...]:
        """Adds term `k` of its own to the sums."""
        of, sums = self.of, self._sums()
        at = k if self.part is None else self.part * self.terms + k
        factors = [Var(f"beside_x{self.count}_{row}", of.dtype) for row in range(self.count)]

        def one(row: int, lane: Expr) -> Sequence[Stmt]:
            weight = load(of.weights, (self.panel * of.depth + at) * of.width + lane)
            return (store(sums, (row, lane), Fma(factors[row], weight, load(sums, row, lane))),)

        lets = [Let(factor, of.site.read(0, of.row(self.first + row), at)) for row, factor in enumerate(factors)]
        return (*lets, *self._each(one))

    def end(self) -> tuple[Stmt, ...]:
        return self._each(
            lambda row, lane: (store(self.of.product, self._element(row, lane), load(self._sums(), row, lane)),)
        )

    def alone(self) -> tuple[Stmt, ...]:
        return (*self.begin(), *loop(f"beside_k{self.count}", self.terms, self.term), *self.end())


def beside_steps(
    site: Site, dtype: DType, size: tuple[int, int], position: int, reverse: bool, then: Then | None
) -> Beside:
    """The product of `size` (steps, columns) in a workspace, with its weights, the constant operand at `position`, packed."""
    weights, lanes = site.constant(position), site.machine.lanes(dtype)
    assert weights is not None
    depth, columns = weights.shape
    panels = weights.reshape(depth, columns // (VECTORS * lanes), VECTORS * lanes).transpose(1, 0, 2)
    packed = site.pack(position, np.ascontiguousarray(panels).reshape(-1))
    return Beside(site, packed, site.workspace("product", dtype, size), lanes, depth, reverse, then)
