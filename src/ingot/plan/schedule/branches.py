"""Strands: calls that may be done at the same time, where each thread walks through some of them alone.

A loop that is shared out ends before the next one begins, and what one thread made the other one fetches. Calls that need
nothing from one another do without: each thread does a strand of them from end to end. Their order is still one in which they
can be done by one thread, and code generators that know no threads pass over strands.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ingot.plan.program import Call, Strand, Transfer


def runs(calls: Sequence[Call | Transfer]) -> list[list[list[int]]]:
    """The numbers of all calls in order, in runs: a run has the calls of each of its strands, or, where there are none, one list
    of calls that are done one after another.
    """
    found: list[list[list[int]]] = []
    for _, numbers in itertools.groupby(range(len(calls)), lambda number: _group(calls[number])):
        strands: dict[Strand | None, list[int]] = {}
        for number in numbers:
            strands.setdefault(calls[number].strand, []).append(number)
        found.append(list(strands.values()))
    return found


def _group(call: Call | Transfer) -> str | None:
    return None if call.strand is None else call.strand.group
