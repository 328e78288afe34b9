"""Several targets: copies between memories, and the part of a program that each target gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ingot.base.tensor import TensorType
from ingot.kernels.template import pointwise
from ingot.plan.names import unused
from ingot.plan.program import HOST, Call, CompileUnit, Draft, MemoryPlan, Program, Send, Step


def transfer(draft: Draft, spaces: Mapping[str, str]) -> Draft:
    """Copies every value that a step reads from another memory, once for each memory; constants are placed in each instead.

    `spaces` has the memory space of each target key; of one not in it, the host's.
    """
    if all(spaces.get(step.key, HOST) == HOST for step in draft.steps):
        return draft
    return _Work(draft, spaces).draft()


class _Work:
    def __init__(self, draft: Draft, spaces: Mapping[str, str]) -> None:
        self._draft = draft
        self._spaces = spaces
        self._types: dict[str, TensorType] = dict(draft.types)
        self._constants: dict[str, np.ndarray] = {}
        self._steps: list[Step] = []
        self._there: dict[tuple[str, str], str] = {}  # (value, space) → its name there
        self._home: dict[str, str] = dict.fromkeys(draft.inputs, HOST)

    def draft(self) -> Draft:
        renamed: dict[str, str] = {}
        for step in self._draft.steps:
            space = self._spaces.get(step.key, HOST)
            inputs = tuple(self._in(name, space, step) for name in step.inputs)
            outputs = tuple(self._written(name, space, renamed) for name in step.outputs)
            self._steps.append(replace(step, inputs=inputs, outputs=outputs))
            self._home |= dict.fromkeys(step.outputs, space)
            for name in step.outputs:
                self._there[name, space] = renamed.get(name, name)
        for name, new_name in renamed.items():
            self._bring_home(name, new_name)
        return replace(self._draft, types=self._types, constants=self._constants, steps=tuple(self._steps))

    def _written(self, name: str, space: str, renamed: dict[str, str]) -> str:
        """The name that a step writes: an output of the model that is made elsewhere gets its name when it comes home."""
        if space == HOST or name not in self._draft.outputs:
            return name
        renamed[name] = self._new(name, space)
        return renamed[name]

    def _bring_home(self, name: str, new_name: str) -> None:
        type_ = self._types[name]
        arrived = self._there.get((name, HOST))
        if arrived is None:
            arrived = self._send(new_name, name, HOST, HOST, ())
        copy = pointwise([type_], type_, lambda where, read: read(*where), "copy")
        self._steps.append(Step(copy, (arrived,), (name,), (f"output {name}",)))

    def _in(self, name: str, space: str, step: Step) -> str:
        """The name under which a value is found in a memory."""
        there = self._there.get((name, space))
        if there is not None:
            return there
        if name in self._draft.constants:
            there = name if space == HOST else self._new(name, space)
            self._constants[there] = self._draft.constants[name]
        elif self._home[name] == space:
            there = name
        else:
            source = self._there.get((name, self._home[name]), name)
            there = self._send(source, name, space, step.key, step.nodes)
        self._there[name, space] = there
        return there

    def _send(self, source: str, name: str, space: str, key: str, nodes: tuple[str, ...]) -> str:
        home = self._home[name]
        if HOST not in (home, space):  # devices do not see each other: by way of the host
            source = self._in(name, HOST, Step(Send(self._types[name]), (), (), nodes, HOST))
        sent = self._new(name, space)
        self._steps.append(Step(Send(self._types[name]), (source,), (sent,), nodes, key))
        self._there[name, space] = sent
        return sent

    def _new(self, name: str, space: str) -> str:
        new_name = unused(f"{name}@{space}", self._types)
        self._types[new_name] = self._types[name]
        return new_name


def unit_for(
    program: Program, memories: Mapping[str, MemoryPlan], key: str, space: str, symbol: str
) -> CompileUnit:
    """The calls of one target key, and the memory that they work in."""
    calls = tuple(call for call in program.calls if isinstance(call, Call) and call.key == key)
    if len(calls) == len(program.calls):
        return CompileUnit(symbol, program, memories[space])
    ends = (*program.inputs, *program.outputs) if space == HOST else ()
    named = {name for call in calls for name in call.args} | set(ends)
    named |= {program.values[name].base for name in named}
    part = Program(
        program.name,
        {name: value for name, value in program.values.items() if name in named},
        {name: array for name, array in program.constants.items() if name in named},
        program.inputs if space == HOST else (),
        program.outputs if space == HOST else (),
        calls,
    )
    return CompileUnit(symbol, part, memories[space])
