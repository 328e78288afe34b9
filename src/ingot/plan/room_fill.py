"""Neutral places behind the last that is there, before a step of a draft with room that combines places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ingot.kernels.template import Folded, Pointwise, Reshape, Template, index_vars
from ingot.loops.analyse.counts import Limit
from ingot.loops.nodes import Const, Expr, Load, buffer, compare, select
from ingot.plan.program import Draft, Step
from ingot.plan.room_state import Limits, State


def fill_all(
    state: State, step: Step, way: Folded, limit: Limit, instead: Mapping[str, str]
) -> Mapping[str, str]:
    """Puts neutral places behind the last of each input of a step, along the axis that it combines."""
    filled = dict(instead)
    for name, axis in zip(step.inputs, way.inputs, strict=True):
        if axis is not None:
            its = next(its for its in state.limits[name] if state.is_alike(its, axis, limit))
            filled |= fill(state, name, its, way.neutral, filled)
    return filled


def fill(
    state: State,
    name: str,
    limit: Limit,
    neutral: float,
    instead: Mapping[str, str],
    margin: int | None = None,
) -> Mapping[str, str]:
    """Puts neutral places behind the last of a value.

    Args:
        name: the value.
        limit: one of its axes.
        neutral: what the places get.
        instead: what the step that needs it reads already in the place of values.
        margin: how many neutral places behind the last are enough; None: those of `FILL_MULTIPLE`.

    Returns:
        A value that this step alone reads in the place of the other, which has other places there for others.
    """
    read = instead.get(name, name)
    its = next(its for its in state.limits[read] if state.is_alike(its, limit.axis, limit))
    if its.fill == neutral and (its.margin is None or (margin is not None and margin <= its.margin)):
        return {}
    behind = _Behind(neutral, margin)
    if its.fill is None and read == name:
        _fill_everywhere(state, name, its, behind)
        return {}
    return {name: _filled(state, read, its, behind, len(state.steps))}


@dataclass(frozen=True, slots=True)
class _Behind:
    """What is behind the last place: a value, in so many places (None: as many as `FILL_MULTIPLE` says)."""

    value: float
    margin: int | None

    def put(self, limits: Limits, limit: Limit) -> Limits:
        """The limits of a value of which one has this behind it."""
        filled = replace(limit, fill=self.value, margin=self.margin)
        return tuple(filled if other == limit else other for other in limits)


def margins_of(draft: Draft) -> Mapping[tuple[str, int], int]:
    """Of values and axes, how many places behind the last are under windows that are there."""
    margins: dict[tuple[str, int], int] = {}
    for step in draft.steps:
        for windows in step.definition.windowed if isinstance(step.definition, Template) else ():
            key = step.inputs[0], windows.axis
            margins[key] = max(margins.get(key, 0), windows.reach or 0)
    return margins


def _filled(state: State, name: str, limit: Limit, behind: _Behind, at: int) -> str:
    """A new value with neutral places, which the step with this number computes."""
    type_, places = state.types[name], state.places(limit)
    formal, sizes, index = (
        buffer("a0", type_.dtype, type_.shape),
        state.sizes_formal(),
        index_vars(type_.rank),
    )
    place: Expr = index[limit.axis] // limit.each
    if limit.rounds > 1:
        place = place % places
    is_there = compare("lt", place, limit.count.expression(sizes, places))
    value = select(is_there, Load(formal, index), Const(behind.value, type_.dtype))
    definition = Pointwise((formal, sizes), type_, index, value, "fill")
    filled = state.new_value(f"{name}.filled", type_)
    reads = state.renamed.get(name, name), state.sizes_of(limit.count.dim)
    state.steps.insert(at, Step(definition, reads, (filled,), state.nodes))
    state.limits[filled] = behind.put(state.limits[name], limit)
    return filled


def _fill_everywhere(state: State, name: str, limit: Limit, behind: _Behind) -> None:
    """From here on a value is read with neutral places. They are put where it was computed, before it is only moved about."""
    moved = [(name, limit), *_moved_from(state, name, limit)]
    source, at_source = moved[-1]
    read = state.renamed.get(source, source)
    needed = {read, state.sizes_of(at_source.count.dim)}
    at = max((number for number, step in enumerate(state.steps) if needed & {*step.outputs}), default=-1) + 1
    filled = _filled(state, source, at_source, behind, at)
    state.steps[at + 1 :] = [_with_input(step, read, filled) for step in state.steps[at + 1 :]]
    state.renamed[source] = filled
    for value, its in moved:
        state.limits[value] = behind.put(state.limits[value], its)


def _moved_from(state: State, name: str, limit: Limit) -> Iterator[tuple[str, Limit]]:
    """The values of which this one has the same elements elsewhere, the nearest first, and their axes limited alike."""
    makers = {output: step for step in state.steps for output in step.outputs}
    while name not in state.renamed and (step := makers.get(name)) is not None:
        before = _source(state, step, limit)
        if before is None:
            return
        yield before
        name, limit = before


def _source(state: State, step: Step, limit: Limit) -> tuple[str, Limit] | None:
    """What a step moves about."""
    if not step.inputs or step.inputs[0] in state.renamed.values():
        return None
    for its in state.limits.get(step.inputs[0], ()):
        match step.definition:
            case Reshape() as definition:
                is_source = state.reshaped(definition, its) == limit
            case Pointwise(value=Load(index=index)) as definition:
                is_source = (
                    index[its.axis] == definition.index[limit.axis] and replace(its, axis=limit.axis) == limit
                )
            case _:
                return None
        if is_source:
            return step.inputs[0], its
    return None


def _with_input(step: Step, name: str, other: str) -> Step:
    return replace(step, inputs=tuple(other if given == name else given for given in step.inputs))
