"""Definitions of a draft with room that put places elsewhere: behind those of another value, or in another shape.

A value with room keeps the strides of the largest size. What is one behind another for that size is apart for a smaller one: the
last place of one row, and the first of the next; or the last of a value, and the first of what is joined to it. Where that
matters, places are moved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ingot.base.tensor import TensorType
from ingot.kernels.template import Pointwise, index_vars
from ingot.loops.analyse.counts import Count, Limit
from ingot.loops.nodes import Buffer, Const, Expr, Load, both, buffer, compare, index, maximum, select
from ingot.plan.room_numbers import fitted_count

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a value: its extent for the largest size, and which places of it are there."""

    extent: int
    limit: Limit | None = None

    def there(self, sizes: Buffer) -> Expr:
        """How many elements are there in a call."""
        if self.limit is None:
            return index(self.extent)
        each = self.limit.each * self.limit.rounds
        return self.limit.count.expression(sizes, self.extent // each) * each

    def place(self, number: Expr, sizes: Buffer) -> Expr:
        """Where an element is, of those that are there."""
        if self.limit is None or self.limit.rounds == 1:
            return number
        room = self.extent // self.limit.rounds
        there = maximum(self.limit.count.expression(sizes, room // self.limit.each) * self.limit.each, 1)
        return number // there * room + number % there


def axes_of(type_: TensorType, limits: Sequence[Limit]) -> tuple[Axis, ...]:
    """The axes of a value, each with the limit that it has, if any."""
    by_axis = {limit.axis: limit for limit in limits}
    return tuple(Axis(extent, by_axis.get(axis)) for axis, extent in enumerate(type_.shape))


def joined(
    inputs: Sequence[TensorType], axes: Sequence[Axis], output: TensorType, axis: int, sizes: Buffer
) -> Pointwise:
    """Values one behind another along an axis. `axes` is that of each of them."""
    formals = tuple(buffer(f"a{at}", type_.dtype, type_.shape) for at, type_ in enumerate(inputs))
    where = index_vars(output.rank)
    begins: list[Expr] = [index(0)]
    for part in axes:
        begins.append(begins[-1] + part.there(sizes))
    value: Expr = Const(0, output.dtype)
    for formal, begin, end in reversed(list(zip(formals, begins, begins[1:], strict=False))):
        place = (*where[:axis], where[axis] - begin, *where[axis + 1 :])
        value = select(compare("lt", where[axis], end), Load(formal, place), value)
    return Pointwise((*formals, sizes), output, where, value, "joined")


def joined_count(
    parts: Sequence[Axis], capacities: Sequence[int], sizes: Sequence[Sequence[int]]
) -> Count | None:
    """How many places there are of parts one behind another; None where it is no count."""
    counts = [part.limit for part in parts if part.limit is not None]
    dims = {limit.count.dim for limit in counts}
    if len(dims) != 1:
        return None
    dim = dims.pop()
    constant = sum(part.extent for part in parts if part.limit is None)
    totals = [
        (size, constant + sum(limit.count.at(size) * limit.each for limit in counts)) for size in sizes[dim]
    ]
    largest = (capacities[dim], sum(part.extent for part in parts))
    return fitted_count(dim, largest, totals, [limit.count for limit in counts])


def gathered(type_: TensorType, axes: Sequence[Axis], sizes: Buffer) -> Pointwise:
    """A value whose places that are there are one behind another, with none that is not there between them."""
    formal, where = buffer("a0", type_.dtype, type_.shape), index_vars(type_.rank)
    apart = [axis for axis, its in enumerate(axes) if its.limit is not None and its.limit.rounds > 1]
    place = tuple(axes[axis].place(part, sizes) if axis in apart else part for axis, part in enumerate(where))
    are_there = both(*(compare("lt", where[axis], axes[axis].there(sizes)) for axis in apart))
    value = select(are_there, Load(formal, place), Const(0, type_.dtype))
    return Pointwise((formal, sizes), type_, where, value, "gathered")


@dataclass(frozen=True, slots=True)
class Group:
    """Axes of a value, from `begin` to `end`, of which a reshape makes those of another, from `new_begin` to `new_end`."""

    begin: int
    end: int
    new_begin: int
    new_end: int

    @property
    def is_kept(self) -> bool:
        """Whether it is one axis, which stays as it is."""
        return (self.end - self.begin, self.new_end - self.new_begin) == (1, 1)


def groups_of(shapes: Sequence[tuple[Shape, Shape]]) -> Sequence[Group]:
    """Axes that have the same elements before and after a reshape, for each of some sizes: as few of them together as can be.

    Args:
        shapes: for each size, of what is reshaped and of the result. No extent is 0.
    """
    rank, new_rank = len(shapes[0][0]), len(shapes[0][1])
    groups: list[Group] = []
    begin = new_begin = 0
    for end in range(1, rank + 1):
        ends = (
            new_end
            for new_end in range(new_begin, new_rank + 1)
            if all(math.prod(old[:end]) == math.prod(new[:new_end]) for old, new in shapes)
        )
        new_end = next(ends, None)
        if new_end is not None:
            groups.append(Group(begin, end, new_begin, new_end))
            begin, new_begin = end, new_end
    if begin < rank or new_begin < new_rank:
        last = groups.pop() if groups and begin == rank else Group(begin, rank, new_begin, new_rank)
        groups.append(Group(last.begin, rank, last.new_begin, new_rank))
    return groups


def reshaped(
    input_: tuple[TensorType, Sequence[Axis]],
    output: tuple[TensorType, Sequence[Axis]],
    groups: Sequence[Group],
    sizes: Buffer,
) -> Pointwise:
    """The elements that are there of a value, in row-major order, as those of another shape."""
    (type_, axes), (new_type, new_axes) = input_, output
    formal, where = buffer("a0", type_.dtype, type_.shape), index_vars(new_type.rank)
    place: list[Expr] = []
    are_there: list[Expr] = []
    for group in groups:
        if group.is_kept:
            place.append(where[group.new_begin])
            continue
        number: Expr = index(0)
        for axis in range(group.new_begin, group.new_end):
            number = number * new_axes[axis].there(sizes) + where[axis]
            if new_axes[axis].limit is not None:
                are_there.append(compare("lt", where[axis], new_axes[axis].there(sizes)))
        place += _taken_apart(number, axes[group.begin : group.end], sizes)
    value = select(both(*are_there), Load(formal, tuple(place)), Const(0, type_.dtype))
    return Pointwise((formal, sizes), new_type, where, value, "reshaped")


def _taken_apart(number: Expr, axes: Sequence[Axis], sizes: Buffer) -> Sequence[Expr]:
    """The index of an element, whose number in row-major order is given."""
    place: list[Expr] = []
    for axis in reversed(axes[1:]):
        extent = maximum(axis.there(sizes), 1)
        place.insert(0, number % extent)
        number = number // extent
    return [number, *place] if axes else []
