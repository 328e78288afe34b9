"""What a loop form is: a loop that is recognised before it is written, because some instructions do all of it at once."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Protocol

from ingot.codegen.llvm.emit.values import Chip
from ingot.loops.nodes import Buffer


class LoopForm(Protocol):
    """One form that a loop has: a record of what its code is made of. `emit/form_loops` writes each."""

    @property
    def name(self) -> str:
        """What a template that expects it calls it."""
        ...

    def __str__(self) -> str:
        """What was recognised, in a few words."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What recognising a loop depends on besides the loop.

    Attributes:
        chip: the processor, since some have no instructions for some forms.
        local_buffers: the buffers that are the kernel's own.
        overlapping: the parameters that may share storage with another one.
    """

    chip: Chip
    local_buffers: Set[Buffer]
    overlapping: Set[Buffer]
