"""States that a run changes in their place: code reads and writes them where the output is, so they must be there first.

Only models with such states need it: it is imported with the first of them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from ingot.artifact.model_info import DimInfo, ModelInfo
from ingot.artifact.module import Function

Pair = tuple[int, int, str, int]
"""Positions of the input and of the output among the base pointers, the input's name, and its bytes."""


def pairs_of(info: ModelInfo, first: int) -> tuple[Pair, ...]:
    """The states of a model that are changed in their place; the first input is at `first`."""
    inputs = {tensor.name: (first + at, tensor.size_bytes) for at, tensor in enumerate(info.inputs)}
    outputs = {tensor.name: first + len(info.inputs) + at for at, tensor in enumerate(info.outputs)}
    return tuple(
        (inputs[state.input][0], outputs[state.output], state.input, inputs[state.input][1])
        for state in info.states
        if state.axis is not None
    )


def bring(pairs: Sequence[Pair], bases: Any) -> None:
    """Copies states from where the inputs are to where the outputs are, unless that is the same place."""
    for source, result, _, size_bytes in pairs:
        if bases[source] != bases[result]:
            ctypes.memmove(bases[result], bases[source], size_bytes)


def bringing(pairs: Sequence[Pair], run: Function) -> Function:
    """The function that runs a model, with states brought first."""

    def run_in_place(bases: Any) -> Any:
        bring(pairs, bases)
        return run(bases)

    return run_in_place


def without(info: ModelInfo, inputs: Container[str], outputs: Container[str]) -> ModelInfo:
    """What is said of a model, but for these inputs and outputs."""
    return replace(
        info,
        inputs=tuple(tensor for tensor in info.inputs if tensor.name not in inputs),
        outputs=tuple(tensor for tensor in info.outputs if tensor.name not in outputs),
        dims=tuple(_without_places(dim, inputs, outputs) for dim in info.dims),
    )


def _without_places(dim: DimInfo, inputs: Container[str], outputs: Container[str]) -> DimInfo:
    return replace(
        dim,
        inputs=tuple(place for place in dim.inputs if place[0] not in inputs),
        sums=tuple(place for place in dim.sums if place[0] not in inputs),
        outputs=tuple(place for place in dim.outputs if place[0] not in outputs),
        counts=tuple(count for count in dim.counts if count[0] not in outputs),
    )
