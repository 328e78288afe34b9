"""What a library says about a model: `ModelInfo` and the constants, from a program with its memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ingot import __version__
from ingot.artifact.model_info import (
    EXECUTORS,
    CallInfo,
    CheckInfo,
    ControlInfo,
    ModelInfo,
    TargetInfo,
    TensorInfo,
)
from ingot.artifact.values import ValueInfo
from ingot.base.scratch import Scratch
from ingot.loops.analyse.cost import cost
from ingot.plan.program import Draft, MemoryPlan, Program, Transfer


def params_content(program: Program, memory: MemoryPlan, space: str) -> memoryview:
    """The constants of one memory space at their offsets, zeros between them.

    The program's own arrays give way to views of these, one after another, so that weights are not there twice.
    """
    content = Scratch(memory.params_bytes)
    whole = np.frombuffer(content.content, np.uint8)
    # The last ones first: memory that was asked for last is what the C library gives back.
    for name in [name for name in reversed(program.constants) if program.values[name].space == space]:
        slot, array = memory.slots[name], program.constants[name]
        content.write(slot.offset_bytes, np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        place = whole[slot.offset_bytes : slot.offset_bytes + slot.size_bytes]
        program.constants[name] = place.view(array.dtype).reshape(array.shape)
    return content.content


def model_info(
    program: Program,
    outputs: Sequence[str],
    memories: Mapping[str, MemoryPlan],
    targets: Sequence[TargetInfo],
    draft: Draft,
) -> ModelInfo:
    """Everything that a loader and any executor need to know. `outputs` are the names that the model gives to what the program
    puts out: those of its values are others where an output is at the same time an input. `draft` is what was lowered: it knows
    the types of inputs and outputs as the model states them.
    """

    def tensor(value: str, name: str) -> TensorInfo:
        type_ = draft.stated(value)
        return TensorInfo(name, type_.dtype, type_.shape)

    return ModelInfo(
        program.name,
        program.name,
        tuple(map(tensor, draft.inputs, program.inputs)),
        tuple(map(tensor, draft.outputs, outputs)),
        tuple(targets),
        EXECUTORS,
        _calls(program),
        _values(program, memories),
        __version__,
        checks=tuple(
            CheckInfo(check.node, check.op_type, check.operand, check.role, check.expected)
            for check in program.checks
        ),
        controls=tuple(
            ControlInfo(
                control.node,
                control.first,
                control.middle,
                control.end,
                _place(program, memories, control.flag),
                control.count,
            )
            for control in program.controls
        ),
    )


def for_executors(info: ModelInfo, executors: tuple[str, ...]) -> ModelInfo:
    """What these executors need to know of it."""
    # One that drives several targets, or that shows every value, must know where values are.
    placed = len(info.targets) > 1 or "graph" in executors
    checked = {check.operand for check in info.checks}  # an error says what they were
    checked |= {value.base for value in info.values if value.name in checked}  # where they lie
    values = info.values if placed else tuple(value for value in info.values if value.name in checked)
    return replace(info, executors=executors, values=values)


def _calls(program: Program) -> tuple[CallInfo, ...]:
    costs = {id(kernel): cost(kernel) for kernel in program.kernels}
    algorithms = {(choice.kernel, choice.key): choice.algorithm for choice in program.decisions}
    calls = []
    for call in program.calls:
        if isinstance(call, Transfer):
            size = program.values[call.source].type.size_bytes
            key = program.values[call.result].space
            calls.append(CallInfo("", call.nodes, 0, size, size, call.args, call.writes, key))
            continue
        work = costs[id(call.kernel)]
        outputs = call.writes[: len(call.kernel.outputs)]
        calls.append(
            CallInfo(
                call.kernel.name,
                call.nodes,
                work.flops,
                work.bytes_read,
                work.bytes_written,
                call.args,
                outputs,
                call.key,
                algorithms.get((call.kernel.name, call.key), ""),
                "" if call.region is None else call.region.name,
            )
        )
    return tuple(calls)


def _values(program: Program, memories: Mapping[str, MemoryPlan]) -> tuple[ValueInfo, ...]:
    values = []
    by_source = {source: result for result, source in program.updates.items()}
    for name, value in program.values.items():
        slot = memories[value.space].slots[value.base]
        offset = _place(program, memories, name)
        values.append(
            ValueInfo(
                name,
                value.type.dtype,
                value.type.shape,
                value.strides,
                slot.region.value,
                slot.number,
                offset,
                value.space,
                by_source.get(name, "") if value.base == name else value.base,
                tuple(
                    (
                        _place(program, memories, move.number),
                        move.step * value.type.dtype.size_bytes,
                        move.count,
                    )
                    for move in value.moves
                ),
            )
        )
    return tuple(values)


def _place(program: Program, memories: Mapping[str, MemoryPlan], name: str) -> int:
    """How many bytes behind the begin of its region a value lies that does not move."""
    value = program.values[name]
    offset = memories[value.space].slots[value.base].offset_bytes
    return offset + value.offset * value.type.dtype.size_bytes
