"""Work on a box of rows and columns that threads share out in both directions.

Each piece of a matrix product, say, needs what is made of its rows and what is made of its columns. Made once for all, in a loop
before, it is fetched from other cores, whose lines take longer than most things take to make. Made by each thread for itself, it
is made as often as the other direction is cut. So the box is cut in both, and in which one first says what making costs; a thread
that is alone makes everything once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.loops.nodes import Const, Expr, For, LoopKind, Stmt, Var, both, compare, index, select


@dataclass(frozen=True, slots=True)
class Box:
    """`rows` × `columns`, cut in half as often as `cuts` says: in each, whether between rows, else between columns.

    What the cuts leave are the pieces. The first half of their numbers are those on one side of the first cut, the first quarter
    those on one side of the second, and so on: so a range of numbers is a box, or a few.
    """

    rows: int
    columns: int
    cuts: tuple[bool, ...]

    @property
    def pieces(self) -> int:
        return 1 << len(self.cuts)

    @property
    def column_pieces(self) -> int:
        """How many pieces lie side by side."""
        return 1 << self.cuts.count(False)

    def loop(self, name: str, body: Callable[[Range], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """A parallel loop whose body does a range of pieces; each thread has one range, whose first number no other one has."""
        begin, end = Var(name), Var(f"{name}_end")
        stmts = tuple(body(Range(self, begin, end)))
        return (For(begin, index(self.pieces), stmts, LoopKind.PARALLEL, end, self.pieces),)


@dataclass(frozen=True, slots=True)
class Range:
    """The pieces of a box from number `begin` up to `end`."""

    box: Box
    begin: Expr
    end: Expr

    def has(self, row: Expr, column: Expr) -> Expr:
        """Whether the piece of a row and a column is one of them."""
        number = self._part(True, row) + self._part(False, column)
        return self._holds(number)

    def has_column(self, column: Expr) -> Expr:
        """Whether any piece of a column is one of them."""
        part = self._part(False, column)
        hits = [select(self._holds(part + offset), index(1), 0) for offset in self._parts(True)]
        return compare("gt", _total(hits), 0)

    def has_row(self, row: Expr) -> Expr:
        """Whether any piece of a row is one of them."""
        return compare("lt", self.first(row), self._before(row, self.end))

    def first(self, row: Expr) -> Expr:
        """The first piece of a row among them, as the number of pieces beside it to the left. No other range has it."""
        return self._before(row, self.begin)

    def _before(self, row: Expr, limit: Expr) -> Expr:
        """How many pieces of a row have a smaller number: they are the first ones."""
        part = self._part(True, row)
        return _total(
            [select(compare("lt", part + offset, limit), index(1), 0) for offset in self._parts(False)]
        )

    def _holds(self, number: Expr) -> Expr:
        if self.box.pieces == 1:
            return Const(True, DType.BOOL)
        return both(compare("ge", number, self.begin), compare("lt", number, self.end))

    def _part(self, of_rows: bool, at: Expr) -> Expr:
        """What a row, or a column, adds to the number of a piece."""
        extent, count = (self.box.rows if of_rows else self.box.columns), 1 << self.box.cuts.count(of_rows)
        piece = ((at + 1) * count - 1) // extent if count < extent else at
        weights, total = self._weights(of_rows), index(0)
        for place, weight in enumerate(reversed(weights)):
            total = total + piece // (1 << place) % 2 * weight
        return total

    def _parts(self, of_rows: bool) -> list[int]:
        """What each piece in a direction adds to its number, in order."""
        sums = [0]
        for weight in self._weights(of_rows):
            sums = [total + more for total in sums for more in (0, weight)]
        return sums

    def _weights(self, of_rows: bool) -> list[int]:
        last = len(self.box.cuts) - 1
        return [1 << (last - at) for at, cut in enumerate(self.box.cuts) if cut is of_rows]


def cut_box(
    rows: int, columns: int, pieces_max: int, work: float, row_cycles: float, column_cycles: float
) -> Box:
    """A box of at most `pieces_max` pieces, cut so that a thread has the least to do: its share of `work`, plus what it prepares
    for its rows and its columns.
    """
    cuts: list[bool] = []
    counts = {True: 1, False: 1}
    extents = {True: rows, False: columns}

    def cycles(of_rows: int, of_columns: int) -> float:
        high, wide = -(-rows // of_rows) / rows, -(-columns // of_columns) / columns
        return work * high * wide + row_cycles * high + column_cycles * wide

    while 2 << len(cuts) <= pieces_max:
        costs = {
            by_rows: cycles(counts[True] * (1 + by_rows), counts[False] * (2 - by_rows))
            for by_rows in (True, False)
            if 2 * counts[by_rows] <= extents[by_rows]
        }
        if not costs:
            break
        best = min(costs, key=lambda by_rows: costs[by_rows])
        counts[best] *= 2
        cuts.append(best)
    return Box(rows, columns, tuple(cuts))


def _total(numbers: Sequence[Expr]) -> Expr:
    total: Expr = index(0)
    for number in numbers:
        total = total + number
    return total
