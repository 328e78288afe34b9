"""Where in an arena what an inference needs for a while lies.

**As few bytes as possible.** Large blocks are placed first, each at the lowest offset where nothing alive at the same time lies;
of several orders the best result is kept.

**Middle over middle.** Two threads make a half each of what a kernel writes, and a line of memory that one of them has takes
long to come to the other one, even if it is only to be written anew. So where the arena stays in the caches that cores have for
themselves, blocks that follow one another at a place have their middle in common: what lies before it belongs to one thread all
the time, what lies behind it to the other. That may make the arena a quarter larger. docs/decisions/middle-over-middle.md has
what was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingot.machines.machine import LINE_BYTES
from ingot.plan.program import Branch

ALIGNMENT_BYTES = LINE_BYTES  # also the widest vector

Placement = tuple[list[int], int]
"""The offset of each block, and the bytes of the arena."""


@dataclass(slots=True)
class Block:
    """Memory needed from call `first` to call `last`, both included, by one base or by several that replace each other; by calls
    of this `branch` alone, if it is one.
    """

    bases: list[str]
    size_bytes: int
    first: int
    last: int
    branch: Branch | None = None

    def overlaps(self, other: Block) -> bool:
        """Whether both are needed at the same time."""
        if (
            self.branch is not None
            and other.branch is not None
            and self.branch.group == other.branch.group
            and self.branch != other.branch
        ):
            return True
        return self.first <= other.last and other.first <= self.last


def aligned(size: int) -> int:
    """So many bytes or a few more, so that the next block may follow."""
    return -(-size // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def place(blocks: Sequence[Block], near_bytes: int) -> Placement:
    """Places blocks, whose sizes are aligned.

    Args:
        blocks: what is to be placed.
        near_bytes: of an arena that is to have middle over middle, at most.
    """
    by_size = sorted(range(len(blocks)), key=lambda n: (-blocks[n].size_bytes, blocks[n].first))
    by_birth = sorted(range(len(blocks)), key=lambda n: (blocks[n].first, -blocks[n].size_bytes))
    by_life = sorted(by_size, key=lambda n: blocks[n].first - blocks[n].last)
    lowest = min(
        (_lowest(blocks, order) for order in (by_size, by_birth, by_life)), key=lambda placement: placement[1]
    )
    if lowest[1] > near_bytes:
        return lowest
    middles = min(
        (_by_middles(blocks, order) for order in (by_birth, by_size)), key=lambda placement: placement[1]
    )
    return middles if middles[1] <= min(near_bytes, lowest[1] + lowest[1] // 4) else lowest


class _Alive:
    """Which of the blocks that were added are needed at the same time as another one: there may be ten thousand, so that all are
    compared at once.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        groups = {block.branch.group for block in blocks if block.branch is not None}
        branches = {block.branch for block in blocks if block.branch is not None}
        group_number = {group: number for number, group in enumerate(sorted(groups), 1)}
        branch_number = {branch: number for number, branch in enumerate(branches, 1)}
        self.first = np.array([block.first for block in blocks], np.int64)
        self.last = np.array([block.last for block in blocks], np.int64)
        self.group = np.array(
            [group_number[block.branch.group] if block.branch else 0 for block in blocks], np.int64
        )
        self.branch = np.array(
            [branch_number[block.branch] if block.branch else 0 for block in blocks], np.int64
        )
        self.added = np.empty(len(blocks), np.int64)
        self.count = 0

    def add(self, number: int) -> None:
        self.added[self.count] = number
        self.count += 1

    def overlapping(self, number: int) -> np.ndarray:
        """The numbers of those that were added and overlap block `number`, as `Block.overlaps` says."""
        others = self.added[: self.count]
        together = (self.first[others] <= self.last[number]) & (self.last[others] >= self.first[number])
        if self.group[number]:
            together |= (self.group[others] == self.group[number]) & (
                self.branch[others] != self.branch[number]
            )
        alive: np.ndarray = others[together]
        return alive


def _lowest(blocks: Sequence[Block], order: Sequence[int]) -> Placement:
    sizes = np.array([block.size_bytes for block in blocks], np.int64)
    offsets = np.zeros(len(blocks), np.int64)
    alive = _Alive(blocks)
    for number in order:
        taken = alive.overlapping(number)
        taken = taken[np.argsort(offsets[taken], kind="stable")]
        starts = offsets[taken]
        # The end of all that lies before each of them, and behind them all.
        ends = np.maximum.accumulate(np.concatenate(([0], starts + sizes[taken])))
        gaps = np.flatnonzero(starts - ends[:-1] >= sizes[number])
        offsets[number] = ends[gaps[0]] if len(gaps) else ends[-1]
        alive.add(number)
    return offsets.tolist(), int(max(offsets + sizes, default=0))


def _by_middles(blocks: Sequence[Block], order: Sequence[int]) -> Placement:
    """Places that are as large as their largest block, one behind the other. A block gets the one that need grow least for it; of
    several the one that was used last, which is the likeliest to be in the first-level cache.
    """
    places: list[list[int]] = []
    sizes: list[int] = []  # of places, and the last call that needs each
    lasts: list[int] = []
    place_of = np.zeros(len(blocks), np.int64)
    alive = _Alive(blocks)
    for number in order:
        block = blocks[number]
        taken = set(place_of[alive.overlapping(number)].tolist())
        free = [at for at in range(len(places)) if at not in taken] if len(taken) < len(places) else []
        at = min(free, key=lambda at: (max(block.size_bytes - sizes[at], 0), -lasts[at]), default=len(places))
        if at == len(places):
            places.append([])
            sizes.append(0)
            lasts.append(0)
        places[at].append(number)
        sizes[at], lasts[at] = max(sizes[at], block.size_bytes), max(lasts[at], block.last)
        place_of[number] = at
        alive.add(number)
    offsets, start = [0] * len(blocks), 0
    for numbers, size in zip(places, sizes, strict=True):
        for number in numbers:
            offsets[number] = (
                start + (size - blocks[number].size_bytes) // (2 * ALIGNMENT_BYTES) * ALIGNMENT_BYTES
            )
        start += size
    return offsets, start
