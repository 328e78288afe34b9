"""A `Pointwise` of a draft with room: which of its places are there in a call, and whether it reads only such places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ingot.kernels.template import Pointwise
from ingot.loops.analyse.counts import Count, Limit
from ingot.loops.analyse.ranges import Interval, Ranges
from ingot.loops.nodes import Buffer, Const, Expr, Load, Select, maximum, minimum
from ingot.loops.transform.rewrite import Rewriter, children, postorder
from ingot.plan.items import flat
from ingot.plan.room_numbers import Extents, Refused, Sample, expression_of, fitted_count
from ingot.plan.room_tables import Tables, bounded

SIZES_FORMAL = "sizes"
# Every size is looked at where places are read elsewhere than they are written.
PROVEN_SIZES_MAX = 8192
# Branches one in another that are looked at to find out which places are read.
_BRANCHES_MAX = 4


def substituted(
    definition: Pointwise, samples: Sequence[Sample[Pointwise]], extents: Extents, sizes: Buffer
) -> tuple[Expr, bool]:
    """The expression of a definition, with expressions of the sizes for numbers that follow from them.

    Returns:
        The expression, and whether it has such numbers.

    Raises:
        Refused: another number of it, or its structure, follows from a size.
    """
    own, nodes = flat(definition), postorder(definition.value)
    numbers: dict[int, Expr] = {}
    by_place: dict[int, list[Sample[Const]]] = {}
    for sample in samples:
        its, its_nodes = flat(sample.its), postorder(sample.its.value)
        if len(its) != len(own) or [formal.dtype for formal in sample.its.inputs] != [
            formal.dtype for formal in definition.inputs
        ]:
            raise Refused("it is computed in another way for other sizes")
        for place, (node, its_node, mine, other) in enumerate(zip(nodes, its_nodes, own, its, strict=True)):
            if isinstance(node, Const) and isinstance(its_node, Const) and node.dtype is its_node.dtype:
                by_place.setdefault(place, []).append(Sample(sample.dim, sample.size, its_node))
            elif mine != other:
                raise Refused("it is computed in another way for other sizes")
    for place, others in by_place.items():
        node = nodes[place]
        assert isinstance(node, Const)
        value = expression_of(node, others, extents, sizes)
        if value is not None:
            numbers[id(node)] = value
    if not numbers:
        return definition.value, False
    return Rewriter(lambda node: numbers.get(id(node)))(definition.value), True


def dims_in(expression: Expr) -> Iterator[int]:
    """The dims whose sizes an expression reads."""
    for node in postorder(expression):
        if isinstance(node, Load) and node.buffer.name == SIZES_FORMAL:
            (place,) = node.index
            assert isinstance(place, Const)
            yield int(place.value)


@dataclass(frozen=True, slots=True)
class Reads:
    """A definition whose numbers are expressions of the sizes already, what is there of its inputs, and other drafts' ones."""

    tables: Tables
    given: Mapping[str, Sequence[Limit]]
    samples: Sequence[Sample[Pointwise]]
    extents: Extents

    @property
    def definition(self) -> Pointwise:
        """The definition alone."""
        return self.tables.definition

    def limits(self) -> tuple[Limit, ...]:
        """Which places of the result are there.

        Raises:
            Refused: a place that is there needs one that may be not.
        """
        loads = [node for node in postorder(self.definition.value) if isinstance(node, Load)]
        limits = [
            limit
            for axis in range(self.definition.output.rank)
            for dim in range(len(self.extents.capacities))
            if (limit := self._limit(axis, dim, loads)) is not None
        ]
        other = [
            (node, limit)
            for node in loads
            for limit in self.given.get(node.buffer.name, ())
            if not self._reads_its_own(node, limit, limits)
        ]
        for dim in {limit.count.dim for _, limit in other}:
            self._prove(dim, limits)
        return tuple(limits)

    def _limit(self, axis: int, dim: int, loads: Sequence[Load]) -> Limit | None:
        """How many places of an axis of the result are there because of one dim."""
        extent = self.definition.output.shape[axis]
        extents = [
            (sample.size, sample.its.output.shape[axis]) for sample in self.samples if sample.dim == dim
        ]
        read = [
            limit
            for node in loads
            for limit in self.given.get(node.buffer.name, ())
            if limit.count.dim == dim and node.index[limit.axis] == self.definition.index[axis]
        ]
        for limit in read:
            whole = limit.each * limit.rounds
            if extent == whole * limit.count.at(self.extents.capacities[dim]):
                return replace(limit.unfilled(), axis=axis)
        if all(its == extent for _, its in extents):
            return None
        known = [limit.count for some in self.given.values() for limit in some if limit.count.dim == dim]
        largest = (self.extents.capacities[dim], extent)
        count = fitted_count(dim, largest, extents, known) or self.extents.capped(
            dim, largest, extents, known
        )
        if count is None:
            raise Refused(f"axis {axis} of the result follows from the size in a way that is not followed")
        if count.times < 0:  # there is no room for the places that a smaller size has
            raise Refused(f"axis {axis} of the result has more places for smaller sizes")
        return Limit(axis, count)

    def _reads_its_own(self, node: Load, limit: Limit, limits: Sequence[Limit]) -> bool:
        """Whether each place that is there reads the place of the same number."""
        part = node.index[limit.axis]
        return any(
            part == self.definition.index[own.axis]
            and (_is_no_more(own.count, limit.count), own.each, own.rounds)
            == (True, limit.each, limit.rounds)
            for own in limits
        )

    def _prove(self, dim: int, limits: Sequence[Limit]) -> None:
        """Raises Refused unless, for each size of a dim, places that are there read only such places."""
        if any(limit.rounds > 1 for limit in limits if limit.count.dim == dim):
            raise Refused("places that are apart are read at other places")
        if len(self.extents.sizes[dim]) > PROVEN_SIZES_MAX:
            raise Refused(
                f"places are read elsewhere than they are written, which is shown for each of at most {PROVEN_SIZES_MAX} sizes"
            )
        value, elements = bounded(self.tables)
        for size in self.extents.sizes[dim]:
            at_size = Rewriter(lambda node, size=size: _size_known(node, dim, size))  # type: ignore[misc]
            extents = dict(zip(self.definition.index, self.definition.output.shape, strict=True))
            for limit in limits:
                if limit.count.dim == dim:
                    extents[self.definition.index[limit.axis]] = limit.count.at(size) * limit.each
            if 0 in extents.values():
                continue
            known = Ranges({**elements, **{var: (0, extent - 1) for var, extent in extents.items()}})
            _Walk(self.given, dim, size).walk(at_size(value), known)


