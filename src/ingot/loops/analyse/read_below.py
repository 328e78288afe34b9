"""How much a kernel reads of memory that it keeps for itself, where its loops are as long as the sizes of the call say."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from ingot.loops.analyse.accesses import Access
from ingot.loops.analyse.of_sizes import OfSizes
from ingot.loops.analyse.ranges import Linear, Ranges
from ingot.loops.nodes import Const, Expr, For, Var, index, maximum
from ingot.loops.text import expr_text
from ingot.loops.transform.simplify import simplify


def read_below(loads: Sequence[Access], sizes: OfSizes) -> dict[int, Expr]:
    """By axis, a number of elements that all indices of loads from one buffer are below; none where it is as long as the axis."""
    below: dict[int, Expr] = {}
    ends_of = _Ends(sizes)
    for axis, extent in enumerate(loads[0].buffer.shape):
        highest: dict[tuple[object, ...], tuple[Access, Linear]] = {}
        for load in loads:
            form = Ranges({}).linear(load.index[axis])
            # Of loads that differ by a constant, the one that reads behind the others.
            key = (frozenset((expr_text(atom), factor) for atom, factor in form.terms.items()), load.loops)
            if key not in highest or form.constant > highest[key][1].constant:
                highest[key] = load, form
        ends = [ends_of(load, form) for load, form in highest.values()]
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

    def _growing_loops(self, load: Access) -> Mapping[Var, For]:
        """The loops around a load whose extents are expressions of sizes, by their variables."""
        # Loads of one block share the tuple of loops.
        if id(load.loops) not in self._growing:
            self._growing[id(load.loops)] = {
                loop.var: loop for loop in load.loops if loop.end is None and _is_of_sizes(loop, self._sizes)
            }
        return self._growing[id(load.loops)]


def _is_of_sizes(loop: For, sizes: OfSizes) -> bool:
    return not isinstance(loop.extent, Const) and loop.extent in sizes
