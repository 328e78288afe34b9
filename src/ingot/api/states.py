"""State of a build: which inputs are state, which of them a run changes in their place, and which grow."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingot.api.compared_sizes import smallest_size
from ingot.api.extents import Extents
from ingot.api.rooms import Growth
from ingot.api.shapes import Lower, Lowered
from ingot.artifact.model_info import DimInfo, StateInfo
from ingot.artifact.state_block import placed
from ingot.base.dims import Dim
from ingot.base.errors import ModelError
from ingot.base.observe import Observer
from ingot.base.tensor import TensorType
from ingot.graph.read.states import AUTO, State, grown_by, require_fixed, states_of
from ingot.plan.filled import with_few_columns, with_filled
from ingot.plan.growing import with_capacity
from ingot.plan.program import Draft
from ingot.plan.updates import with_updates

Variants = Mapping[tuple[int, ...], Lowered]


def growth_of(
    state: State,
    extents: Extents,
    lowered: Lower,
    symbols: Mapping[tuple[str, int], str],
) -> Growth:
    """How many places a step adds to states that grow, by the symbol of how many are filled.

    Args:
        state: what the caller says.
        extents: some that vary.
        lowered: reads and lowers the model.
        symbols: of extents that vary, by input and axis.
    """
    if state is None:
        return Growth()
    dims = list(extents.varying.values())
    lists = tuple(at for at, dim in enumerate(dims) if dim.sizes)
    every = itertools.product(*(dim.sizes or [smallest_size(dim)] for dim in dims))
    by_sizes = {
        tuple(sizes[at] for at in lists): _growth(state, lowered(extents.bound(sizes), frozenset()), symbols)
        for sizes in every
        if all(sizes)
    }
    return Growth(lists, by_sizes) if all(by_sizes.values()) else Growth()


def _growth(state: State, lowered: Lowered, symbols: Mapping[tuple[str, int], str]) -> dict[str, int]:
    name, ends = lowered.draft.name, types_of_ends(lowered)
    return grown_by(name, states_of(state, name, *ends, symbols), *ends)


def with_room_for_steps(model: str, extents: Extents, growth: Growth) -> Extents:
    """The extents with those of states that grow as they are before a step: what the shortest one adds must find room.

    Raises:
        ModelError: a range does not begin at 0, or no step finds room.
    """
    varying = dict(extents.varying)
    for name in growth.names:
        dim, (more, maximum) = varying[name], growth.ends(name)
        if dim.sizes or dim.low or dim.multiple_of != 1 or dim.high <= maximum:
            raise ModelError(
                f"model {model!r}: dims={{{name!r}: {dim}}}: a state that grows by {maximum} in each step begins with 0 places "
                f"and may have any number; give a range from 0 to what it may hold, more than {maximum}, such as "
                "ingot.dim(0, 2048)",
                dim=name,
            )
        varying[name] = Dim(0, dim.high - more)
    return replace(extents, varying=varying)


def grown_in_place(
    variants: Variants, states: Sequence[StateInfo], dims: tuple[DimInfo, ...]
) -> tuple[dict[tuple[int, ...], Lowered], tuple[StateInfo, ...], tuple[DimInfo, ...]]:
    """States that grow, in memory with room for all that they may hold: definitions, states and dims, of which the places of such
    states are sums. States of which that is not proven stay copies.
    """
    growing = [state for state in states if state.grows is not None]
    changed, proven = dict(variants), []
    for state in growing:
        wide = {sizes: _with_capacity(lowered, state) for sizes, lowered in changed.items()}
        updated = {
            sizes: _updated(replace(changed[sizes], draft=draft), [state])
            for sizes, draft in wide.items()
            if draft is not None
        }
        axes = [axes.get(state.input) for _, axes in updated.values()]
        if len(updated) == len(changed) and set(axes) == {state.grows}:
            changed = {sizes: lowered for sizes, (lowered, _) in updated.items()}
            proven.append(state)
    if proven:
        changed = {sizes: _with_few_columns(lowered) for sizes, lowered in changed.items()}
    filled = [replace(state, axis=state.grows) if state in proven else state for state in states]
    # With lists of what is new, programs have more room for what is there before than its size says.
    has_spare = any(dim.sums for dim in dims if dim.sizes)
    wider = {(state.input, state.grows) for state in (growing if has_spare else proven)}
    return (
        changed,
        placed(filled, types_of_ends(next(iter(changed.values())))[0]),
        tuple(_with_sums(dim, wider) for dim in dims),
    )


def _with_capacity(lowered: Lowered, state: StateInfo) -> Draft | None:
    assert state.grows is not None
    result = _by_output(lowered)[state.output]
    return with_capacity(lowered.draft, state.input, result, state.grows)


def _with_few_columns(lowered: Lowered) -> Lowered:
    """A program whose products go through no more columns of a state than are filled."""
    draft = lowered.draft
    steps = tuple(with_few_columns(step, draft.limits) for step in draft.steps)
    return replace(lowered, draft=replace(draft, steps=steps))


def _by_output(lowered: Lowered) -> dict[str, str]:
    """What the draft calls each output of the model."""
    names = [value.name or "" for value in lowered.prepared.graph.outputs]
    return dict(zip(names, lowered.draft.outputs, strict=True))


def _with_sums(dim: DimInfo, wider: set[tuple[str, int | None]]) -> DimInfo:
    """A dim of which these places have more room in programs than its size."""
    sums = (*dim.sums, *((name, axis, 0) for name, axis in dim.inputs if (name, axis) in wider))
    return replace(dim, inputs=tuple(place for place in dim.inputs if place not in wider), sums=sums)


def _require_one_axis(model: str, states: Sequence[StateInfo], dims: Sequence[DimInfo]) -> None:
    """Refuses a state that grows and has another extent that varies."""
    for state in states:
        others = [
            dim.name
            for dim in dims
            for name, axis, *_ in (*dim.places, *dim.outputs, *dim.counts)
            if state.grows is not None and name in (state.input, state.output) and axis != state.grows
        ]
        if others:
            raise ModelError(
                f"model {model!r}: state {state.input!r} grows with {state.dim}, and {others[0]} varies too; what is kept "
                f"may have one extent that varies: bind {others[0]} to a number",
                name=state.input,
            )


def checked_states(
    state: State,
    variants: Sequence[Lowered],
    dims: Sequence[DimInfo],
    symbols: Mapping[tuple[str, int], str],
    watcher: Observer,
) -> tuple[StateInfo, ...]:
    """The states that are asked for, checked in every program; of those that were found, the observer hears."""
    name = variants[0].draft.name
    types = [types_of_ends(variant) for variant in variants]
    states = placed(states_of(state, name, *types[0], symbols), types[0][0])
    _require_one_axis(name, states, dims)
    varying = {name for dim in dims for name, _ in dim.inputs}
    varying |= {name for dim in dims for name, *_ in dim.outputs} | {
        name for dim in dims for name, *_ in dim.counts
    }
    require_fixed(name, states, types, varying)
    if state == AUTO:
        pairs = ", ".join(f"{pair.input} from {pair.output}" for pair in states)
        watcher.note(f"model {name!r}: state is taken to be {pairs}")
    return states


def changed_in_place(
    models: Sequence[tuple[Variants, Sequence[StateInfo]]],
) -> list[tuple[dict[tuple[int, ...], Lowered], tuple[StateInfo, ...]]]:
    """The definitions with states that a run changes in their place, and the axis of each of these: those of which that is
    proven in all programs, along the same axis.

    Args:
        models: the programs and the states of a model; of several the same states, which are one.
    """
    loose = len(models) > 1
    tried = [
        {sizes: _updated(lowered, states, loose) for sizes, lowered in variants.items()}
        for variants, states in models
    ]
    axes = _common([axes for some in tried for _, axes in some.values()])
    changed = []
    for (variants, states), some in zip(models, tried, strict=True):
        common = [state for state in states if state.input in axes]
        programs = dict(variants)
        for sizes, (lowered, its_axes) in some.items() if common else ():
            has_more = len(its_axes) > len(common)  # than all programs can
            in_place = _updated(variants[sizes], common, loose)[0] if has_more else lowered
            programs[sizes] = replace(in_place, draft=with_filled(in_place.draft))
        filled = [replace(state, axis=axes.get(state.input)) for state in states]
        changed.append((programs, placed(filled, types_of_ends(next(iter(variants.values())))[0])))
    return changed


def _common(proven: Sequence[Mapping[str, int | None]]) -> dict[str, int]:
    """The axes of states that all programs change in their place, along one. What no program changes has the first axis."""
    axes = {}
    for name in set.intersection(*(set(some) for some in proven)):
        along = {axis for some in proven if (axis := some[name]) is not None}
        if len(along) <= 1:
            axes[name] = along.pop() if along else 0
    return axes


def _updated(
    lowered: Lowered, states: Sequence[StateInfo], loose: bool = False
) -> tuple[Lowered, Mapping[str, int | None]]:
    """One program with what can be changed in its place, and the axis of each such state."""
    draft, by_name = lowered.draft, _by_output(lowered)
    changed, axes = with_updates(draft, [(state.input, by_name[state.output]) for state in states], loose)
    return replace(lowered, draft=changed), axes


def types_of_ends(lowered: Lowered) -> tuple[dict[str, TensorType], dict[str, TensorType]]:
    """The types of inputs and of outputs by the names that the model gives them: a draft may have others for outputs."""
    draft = lowered.draft
    names = [value.name or "" for value in lowered.prepared.graph.outputs]
    return (
        {name: draft.stated(name) for name in draft.inputs},
        {name: draft.stated(value) for name, value in zip(names, draft.outputs, strict=False)},
    )
