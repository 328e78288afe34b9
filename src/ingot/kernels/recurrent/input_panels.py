"""Where the product of a recurrent network's inputs is, while it is overlapped with the steps that read it.

See `recurrent/overlapped_input`.

Its columns are computed in panels, in the order in which tiles of recurrent weights begin with them, so that a thread which does
the same tiles in each step has made itself what it reads. In memory it is `[pass][group][step][gate][element]`: another thread's
lines are beside its own only where a group's piece begins or ends. A core also brings in what is beside the lines that it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.loops.nodes import Const, Expr, compare, index, select
from ingot.loops.transform.simplify import simplify
from ingot.machines.machine import Machine

ROWS = 8  # of the product, for as many steps
REGISTERS_LEAST = 32  # of vectors: sums of ROWS rows by a panel and those of a tile are in registers together


@dataclass(frozen=True, slots=True)
class Shape:
    """`vectors` of a panel, and in how many `parts` its terms are: one beside as many of a tile of recurrent weights."""

    vectors: int
    parts: int

    @property
    def tile_vectors(self) -> int:
        """Vectors of a tile of recurrent weights: beside `parts` terms is one of the product, with as many multiply-adds."""
        return ROWS * self.vectors // self.parts


def shape_of(machine: Machine, passes: Sequence[Sequence[int]]) -> Shape | None:
    """What was measured to be quickest for passes over the weights of such gates; None: nothing was.

    Four parts leave tiles of four vectors, enough where one multiply-add begins in a cycle, and two of them to share out in the
    second phase of a GRU. Three gates need tiles of three vectors.
    """
    if max(map(len, passes)) == 3:
        return Shape(3, 8) if machine.double_pumped_512 else None
    return Shape(2, 4 if machine.double_pumped_512 else 2)


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over recurrent weights: `gates` whose sums it makes, and groups of hidden elements that threads may share."""

    gates: tuple[int, ...]
    groups: int = 1


@dataclass(frozen=True, slots=True)
class Panels:
    """A product `[steps, gates * hidden]` in panels."""

    shape: Shape
    passes: Sequence[Pass]
    steps: int
    hidden: int
    lanes: int

    @property
    def columns(self) -> int:
        return self.hidden * sum(len(one.gates) for one in self.passes)

    @property
    def width(self) -> int:
        """Columns of a panel."""
        return self.shape.vectors * self.lanes

    @property
    def count(self) -> int:
        return self.columns // self.width

    @property
    def tile(self) -> int:
        """Recurrent weights of a tile for each term."""
        return self.shape.tile_vectors * self.lanes

    @property
    def panels_of_tile(self) -> int:
        """Panels that a tile begins with."""
        return ROWS // self.shape.parts

    def _by_pass(self, at: Expr, width: int, made: Callable[[Pass, Expr], Expr]) -> Expr:
        """What is made for the pass that `at` is in, of how far in it that is, if a gate is `width` long."""
        *others, last = (made(one, at - one.gates[0] * width) for one in self.passes)
        for one, found in zip(reversed(self.passes[:-1]), reversed(others), strict=True):
            last = select(compare("lt", at, (one.gates[-1] + 1) * width), found, last)
        return last

    def column(self, panel: Expr, vector: int) -> Expr:
        """The first column of a panel's vector: pass by pass, tile by tile, gate by gate."""
        of_tile = self.shape.tile_vectors

        def made(one: Pass, number: Expr) -> Expr:
            of_gate = of_tile // len(one.gates)
            gate, within = number % of_tile // of_gate + one.gates[0], number % of_gate
            return gate * self.hidden + (number // of_tile * of_gate + within) * self.lanes

        return self._by_pass(panel * self.shape.vectors + vector, self.hidden // self.lanes, made)

    def order(self) -> np.ndarray:
        """All columns, panel by panel."""
        vectors = range(self.shape.vectors)
        begins = [
            simplify(self.column(index(panel), vector), {})
            for panel in range(self.count)
            for vector in vectors
        ]
        assert all(isinstance(begin, Const) for begin in begins)
        return np.concatenate(
            [np.arange(self.lanes) + int(begin.value) for begin in begins if isinstance(begin, Const)]
        )

    def place(self, step: Expr, column: Expr) -> Expr:
        """Where an element is in memory."""

        def made(one: Pass, at: Expr) -> Expr:
            gate, element, width = at // self.hidden, column % self.hidden, self.hidden // one.groups
            # Of one group nothing is divided: it need not be known that no tile reaches beyond it.
            group, within = (element // width, element % width) if one.groups > 1 else (index(0), element)
            row = (group * self.steps + step) * len(one.gates) + gate
            return row * width + within + one.gates[0] * self.hidden * self.steps

        return self._by_pass(column, self.hidden, made)
