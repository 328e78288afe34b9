"""What was computed from shapes while constants were folded, and can be computed while running instead: floats that follow from a
size, and answers to questions about it. Sizes are known while running, so that no proof is needed of how these follow from them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingot.graph.evaluate.derived import SizeLog
from ingot.graph.evaluate.lines import Asked, Counts, Line, State, Table, followed

# As the elements of a shape: more are a table, by which others may be picked.
FEW = 16


def may_run(first: SizeLog, second: SizeLog, counts: Counts, *, rounded: bool = False) -> frozenset[str]:
    """The names of values that nothing has to know while building, and of which no expression of the sizes is known.

    Args:
        first: what was computed for a size.
        second: the same for another one.
        counts: the two sizes, and the range.
        rounded: whether floats are among them that are multiples of a size, and whole numbers that are none, such as its half or
            its square. An expression is known of some: what is picked by it may be proven to be there, but passes may make
            other weights of it.
    """
    states = followed(first, second, counts)
    needed = first.needed | second.needed
    return frozenset(
        name
        for entry in first.computed
        for name, content in entry.outputs
        if not entry.is_of_shape and name not in needed and content is not None
        if not _is_known(states.get(name), content, rounded)
    )


def folded_in_one(first: SizeLog, second: SizeLog) -> frozenset[str]:
    """The names of values that were folded for one of two sizes alone, because for the other it would have cost too much."""
    names = [{name for entry in log.computed for name, _ in entry.outputs} for log in (first, second)]
    return frozenset(names[0] ^ names[1])


def _is_known(state: State, content: np.ndarray, rounded: bool) -> bool:
    """Whether a value is the same for all sizes, or whole numbers of which drafts for a few sizes show how they follow."""
    if state is None or (isinstance(state, Asked) and state.is_fixed):
        return True
    if content.dtype.kind == "f":
        return not rounded and not isinstance(state, Asked) and _are_whole(state)
    is_table = content.dtype != np.bool_ and content.size > FEW
    return is_table or not (isinstance(state, Asked) and (rounded or state.is_case))


def _are_whole(state: Line | Table) -> bool:
    parts: Sequence[np.ndarray] = (
        (state.first, state.slope) if isinstance(state, Line) else (state.first, state.step)
    )
    return all(bool((part == np.rint(part)).all()) for part in parts)
