"""A draft with room: lowered for the largest size of some extents, and right for all smaller ones.

Some extents, such as the length of a sequence, are no items that are computed by themselves: a softmax combines all places. A
program for the largest size serves the smaller ones too, where what lies behind the last place of a call reaches nothing that
anyone reads. That is proven here, or made so:

1. A draft is followed from its inputs to its outputs: for each value, the axes of which only some places are there in a call, and
   how many (`Limit`). The others have arbitrary contents.
2. What combines places gets neutral ones behind the last: a softmax minus infinity, a sum zeros (`Template.folded`). They are
   put there by a `Select` on the number of the place.
3. Drafts for smaller sizes must be the same but for extents, and for numbers which follow from a size. These become expressions
   of the sizes of a call, which are one more input of the draft.

What is neither is named with its node.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.select.note_count import noted_count
from ingot.kernels.template import (
    Counted,
    Counting,
    Folded,
    Independent,
    Pointwise,
    Reshape,
    Template,
    Windowed,
    index_vars,
)
from ingot.loops.analyse.counts import Count, Limit, count_of_count
from ingot.loops.nodes import Buffer, Const, Expr, Load, buffer, cast, compare, select
from ingot.plan.items import Mixed
from ingot.plan.program import Draft, Step, latest_sizes
from ingot.plan.room_numbers import Extents, Refused, Sample, constant_limits, number_of_size, same_template
from ingot.plan.room_reads import SIZES_FORMAL, Reads, dims_in, substituted
from ingot.plan.room_tables import Tables, written_out

SIZES = "ingot.sizes"  # the input that has the sizes of a call, an int64 for each dim
Limits = tuple[Limit, ...]


def with_room(
    draft: Draft,
    samples: Sequence[Sample[Draft]],
    places: Sequence[Sequence[tuple[str, int]]],
    sizes: Sequence[Sequence[int]],
    counted: Mapping[str, int] | None = None,
) -> Draft | Mixed:
    """A draft that serves all sizes of some dims, or what needs another draft for each size.

    Args:
        draft: lowered for the largest size of each dim.
        samples: the same model, each lowered for a smaller size of one dim; at least two for each dim with room.
        places: for each dim, the inputs and axes that have its size; none for one that this is not about.
        sizes: for each dim, those that calls may have.
        counted: the dims whose sizes are found out while running, by the name of who counts (`Counting`). A dim is either such
            a one or has places.
    """
    making = _Making(draft, samples, tuple(map(max, sizes)), sizes, counted or {})
    try:
        return making.room(places)
    except Refused as error:
        return Mixed(error.why, making.nodes)


@dataclass(slots=True)
class _Making:
    """What is known while it goes from step to step. `renamed` has, for some values, the one that is read in their place."""

    draft: Draft
    samples: Sequence[Sample[Draft]]
    capacities: tuple[int, ...]
    sizes: Sequence[Sequence[int]]
    counted: Mapping[str, int]
    steps: list[Step] = field(default_factory=list)
    types: dict[str, TensorType] = field(default_factory=dict)
    limits: dict[str, Limits] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    nodes: tuple[str, ...] = ()
    vectors: list[tuple[str, frozenset[int]]] = field(default_factory=list)  # as `Draft.sizes`

    def room(self, places: Sequence[Sequence[tuple[str, int]]]) -> Draft:
        draft = self.draft
        self.types = dict(draft.types)
        given = frozenset(dim for dim, inputs in enumerate(places) if inputs)
        if given or not self.counted:
            self.types[SIZES] = self._sizes_type
            self.vectors.append((SIZES, given))
        for sample in self.samples:
            if len(sample.its.steps) != len(draft.steps):
                raise Refused(
                    f"for {self.capacities[sample.dim]} it is computed in {len(draft.steps)} steps, for {sample.size} in "
                    f"{len(sample.its.steps)}"
                )
        for dim, inputs in enumerate(places):
            for name, axis in inputs:
                self.limits[name] = (*self.limits.get(name, ()), Limit(axis, Count(dim)))
        for at, name in enumerate(draft.inputs):
            self._require_extents(name, [sample.its.inputs[at] for sample in self.samples])
        for at, step in enumerate(draft.steps):
            self.nodes = step.nodes
            self._follow(
                step, [Sample(sample.dim, sample.size, sample.its.steps[at]) for sample in self.samples]
            )
        self.nodes = ()
        for name in draft.outputs:
            if any(
                limit.rounds > 1 or (limit.each > 1 and limit.count.over > 1)
                for limit in self.limits.get(name, ())
            ):
                raise Refused(f"the output {name!r} has places that belong together apart")
        return replace(
            draft,
            types=self.types,
            inputs=(*draft.inputs, SIZES) if SIZES in self.types else draft.inputs,
            outputs=(*draft.outputs, self.vectors[-1][0]) if self.counted else draft.outputs,
            steps=tuple(self.steps),
            limits=self.limits,
            sizes=tuple(self.vectors),
        )

    @property
    def _sizes_type(self) -> TensorType:
        return TensorType(DType.INT64, (len(self.capacities),))

    def _sizes_of(self, *dims: int) -> str:
        """The value that has the sizes of these dims."""
        known = frozenset[int]().union(*(some for _, some in self.vectors))
        if not known.issuperset(dims):
            raise Refused("it reads how many places there are before they are counted")
        return latest_sizes(self.vectors, dims)

    # ─── a step ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _follow(self, step: Step, its: Sequence[Sample[Step]]) -> None:
        for other in its:
            if (len(other.its.inputs), len(other.its.outputs)) != (len(step.inputs), len(step.outputs)):
                raise Refused("it has other operands for other sizes")
        step, its = self._without_tables(step, its)
        for at, name in enumerate(step.inputs):
            if name in self.draft.constants:
                self._constant(name, [other.its.inputs[at] for other in its])
        match step.definition:
            case Pointwise() as definition:
                self._pointwise(step, definition, its)
            case Reshape() as definition:
                self._reshape(step, definition, its)
            case Template() as definition:
                self._template(step, definition, its)
            case definition:
                if not self.counted or any(self.limits.get(name) for name in step.inputs):
                    raise Refused(f"{definition.name} does not say what it does with places")
                self.steps.append(step)
        for at, name in enumerate(step.outputs):
            self._require_extents(name, [other.its.outputs[at] for other in its])

    def _without_tables(self, step: Step, its: Sequence[Sample[Step]]) -> tuple[Step, Sequence[Sample[Step]]]:
        """The steps with expressions in the place of constant tables that say which places they read."""
        own = _tables(step, self.draft)
        others = [_tables(other.its, sample.its) for other, sample in zip(its, self.samples, strict=True)]
        known = [tables for tables in others if tables is not None]
        if own is None or len(known) < len(others):
            return step, its
        (definition, *definitions), left = written_out(own, known)
        return _over(step, definition, left), [
            replace(other, its=_over(other.its, its_definition, left))
            for other, its_definition in zip(its, definitions, strict=True)
        ]

    def _reading(self, step: Step) -> Step:
        return replace(step, inputs=tuple(self.renamed.get(name, name) for name in step.inputs))

    def _limit(self, name: str, limits: Limits) -> None:
        if limits:
            self.limits[name] = limits

    def _extents_known(self) -> Extents:
        counts = {limit.count for limits in self.limits.values() for limit in limits}
        return Extents(self.capacities, self.sizes, counts)

    def _sizes_formal(self) -> Buffer:
        return buffer(SIZES_FORMAL, DType.INT64, self._sizes_type.shape)

    def _constant(self, name: str, its_names: Sequence[str]) -> None:
        """A constant for a smaller size must be the beginning of this one along each axis that has another extent, or one number
        that follows from the size.
        """
        if name in self.limits or name in self.renamed:
            return
        array = self.draft.constants[name]
        others: list[Sample[np.ndarray]] = []
        for sample, its_name in zip(self.samples, its_names, strict=True):
            its = sample.its.constants.get(its_name)
            if its is None or its.ndim != array.ndim:
                raise Refused(f"{name!r} is not constant for other sizes")
            others.append(Sample(sample.dim, sample.size, its))
        limits = constant_limits(name, array, others, self.capacities)
        if limits is not None:
            self._limit(name, limits)
            return
        type_ = self.types[name]
        where = index_vars(type_.rank)
        number = number_of_size(array, others, self._extents_known(), self._sizes_formal(), where)
        if number is None:
            raise Refused(f"the constant {name!r} has other contents for other sizes")
        definition = Pointwise((self._sizes_formal(),), type_, where, number, "size")
        self.renamed[name] = self._new(f"{name}.of_size", type_)
        sizes = self._sizes_of(*dims_in(number))
        self.steps.append(Step(definition, (sizes,), (self.renamed[name],), self.nodes))

    def _new(self, name: str, type_: TensorType) -> str:
        while name in self.types:
            name += "_"
        self.types[name] = type_
        return name

    def _pointwise(self, step: Step, definition: Pointwise, its: Sequence[Sample[Step]]) -> None:
        samples = []
        for other in its:
            if not isinstance(other.its.definition, Pointwise):
                raise Refused("it is computed in another way for other sizes")
            samples.append(Sample(other.dim, other.size, other.its.definition))
        value, has_sizes = substituted(definition, samples, self._extents_known(), self._sizes_formal())
        given = {
            formal.name: self._unified(self.limits.get(name, ()), step)
            for formal, name in zip(definition.inputs, step.inputs, strict=True)
        }
        changed = replace(definition, value=value)
        constants = {
            number: array
            for number, array in _constants_of(step, self.draft).items()
            if step.inputs[number] not in self.renamed
        }
        tables = Tables(changed, constants)
        limits = Reads(tables, given, samples, self._extents_known()).limits()
        step = self._reading(replace(step, definition=changed))
        if has_sizes:
            changed = replace(changed, inputs=(*changed.inputs, self._sizes_formal()))
            step = replace(
                step, definition=changed, inputs=(*step.inputs, self._sizes_of(*dims_in(changed.value)))
            )
        self.steps.append(step)
        self._limit(step.outputs[0], limits)

    def _unified(self, limits: Limits, step: Step) -> Limits:
        """Limits of an input of a step in the form that those of all inputs have: two ways to say the same are made one."""
        counts = {
            (limit.count, limit.each): self._plain(limit).count
            for name in step.inputs
            for limit in self.limits.get(name, ())
        }
        several = len(set(counts.values())) < len(counts)
        return tuple(map(self._plain, limits)) if several else limits

    def _reshape(self, step: Step, definition: Reshape, its: Sequence[Sample[Step]]) -> None:
        if not all(isinstance(other.its.definition, Reshape) for other in its):
            raise Refused("it is computed in another way for other sizes")
        given = self.limits.get(step.inputs[0], ())
        self._limit(step.outputs[0], tuple(self._reshaped(definition, limit) for limit in given))
        self.steps.append(self._reading(step))

    def _reshaped(self, definition: Reshape, given: Limit) -> Limit:
        """Where places are after a reshape."""
        old, new = definition.input.shape, definition.output.shape
        before = math.prod(old[: given.axis]) * given.rounds
        inside = given.each * math.prod(old[given.axis + 1 :])
        places = self._places(given)
        fitting: list[Limit] = []
        for axis, extent in enumerate(new):
            rounds, rest = divmod(before, max(math.prod(new[:axis]), 1))
            each, apart = divmod(extent, max(rounds * places, 1))
            if not rest and not apart and rounds and each * math.prod(new[axis + 1 :]) == inside:
                fitting.append(replace(given, axis=axis, each=each, rounds=rounds))
        if not fitting:
            raise Refused(f"a reshape from {list(old)} to {list(new)} takes places apart")
        return min(fitting, key=lambda limit: limit.rounds)

    def _plain(self, limit: Limit) -> Limit:
        """The same limit with places of one element, where the elements of a place have others of it beside them."""
        if limit.each == 1 or limit.rounds > 1:
            return limit
        count = count_of_count(limit.count, self.sizes[limit.count.dim], limit.each)
        return limit if count is None else replace(limit, count=count, each=1)

    def _is_alike(self, limit: Limit, axis: int, other: Limit) -> bool:
        """Whether a limit says of its axis, which is this one, what another says of its own."""
        return _where(self._plain(limit), axis) == _where(self._plain(other), axis) and limit.axis == axis

    def _has_axis(self, limits: Sequence[Limit], axis: int, limit: Limit) -> bool:
        return any(self._is_alike(its, axis, limit) for its in limits)

    def _add_along(
        self, way: Independent | Folded | Counted, limit: Limit, outputs: Sequence[list[Limit]]
    ) -> None:
        """Notes for each output the axis that has the places again."""
        fill = way.result if isinstance(way, Folded) and limit.rounds == 1 else None
        for axis, limits in zip(way.outputs, outputs, strict=True):
            if axis is not None and not self._has_axis(limits, axis, limit):
                limits.append(replace(limit, axis=axis, fill=fill))

    def _places(self, limit: Limit) -> int:
        """How many places there is room for."""
        return limit.count.at(self.capacities[limit.count.dim])

    # ─── templates ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _template(self, step: Step, definition: Template, its: Sequence[Sample[Step]]) -> None:
        outputs: list[list[Limit]] = [[] for _ in step.outputs]
        instead: dict[str, str] = {}
        counted: Limit | None = None
        for at, name in enumerate(step.inputs):
            for limit in self.limits.get(name, ()):
                way = self._way(step, definition, at, limit)
                if isinstance(way, Folded | Windowed):
                    self._require_places(definition, way.minimum, limit)
                if isinstance(way, Counted):
                    counted = limit
                if isinstance(way, Folded):
                    instead |= self._fill_all(step, way, limit, instead)
                if isinstance(way, Windowed):
                    instead |= self._fill(name, limit, way.neutral, instead)
                    _add_to_all(self._windows(way, self._plain(limit)), outputs)
                else:
                    self._add_along(way, limit, outputs)
        if definition.counting is not None:
            self._add_counted(definition.counting, outputs)
        for other in its:
            if not isinstance(other.its.definition, Template) or not same_template(
                definition, other.its.definition, self._extents(step, outputs, other)
            ):
                raise Refused(f"{definition.name.replace('_', ' ')} has other numbers for other sizes")
        reads = tuple(instead.get(name, self.renamed.get(name, name)) for name in step.inputs)
        step = replace(step, inputs=reads)
        self.steps.append(step if counted is None else self._counted(step, definition, counted))
        if definition.counting is not None:
            self._note_count(step, definition.counting)
        for name, some in zip(step.outputs, outputs, strict=True):
            self._limit(name, tuple(some))

    def _add_counted(self, counting: Counting, outputs: Sequence[list[Limit]]) -> None:
        """Notes for each output the axis that has as many places as are counted."""
        dim = self.counted[counting.name]
        if len(self.sizes[dim]) > 1:
            for axis, limits in zip(counting.axes, outputs, strict=True):
                limits.extend(() if axis is None else [Limit(axis, Count(dim))])

    def _note_count(self, step: Step, counting: Counting) -> None:
        """Puts what a step counts beside the other sizes of the call."""
        dim = self.counted[counting.name]
        before = [name for name, _ in self.vectors[-1:]]
        name = self._new(f"{SIZES}.{len(self.vectors)}", self._sizes_type)
        definition = noted_count(self._sizes_type, dim, not before)
        self.steps.append(Step(definition, (step.outputs[counting.output], *before), (name,), self.nodes))
        self.vectors.append((name, frozenset({dim})))

    def _way(
        self, step: Step, definition: Template, at: int, limit: Limit
    ) -> Independent | Folded | Windowed | Counted:
        """What a template does along an axis of an input."""
        plain = self._plain(limit)
        if at == 0 and (plain.each, plain.rounds) == (1, 1):
            for windows in definition.windowed:
                if windows.axis == limit.axis:
                    return windows
        if at == 0 and limit.rounds == 1 and limit.axis in definition.ordered:
            return Independent((limit.axis,), (limit.axis,) * len(step.outputs))
        counted = () if definition.counted is None or limit.each > 1 else (definition.counted,)
        known: tuple[Independent | Folded | Counted, ...] = (
            *definition.independent,
            *definition.folded,
            *counted,
        )
        for way in known:
            others = zip(way.inputs, step.inputs, strict=True)
            is_along = way.inputs[at] == limit.axis and all(
                axis is None or self._has_axis(self.limits.get(name, ()), axis, limit)
                for axis, name in others
            )
            if is_along and (limit.rounds == 1 or _takes_rounds(way)):
                return way
        raise Refused(f"{definition.name.replace('_', ' ')} over axis {limit.axis} combines places")

    def _require_places(self, definition: Template, minimum: int, limit: Limit) -> None:
        lowest = min(self.sizes[limit.count.dim])
        there = limit.count.at(lowest) * limit.each * limit.rounds
        if there < minimum:
            name = definition.name.replace("_", " ")
            raise Refused(f"for the size {lowest} there are {there} places, of which {name} needs {minimum}")

    def _counted(self, step: Step, definition: Template, limit: Limit) -> Step:
        """The step with the template that is told how many places there are."""
        assert definition.counted is not None
        type_ = definition.counted.type
        sizes = self._sizes_formal()
        number = cast(limit.count.expression(sizes, self._places(limit)), type_.dtype)
        name = self._new(f"{step.inputs[0]}.count", type_)
        count = Pointwise((sizes,), type_, index_vars(type_.rank), number, "count")
        self.steps.append(Step(count, (self._sizes_of(limit.count.dim),), (name,), self.nodes))
        reads = list(step.inputs)
        for position in definition.counted.positions:
            reads.insert(position, name)
        return replace(step, definition=definition.counted.make(), inputs=tuple(reads))

    def _windows(self, way: Windowed, limit: Limit) -> Limit:
        """How many windows there are."""
        count = count_of_count(limit.count, self.sizes[limit.count.dim], way.times, way.plus, way.over)
        if count is None:
            raise Refused(f"{way.times} times as many as {limit.count} places is not followed")
        return Limit(way.axis, count)

    def _extents(
        self, step: Step, outputs: Sequence[Sequence[Limit]], other: Sample[Step]
    ) -> set[tuple[int, int]]:
        """Pairs of extents of a step's values: with room, and in the other draft."""
        given = [limit for name in step.inputs for limit in self.limits.get(name, ())]
        return {
            (each * self._places(limit), each * limit.count.at(other.size))
            for limit in (*given, *(limit for some in outputs for limit in some))
            if limit.count.dim == other.dim
            for each in (limit.each * limit.rounds,)
        }

    # ─── neutral places ────────────────────────────────────────────────────────────────────────────────────────────

    def _fill_all(
        self, step: Step, way: Folded, limit: Limit, instead: Mapping[str, str]
    ) -> Mapping[str, str]:
        """Puts neutral places behind the last of each input of a step, along the axis that it combines."""
        filled = dict(instead)
        for name, axis in zip(step.inputs, way.inputs, strict=True):
            if axis is not None:
                its = next(its for its in self.limits[name] if self._is_alike(its, axis, limit))
                filled |= self._fill(name, its, way.neutral, filled)
        return filled

    def _fill(self, name: str, limit: Limit, neutral: float, instead: Mapping[str, str]) -> Mapping[str, str]:
        """Puts neutral places behind the last of a value.

        Args:
            name: the value.
            limit: one of its axes.
            neutral: what the places get.
            instead: what the step that needs it reads already in the place of values.

        Returns:
            A value that this step alone reads in the place of the other, which has other places there for others.
        """
        read = instead.get(name, name)
        its = next(its for its in self.limits[read] if self._is_alike(its, limit.axis, limit))
        if its.fill == neutral:
            return {}
        if its.fill is None and read == name:
            self._fill_everywhere(name, its, neutral)
            return {}
        return {name: self._filled(read, its, neutral, len(self.steps))}

    def _filled(self, name: str, limit: Limit, neutral: float, at: int) -> str:
        """A new value with neutral places, which the step with this number computes."""
        type_, places = self.types[name], self._places(limit)
        formal, sizes, index = (
            buffer("a0", type_.dtype, type_.shape),
            self._sizes_formal(),
            index_vars(type_.rank),
        )
        place: Expr = index[limit.axis] // limit.each
        if limit.rounds > 1:
            place = place % places
        is_there = compare("lt", place, limit.count.expression(sizes, places))
        value = select(is_there, Load(formal, index), Const(neutral, type_.dtype))
        definition = Pointwise((formal, sizes), type_, index, value, "fill")
        filled = self._new(f"{name}.filled", type_)
        reads = self.renamed.get(name, name), self._sizes_of(limit.count.dim)
        self.steps.insert(at, Step(definition, reads, (filled,), self.nodes))
        self.limits[filled] = tuple(
            replace(other, fill=neutral) if other == limit else other for other in self.limits[name]
        )
        return filled

    def _fill_everywhere(self, name: str, limit: Limit, neutral: float) -> None:
        """From here on a value is read with neutral places. They are put where it was computed, before it is only moved about."""
        moved = [(name, limit), *self._moved_from(name, limit)]
        source, at_source = moved[-1]
        read = self.renamed.get(source, source)
        needed = {read, self._sizes_of(at_source.count.dim)}
        at = (
            max((number for number, step in enumerate(self.steps) if needed & {*step.outputs}), default=-1)
            + 1
        )
        filled = self._filled(source, at_source, neutral, at)
        self.steps[at + 1 :] = [_with_input(step, read, filled) for step in self.steps[at + 1 :]]
        self.renamed[source] = filled
        for value, its in moved:
            self.limits[value] = tuple(
                replace(other, fill=neutral) if other == its else other for other in self.limits[value]
            )

    def _moved_from(self, name: str, limit: Limit) -> Iterator[tuple[str, Limit]]:
        """The values of which this one has the same elements elsewhere, the nearest first, and their axes limited alike."""
        makers = {output: step for step in self.steps for output in step.outputs}
        while name not in self.renamed and (step := makers.get(name)) is not None:
            before = self._source(step, limit)
            if before is None:
                return
            yield before
            name, limit = before

    def _source(self, step: Step, limit: Limit) -> tuple[str, Limit] | None:
        """What a step moves about."""
        if not step.inputs or step.inputs[0] in self.renamed.values():
            return None
        for its in self.limits.get(step.inputs[0], ()):
            match step.definition:
                case Reshape() as definition:
                    is_source = self._reshaped(definition, its) == limit
                case Pointwise(value=Load(index=index)) as definition:
                    is_source = (
                        index[its.axis] == definition.index[limit.axis]
                        and replace(its, axis=limit.axis) == limit
                    )
                case _:
                    return None
            if is_source:
                return step.inputs[0], its
        return None

    # ─── extents ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _extent_at(self, sample: Sample[Draft], name: str, axis: int, extent: int) -> int:
        """What an extent of a value must be for a sample's size."""
        for limit in self.limits.get(name, ()):
            if limit.axis == axis and limit.count.dim == sample.dim:
                extent = extent // max(self._places(limit), 1) * limit.count.at(sample.size)
        return extent

    def _require_extents(self, name: str, its_names: Sequence[str]) -> None:
        """Raises Refused where an extent of another draft is not what the limits say."""
        shape = self.types[name].shape
        for sample, its_name in zip(self.samples, its_names, strict=True):
            its_shape = sample.its.types[its_name].shape
            if len(its_shape) != len(shape):
                raise Refused(f"{name!r} has another rank for other sizes")
            for axis, (extent, its_extent) in enumerate(zip(shape, its_shape, strict=True)):
                if its_extent != self._extent_at(sample, name, axis, extent):
                    raise Refused(
                        f"axis {axis} of {name!r} follows from the size in a way that is not followed"
                    )


