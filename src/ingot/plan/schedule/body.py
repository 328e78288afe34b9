"""What is written of a step before it is a kernel, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ingot.kernels.template import Home
from ingot.loops.analyse.counts import Limit
from ingot.loops.nodes import Buffer, Kernel, Stmt
from ingot.loops.text import body_text
from ingot.machines.machine import Machine
from ingot.plan.program import Call, Decision, Draft, Step, Value


@dataclass(slots=True)
class Body:
    """A kernel before it has its final name, with the values it is called on."""

    inputs: tuple[Buffer, ...]
    input_names: tuple[str, ...]
    outputs: tuple[Buffer, ...]
    output_names: tuple[str, ...]
    body: Sequence[Stmt]
    workspaces: tuple[Buffer, ...] = ()
    in_place: tuple[tuple[int, int], ...] = ()
    decision: Decision | None = None
    checks: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """A body that became a kernel. `kept` lists the inputs that it still reads, `starts` the offsets of views by new position."""

    body: Sequence[Stmt]  # kept, since it is known by its identity
    key: str
    kernel: Kernel
    kept: tuple[int, ...]
    starts: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True)
class Raw:
    """A body before it is a kernel. Its text is made when it is compared: most bodies are the only one of their shapes."""

    unnamed: Body

    @cached_property
    def text(self) -> str:
        body = self.unnamed
        return body_text(
            Kernel("k", body.inputs, body.outputs, tuple(body.body), body.workspaces, body.in_place)
        )


def comment_of(name: str, step: Step, decision: Decision | None) -> str:
    """What a kernel computes, for which nodes, and by which algorithm."""
    title = f"{name} for {', '.join(step.nodes)}" if step.nodes else name
    algorithm = decision.algorithm if decision is not None else ""
    return f"{title} ({algorithm})" if algorithm else title


def with_numbers(call: Call, kernel: Kernel, numbers: Sequence[str]) -> Call:
    """The call of a kernel that gets numbers behind its inputs, by the names of constants."""
    inputs = len(call.kernel.inputs)
    return replace(call, kernel=kernel, args=(*call.args[:inputs], *numbers, *call.args[inputs:]))


def limits_of(
    draft: Draft, step: Step, values: Mapping[str, Value]
) -> tuple[tuple[tuple[Limit, ...], ...], tuple[int, ...]]:
    """What is there of the inputs and of output 0 of a step, by sizes that are an input where the step is; and their shape."""
    if not draft.sizes or draft.sizes[0][0] not in draft.inputs:
        return (), ()
    name, dims = draft.sizes[0]
    if values[name].space != values[step.outputs[0]].space:
        return (), ()
    limits = (draft.limits.get(value, ()) for value in (*step.inputs, step.outputs[0]))
    given = (tuple(limit for limit in some if limit.count.dim in dims) for some in limits)
    return tuple(given), draft.types[name].shape


def home_of(machine: Machine, weight_bytes: int) -> Home:
    """The cache or memory that holds `weight_bytes` of weights when they are used again."""
    tuning = machine.tuning.homes
    if weight_bytes <= tuning.core_caches * machine.l2_bytes:
        return Home.CORE
    if weight_bytes <= tuning.split_caches * machine.l2_bytes:
        return Home.SPLIT
    return Home.SHARED if weight_bytes <= tuning.shared_caches * machine.l2_bytes else Home.MEMORY
