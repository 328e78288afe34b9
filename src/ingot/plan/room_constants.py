"""Constants that the steps of a draft with room read: for all sizes the same, or as expressions of the sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ingot.kernels.template import Pointwise, index_vars
from ingot.plan.program import Step
from ingot.plan.room_contents import contents_of_size
from ingot.plan.room_numbers import Refused, Sample, begin_alike, constant_limits
from ingot.plan.room_reads import dims_in
from ingot.plan.room_state import State
from ingot.plan.room_tables import Tables, kept_within, written_out


def follow_constant(state: State, name: str, its_names: Sequence[str]) -> None:
    """A constant for a smaller size must be the beginning of this one along each axis that has another extent, or one number
    that follows from the size.
    """
    if name in state.limits or name in state.renamed or name in state.right:
        return
    array = state.constants[name]
    others: list[Sample[np.ndarray]] = []
    for sample, its_name in zip(state.samples, its_names, strict=True):
        its = sample.its.constants.get(its_name)
        if its is None or its.ndim != array.ndim:
            raise Refused(f"{name!r} is not constant for other sizes")
        others.append(Sample(sample.dim, sample.size, its))
    state.set_limits(name, constant_limits(name, array, others, state.extents()))
    if begin_alike(array, others):
        return
    type_ = state.types[name]
    where = index_vars(type_.rank)
    value = contents_of_size(array, others, state.extents(), state.sizes_formal(), where)
    if value is None:
        raise Refused(f"the constant {name!r} has other contents for other sizes")
    definition = Pointwise((state.sizes_formal(),), type_, where, value, "size")
    state.renamed[name] = state.new_value(f"{name}.of_size", type_)
    sizes = state.sizes_of(*dims_in(value))
    state.steps.append(Step(definition, (sizes,), (state.renamed[name],), state.nodes))


def _tables(state: State, step: Step, its: Sequence[Sample[Step]]) -> Sequence[Tables]:
    """A pointwise step with its constants, for the largest size and for the others; nothing if it is no such step."""
    steps = [
        (step, state.constants),
        *((other.its, sample.its.constants) for other, sample in zip(its, state.samples, strict=True)),
    ]
    tables = [
        Tables(its_step.definition, constants_of(its_step, constants))
        for its_step, constants in steps
        if isinstance(its_step.definition, Pointwise)
    ]
    return tables if len(tables) == len(steps) else ()


def without_tables(
    state: State, step: Step, its: Sequence[Sample[Step]]
) -> tuple[Step, Sequence[Sample[Step]]]:
    """The steps with expressions in the place of constant tables that say which places they read, as far as these have some."""
    every = _tables(state, step, its)
    if not every:
        return step, its
    definitions, left = written_out(every[0], every[1:])
    step, its = _over(step, definitions[0], left), _all_over(its, definitions[1:], left)
    every = _tables(state, step, its)
    definitions, bound = kept_within(every[0], every[1:])
    names = list(step.inputs)
    for number in bound:
        names[number] = _table(state, names[number], [tables.constants[number] for tables in every[1:]])
    step, left = replace(step, inputs=tuple(names)), range(len(names))
    return _over(step, definitions[0], left), _all_over(its, definitions[1:], left)


def _table(state: State, name: str, others: Sequence[np.ndarray]) -> str:
    """The constant under another name, for steps for which it is right though other sizes have other contents."""
    new = state.new_value(f"{name}.table", state.types[name])
    state.constants[new] = array = state.constants[name]
    samples = [
        Sample(sample.dim, sample.size, its) for sample, its in zip(state.samples, others, strict=True)
    ]
    state.set_limits(new, constant_limits(name, array, samples, state.extents()))
    state.right.add(new)
    return new


def constants_of(step: Step, constants: Mapping[str, np.ndarray]) -> Mapping[int, np.ndarray]:
    """The inputs of a step that are constant, by their number."""
    return {number: constants[name] for number, name in enumerate(step.inputs) if name in constants}


def _over(step: Step, definition: Pointwise, left: Sequence[int]) -> Step:
    """A step with another definition, which has some of its inputs."""
    return replace(step, definition=definition, inputs=tuple(step.inputs[number] for number in left))


def _all_over(
    its: Sequence[Sample[Step]], definitions: Sequence[Pointwise], left: Sequence[int]
) -> Sequence[Sample[Step]]:
    return [
        replace(other, its=_over(other.its, definition, left))
        for other, definition in zip(its, definitions, strict=True)
    ]
