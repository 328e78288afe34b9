"""Numbers of a draft that follow from sizes: extents, constants, and what exporters computed from shapes."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.template import Template
from ingot.loops.analyse.counts import Count, Limit
from ingot.loops.build.builder import flat_index
from ingot.loops.nodes import Buffer, Const, Expr, cast, compare, select
from ingot.plan.uniform import have_same_bytes

T = TypeVar("T")
_LIST_MAX = 16  # numbers of a constant that follow from sizes one by one


class Refused(Exception):  # noqa: N818
    """Raised where a draft with room would not be right: says why."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


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
    """

    capacities: tuple[int, ...]
    sizes: Sequence[Sequence[int]]
    counts: Collection[Count] = ()


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
    for count in candidates:
        if count.over > 0 and all(count.at(its) == value for its, value in (largest, *others)):
            return count
    return None


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
    if count is not None:
        # Counts of places end at 0, and numbers go on below it.
        if any(its * count.times + count.plus < 0 for its in extents.sizes[dim]):
            return None
        return count.expression(sizes, max(count.at(0), count.at(size)))
    return _product(largest, {dim: others}, extents, sizes)


def _product(
    largest: int, others: Mapping[int, Sequence[tuple[int, int]]], extents: Extents, sizes: Buffer
) -> Expr | None:
    """A number that is a multiple of a count of each of some dims, such as how many pixels there are; None where it is not."""
    expression: Expr | None = None
    rest = largest
    for dim, numbers in others.items():
        size = extents.capacities[dim]
        count = _factor(dim, [(size, largest), *numbers], extents)
        if count is None or not count.at(size) or rest % count.at(size):
            return None
        rest //= count.at(size)
        factor = count.expression(sizes, count.at(size))
        expression = factor if expression is None else expression * factor
    return None if expression is None else expression * rest


def _factor(dim: int, numbers: Sequence[tuple[int, int]], extents: Extents) -> Count | None:
    """The count of which all numbers are the same multiple; None if there is none, or there are several."""
    size, largest = numbers[0]
    fitting = {
        tuple(map(count.at, extents.sizes[dim])): count
        for count in (Count(dim), *extents.counts)
        if count.dim == dim
        and all(number * count.at(size) == largest * count.at(its) for its, number in numbers)
    }
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _equal(first: Any, second: Any) -> bool:
    return repr(first) == repr(second)


def constant_limits(
    name: str, array: np.ndarray, others: Sequence[Sample[np.ndarray]], capacities: Sequence[int]
) -> tuple[Limit, ...] | None:
    """Which axes of a constant are limited, where those of smaller sizes are its beginnings; None where one has other contents.

    Raises:
        Refused: an extent follows from the sizes in a way that is not followed.
    """
    limits: list[Limit] = []
    for axis, extent in enumerate(array.shape):
        for dim in sorted({sample.dim for sample in others}):
            extents = [(sample.size, sample.its.shape[axis]) for sample in others if sample.dim == dim]
            if all(its == extent for _, its in extents):
                continue
            count = fitted_count(dim, (capacities[dim], extent), extents)
            if count is None:
                raise Refused(
                    f"axis {axis} of the constant {name!r} follows from the size in a way that is not followed"
                )
            limits.append(Limit(axis, count))
    for sample in others:
        beginning = np.asarray(array[tuple(slice(0, extent) for extent in sample.its.shape)])
        if not have_same_bytes(beginning, sample.its):
            return None
    return tuple(limits)


def number_of_size(
    array: np.ndarray,
    others: Sequence[Sample[np.ndarray]],
    extents: Extents,
    sizes: Buffer,
    place: Sequence[Expr],
) -> Expr | None:
    """The element at a place of a constant of few numbers that follow from sizes, such as a shape; None if it is none."""
    if not 1 <= array.size <= _LIST_MAX or any(sample.its.shape != array.shape for sample in others):
        return None
    dtype = DType.from_numpy(array.dtype)

    def element(at: int) -> Expr:
        number = Const(array.reshape(-1)[at].item(), dtype)
        its = [
            Sample(sample.dim, sample.size, Const(sample.its.reshape(-1)[at].item(), dtype))
            for sample in others
        ]
        return expression_of(number, its, extents, sizes) or number

    value = element(0)
    for at in range(1, array.size):
        value = select(compare("lt", flat_index(place, array.shape), at), value, element(at))
    return value


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
