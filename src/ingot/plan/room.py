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

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingot.kernels.select.note_count import noted_count
from ingot.kernels.template import (
    Counted,
    Counting,
    Folded,
    Independent,
    Mean,
    Pointwise,
    Reshape,
    Template,
    Windowed,
    index_vars,
)
from ingot.loops.analyse.counts import Count, Limit, count_of_count
from ingot.loops.nodes import cast, index
from ingot.plan.items import Mixed
from ingot.plan.program import Draft, Step
from ingot.plan.room_constants import constants_of, follow_constant, without_tables
from ingot.plan.room_fill import fill, fill_all, margins_of
from ingot.plan.room_means import divided
from ingot.plan.room_moves import Axis, axes_of, gathered, groups_of, joined, joined_count, reshaped
from ingot.plan.room_numbers import Refused, Sample, limits_of_extent, same_template
from ingot.plan.room_reads import Reads, dims_in, kept_inside, substituted
from ingot.plan.room_state import SIZES, Limits, State
from ingot.plan.room_tables import Tables


def with_room(
    draft: Draft,
    samples: Sequence[Sample[Draft]],
    places: Sequence[Sequence[tuple[str, int]]],
    sizes: Sequence[Sequence[int]],
    counted: Mapping[str, int] | None = None,
    longer: Sequence[Sequence[tuple[str, int, int]]] = (),
) -> Draft | Mixed:
    """A draft that serves all sizes of some dims, or what needs another draft for each size.

    Args:
        draft: lowered for the largest size of each dim.
        samples: the same model, each lowered for a smaller size of one dim; at least two for each dim with room.
        places: for each dim, the inputs and axes that have its size; none for one that this is not about.
        sizes: for each dim, those that calls may have.
        counted: the dims whose sizes are found out while running, by the name of who counts (`Counting`). A dim is either such
            a one or has places.
        longer: for each dim, inputs and axes that have more places than its size, and how many more; left out, none.
    """
    making = _Making(draft, samples, tuple(map(max, sizes)), sizes, counted or {})
    try:
        return making.room(places, longer)
    except Refused as error:
        return Mixed(error.why, making.nodes)


