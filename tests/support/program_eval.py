"""Runs a planned program by the interpreter, in memory laid out as its plans say: each memory space is memory of its own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ingot.loops.interpret import Interpreter
from ingot.plan.program import HOST, MemoryPlan, Program, Region, Slot, Transfer

Place = tuple[str, Region, int]


def evaluate_program(
    program: Program, plans: MemoryPlan | Mapping[str, MemoryPlan], feeds: Mapping[str, np.ndarray]
) -> list[np.ndarray]:
    """The outputs for these inputs. Arenas are filled with nonsense first, so that nobody can rely on zeros."""
    memory_plans = {HOST: plans} if isinstance(plans, MemoryPlan) else plans
    memory: dict[Place, np.ndarray] = {}
    for space, plan in memory_plans.items():
        memory[space, Region.PARAMS, 0] = np.zeros(plan.params_bytes, np.uint8)
        memory[space, Region.ARENA, 0] = np.full(plan.arena_bytes, 0x5A, np.uint8)
    for number, name in enumerate(program.inputs):
        memory[HOST, Region.INPUT, number] = _bytes(feeds[name])
    for number, name in enumerate(program.outputs):
        memory[HOST, Region.OUTPUT, number] = np.full(program.values[name].type.size_bytes, 0x5A, np.uint8)
    for name, array in program.constants.items():
        space = program.values[name].space
        slot = memory_plans[space].slots[name]
        memory[space, Region.PARAMS, 0][slot.offset_bytes : slot.offset_bytes + slot.size_bytes] = _bytes(
            array
        )

    def view(name: str) -> np.ndarray:
        value = program.values[name]
        slot = memory_plans[value.space].slots[value.base]
        size = value.type.dtype.size_bytes
        start = slot.offset_bytes + value.offset * size
        span = value.buffer("v").span * size
        return memory[_place(value.space, slot)][start : start + span].view(value.type.dtype.numpy)

    for call in program.calls:
        if isinstance(call, Transfer):
            view(call.result)[...] = view(call.source)
        else:
            assert len({program.values[name].space for name in call.args}) == 1
            Interpreter(call.kernel).run([view(name) for name in call.args])
    return [view(name).reshape(program.values[name].type.shape) for name in program.outputs]


def _place(space: str, slot: Slot) -> Place:
    return (space, slot.region, slot.number if slot.region in (Region.INPUT, Region.OUTPUT) else 0)


def _bytes(array: np.ndarray) -> np.ndarray:
    return np.array(array, order="C", copy=True).reshape(-1).view(np.uint8)