def _tables(step: Step, draft: Draft) -> Tables | None:
    if not isinstance(step.definition, Pointwise):
        return None
    return Tables(step.definition, _constants_of(step, draft))


def _constants_of(step: Step, draft: Draft) -> Mapping[int, np.ndarray]:
    """The inputs of a step that are constant, by their number."""
    return {
        number: draft.constants[name] for number, name in enumerate(step.inputs) if name in draft.constants
    }


def _over(step: Step, definition: Pointwise, left: Sequence[int]) -> Step:
    """A step with another definition, which has some of its inputs."""
    return replace(step, definition=definition, inputs=tuple(step.inputs[number] for number in left))


def _add_to_all(limit: Limit, outputs: Sequence[list[Limit]]) -> None:
    for limits in outputs:
        limits.append(limit)


def _takes_rounds(way: Independent | Folded | Counted) -> bool:
    """Whether places that are not there may stand between others."""
    return isinstance(way, Independent) or (isinstance(way, Folded) and not way.is_numbered)


def _where(limit: Limit, axis: int) -> tuple[int, Count, int, int]:
    return axis, limit.count, limit.each, limit.rounds


def _with_input(step: Step, name: str, other: str) -> Step:
    return replace(step, inputs=tuple(other if given == name else given for given in step.inputs))
