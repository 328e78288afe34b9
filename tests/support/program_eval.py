"""Runs a planned program by the interpreter, in memory laid out as its plan says."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ingot.loops.interpret import Interpreter
from ingot.plan.program import MemoryPlan, Program, Region, Slot


def evaluate_program(program: Program, plan: MemoryPlan, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The outputs for these inputs. The arena is filled with nonsense first, so that nobody can rely on zeros."""
    memory: dict[tuple[Region, int], np.ndarray] = {
        (Region.PARAMS, 0): np.zeros(plan.params_bytes, np.uint8),
        (Region.ARENA, 0): np.full(plan.arena_bytes, 0x5A, np.uint8),
    }
    for number, name in enumerate(program.inputs):
        memory[Region.INPUT, number] = _bytes(feeds[name])
    for number, name in enumerate(program.outputs):
        memory[Region.OUTPUT, number] = np.full(program.values[name].type.size_bytes, 0x5A, np.uint8)
    for name, array in program.constants.items():
        slot = plan.slots[name]
        memory[Region.PARAMS, 0][slot.offset_bytes : slot.offset_bytes + slot.size_bytes] = _bytes(array)
    for call in program.calls:
        buffers = []
        for name in call.args:
            value = program.values[name]
            slot = plan.slots[value.base]
            size = value.type.dtype.size_bytes
            start = slot.offset_bytes + value.offset * size
            span = value.buffer("v").span * size
            buffers.append(memory[_place(slot)][start : start + span].view(value.type.dtype.numpy))
        Interpreter(call.kernel).run(buffers)
    outputs = []
    for name in program.outputs:
        type_ = program.values[name].type
        outputs.append(memory[_place(plan.slots[name])].view(type_.dtype.numpy).reshape(type_.shape))
    return outputs


def _place(slot: Slot) -> tuple[Region, int]:
    return (slot.region, slot.number if slot.region in (Region.INPUT, Region.OUTPUT) else 0)


def _bytes(array: np.ndarray) -> np.ndarray:
    return np.array(array, order="C", copy=True).reshape(-1).view(np.uint8)
