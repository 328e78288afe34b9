"""Inputs and outputs that are more than tensors as arrays by the names of their leaves, and back: a sequence `s` is `s[0]`,
`s[1]`, …; a map is the tensor behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ingot.base.errors import InputError
from ingot.border.program import COUNTED, MAYBE, Port

_GROUPS = ("sequence", "optional", COUNTED, MAYBE)


def grouped(ends: Sequence[Any], arrays: Mapping[str, Any]) -> dict[str, Any]:
    """What callers give, of arrays by the names of leaves; names that are none stay, and are refused where they are taken.

    Args:
        ends: ports, or whatever else has a name and is a tensor.
        arrays: by name.

    Raises:
        InputError: a part of a sequence or optional is missing.
    """
    left = dict(arrays)
    groups = {end.name: _taken(end, left) for end in ends if isinstance(end, Port) and end.kind in _GROUPS}
    return groups | left


def _taken(end: Port, arrays: dict[str, Any]) -> Any:
    if end.kind == "sequence":
        return [_taken(part, arrays) for part in end.parts]
    if end.kind == "optional":
        return _taken(end.parts[0], arrays) if end.parts else None
    if end.kind == COUNTED:
        there = [part for part in end.parts[1:] if any(leaf.name in arrays for leaf in part.leaves())]
        return [_taken(part, arrays) for part in there]
    if end.kind == MAYBE:
        is_there = any(leaf.name in arrays for leaf in end.parts[1].leaves())
        return _taken(end.parts[1], arrays) if is_there else None
    if end.name not in arrays:
        raise InputError(f"missing input {end}", missing=(str(end),))
    return arrays.pop(end.name)


def flat(ends: Sequence[Any], results: Sequence[Any]) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of what callers get, by the names of leaves; `ends` as of `grouped`."""
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for end, result in zip(ends, results, strict=True):
        _spread(end, result, arrays)
    return arrays


def _spread(end: Any, result: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
    kind = end.kind if isinstance(end, Port) else "tensor"
    if kind in ("sequence", COUNTED):
        for part, element in zip(end.parts[kind == COUNTED :], result, strict=kind == "sequence"):
            _spread(part, element, arrays)
        return
    if kind in ("optional", MAYBE):
        for part in end.parts[kind == MAYBE :] if result is not None else ():
            _spread(part, result, arrays)
        return
    arrays[end.name] = np.asarray(result)