def _is_no_more(count: Count, other: Count) -> bool:
    """Whether a count is another one, or the smaller of that and of a number."""
    is_same = replace(count, cap=other.cap) == other
    return is_same and (other.cap is None or (count.cap is not None and count.cap <= other.cap))


def _size_known(node: Expr, dim: int, size: int) -> Expr | None:
    if isinstance(node, Load) and node.buffer.name == SIZES_FORMAL:
        place = node.index[0]
        if isinstance(place, Const) and place.value == dim:
            return Const(size, node.dtype)
    return None


def _reads(expression: Expr, known: Ranges) -> Iterator[tuple[Load, Ranges]]:
    """All that an expression reads, with what is known where it is read."""
    pending: list[tuple[Expr, Ranges]] = [(expression, known)]
    seen: set[tuple[int, int]] = set()
    while pending:
        node, here = pending.pop()
        if (id(node), id(here)) in seen:
            continue
        seen.add((id(node), id(here)))
        if isinstance(node, Select):
            pending.append((node.condition, here))
            for taken, branch in ((True, node.if_true), (False, node.if_false)):
                refined = here.refined(node.condition, taken)
                if refined is not None:
                    pending.append((branch, refined))
            continue
        if isinstance(node, Load):
            yield node, here
        pending += [(child, here) for child in children(node)]


def kept_inside(definition: Pointwise) -> Expr:
    """The expression of a definition, which reads nothing outside its inputs where it computes places that are not there. What it
    reads follows from the sizes there: the place behind the last one in reverse is before the first.
    """
    extents = zip(definition.index, definition.output.shape, strict=True)
    known = Ranges({var: (0, extent - 1) for var, extent in extents})
    outside = {
        id(node): node
        for node, here in _reads(definition.value, known)
        if any(
            _is_of_size(part) and not _is_within(_bounds(part, here), extent)
            for part, extent in zip(node.index, node.buffer.shape, strict=True)
        )
    }

    def instead(node: Expr) -> Expr | None:
        if id(node) not in outside or not isinstance(node, Load):
            return None
        parts = zip(node.index, node.buffer.shape, strict=True)
        return Load(
            node.buffer,
            tuple(
                minimum(maximum(part, 0), extent - 1) if _is_of_size(part) else part for part, extent in parts
            ),
        )

    return Rewriter(instead)(definition.value) if outside else definition.value


def _is_of_size(part: Expr) -> bool:
    return any(isinstance(node, Load) and node.buffer.name == SIZES_FORMAL for node in postorder(part))


def _is_within(bounds: Interval | None, extent: int) -> bool:
    return bounds is not None and bounds[0] >= 0 and bounds[1] < extent


@dataclass(frozen=True, slots=True)
class _Walk:
    """Looks at all that an expression reads for a size of a dim."""

    given: Mapping[str, Sequence[Limit]]
    dim: int
    size: int

    def walk(self, expression: Expr, known: Ranges) -> None:
        for node, here in _reads(expression, known):
            self._require(node, here)

    def _require(self, node: Load, known: Ranges) -> None:
        for limit in self.given.get(node.buffer.name, ()):
            if limit.count.dim != self.dim:
                continue
            bounds = _bounds(node.index[limit.axis], known)
            there = limit.count.at(self.size) * limit.each
            if limit.rounds > 1:
                raise Refused("places that are apart are read at other places")
            if not there and any(isinstance(part, Load) for part in postorder(node.index[limit.axis])):
                continue  # an index that is data is of no place where there is none
            if bounds is None or bounds[0] < 0 or bounds[1] >= there:
                read = "some places" if bounds is None else f"places {bounds[0]} to {bounds[1]}"
                raise Refused(f"for the size {self.size} it reads {read} of {there}")


def _bounds(expression: Expr, known: Ranges, depth: int = 0) -> Interval | None:
    """The bounds of an expression, of each branch with what is known where it is taken; None if they are not known."""
    branch = next((node for node in reversed(postorder(expression)) if isinstance(node, Select)), None)
    if branch is None or depth == _BRANCHES_MAX:
        return known.bounds(expression)
    both: list[Interval] = []
    for taken, instead in ((True, branch.if_true), (False, branch.if_false)):
        refined = known.refined(branch.condition, taken)
        if refined is None:
            continue
        part = Rewriter(lambda node, instead=instead: instead if node is branch else None)(expression)  # type: ignore[misc]
        bounds = _bounds(part, refined, depth + 1)
        if bounds is None:
            return None
        both.append(bounds)
    return (min(low for low, _ in both), max(high for _, high in both)) if both else None
