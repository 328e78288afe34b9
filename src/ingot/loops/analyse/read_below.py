"""How much a kernel reads of memory that it keeps for itself, where its loops are as long as the sizes of the call say."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from ingot.loops.analyse.accesses import Access
from ingot.loops.analyse.of_sizes import OfSizes
from ingot.loops.analyse.ranges import Linear, Ranges
from ingot.loops.nodes import Binary, Const, Expr, For, If, Var, index, maximum
from ingot.loops.text import expr_text
from ingot.loops.transform.simplify import simplify


def read_below(loads: Sequence[Access], sizes: OfSizes) -> dict[int, Expr]:
    """By axis, a number of elements that all indices of loads from one buffer are below; none where it is as long as the axis."""
    below: dict[int, Expr] = {}
    ends_of = _Ends(sizes)
    for axis, extent in enumerate(loads[0].buffer.shape):
        highest: dict[tuple[object, ...], tuple[Access, Linear]] = {}
        guarded: list[Expr] = []
        for load in loads:
            form = Ranges({}).linear(load.index[axis])
            end = ends_of.guarded(load, load.index[axis])
            if end is not None:
                guarded.append(end)
                continue
            # Of loads that differ by a constant, the one that reads behind the others.
            key = (frozenset((expr_text(atom), factor) for atom, factor in form.terms.items()), load.loops)
            if key not in highest or form.constant > highest[key][1].constant:
                highest[key] = load, form
        ends = [*guarded, *(ends_of(load, form) for load, form in highest.values())]
        known = [end for end in ends if end is not None]
        if len(known) < len(ends):
            continue
        largest = sizes.largest(known)
        if not any(sizes.is_no_larger(index(extent), end) for end in largest):
            below[axis] = simplify(functools.reduce(maximum, largest), {})
    return below


class _Ends:
    """Numbers that indices are below. Equal ones are one object: of most loads they are the same."""

    def __init__(self, sizes: OfSizes) -> None:
        self._sizes = sizes
        self._known: dict[tuple[tuple[tuple[int, int], ...], int], Expr] = {}
        self._growing: dict[int, Mapping[Var, For]] = {}

    def __call__(self, load: Access, form: Linear) -> Expr | None:
        """A number that an index of a load is below, given its affine form."""
        total, rest = index(1), Linear(0, {})
        growing = self._growing_loops(load)
        key = []
        for atom, factor in form.terms.items():
            loop = growing.get(atom) if isinstance(atom, Var) else None
            if loop is not None and factor > 0:
                total = total + (loop.extent - 1) * factor
                key.append((id(loop.extent), factor))
            else:
                rest = rest.plus(Linear(0, {atom: factor}))
        high = load.ranges.span(rest)[1]
        if high >= load.buffer.span:
            return None
        known = (tuple(key), form.constant + high)
        if known not in self._known:
            self._known[known] = simplify(total + (form.constant + high), {})
        return self._known[known]

    def guarded(self, load: Access, place: Expr) -> Expr | None:
        """A number that an index is below because the kernel compares it with the sizes of the call, or takes the smaller."""
        if isinstance(place, Var) and place in load.names:
            place = load.names[place].value
        if isinstance(place, Binary) and place.op == "max" and place.right == index(0):
            end = self._smaller(place.left)
            return None if end is None else maximum(end, 0) + 1
        if (end := self._smaller(place)) is not None:
            return end + 1
        return self._compared(load, place)

    def _compared(self, load: Access, place: Expr) -> Expr | None:
        """A number that an index is below where a branch around the load is taken."""
        form: tuple[int, object] | None = None
        for outer, number in load.path:
            for condition in _conjuncts(outer.condition) if isinstance(outer, If) and number >= 0 else ():
                if isinstance(condition, Const) and not condition.value:
                    return index(0)
                if not self._is_end(condition):
                    continue
                form = form or _key(place)
                its = _key(load.rewrite(condition.left))
                if form[1] == its[1]:
                    return condition.right + (form[0] - its[0] + (condition.op == "le"))
        return None

    def _is_end(self, condition: Expr) -> TypeGuard[Binary]:
        return (
            isinstance(condition, Binary) and condition.op in ("lt", "le") and condition.right in self._sizes
        )

    def _smaller(self, place: Expr) -> Expr | None:
        """The expression of sizes that a place is no larger than, being the smaller of that and another one."""
        if not isinstance(place, Binary) or place.op != "min":
            return None
        return next((part for part in (place.right, place.left) if part in self._sizes), None)

    def _growing_loops(self, load: Access) -> Mapping[Var, For]:
        """The loops around a load whose extents are expressions of sizes, by their variables."""
        # Loads of one block share the tuple of loops.
        if id(load.loops) not in self._growing:
            self._growing[id(load.loops)] = {
                loop.var: loop for loop in load.loops if loop.end is None and _is_of_sizes(loop, self._sizes)
            }
        return self._growing[id(load.loops)]


def _key(place: Expr) -> tuple[int, object]:
    """The constant of an affine form, and all else of it."""
    form = Ranges({}).linear(place)
    return form.constant, frozenset((expr_text(atom), factor) for atom, factor in form.terms.items())


def _conjuncts(condition: Expr) -> list[Expr]:
    if isinstance(condition, Binary) and condition.op == "and":
        return [*_conjuncts(condition.left), *_conjuncts(condition.right)]
    return [condition]


def _is_of_sizes(loop: For, sizes: OfSizes) -> bool:
    return not isinstance(loop.extent, Const) and loop.extent in sizes
