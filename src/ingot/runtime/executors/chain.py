"""Several steps of an executor whose extents vary, as one native call: programs repeat themselves and go on to the next.

A library has `ingot_<symbol>_repeat(row)` for each program of such a model. A row has the base pointers of the first round, the
number of rounds, how far each tensor is moved after a round, and which function gets which row then (docs/reference/abi.md).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ingot.runtime.executors.base import FIRST_TENSOR
from ingot.runtime.executors.parts import Step

if TYPE_CHECKING:
    from ingot.artifact.module import Function


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """What repeats a program: its function, and the base pointers before those of tensors."""

    function: Function
    heads: Sequence[int | None]

    @property
    def address(self) -> int | None:
        """Where the function is."""
        return ctypes.cast(self.function, ctypes.c_void_p).value  # type: ignore[arg-type]


class Chain:
    """The steps of an answer, each of which reads and writes tensors where they are.

    `run(rows)` is one inference, and gives its status; `place` says before where the tensors are.
    """

    __slots__ = ("_starts", "_steps", "rows", "run")

    def __init__(self, steps: Sequence[Step], repeats: Sequence[Repeat]) -> None:
        """`repeats` are those of all programs, by the numbers that steps have."""
        self.run: Callable[[Any], int] = repeats[steps[0].program].function
        self._steps = [step.offsets_bytes for step in steps]
        tensors = len(steps[0].offsets_bytes)
        width = FIRST_TENSOR + tensors + 1 + tensors + 2
        self._starts = range(FIRST_TENSOR, len(steps) * width, width)
        self.rows = (ctypes.c_void_p * (len(steps) * width))()
        here = ctypes.addressof(self.rows)
        for number, step in enumerate(steps):
            row = number * width
            self.rows[row : row + FIRST_TENSOR] = list(repeats[step.program].heads)
            behind = row + FIRST_TENSOR + tensors
            self.rows[behind : behind + 1 + tensors] = [step.rounds, *step.strides_bytes]
            if number + 1 < len(steps):
                next_row = here + (row + width) * ctypes.sizeof(ctypes.c_void_p)
                following = repeats[steps[number + 1].program]
                self.rows[row + width - 2 : row + width] = [following.address, next_row]

    def place(self, starts: Sequence[int]) -> None:
        """Says where all inputs and outputs begin."""
        rows = self.rows
        for at, offsets in zip(self._starts, self._steps, strict=True):
            rows[at : at + len(offsets)] = [
                start + offset for start, offset in zip(starts, offsets, strict=True)
            ]
