"""What a header of C says of state: in C it is an input and an output of each call, and the caller keeps it."""

from __future__ import annotations

from collections.abc import Iterable

from ingot.artifact.model_info import ModelInfo
from ingot.package.c.tensors import words


def state_notes(info: ModelInfo) -> Iterable[str]:
    """What the header's first comments say of a model with state; nothing of others."""
    if not info.states:
        return
    yield "/* State: an output of one call is an input of the next. The first call of a stream gets zeros there. Two buffers for"
    yield " * each, which change places after a call, spare a copy:"
    yield from (f" *   {words(state.output)} becomes {words(state.input)}" for state in info.states)
    yield " */"
