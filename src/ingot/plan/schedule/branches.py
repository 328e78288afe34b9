"""Branches: calls that may be done at the same time, where each thread walks through some of them alone.

A loop that is shared out ends before the next one begins, and what one thread made the other one fetches. Calls that need
nothing from one another do without: each thread does a branch of them from end to end. Their order is still one in which they
can be done by one thread, and code generators that know no threads pass over branches.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ingot.plan.program import Branch, Call, Transfer


def runs(calls: Sequence[Call | Transfer]) -> list[list[list[int]]]:
    """The numbers of all calls in order, in runs: a run has the calls of each of its branches, or, where there are none, one list
    of calls that are done one after another.
    """
    groups: list[list[list[int]]] = []
    for _, numbers in itertools.groupby(range(len(calls)), lambda number: _group(calls[number])):
        branches: dict[Branch | None, list[int]] = {}
        for number in numbers:
            branches.setdefault(calls[number].branch, []).append(number)
        groups.append(list(branches.values()))
    return groups


def _group(call: Call | Transfer) -> str | None:
    return None if call.branch is None else call.branch.group
