"""Numbers of a draft that follow from sizes: extents, constants, and what exporters computed from shapes."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.template import Template
from ingot.loops.analyse.counts import Count, Limit
from ingot.loops.nodes import Buffer, Const, Expr, Load, cast, index, maximum, minimum
from ingot.plan.uniform import have_same_bytes

T = TypeVar("T")
# The largest step between the places of a slice whose number is followed.
_OVER_MAX = 16


class Refused(Exception):  # noqa: N818
    """Raised where a draft with room would not be right: says why."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class SampleNeeded(Exception):  # noqa: N818
    """Raised where a draft for one more size has to be looked at."""

    def __init__(self, dim: int, size: int) -> None:
        super().__init__(dim, size)
        self.dim, self.size = dim, size


@dataclass(frozen=True, slots=True)
class Sample(Generic[T]):
    """Something of a draft that was lowered for a smaller size of one dim."""

    dim: int
    size: int
    its: T


@dataclass(frozen=True, slots=True)
class Extents:
    """What extents a draft may have.

    Attributes:
        capacities: the largest size of each dim.
        sizes: those that calls may have.
        counts: of places, that are known of values.
        caps: whether there may be counts that are capped. A draft for the size at which one is is looked at then.
    """

    capacities: tuple[int, ...]
    sizes: Sequence[Sequence[int]]
    counts: Collection[Count] = ()
    caps: bool = False

    def capped(
        self, dim: int, largest: tuple[int, int], others: Sequence[tuple[int, int]], known: Iterable[Count]
    ) -> Count | None:
        """The smaller of a number and of what differs from a known count by a constant that gives each number for its size, as of
        `fitted_count`.

        Raises:
            SampleNeeded: there is one, and none of the sizes is the one from which on it is capped.
        """
        if not self.caps:
            return None
        for count in dict.fromkeys(replace(count, cap=None) for count in (Count(dim), *known)):
            if count.dim != dim or count.times < 1:
                continue
            smallest, value_there = min(others)
            more = value_there - count.at(smallest)
            capped = replace(count, plus=count.plus + more * count.over, cap=largest[1])
            below = [size for size, value in others if value < largest[1]]
            if len(below) < 2 or any(capped.at(size) != value for size, value in others):
                continue
            edge = -((capped.plus - largest[1] * capped.over) // capped.times)
            if all(size != edge for size, _ in (*others, largest)):
                raise SampleNeeded(dim, edge)
            return capped
        return None


def fitted_count(
    dim: int, largest: tuple[int, int], others: Sequence[tuple[int, int]], known: Iterable[Count] = ()
) -> Count | None:
    """The count that gives each of some numbers for its size; None if there is none of the known form.

    Args:
        dim: the number of the dim.
        largest: the largest size, and the number for it.
        others: the same for smaller sizes.
        known: counts of which it may differ by a constant.
    """
    size, number = largest
    if len(others) < 2:
        return None
    candidates = [
        Count(count.dim, count.times, count.plus + (number - count.at(size)) * count.over, count.over)
        for count in known
    ]
    first_size, first = others[0]
    rise, run = number - first, size - first_size
    if run:
        step = math.gcd(rise, run)
        times, over = rise // step, run // step
        rest = number * over - times * size
        candidates.append(Count(dim, times, rest, over))
    candidates += _rounded(dim, largest, others)
    for count in candidates:
        if count.over > 0 and all(count.at(its) == value for its, value in (largest, *others)):
            return count
    return None


def _rounded(dim: int, largest: tuple[int, int], others: Sequence[tuple[int, int]]) -> Iterable[Count]:
    """Counts that are rounded down, the least divisor first: such as those of every second place. For each divisor there is one
    alone that gives all numbers.
    """
    smallest = min(others)
    rise, run = largest[1] - smallest[1], largest[0] - smallest[0]
    if rise <= 0 or run <= 0:
        return
    for over in range(2, _OVER_MAX + 1):
        times = (2 * rise * over + run) // (2 * run)
        low = max(number * over - size * times for size, number in (largest, *others))
        high = min((number + 1) * over - 1 - size * times for size, number in (largest, *others))
        if low == high and times > 0:
            yield Count(dim, times, low, over)


def expression_of(
    node: Const, others: Sequence[Sample[Const]], extents: Extents, sizes: Buffer
) -> Expr | None:
    """What a number is in a call; None where it does not follow from a size.

    Raises:
        Refused: it follows from the sizes in a way that is not followed.
    """
    differing = sorted({sample.dim for sample in others if not _equal(sample.its.value, node.value)})
    if not differing:
        return None
    values = [node.value, *(sample.its.value for sample in others)]
    if node.dtype is DType.BOOL or not all(math.isfinite(value) and value == int(value) for value in values):
        raise Refused(f"the number {node.value} follows from the size in a way that is not followed")
    sign = -1 if any(value < 0 for value in values) else 1
    largest = sign * int(node.value)
    numbers = {
        dim: [(sample.size, sign * int(sample.its.value)) for sample in others if sample.dim == dim]
        for dim in differing
    }
    if len(differing) == 1:
        expression = _fitted(differing[0], largest, numbers[differing[0]], extents, sizes)
    else:
        expression = _product(largest, numbers, extents, sizes)
    if expression is None:
        raise Refused(f"the number {node.value} follows from the size in a way that is not followed")
    return cast(-expression if sign < 0 else expression, node.dtype)


def _fitted(
    dim: int, largest: int, others: Sequence[tuple[int, int]], extents: Extents, sizes: Buffer
) -> Expr | None:
    size = extents.capacities[dim]
    count = fitted_count(dim, (size, largest), others)
    if count is None:
        count = extents.capped(dim, (size, largest), others, extents.counts)
    if count is not None:
        # Counts of places end at 0, and numbers go on below it.
        ends = [its * count.times + count.plus for its in (extents.sizes[dim][0], extents.sizes[dim][-1])]
        if min(ends) < 0:
            return _below_zero(count, sizes, ends) if count.over == 1 else None
        return count.expression(sizes, max(count.at(0), count.at(size)))
    return _product(largest, {dim: others}, extents, sizes)


def _below_zero(count: Count, sizes: Buffer, ends: Sequence[int]) -> Expr:
    """A number between two that may be below zero."""
    total = Load(sizes, (index(count.dim),)) * count.times + count.plus
    return minimum(maximum(total, min(ends)), max(ends) if count.cap is None else count.cap)


def _product(
    largest: int, others: Mapping[int, Sequence[tuple[int, int]]], extents: Extents, sizes: Buffer
) -> Expr | None:
    """A number that is a multiple of one count of each of some dims, or of two, such as how many pixels there are; None where it
    is not.
    """
    expression: Expr | None = None
    rest = largest
    for dim, numbers in others.items():
        size = extents.capacities[dim]
        counts = _factors(dim, [(size, largest), *numbers], extents)
        places = math.prod(count.at(size) for count in counts)
        if not places or rest % places or not counts:
            return None
        rest //= places
        for count in counts:
            factor = count.expression(sizes, count.at(size))
            expression = factor if expression is None else expression * factor
    return None if expression is None else expression * rest


def _factors(dim: int, numbers: Sequence[tuple[int, int]], extents: Extents) -> Sequence[Count]:
    """The counts of whose product all numbers are the same multiple, one or two; none if there are none, or several."""
    alone = _factor(dim, numbers, extents)
    if alone is not None:
        return (alone,)
    fitting: dict[tuple[int, ...], tuple[Count, Count]] = {}
    for count in _counts_of(dim, extents):
        quotients = [(size, *divmod(number, max(count.at(size), 1))) for size, number in numbers]
        if any(rest for _, _, rest in quotients):
            continue
        other = _factor(dim, [(size, quotient) for size, quotient, _ in quotients], extents)
        if other is not None:
            fitting[tuple(count.at(size) * other.at(size) for size in extents.sizes[dim])] = count, other
    return next(iter(fitting.values())) if len(fitting) == 1 else ()


def _counts_of(dim: int, extents: Extents) -> Iterable[Count]:
    return (count for count in dict.fromkeys((Count(dim), *extents.counts)) if count.dim == dim)


def _factor(dim: int, numbers: Sequence[tuple[int, int]], extents: Extents) -> Count | None:
    """The count of which all numbers are the same multiple; None if there is none, or there are several."""
    size, largest = numbers[0]
    fitting = {
        tuple(map(count.at, extents.sizes[dim])): count
        for count in _counts_of(dim, extents)
        if all(number * count.at(size) == largest * count.at(its) for its, number in numbers)
    }
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _equal(first: Any, second: Any) -> bool:
    return repr(first) == repr(second)


def constant_limits(
    name: str, array: np.ndarray, others: Sequence[Sample[np.ndarray]], among: Extents
) -> tuple[Limit, ...]:
    """Which axes of a constant are limited.

    Raises:
        Refused: an extent follows from the sizes in a way that is not followed.
    """
    limits: list[Limit] = []
    for axis, extent in enumerate(array.shape):
        extents = [Sample(sample.dim, sample.size, sample.its.shape[axis]) for sample in others]
        try:
            limits += limits_of_extent(axis, extent, extents, among)
        except Refused:
            raise Refused(
                f"axis {axis} of the constant {name!r} follows from the size in a way that is not followed"
            ) from None
    return tuple(limits)


def begin_alike(array: np.ndarray, others: Sequence[Sample[np.ndarray]]) -> bool:
    """Whether the constants of smaller sizes are the beginning of one along all axes."""
    for sample in others:
        beginning = np.asarray(array[tuple(slice(0, extent) for extent in sample.its.shape)])
        if not have_same_bytes(beginning, sample.its):
            return False
    return True


def limits_of_extent(
    axis: int,
    extent: int,
    others: Sequence[Sample[int]],
    among: Extents,
    known: Iterable[Count] = (),
) -> Sequence[Limit]:
    """The limits of an axis: one for each dim from which its extent follows.

    Args:
        axis: of a value.
        extent: of the axis, for the largest sizes.
        others: the same for smaller ones.
        among: what extents the draft may have.
        known: counts from which it may differ by a constant.

    Raises:
        Refused: the extent follows from the sizes in a way that is not followed.
    """
    limits: list[Limit] = []
    for dim in sorted({sample.dim for sample in others}):
        its = [(sample.size, sample.its) for sample in others if sample.dim == dim]
        if all(number == extent for _, number in its):
            continue
        largest = (among.capacities[dim], extent)
        count = fitted_count(dim, largest, its, [count for count in known if count.dim == dim])
        if count is None:
            count = among.capped(dim, largest, its, among.counts)
        limit = _several_each(axis, largest, its, among) if count is None else Limit(axis, count)
        if limit is None or limit.count.times < 0:
            raise Refused(f"axis {axis} of the result follows from the size in a way that is not followed")
        limits.append(limit)
    return limits


def _several_each(
    axis: int, largest: tuple[int, int], others: Sequence[tuple[int, int]], among: Extents
) -> Limit | None:
    """The limit of an axis that has several elements for each of a known number of places: twice as many after an enlargement of
    what a stride left.
    """
    size, extent = largest
    for count in among.counts:
        each = extent // max(count.at(size), 1)
        if each > 1 and all(each * count.at(its) == value for its, value in (largest, *others)):
            return Limit(axis, count, each)
    return None


def same_template(first: Template, second: Template, extents: set[tuple[int, int]]) -> bool:
    """Whether two templates compute the same, but for extents: `extents` has pairs that may stand in the place of each other."""
    return first.name == second.name and _same(dict(first.spec), dict(second.spec), extents)


def _same(first: Any, second: Any, extents: set[tuple[int, int]]) -> bool:
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_same(first[key], second[key], extents) for key in first)
    if is_dataclass(first):
        names = [part.name for part in fields(first)]
        return all(_same(getattr(first, name), getattr(second, name), extents) for name in names)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(
            _same(item, other, extents) for item, other in zip(first, second, strict=True)
        )
    if isinstance(first, int) and not isinstance(first, bool):
        return first == second or (first, second) in extents
    if isinstance(first, np.ndarray):
        return have_same_bytes(first, second)
    return bool(first == second)
