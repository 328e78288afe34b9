"""Numbers of a draft that follow from sizes: extents, constants, and what exporters computed from shapes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.template import Template
from ingot.loops.analyse.counts import Count, Limit
from ingot.loops.nodes import Buffer, Const, Expr, cast

T = TypeVar("T")


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
    node: Const, others: Sequence[Sample[Const]], capacities: Sequence[int], sizes: Buffer
) -> Expr | None:
    """What a number is in a call; None where it does not follow from a size.

    Raises:
        Refused: it follows from the sizes in a way that is not followed.
    """
    differing = {sample.dim for sample in others if not _equal(sample.its.value, node.value)}
    if not differing:
        return None
    if len(differing) > 1:
        raise Refused(f"the number {node.value} follows from several sizes")
    (dim,) = differing
    numbers = [(capacities[dim], node.value)]
    numbers += [(sample.size, sample.its.value) for sample in others if sample.dim == dim]
    whole = [(size, int(value)) for size, value in numbers if math.isfinite(value) and value == int(value)]
    sign = -1 if any(value < 0 for _, value in whole) else 1
    largest, *smaller = [(size, sign * value) for size, value in whole]
    count = fitted_count(dim, largest, smaller) if len(whole) == len(numbers) else None
    if count is None or node.dtype is DType.BOOL:
        raise Refused(f"the number {node.value} follows from the size in a way that is not followed")
    expression = count.expression(sizes, max(count.at(1), count.at(capacities[dim])))
    return cast(-expression if sign < 0 else expression, node.dtype)


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
        beginning = array[tuple(slice(0, extent) for extent in sample.its.shape)]
        if beginning.dtype != sample.its.dtype or beginning.tobytes() != sample.its.tobytes():
            return None
    return tuple(limits)


def number_of_size(
    array: np.ndarray, others: Sequence[Sample[np.ndarray]], capacities: Sequence[int], sizes: Buffer
) -> Expr | None:
    """The expression of a constant of one element that follows from a size; None if it is none."""
    if array.size != 1 or any(sample.its.shape != array.shape for sample in others):
        return None
    dtype = DType.from_numpy(array.dtype)
    consts = [Sample(sample.dim, sample.size, Const(sample.its.item(), dtype)) for sample in others]
    return expression_of(Const(array.item(), dtype), consts, capacities, sizes)


def same_template(first: Template, second: Template, extents: set[tuple[int, int]]) -> bool:
    """Whether two templates compute the same, but for extents: `extents` has pairs that may stand in the place of each other."""
    return first.name == second.name and _same(dict(first.spec), dict(second.spec), extents)


def _same(first: Any, second: Any, extents: set[tuple[int, int]]) -> bool:
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_same(first[key], second[key], extents) for key in first)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(
            _same(item, other, extents) for item, other in zip(first, second, strict=True)
        )
    if isinstance(first, int) and not isinstance(first, bool):
        return first == second or (first, second) in extents
    if isinstance(first, np.ndarray):
        return bool(first.shape == second.shape and first.tobytes() == second.tobytes())
    return bool(first == second)
