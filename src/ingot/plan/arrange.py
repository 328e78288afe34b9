"""Storage at the edges of a model: its inputs and outputs are row-major, but some templates work well only on another order.

There a copy is put in between. It costs a pass over memory and room in the arena, so it is made only for processors with vectors
and caches, and for feature maps of so many channels that a template gains more than that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ingot.loops.define import Template
from ingot.plan.program import Arranged, Draft, Fused, Step
from ingot.target import Machine
from ingot.tensor import DType, TensorType

_CHANNELS_MIN = 16  # in one vector, at least: below that templates gain little


def arrange(draft: Draft, machines: Mapping[str, Machine]) -> Draft:
    """The draft with copies of model inputs, and of results that become model outputs, in the orders that templates prefer."""
    work = _Work(draft, machines)
    for step in draft.steps:
        work.add(step)
    return replace(draft, types=work.types, steps=tuple(work.steps))


class _Work:
    def __init__(self, draft: Draft, machines: Mapping[str, Machine]) -> None:
        self.draft = draft
        self.machines = machines
        self.types = dict(draft.types)
        self.steps: list[Step] = []
        self.copies: dict[tuple[str, tuple[int, ...], str], str] = {}
        self.renamed: dict[str, str] = {}  # a model output → the value that has it in another order

    def add(self, step: Step) -> None:
        inputs = [self.renamed.get(name, name) for name in step.inputs]
        outputs = list(step.outputs)
        after: list[Step] = []
        if isinstance(step.definition, Template | Fused) and self._pays(self.machines[step.key]):
            template = step.definition.template if isinstance(step.definition, Fused) else step.definition
            sources = step.definition.sources if isinstance(step.definition, Fused) else range(len(inputs))
            for (kind, position), order in template.prefers.items():
                if kind == "input":
                    source = sources[position]
                    if isinstance(source, int) and inputs[source] in self.draft.inputs:
                        inputs[source] = self._copied(inputs[source], order, step)
                elif outputs[position] in self.draft.outputs and self._gains(self.types[outputs[position]], order):
                    name = outputs[position]
                    outputs[position] = self.renamed[name] = self._fresh(name)
                    natural = tuple(range(len(order)))
                    after.append(Step(Arranged(self.types[name], natural), (outputs[position],), (name,), step.nodes, step.key))
        self.steps += [replace(step, inputs=tuple(inputs), outputs=tuple(outputs)), *after]

    @staticmethod
    def _pays(machine: Machine) -> bool:
        return not machine.grid and machine.l2_bytes > 0 and machine.lanes(DType.FLOAT32) > 1

    @staticmethod
    def _gains(type_: TensorType, order: tuple[int, ...]) -> bool:
        """Whether the dimension that is last in that order, and is not last in the model's, is long enough."""
        last = order[-1]
        return type_.shape[last] >= _CHANNELS_MIN and any(extent > 1 for extent in type_.shape[last + 1 :])

    def _copied(self, name: str, order: tuple[int, ...], step: Step) -> str:
        if not self._gains(self.types[name], order):
            return name
        key = (name, order, step.key)
        if key not in self.copies:
            self.copies[key] = made = self._fresh(name)
            self.steps.append(Step(Arranged(self.types[name], order), (name,), (made,), step.nodes, step.key))
        return self.copies[key]

    def _fresh(self, name: str) -> str:
        number = 0
        while (made := f"{name}.arranged{number or ''}") in self.types:
            number += 1
        self.types[made] = self.types[name]
        return made
