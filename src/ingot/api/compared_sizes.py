"""Sizes of an extent that varies: those that programs are for, and those for which drafts of a model are compared."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.dims import EXTENT_MAX, Dim
from ingot.graph.evaluate.derived import SizeLog
from ingot.graph.evaluate.lines import Counts, asked
from ingot.plan.items import Mixed

# A range of items gets two programs: one for a single item, one for MANY.
MANY = 8
# Numbers of items for which a model is read to compare, if it has no two programs for 2 or more.
_COMPARED = (3, 2, 5)


def compared(dim: Dim) -> tuple[int, int]:
    """Two numbers of items, 2 or more, for which a model is compared: those of programs, as far as there are."""
    own = [size for size in reversed(sizes_of_programs(dim)) if size > 1]
    others = [size * dim.multiple_of for size in _COMPARED if size * dim.multiple_of > 1]
    first, second = list(dict.fromkeys((*own, *others)))[:2]
    return first, second


def compared_within(dim: Dim) -> tuple[int, int]:
    """As `compared`, of a range that may begin with more: a window may not fit into fewer places."""
    first, second = compared(dim)
    if min(first, second) < dim.low <= dim.high - dim.multiple_of:
        return dim.low, dim.low + dim.multiple_of
    return first, second


def bounds_of(dim: Dim) -> Counts:
    """The two sizes of `compared_within`, and the range."""
    sizes = compared_within(dim)
    return Counts(*sizes, min(dim.low, *sizes), max(dim.high, *sizes))


def smallest_size(dim: Dim) -> int:
    """The size of the program that has the model's own symbol."""
    return next((size for size in dim.sizes if size), 1) if dim.sizes else max(dim.low, dim.multiple_of)


def sizes_of_programs(dim: Dim) -> Sequence[int]:
    """The sizes that programs are for, if this extent counts items."""
    if dim.sizes:
        return [size for size in dim.sizes if size] or [1]
    step = dim.multiple_of
    return sorted({step, smallest_size(dim), *([MANY * step] if MANY * step <= dim.high else ())})


def asked_of_items(dim: Dim, logs: Sequence[SizeLog], counts: tuple[int, int]) -> Mixed | None:
    """Where a model asks for the number of items what has not one answer for all numbers, such as whether it is five."""
    low, high = min(dim.low or 1, *sizes_of_programs(dim)), EXTENT_MAX if dim.sizes else dim.high
    first, second = logs
    question = asked(first, second, Counts(*counts, min(low, *counts), max(high, *counts)))
    return None if question is None else Mixed(question.why, (question.node,))
