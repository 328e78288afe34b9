"""Constants that several programs of one model have in common: one place for each, however many programs read it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ingot.plan.memory.placement import aligned
from ingot.plan.program import MemoryPlan, Program, Region, Slot

_Content = tuple[int, bytes]  # size in bytes, and a digest


def shared_constants(programs: Sequence[Program], memories: Sequence[MemoryPlan]) -> list[MemoryPlan]:
    """The memory plans with places for constants in one region that all share.

    The last program's stay where they are, and what it always reads is in front. Of the others, what has a content that is there
    already takes its place, and the rest is put behind.
    """
    plans: list[MemoryPlan] = []
    places: dict[_Content, list[int]] = {}
    end = 0
    for program, memory in zip(reversed(programs), reversed(memories), strict=True):
        own = {name: slot for name, slot in memory.slots.items() if slot.region is Region.PARAMS}
        free = {
            content: list(offsets) for content, offsets in places.items()
        }  # no two constants of one program share a place
        slots = dict(memory.slots)
        for name, slot in own.items():
            content = _content(program, name)
            offsets = free.get(content)
            if offsets:
                offset = offsets.pop(0)
            elif plans:
                offset, end = end, aligned(end + slot.size_bytes)
                places.setdefault(content, []).append(offset)
            else:
                offset, end = slot.offset_bytes, memory.params_bytes
                places.setdefault(content, []).append(offset)
            slots[name] = Slot(Region.PARAMS, 0, offset, slot.size_bytes)
        plans.append(replace(memory, slots=slots, always_read_bytes=0 if plans else memory.always_read_bytes))
    return [replace(memory, params_bytes=end) for memory in reversed(plans)]


def _content(program: Program, name: str) -> _Content:
    array = np.ascontiguousarray(program.constants[name]).reshape(-1).view(np.uint8)
    return array.nbytes, hashlib.sha256(array.data).digest()
