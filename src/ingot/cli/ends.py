"""Inputs and outputs that are more than tensors, in .npz files and tables: a sequence `s` is `s[0]`, `s[1]`, … there, one name
for each tensor or text of which it is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ingot.artifact.info import TensorInfo
from ingot.border.program import Port
from ingot.errors import InputError

End = TensorInfo | Port


def leaves(ends: Sequence[End]) -> list[End]:
    """The tensors and texts of which inputs or outputs are made."""
    return [leaf for end in ends for leaf in (end.leaves() if isinstance(end, Port) else (end,))]


def grouped(ends: Sequence[End], arrays: Mapping[str, Any]) -> dict[str, Any]:
    """What `set_input` takes, of arrays by the names of leaves; names that are none stay, and are refused there.

    Raises:
        InputError: a part of a sequence or optional is missing.
    """
    left = dict(arrays)
    made = {end.name: _taken(end, left) for end in ends if isinstance(end, Port) and end.kind in ("sequence", "optional")}
    return made | left


def _taken(end: Port, arrays: dict[str, Any]) -> Any:
    if end.kind == "sequence":
        return [_taken(part, arrays) for part in end.parts]
    if end.kind == "optional":
        return _taken(end.parts[0], arrays) if end.parts else None
    if end.name not in arrays:
        raise InputError(f"missing input {end}", missing=(str(end),))
    return arrays.pop(end.name)


def flat(ends: Sequence[End], results: Sequence[Any]) -> dict[str, np.ndarray]:
    """The arrays of results by the names of leaves."""
    made: dict[str, np.ndarray] = {}
    for end, result in zip(ends, results, strict=True):
        _spread(end, result, made)
    return made


def _spread(end: End, result: Any, made: dict[str, np.ndarray]) -> None:
    if isinstance(end, Port) and end.kind in ("sequence", "optional"):
        for part, element in zip(end.parts, result if end.kind == "sequence" else [result] * len(end.parts), strict=True):
            _spread(part, element, made)
        return
    made[end.name] = np.asarray(result)
