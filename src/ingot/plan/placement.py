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

from ingot.plan.program import Strand

ALIGNMENT_BYTES = 64  # a cache line, and the widest vector

Placement = tuple[list[int], int]
"""The offset of each block, and the bytes of the arena."""


@dataclass(slots=True)
class Block:
    """Memory needed from call `first` to call `last`, both included, by one base or by several that replace each other; by calls
    of this `strand` alone, if it is one.
    """

    bases: list[str]
    size_bytes: int
    first: int
    last: int
    strand: Strand | None = None

    def overlaps(self, other: Block) -> bool:
        """Whether both are needed at the same time."""
        if (
            self.strand is not None
            and other.strand is not None
            and self.strand.group == other.strand.group
            and self.strand != other.strand
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
    least = min((_lowest(blocks, order) for order in (by_size, by_birth, by_life)), key=lambda found: found[1])
    if least[1] > near_bytes:
        return least
    middles = min((_by_middles(blocks, order) for order in (by_birth, by_size)), key=lambda found: found[1])
    return middles if middles[1] <= min(near_bytes, least[1] + least[1] // 4) else least


def _lowest(blocks: Sequence[Block], order: Sequence[int]) -> Placement:
    offsets = [0] * len(blocks)
    done: list[int] = []
    for number in order:
        block = blocks[number]
        taken = sorted(
            (offsets[other], offsets[other] + blocks[other].size_bytes) for other in done if blocks[other].overlaps(block)
        )
        offset = 0
        for start, end in taken:
            if start - offset >= block.size_bytes:
                break
            offset = max(offset, end)
        offsets[number] = offset
        done.append(number)
    total = max((offset + block.size_bytes for offset, block in zip(offsets, blocks, strict=True)), default=0)
    return offsets, total


def _by_middles(blocks: Sequence[Block], order: Sequence[int]) -> Placement:
    """Places that are as large as their largest block, one behind the other. A block gets the one that need grow least for it; of
    several the one that was used last, which is the likeliest to be in the first-level cache.
    """
    places: list[list[int]] = []

    def size_of(numbers: Sequence[int]) -> int:
        return max(blocks[number].size_bytes for number in numbers)

    for number in order:
        block = blocks[number]
        free = [numbers for numbers in places if not any(blocks[other].overlaps(block) for other in numbers)]
        if free:
            grows = [(max(block.size_bytes - size_of(numbers), 0), -max(blocks[n].last for n in numbers)) for numbers in free]
            free[grows.index(min(grows))].append(number)
        else:
            places.append([number])
    offsets, start = [0] * len(blocks), 0
    for numbers in places:
        size = size_of(numbers)
        for number in numbers:
            offsets[number] = start + (size - blocks[number].size_bytes) // (2 * ALIGNMENT_BYTES) * ALIGNMENT_BYTES
        start += size
    return offsets, start
