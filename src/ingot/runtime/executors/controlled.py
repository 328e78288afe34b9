"""Loops and branches for executors that make the calls of a program one by one. Imported for models that have them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ingot.artifact.model_info import ModelInfo, read_values
from ingot.artifact.values import ValueInfo
from ingot.base.sections import in_order, sections
from ingot.runtime.memory import Array

_ARENA = 1  # its place among the base pointers


def calls_in_order(info: ModelInfo, bases: Any) -> Iterator[int]:
    """The numbers of calls as they are to be made: who takes one makes it before taking the next."""
    arena: int = bases[_ARENA] or 0

    def is_set(number: int) -> bool:
        return bool(ctypes.c_uint8.from_address(arena + info.controls[number].flag).value)

    return in_order(info.controls, sections(info.controls, len(info.calls)), is_set)


def moved_bytes(value: ValueInfo, bases: Any) -> int:
    """How far a value has moved from where it lies at first."""
    arena: int = bases[_ARENA] or 0
    return sum(step * ctypes.c_int64.from_address(arena + place).value for place, step, _ in value.moves)


class Shown:
    """What can be seen of a program with loops: which values are copied before and behind each call."""

    def __init__(self, info: ModelInfo, values: Mapping[str, ValueInfo]) -> None:
        self._info, self._values = info, values
        loops = [range(control.first, control.end) for control in info.controls if control.repeats]
        self._in_loop = [any(number in loop for loop in loops) for number in range(len(info.calls))]
        self._read: dict[int, list[str]] = {}  # views of what earlier calls wrote, where they are first read
        self._written: dict[int, list[str]] = {}  # where they are last written
        seen: set[str] = set()
        for number, call in enumerate(info.calls):
            seen.update(call.outputs)
            for name in read_values(call):
                if name not in seen and values[name].region == "arena":
                    self._read.setdefault(number, []).append(name)
                seen.add(name)
        last = {name: number for number, call in enumerate(info.calls) for name in call.outputs}
        for name, number in last.items():
            self._written.setdefault(number, []).append(name)

    def run(
        self, step: Callable[[int, Any], int], bases: Any, copy: Callable[[ValueInfo], Array]
    ) -> tuple[int, dict[str, Array]]:
        """Makes all calls. Returns the status of the one that failed, or 0, and the values: those of loops stacked."""
        once: dict[str, Array] = {}
        often: dict[str, list[Array]] = {}

        def note(names: list[str], in_loop: bool) -> None:
            for name in names:
                array = copy(self._values[name])
                if in_loop:
                    often.setdefault(name, []).append(array)
                else:
                    once[name] = array

        for number in calls_in_order(self._info, bases):
            note(self._read.get(number, []), self._in_loop[number])
            status = step(number, bases)
            if status:
                return status, {}
            note(self._written.get(number, []), self._in_loop[number])
        return 0, {**once, **{name: np.stack(arrays) for name, arrays in often.items()}}