class _Making(State):
    """Goes from step to step."""

    def room(
        self,
        places: Sequence[Sequence[tuple[str, int]]],
        longer: Sequence[Sequence[tuple[str, int, int]]],
    ) -> Draft:
        draft = self.draft
        self.constants = dict(draft.constants)
        self.types = dict(draft.types)
        given = frozenset(dim for dim, inputs in enumerate(places) if inputs)
        if given or not self.counted:
            self.types[SIZES] = self.sizes_type
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
        for dim, sums in enumerate(longer):
            for name, axis, plus in sums:
                self.limits[name] = (*self.limits.get(name, ()), Limit(axis, Count(dim, plus=plus)))
        self.margins = margins_of(draft)
        for at, name in enumerate(draft.inputs):
            self._require_extents(name, [sample.its.inputs[at] for sample in self.samples])
        for at, step in enumerate(draft.steps):
            self.nodes = step.nodes
            self._follow(
                step, [Sample(sample.dim, sample.size, sample.its.steps[at]) for sample in self.samples]
            )
        self.nodes = ()
        for at, name in enumerate(draft.outputs):
            if name in self.constants:
                follow_constant(self, name, [sample.its.outputs[at] for sample in self.samples])
        outputs = tuple(map(self._output, draft.outputs))
        return replace(
            draft,
            types=self.types,
            inputs=(*draft.inputs, SIZES) if SIZES in self.types else draft.inputs,
            outputs=(*outputs, self.vectors[-1][0]) if self.counted else outputs,
            constants=self.constants,
            steps=tuple(self.steps),
            limits=self.limits,
            sizes=tuple(self.vectors),
        )

    def _output(self, name: str) -> str:
        """The value that is an output, in a form that callers read."""
        name = self.renamed.get(name, name) if name in self.constants else name
        if any(limit.rounds > 1 for limit in self.limits.get(name, ())):
            name = self._gather(name)
        if any(limit.each > 1 and limit.count.over > 1 for limit in self.limits.get(name, ())):
            raise Refused(f"the output {name!r} has places that belong together apart")
        return name

    # ─── a step ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _follow(self, step: Step, its: Sequence[Sample[Step]]) -> None:
        for other in its:
            if (len(other.its.inputs), len(other.its.outputs)) != (len(step.inputs), len(step.outputs)):
                raise Refused("it has other operands for other sizes")
        step, its = without_tables(self, step, its)
        for at, name in enumerate(step.inputs):
            if name in self.constants:
                follow_constant(self, name, [other.its.inputs[at] for other in its])
        try:
            self._define(step, its)
        except Refused:
            gathered = self._gathered(step)
            if gathered is step:
                raise
            self._define(gathered, its)
        for at, name in enumerate(step.outputs):
            self._require_extents(name, [other.its.outputs[at] for other in its])

    def _define(self, step: Step, its: Sequence[Sample[Step]]) -> None:
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

    def _gathered(self, step: Step) -> Step:
        """The step that reads its inputs with no places between others that are not there."""
        names = [
            self._gather(name) if any(limit.rounds > 1 for limit in self.limits.get(name, ())) else name
            for name in step.inputs
        ]
        return step if names == list(step.inputs) else replace(step, inputs=tuple(names))

    def _gather(self, name: str) -> str:
        """The value with the places that are there one behind another."""
        type_, limits = self.types[name], self.limits[name]
        definition = gathered(type_, axes_of(type_, limits), self.sizes_formal())
        new = self.new_value(f"{name}.gathered", type_)
        reads = self.renamed.get(name, name), self.sizes_of(*dims_in(definition.value))
        self.steps.append(Step(definition, reads, (new,), self.nodes))
        self.limits[new] = tuple(map(self._together, limits))
        return new

    def _together(self, limit: Limit) -> Limit:
        """The limit of an axis whose places that are there are one behind another."""
        if limit.rounds == 1:
            return limit.unfilled()
        count = count_of_count(limit.count, self.sizes[limit.count.dim], limit.each * limit.rounds)
        if count is None:
            raise Refused(f"{limit.rounds} times as many as {limit.count} places is not followed")
        return Limit(limit.axis, count)

    def _pointwise(self, step: Step, definition: Pointwise, its: Sequence[Sample[Step]]) -> None:
        samples = []
        for other in its:
            if not isinstance(other.its.definition, Pointwise):
                raise Refused("it is computed in another way for other sizes")
            samples.append(Sample(other.dim, other.size, other.its.definition))
        value, has_sizes = substituted(definition, samples, self.extents(), self.sizes_formal())
        given = {
            formal.name: self._unified(self.limits.get(name, ()), step)
            for formal, name in zip(definition.inputs, step.inputs, strict=True)
        }
        changed = replace(definition, value=value)
        constants = {
            number: array
            for number, array in constants_of(step, self.constants).items()
            if step.inputs[number] not in self.renamed
        }
        tables = Tables(changed, constants)
        limits = Reads(tables, given, samples, self.extents()).limits()
        if has_sizes:
            changed = replace(changed, value=kept_inside(changed))
        step = self.reading(replace(step, definition=changed))
        if has_sizes:
            changed = replace(changed, inputs=(*changed.inputs, self.sizes_formal()))
            sizes = self.sizes_of(*dims_in(changed.value))
            step = replace(step, definition=changed, inputs=(*step.inputs, sizes))
        self.steps.append(step)
        self.set_limits(step.outputs[0], limits)

    def _unified(self, limits: Limits, step: Step) -> Limits:
        """Limits of an input of a step in the form that those of all inputs have: two ways to say the same are made one."""
        counts = {
            (limit.count, limit.each): self.plain(limit).count
            for name in step.inputs
            for limit in self.limits.get(name, ())
        }
        several = len(set(counts.values())) < len(counts)
        return tuple(map(self.plain, limits)) if several else limits

    def _reshape(self, step: Step, definition: Reshape, its: Sequence[Sample[Step]]) -> None:
        if not all(isinstance(other.its.definition, Reshape) for other in its):
            raise Refused("it is computed in another way for other sizes")
        given = self.limits.get(step.inputs[0], ())
        try:
            limits = tuple(self.reshaped(definition, limit) for limit in given)
        except Refused:
            self._copied(step, definition, its)
            return
        self.set_limits(step.outputs[0], limits)
        self.steps.append(self.reading(step))

    def _copied(self, step: Step, definition: Reshape, its: Sequence[Sample[Step]]) -> None:
        """A reshape that takes places apart: it moves elements where for the largest size nothing moves."""
        old, new = definition.input, definition.output
        given = self.limits.get(step.inputs[0], ())
        if any(limit.rounds > 1 for limit in given):
            raise Refused(f"a reshape from {list(old.shape)} to {list(new.shape)} takes places apart")
        samples = [
            Sample(other.dim, other.size, other.its.definition)
            for other in its
            if isinstance(other.its.definition, Reshape)
        ]
        shapes = [
            (old.shape, new.shape),
            *((each.its.input.shape, each.its.output.shape) for each in samples),
        ]
        groups = groups_of(shapes)
        kept = {group.begin: group.new_begin for group in groups if group.is_kept}
        limits = [replace(limit, axis=kept[limit.axis]) for limit in given if limit.axis in kept]
        known = [limit.count for limit in given]
        for axis in range(new.rank):
            if axis in kept.values():
                continue
            extents = [Sample(each.dim, each.size, each.its.output.shape[axis]) for each in samples]
            limits += limits_of_extent(axis, new.shape[axis], extents, self.extents(), known)
        if len({limit.axis for limit in limits}) < len(limits):
            raise Refused(f"a reshape from {list(old.shape)} to {list(new.shape)} merges places of two dims")
        moved = reshaped((old, axes_of(old, given)), (new, axes_of(new, limits)), groups, self.sizes_formal())
        step = self.reading(step)
        sizes = self.sizes_of(*dims_in(moved.value))
        self.steps.append(replace(step, definition=moved, inputs=(*step.inputs, sizes)))
        self.set_limits(step.outputs[0], tuple(limits))

    def _add_along(
        self, way: Independent | Folded | Counted, limit: Limit, outputs: Sequence[list[Limit]]
    ) -> None:
        """Notes for each output the axis that has the places again."""
        fill = way.result if isinstance(way, Folded) and limit.rounds == 1 else None
        for axis, limits in zip(way.outputs, outputs, strict=True):
            if axis is not None and not self.has_axis(limits, axis, limit):
                limits.append(replace(limit.unfilled(), axis=axis, fill=fill))

    # ─── templates ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _template(self, step: Step, definition: Template, its: Sequence[Sample[Step]]) -> None:
        along = definition.joined
        if along is not None and any(
            limit.axis == along for name in step.inputs for limit in self.limits.get(name, ())
        ):
            self._join(step, definition, along, its)
            return
        outputs: list[list[Limit]] = [[] for _ in step.outputs]
        instead: dict[str, str] = {}
        counted: Limit | None = None
        means: list[Limit] = []
        for at, name in enumerate(step.inputs):
            for limit in self.limits.get(name, ()):
                way = self._way(step, definition, at, limit)
                picks = isinstance(way, Folded) and self.counted and way.picked
                if isinstance(way, Folded | Windowed) and not picks:
                    self._require_places(definition, way.minimum, limit)
                if isinstance(way, Folded) and picks:
                    self._add_picked(way, self.plain(limit), outputs)
                if isinstance(way, Counted):
                    counted = limit
                if isinstance(way, Folded):
                    instead |= fill_all(self, step, way, limit, instead)
                if isinstance(way, Windowed):
                    instead |= self._fill_windows(way, name, limit, instead)
                    plain = self.plain(limit)
                    _add_to_all(self._windows(way, plain), outputs)
                    means += [plain] if way.is_mean else []
                else:
                    self._add_along(way, limit, outputs)
        if definition.counting is not None:
            self._add_counted(definition.counting, outputs)
        self._require_same(step, definition, its, outputs)
        reads = tuple(instead.get(name, self.renamed.get(name, name)) for name in step.inputs)
        step = replace(step, inputs=reads)
        if definition.mean is not None and means:
            self._divide(step, definition.mean, means)
        else:
            self.steps.append(step if counted is None else self._counted(step, definition, counted))
        if definition.counting is not None:
            self._note_count(step, definition.counting)
        for name, some in zip(step.outputs, outputs, strict=True):
            self.set_limits(name, tuple(some))

    def _fill_windows(
        self, way: Windowed, name: str, limit: Limit, instead: Mapping[str, str]
    ) -> Mapping[str, str]:
        """Puts neutral places behind the last of a value, as far as windows that are there reach."""
        if way.reach == 0:
            return {}
        margin = None if way.reach is None else self.margins.get((name, limit.axis))
        return fill(self, name, limit, way.neutral, instead, margin)

    def _add_picked(self, way: Folded, limit: Limit, outputs: Sequence[list[Limit]]) -> None:
        """Notes for each output the axis that has the first of the places, as many as there are."""
        cap = way.minimum if limit.count.cap is None else min(way.minimum, limit.count.cap)
        is_all = limit.count.at(min(self.sizes[limit.count.dim])) >= way.minimum
        for axis, limits in zip(way.picked, outputs, strict=True):
            if axis is not None and not is_all:
                limits.append(Limit(axis, replace(limit.count, cap=cap)))

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
        name = self.new_value(f"{SIZES}.{len(self.vectors)}", self.sizes_type)
        definition = noted_count(self.sizes_type, dim, not before)
        self.steps.append(Step(definition, (step.outputs[counting.output], *before), (name,), self.nodes))
        self.vectors.append((name, frozenset({dim})))

    def _require_same(
        self, step: Step, definition: Template, its: Sequence[Sample[Step]], outputs: Sequence[list[Limit]]
    ) -> None:
        for other in its:
            if not isinstance(other.its.definition, Template) or not same_template(
                definition, other.its.definition, self._extents(step, outputs, other)
            ):
                raise Refused(f"{definition.name.replace('_', ' ')} has other numbers for other sizes")

    def _join(self, step: Step, definition: Template, along: int, its: Sequence[Sample[Step]]) -> None:
        """Values one behind another, of which some have places that are not there behind the last."""
        limits: list[Limit] = []
        parts: list[Axis] = []
        for at, (name, type_) in enumerate(zip(step.inputs, definition.inputs, strict=True)):
            own = self.limits.get(name, ())
            parts.append(axes_of(type_, own)[along])
            for limit in own:
                way = None if limit.axis == along else self._way(step, definition, at, limit)
                if isinstance(way, Independent):
                    self._add_along(way, limit, [limits])
        if any(part.limit is not None and part.limit.rounds > 1 for part in parts):
            raise Refused("places that are apart are joined to others")
        total = joined_count(parts, self.capacities, self.sizes)
        if total is None:
            raise Refused("how many places there are of all that are joined is not followed")
        limits.append(Limit(along, total))
        self._require_same(step, definition, its, [limits])
        moved = joined(definition.inputs, parts, definition.outputs[0], along, self.sizes_formal())
        step = self.reading(step)
        sizes = self.sizes_of(*dims_in(moved.value))
        self.steps.append(replace(step, definition=moved, inputs=(*step.inputs, sizes)))
        self.set_limits(step.outputs[0], tuple(limits))

    def _way(
        self, step: Step, definition: Template, at: int, limit: Limit
    ) -> Independent | Folded | Windowed | Counted:
        """What a template does along an axis of an input."""
        plain = self.plain(limit)
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
                axis is None or self.has_axis(self.limits.get(name, ()), axis, limit) for axis, name in others
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
        sizes = self.sizes_formal()
        number = cast(limit.count.expression(sizes, self.places(limit)), type_.dtype)
        name = self.new_value(f"{step.inputs[0]}.count", type_)
        count = Pointwise((sizes,), type_, index_vars(type_.rank), number, "count")
        self.steps.append(Step(count, (self.sizes_of(limit.count.dim),), (name,), self.nodes))
        reads = list(step.inputs)
        for position in definition.counted.positions:
            reads.insert(position, name)
        return replace(step, definition=definition.counted.make(), inputs=tuple(reads))

    def _divide(self, step: Step, mean: Mean, limits: Sequence[Limit]) -> None:
        """Means over windows, of which some reach behind the last place that is there."""
        sums = self.new_value(f"{step.outputs[0]}.sum", self.types[step.outputs[0]])
        sizes, shape = self.sizes_formal(), self.types[step.inputs[0]].shape
        there = {limit.axis: limit.count.expression(sizes, self.places(limit)) for limit in limits}
        taps = [(its, there.get(its.axis, index(shape[its.axis]))) for its in mean.taps]
        quotient = divided(self.types[sums], taps, sizes)
        reads = sums, self.sizes_of(*dims_in(quotient.value))
        self.steps += [
            replace(step, definition=mean.make(), outputs=(sums,)),
            Step(quotient, reads, step.outputs, self.nodes),
        ]

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
            (each * self.places(limit), each * limit.count.at(other.size))
            for limit in (*given, *(limit for some in outputs for limit in some))
            if limit.count.dim == other.dim
            for each in (limit.each * limit.rounds,)
        }

    # ─── neutral places ────────────────────────────────────────────────────────────────────────────────────────────

    # ─── extents ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _extent_at(self, sample: Sample[Draft], name: str, axis: int, extent: int) -> int:
        """What an extent of a value must be for a sample's size."""
        for limit in self.limits.get(name, ()):
            if limit.axis == axis and limit.count.dim == sample.dim:
                extent = extent // max(self.places(limit), 1) * limit.count.at(sample.size)
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


def _add_to_all(limit: Limit, outputs: Sequence[list[Limit]]) -> None:
    for limits in outputs:
        limits.append(limit)


def _takes_rounds(way: Independent | Folded | Counted) -> bool:
    """Whether places that are not there may stand between others."""
    return isinstance(way, Independent) or (isinstance(way, Folded) and not way.is_numbered)
