"""Which nodes of a graph become one region: as many as can, where no region waits for itself.

A region must be convex: nothing outside of it may come between two of its nodes, since it is computed by one call. Nodes are
numbers here, in an order in which each reads from earlier ones alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence


def merged_regions(
    reads: Sequence[Collection[int]], atoms: Sequence[Collection[int]], merges: bool = True
) -> list[list[int]]:
    """Regions, in the order of their first nodes.

    Args:
        reads: for each node those from which it reads.
        atoms: nodes that stay together, each node in one atom at most; each atom is convex.
        merges: whether atoms that read one another become one region, as far as regions stay convex and none waits for itself.
    """
    if not merges:
        return sorted(sorted(atom) for atom in atoms)
    groups = _Groups(reads, atoms)
    groups.merge_all()
    return sorted(groups.regions())


class _Groups:
    """Groups of nodes: atoms, and single nodes that are in none. A group that was merged into another one leads to it by `_into`.

    They are gone through in an order in which each reads from earlier ones. `_before` has for those that were reached all groups
    that are before them, as bits; `_bits` those of a group with what was merged into it.
    """

    def __init__(self, reads: Sequence[Collection[int]], atoms: Sequence[Collection[int]]) -> None:
        self._atoms = len(atoms)
        self._members = [sorted(atom) for atom in atoms]
        of = [-1] * len(reads)
        for number, atom in enumerate(atoms):
            for node in atom:
                of[node] = number
        for node, group in enumerate(of):
            if group < 0:
                of[node] = len(self._members)
                self._members.append([node])
        self._sources: list[set[int]] = [set() for _ in self._members]
        for node, some in enumerate(reads):
            self._sources[of[node]] |= {of[source] for source in some} - {of[node]}
        self._into = list(range(len(self._members)))
        self._bits = [1 << group for group in range(len(self._members))]
        self._before = [0] * len(self._members)

    def merge_all(self) -> None:
        """Merges atoms with those that they read from, as far as that goes."""
        for group in _sorted(self._sources):
            sources = sorted({self._find(source) for source in self._sources[group]})
            for source in sources:
                self._before[group] |= self._before[source] | self._bits[source]
            for source in sources if group < self._atoms else ():
                if source < self._atoms:
                    self._merge(self._find(source), self._find(group))

    def regions(self) -> Iterator[list[int]]:
        """The nodes of each atom, or of what atoms became."""
        yield from (self._members[group] for group in range(self._atoms) if self._find(group) == group)

    def _find(self, group: int) -> int:
        while self._into[group] != group:
            group = self._into[group]
        return group

    def _merge(self, first: int, second: int) -> None:
        """Makes one of two groups, unless another one is behind one of them and before the other."""
        if first == second or self._is_between(first, second) or self._is_between(second, first):
            return
        bits = self._bits[first] | self._bits[second]
        before = (self._before[first] | self._before[second]) & ~bits
        is_more = before & ~self._before[first] or before & ~self._before[second]
        self._into[second] = first
        self._bits[first], self._before[first] = bits, before
        self._sources[first] |= self._sources[second]
        self._members[first] = sorted([*self._members[first], *self._members[second]])
        for group, known in enumerate(self._before) if is_more else ():
            if known & bits and known | before != known:
                self._before[group] = known | before

    def _is_between(self, first: int, second: int) -> bool:
        """Whether a way leads from the first group to the second by another one."""
        sources = {self._find(source) for source in self._sources[second]} - {first, second}
        return any(self._before[source] & self._bits[first] for source in sources)


def _sorted(sources: Sequence[Collection[int]]) -> list[int]:
    """All groups, each behind those that it reads from."""
    left = [len(each) for each in sources]
    readers: list[list[int]] = [[] for _ in sources]
    for group, each in enumerate(sources):
        for source in each:
            readers[source].append(group)
    ready = [group for group, count in enumerate(left) if not count]
    for group in ready:  # grows meanwhile
        for reader in readers[group]:
            left[reader] -= 1
            if not left[reader]:
                ready.append(reader)
    assert len(ready) == len(sources), "an atom is not convex"
    return ready
