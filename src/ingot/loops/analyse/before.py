"""How many iterations of a loop come to places below a bound: all that is needed where only the first places are there."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from ingot.loops.analyse.ranges import Linear, Ranges
from ingot.loops.nodes import Binary, Const, Expr, For, Load, Var, compare, index, maximum, minimum, select
from ingot.loops.text import expr_text
from ingot.loops.transform.rewrite import postorder

Terms = frozenset[tuple[str, int]]  # of an affine form, by their text


@dataclass(frozen=True, slots=True)
class Lowest:
    """The lowest place that an iteration of a loop comes to: an affine form of variables from outside, and one term of the loop's
    own variable, which is that variable or a quotient, minimum or maximum that grows with it. `own` is None where there is none.
    The highest place of the iteration is at most `width` behind it.
    """

    constant: int
    outer: Linear
    own: Expr | None
    factor: int
    width: int

    @property
    def terms(self) -> Terms:
        """All but the constant, as a key."""
        terms = {(expr_text(atom), factor) for atom, factor in self.outer.terms.items()}
        return frozenset(terms | {(expr_text(self.own), self.factor)} if self.own is not None else terms)


class Growth:
    """Questions about one loop. `inner` are the variables that are bound inside it."""

    def __init__(self, loop: For, inner: Set[Var], ranges: Ranges) -> None:
        self._loop = loop
        self._inner = inner
        self.ranges = ranges

    def lowest(self, place: Expr) -> Lowest | None:
        """The lowest place of an iteration. None where it is not known, or a later iteration may come to a lower one."""
        exact = self.ranges.exact(place)
        if exact is None:
            return None
        outer, own, factor, constant, width = Linear(0, {}), None, 0, exact[0].constant, 0
        for atom, times in exact[0].terms.items():
            kind = self._kind(atom)
            if kind == "outer":
                outer = outer.plus(Linear(0, {atom: times}))
            elif kind == "inner":
                known = self.ranges.bounds(atom)
                if known is None:
                    return None
                constant += times * known[0 if times > 0 else 1]
                width += abs(times) * (known[1] - known[0])
            elif own is None and times > 0:
                own, factor = atom, times
            else:
                return None
        return Lowest(constant, outer, own, factor, width)

    def _kind(self, atom: Expr) -> str:
        """Whether an atom is made of variables from `outer` alone, of `inner` ones, or of the loop's `own`."""
        nodes = postorder(atom)
        if any(node == self._loop.var for node in nodes if isinstance(node, Var)):
            return "own"
        moves = any(
            isinstance(node, Load) or (isinstance(node, Var) and node in self._inner) for node in nodes
        )
        return "inner" if moves else "outer"

    def before(self, lowest: Lowest, bound: Expr) -> Expr | None:
        """How many iterations, counted from the first, have a lowest place below the bound; more than there are, or fewer than
        none, mean all and none. None where it is not known.
        """
        rest = bound - lowest.constant
        for atom, factor in lowest.outer.terms.items():
            rest = rest - atom * factor
        if lowest.own is None:
            return select(compare("gt", rest, 0), self._loop.extent, index(0))
        return self._of_atom(lowest.own, quotient_up(rest, lowest.factor))

    def _of_atom(self, atom: Expr, bound: Expr) -> Expr | None:
        match atom:
            case Var():
                return bound
            case Binary(op="div", right=Const() as divisor) if self._is_positive_division(atom):
                return self._of(atom.left, bound * int(divisor.value))
            case Binary(op="min"):
                left, right = self._of(atom.left, bound), self._of(atom.right, bound)
                return None if left is None or right is None else maximum(left, right)
            case Binary(op="max"):
                left, right = self._of(atom.left, bound), self._of(atom.right, bound)
                return left if right is None else right if left is None else minimum(left, right)
        return None

    def _is_positive_division(self, atom: Binary) -> bool:
        dividend = self.ranges.bounds(atom.left)
        divisor = self.ranges.bounds(atom.right)
        return dividend is not None and divisor is not None and dividend[0] >= 0 and divisor[0] > 0

    def _of(self, place: Expr, bound: Expr) -> Expr | None:
        lowest = self.lowest(place)
        return None if lowest is None else self.before(lowest, bound)


def quotient_up(dividend: Expr, divisor: int) -> Expr:
    """A quotient that is rounded up where the dividend is positive, and is not positive where the dividend is not."""
    return dividend if divisor == 1 else (dividend + (divisor - 1)) // divisor
