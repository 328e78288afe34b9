"""Orders in which templates work well, where a value would have another one.

A copy is put in between. It costs a pass over memory and room in the arena, so it is made only for processors with vectors and
caches, and for feature maps of so many channels that a template gains more than that. At the edges of a model, whose inputs and
outputs are row-major, that is known beforehand; inside of it when a layout was chosen. What a template turns while it stores it
needs no copy.

Cheaper than a copy is a pointwise or reshaped result which only such templates read: it is written in their order in the first
place, whatever order its operands have. So a convolution finds its channels side by side behind a group normalisation, for which
each of them is a plane.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Pointwise, Reshape, Template
from ingot.machines.machine import Machine
from ingot.plan.program import Arranged, Draft, Fused, Step, Value


def arrange(
    draft: Draft, machines: Mapping[str, Machine], values: Mapping[str, Value] | None = None
) -> Draft:
    """The draft with copies of model inputs, and of results that become model outputs, in the orders that templates prefer; or,
    where `values` says how all is stored, of whatever a template reads in another order.
    """
    work = _Work(draft, machines, values)
    for step in draft.steps:
        work.add(step)
    return replace(draft, types=work.types, steps=tuple(work.steps))


def orders_of_results(draft: Draft, machines: Mapping[str, Machine]) -> dict[str, tuple[int, ...]]:
    """The orders of pointwise and reshaped results that all who read them prefer."""
    orders: dict[str, set[tuple[int, ...] | None]] = {}
    for step in draft.steps:
        preferred: dict[int, tuple[int, ...]] = {}
        if isinstance(step.definition, Template | Fused) and _pays(machines[step.key]):
            preferred = {at: order for kind, at, order in _preferences(step.definition) if kind == "input"}
        for number, name in enumerate(step.inputs):
            orders.setdefault(name, set()).add(preferred.get(number))
    made_on = {
        step.outputs[0]: step.key for step in draft.steps if isinstance(step.definition, Pointwise | Reshape)
    }
    results = made_on.keys() - set(draft.outputs)
    return {
        name: order
        for name, (order, *others) in orders.items()
        if name in results
        and order is not None
        and not others
        and _gains(machines[made_on[name]], draft.types[name], order)
    }


def _preferences(definition: Template | Fused) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Which operands and results of a step a template likes in which order. Not of operands read through an expression."""
    template = definition.template if isinstance(definition, Fused) else definition
    sources = definition.sources if isinstance(definition, Fused) else range(len(template.inputs))
    for (kind, position), order in template.prefers.items():
        number = sources[position] if kind == "input" else position
        if isinstance(number, int):
            yield kind, number, order


def _turns(definition: Template | Fused) -> bool:
    return (definition.template if isinstance(definition, Fused) else definition).turns


def _pays(machine: Machine) -> bool:
    return not machine.grid and machine.l2_bytes > 0 and machine.lanes(DType.FLOAT32) > 1


def _gains(machine: Machine, type_: TensorType, order: tuple[int, ...]) -> bool:
    """Whether the dimension that is last in that order, and is not last in the model's, is long enough."""
    last = order[-1]
    return type_.shape[last] >= machine.tuning.conv.arrange_min_channels and any(
        extent > 1 for extent in type_.shape[last + 1 :]
    )


class _Work:
    """Copies for the edges of a model, or, if it is known how they are stored, for `values`."""

    def __init__(
        self, draft: Draft, machines: Mapping[str, Machine], values: Mapping[str, Value] | None = None
    ) -> None:
        self.draft = draft
        self.machines = machines
        self.values = values
        self.types = dict(draft.types)
        self.steps: list[Step] = []
        self.copies: dict[tuple[str, tuple[int, ...], str], str] = {}
        self.renamed: dict[str, str] = {}  # a model output → the value that has it in another order

    def add(self, step: Step) -> None:
        inputs = [self.renamed.get(name, name) for name in step.inputs]
        outputs = list(step.outputs)
        after: list[Step] = []
        if isinstance(step.definition, Template | Fused) and _pays(self.machines[step.key]):
            for kind, position, order in _preferences(step.definition):
                if kind == "input":
                    if self._is_amiss(inputs[position], order):
                        inputs[position] = self._copied(inputs[position], order, step)
                    continue
                name = outputs[position]
                at_edge = self.values is None and name in self.draft.outputs and not _turns(step.definition)
                if at_edge and _gains(self.machines[step.key], self.types[name], order):
                    outputs[position] = self.renamed[name] = self._fresh(name)
                    natural = tuple(range(len(order)))
                    after.append(
                        Step(
                            Arranged(self.types[name], natural),
                            (outputs[position],),
                            (name,),
                            step.nodes,
                            step.key,
                        )
                    )
        self.steps += [replace(step, inputs=tuple(inputs), outputs=tuple(outputs)), *after]

    def _is_amiss(self, name: str, order: tuple[int, ...]) -> bool:
        """Whether a value that is preferred in that order is stored in another one."""
        if self.values is None:
            return name in self.draft.inputs
        value = self.values[name]
        return name not in self.draft.constants and value.strides[order[-1]] != 1

    def _copied(self, name: str, order: tuple[int, ...], step: Step) -> str:
        if not _gains(self.machines[step.key], self.types[name], order):
            return name
        key = (name, order, step.key)
        if key not in self.copies:
            self.copies[key] = copy = self._fresh(name)
            # Of no branch: the next one to read it may be of another.
            self.steps.append(Step(Arranged(self.types[name], order), (name,), (copy,), step.nodes, step.key))
        return self.copies[key]

    def _fresh(self, name: str) -> str:
        number = 0
        while (fresh := f"{name}.arranged{number or ''}") in self.types:
            number += 1
        self.types[fresh] = self.types[name]
        return fresh
