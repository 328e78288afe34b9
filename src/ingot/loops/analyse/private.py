"""Memory that each iteration of a loop uses for itself: what it reads there, it has written before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from ingot.loops.analyse.accesses import Access
from ingot.loops.analyse.ranges import Interval, Linear, Ranges
from ingot.loops.nodes import Const, Expr, For, If, Load, Var, index
from ingot.loops.text import expr_text
from ingot.loops.transform.rewrite import bound_by, postorder

_RUNS_MAX = 1 << 16  # of offsets in a row that are looked at one by one
_Key = frozenset[tuple[str, int]]  # the terms of a form, by their text
# Terms that are the same for all offsets, and all sums of the others: runs of whole numbers, where each begins and ends.
_Offsets = tuple[_Key, np.ndarray]


class Memory:
    """Answers for one kernel, which are kept."""

    def __init__(self) -> None:
        self._forms: dict[int, tuple[Access, Linear]] = {}
        self._reached: dict[tuple[int, int], tuple[Access, _Offsets | None]] = {}

    def refilling_loops(self, used: Sequence[Access]) -> frozenset[int] | None:
        """By `id`, for all that is read of a buffer, the innermost loop of which each iteration writes before what it reads.
        None: something is read that no iteration of a loop is known to have written.

        So what an iteration of another loop writes is for that iteration alone, unless one of these loops is around that
        loop. `used` has all accesses of a kernel to the buffer. It is shown element by element, for constant extents.
        """
        stores = [access for access in used if access.is_store]
        loops: set[int] = set()
        for load in used:
            if load.is_store:
                continue
            around = load.path[: self._depth_of_writer(load, stores) + 1]
            innermost = next((outer for outer, _ in reversed(around) if isinstance(outer, For)), None)
            if innermost is None:
                return None
            loops.add(id(innermost))
        return frozenset(loops)

    def reaching(self, load: Access, stores: Sequence[Access]) -> Sequence[Access]:
        """The stores whose values a load may read, of all those to its buffer; none where it is not known."""
        depth = self._depth_of_writer(load, stores)
        if not depth:
            return ()
        own = load.path[depth][1]
        near = [
            store for store in stores if _is_around(store, load, depth) and 0 <= store.path[depth][1] <= own
        ]
        before = sorted({store.path[depth][1] for store in near if store.path[depth][1] < own}, reverse=True)
        for number in before:
            # The last statement that writes all that is read: nothing from before it is left.
            certain = [
                store
                for store in near
                if store.path[depth][1] == number and _depth_where_first(store, load) == depth
            ]
            if certain and self._covers(load, certain, depth):
                near = [store for store in near if store.path[depth][1] >= number]
                break
        return [store for store in near if store.path[depth][1] < own or not self._misses(store, load, depth)]

    def _misses(self, store: Access, load: Access, depth: int) -> bool:
        """Whether a store in the same statement at a depth writes no element that the load reads after it."""
        same = depth
        while same + 1 < min(len(store.path), len(load.path)) and store.path[same] == load.path[same]:
            same += 1
        (_, first), (_, then) = store.path[same], load.path[same]
        if first < 0 or then < 0 or (first == then and store.statement is not load.statement):
            return False
        return self._are_apart(store, load, depth, same, first < then)

    def _are_apart(self, store: Access, load: Access, depth: int, same: int, is_before: bool) -> bool:
        """Whether a store and a load come to different elements in different iterations of the loops around both which are
        deeper than `depth`, up to `same`; in the same one too where the store `is_before` the load.
        """
        common = [loop.var for loop, _ in load.path[depth + 1 : same + 1] if isinstance(loop, For)]
        forms = self._offset_of(store), self._offset_of(load)
        parts = [
            _parts(form, access, common, depth) for form, access in zip(forms, (store, load), strict=True)
        ]
        (outer, written), (other, read) = parts
        if outer != other or (is_before and written[0] <= read[1] and read[0] <= written[1]):
            return False
        digits = []
        for var in common:
            factor, interval = forms[0].terms.get(var, 0), load.ranges.intervals.get(var)
            if factor != forms[1].terms.get(var, 0) or interval is None:
                return False
            digits.append((abs(factor), interval[1] - interval[0]))
        # Each digit steps over everything that the smaller ones can reach.
        covered = max(written[1], read[1]) - min(written[0], read[0])
        for factor, steps in sorted(digits):
            if steps and factor <= covered:
                return False
            covered += factor * steps
        return True

    def _depth_of_writer(self, load: Access, stores: Sequence[Access]) -> int:
        """How many loops and branches are around a load and stores that come before it and write all that it reads, in one
        iteration of the innermost; 0 where there are no such stores in a loop.
        """
        by_depth: dict[int, list[Access]] = {}
        for store in stores:
            depth = _depth_where_first(store, load)
            if depth is not None:
                by_depth.setdefault(depth, []).append(store)
        return next(
            (depth for depth in sorted(by_depth, reverse=True) if self._covers(load, by_depth[depth], depth)),
            0,
        )

    def _covers(self, load: Access, stores: Sequence[Access], depth: int) -> bool:
        """Whether stores write all offsets that a load reads, in one iteration of what is around all of them."""
        wanted = self._offsets(load, depth)
        if wanted is None:
            return False
        written = [
            offsets for offsets in (self._offsets(store, depth) for store in stores) if offsets is not None
        ]
        same = [runs for terms, runs in written if terms == wanted[0]]
        return bool(same) and _are_within(wanted[1], np.concatenate(same))

    def _offsets(self, access: Access, depth: int) -> _Offsets | None:
        """The offsets of an access in loops deeper than some."""
        key = (id(access), depth)
        if key not in self._reached:
            self._reached[key] = access, self._offsets_of(access, depth)
        return self._reached[key][1]

    def _offsets_of(self, access: Access, depth: int) -> _Offsets | None:
        extents: dict[Var, int] = {}
        for loop, _ in access.path[depth + 1 :]:
            if isinstance(loop, If):
                continue
            if loop is None or not isinstance(loop.extent, Const) or loop.end is not None:
                return None
            extents[loop.var] = int(loop.extent.value)
        form = self._offset_of(access)
        inner = {atom: factor for atom, factor in form.terms.items() if _moves(atom, extents)}
        if not all(isinstance(atom, Var) for atom in inner):
            return None
        steps = [(factor, extents[atom]) for atom, factor in inner.items() if isinstance(atom, Var)]
        total = _runs(form.constant, steps)
        outer = {atom: factor for atom, factor in form.terms.items() if atom not in inner}
        around = {
            var for loop, _ in access.path[: depth + 1] if isinstance(loop, For) for var in bound_by(loop)
        }
        if total is None or not all(_is_made_of(atom, around) for atom in outer):
            return None
        return frozenset((expr_text(atom), factor) for atom, factor in outer.items()), total

    def _offset_of(self, access: Access) -> Linear:
        if id(access) not in self._forms:
            self._forms[id(access)] = access, offset_of(access)
        return self._forms[id(access)][1]


def _runs(constant: int, steps: Sequence[tuple[int, int]]) -> np.ndarray | None:
    """All sums of a constant and, for each pair, a multiple of the first number below the second: `[runs, 2]`, where each run of
    whole numbers begins and ends. None where they are too many.
    """
    starts, length = np.array([constant + sum(min(factor, 0) * (count - 1) for factor, count in steps)]), 1
    if any(count < 1 for _, count in steps):
        return np.zeros((0, 2), np.int64)
    for factor, count in sorted((abs(factor), count) for factor, count in steps):
        if factor <= length:
            length += factor * (count - 1)
        elif starts.size * count > _RUNS_MAX:
            return None
        else:
            starts = np.unique(np.add.outer(starts, factor * np.arange(count)))
    return np.stack([starts, starts + length], axis=1)


def _are_within(runs: np.ndarray, others: np.ndarray) -> bool:
    """Whether runs of whole numbers lie in others, which may touch or overlap."""
    others = others[np.argsort(others[:, 0], kind="stable")]
    ends = np.maximum.accumulate(others[:, 1])
    first = np.append(True, others[1:, 0] > ends[:-1])  # where no run before it reaches
    starts, ends = others[first, 0], np.append(ends[:-1][first[1:]], ends[-1:])
    within = np.searchsorted(starts, runs[:, 0], side="right") - 1
    return bool((within >= 0).all() and (runs[:, 1] <= ends[within]).all())


def offset_of(access: Access) -> Linear:
    """The affine form of how far in its buffer's memory an access is, in elements."""
    total: Expr = index(0)
    buffer = access.buffer
    for part, extent, stride in zip(access.index, buffer.shape, buffer.strides, strict=True):
        if extent != 1:
            total = total + part * stride
    return Ranges({}).linear(total)


def _is_around(store: Access, load: Access, depth: int) -> bool:
    """Whether a store is in the loop or branch around a load at a depth, by the same way."""
    return (
        len(store.path) > depth
        and store.path[:depth] == load.path[:depth]
        and store.path[depth][0] is load.path[depth][0]
    )


def _parts(form: Linear, access: Access, common: Sequence[Var], depth: int) -> tuple[_Key, Interval]:
    """Terms of an offset that are the same for all that is around at a depth, and the span of what is left without `common`."""
    around = {var for loop, _ in access.path[: depth + 1] if isinstance(loop, For) for var in bound_by(loop)}
    outer: dict[Expr, int] = {}
    inner: dict[Expr, int] = {}
    for atom, factor in form.terms.items():
        if atom not in common:
            (outer if _is_made_of(atom, around) else inner)[atom] = factor
    key = frozenset((expr_text(atom), factor) for atom, factor in outer.items())
    return key, access.ranges.span(Linear(form.constant, inner))


def _depth_where_first(store: Access, load: Access) -> int | None:
    """How many loops and branches are around both a store and a load, where the store comes first and is sure to be done; None
    where it is not so.
    """
    for depth, ((outer, first), (other, then)) in enumerate(zip(store.path, load.path, strict=False)):
        if outer is not other:
            return None
        if first != then:
            in_order = (first < then) if first >= 0 and then >= 0 else (0 > first > then)
            is_sure = all(isinstance(inner, For) for inner, _ in store.path[depth + 1 :])
            return depth if in_order and is_sure else None
    return None


def _moves(atom: Expr, inner: Mapping[Var, int]) -> bool:
    return any(isinstance(node, Var) and node in inner for node in postorder(atom))


def _is_made_of(atom: Expr, variables: Set[Var]) -> bool:
    """Whether an expression has the same value wherever some variables have: nothing in it was read from memory."""
    nodes = postorder(atom)
    return not any(
        isinstance(node, Load) or (isinstance(node, Var) and node not in variables) for node in nodes
    )
