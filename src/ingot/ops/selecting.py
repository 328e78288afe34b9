"""Operators that choose: how many places their results have depends on the content of what they read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ingot.base.tensor import TensorType
from ingot.kernels.select.non_max_suppression import Suppression, non_max_suppression
from ingot.kernels.select.true_places import true_places
from ingot.kernels.select.unique import Unique, unique_template
from ingot.loops.nodes import Expr, maximum, minimum
from ingot.ops.facts import Contents, Folding, Inputs, Selects
from ingot.ops.moves.shapes import axis_of
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

Read = Callable[..., Expr]


def _places_max(call_: OpCall, position: int, axis: int) -> int:
    """For how many places there is room, as the stated type of an output has it."""
    return call_.output(position).shape[axis]


# ─── what is not zero ──────────────────────────────────────────────────────────────────────────────────────────────


def _non_zero(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """NonZero 9, 13: the indices of what is not zero, one row for each axis."""
    x = call_.input(0)
    return emit.template(true_places(x.type, _places_max(call_, 0, 1), call_.name), [x])[:1]


def _elements(inputs: Inputs, contents: Contents, attributes: Mapping[str, Any]) -> int | None:  # noqa: ARG001
    return None if inputs[0] is None else math.prod(inputs[0])


# ─── what a condition chooses ──────────────────────────────────────────────────────────────────────────────────────


def _compress(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Compress 9, 11: the slices along `axis` (or the elements) where the condition is true."""
    x, condition = call_.input(0), call_.input(1)
    axis = call_.attr("axis")
    source = emit.reshape(x, (x.type.size,)) if axis is None else x
    along = 0 if axis is None else axis_of(call_, int(axis), x.rank)
    if condition.constant is not None:
        chosen = np.flatnonzero(condition.constant.reshape(-1)).astype(np.int64)
        if chosen.size and chosen[-1] >= source.shape[along]:
            call_.unsupported(f"the condition chooses element {chosen[-1]} of {source.shape[along]}")
        positions = emit.constant(chosen)
    else:
        positions = _chosen(call_, emit, condition, source.shape[along], along)
    shape = (*source.shape[:along], positions.type.size, *source.shape[along + 1 :])

    def at(where: tuple[Expr, ...], read: Read, read_position: Read) -> Expr:
        place = read_position(where[along])
        if condition.constant is None:  # behind the last one it may be any number
            place = maximum(minimum(place, source.shape[along] - 1), 0)
        return read(*where[:along], place, *where[along + 1 :])

    return (emit.pointwise([source, positions], TensorType(x.dtype, shape), at, "compress"),)


def _chosen(call_: OpCall, emit: Emitter, condition: Tensor, extent: int, along: int) -> Tensor:
    """The places that a condition chooses of an axis, in a row."""
    if condition.rank != 1 or condition.shape[0] > extent:
        call_.unsupported(
            f"the condition has the shape {list(condition.shape)}, expected one axis of at most {extent} elements"
        )
    room = _places_max(call_, 0, along)
    places = emit.template(true_places(condition.type, room, call_.name), [condition])[0]
    return emit.reshape(places, (room,))


def _compressed_axes(attributes: Mapping[str, Any], rank: int) -> Mapping[int, int]:
    axis = attributes.get("axis")
    return {0: 0 if axis is None else int(axis) % max(rank, 1)}


def _conditions(inputs: Inputs, contents: Contents, attributes: Mapping[str, Any]) -> int | None:  # noqa: ARG001
    return None if inputs[1] is None else math.prod(inputs[1])


# ─── boxes ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _non_max_suppression(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """NonMaxSuppression 10, 11: image, class and number of the boxes that are kept."""
    boxes, scores = call_.input(0), call_.input(1)
    if boxes.rank != 3 or scores.rank != 3 or boxes.shape != (scores.shape[0], scores.shape[2], 4):
        call_.unsupported(
            f"boxes of the shape {list(boxes.shape)} and scores of {list(scores.shape)}, expected [images, boxes, 4] and "
            "[images, classes, boxes]"
        )
    for position, role in enumerate(("boxes of a class", "threshold of overlaps", "threshold of scores"), 2):
        call_.require_one(position, role)
    number, overlap, threshold = (call_.optional(position) for position in (2, 3, 4))
    taken = scores.shape[2] if number is None or number.constant is None else int(number.constant.item())
    problem = Suppression(
        boxes.type,
        scores.type,
        0 if number is None else max(0, min(taken, scores.shape[2])),
        overlap is not None,
        threshold is not None,
        bool(call_.attr("center_point_box", 0)),
        _places_max(call_, 0, 0),
    )
    numbers = emit.constant(np.zeros(1, np.int64)) if number is None else emit.reshape(number, (1,))
    thresholds = [emit.reshape(tensor, (1,)) for tensor in (overlap, threshold) if tensor is not None]
    inputs = [boxes, scores, numbers, *thresholds]
    return emit.template(non_max_suppression(problem, call_.name), inputs)[:1]


def _boxes(inputs: Inputs, contents: Contents, attributes: Mapping[str, Any]) -> int | None:  # noqa: ARG001
    if inputs[1] is None or len(inputs[1]) != 3:
        return None
    images, classes, count = inputs[1]
    if len(inputs) < 3 or inputs[2] is None:
        return 0  # so many of each class by default
    number = contents[2]
    taken = count if number is None or number.size != 1 else max(0, min(count, int(number.item())))
    return images * classes * taken


# ─── what is there once ────────────────────────────────────────────────────────────────────────────────────────────


def _unique(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Unique 11: each element, or each slice along `axis`, once."""
    x = call_.input(0)
    axis = call_.attr("axis")
    source = emit.reshape(x, (x.type.size,)) if axis is None else x
    along = 0 if axis is None else axis_of(call_, int(axis), x.rank)
    stated = {0: along, 1: 0, 3: 0}
    room = next((_places_max(call_, at, where) for at, where in stated.items() if call_.wants(at)), 0)
    problem = Unique(source.type, along, bool(call_.attr("sorted", 1)), room)
    return emit.template(unique_template(problem, call_.name), [source])[:4]


def _unique_axes(attributes: Mapping[str, Any], rank: int) -> Mapping[int, int]:
    axis = attributes.get("axis")
    return {0: 0 if axis is None else int(axis) % max(rank, 1), 1: 0, 3: 0}


def _slices(inputs: Inputs, contents: Contents, attributes: Mapping[str, Any]) -> int | None:  # noqa: ARG001
    if inputs[0] is None:
        return None
    axis = attributes.get("axis")
    return math.prod(inputs[0]) if axis is None else inputs[0][int(axis)]


OPERATORS: tuple[OpDef, ...] = (
    OpDef(
        "",
        "NonMaxSuppression",
        10,
        _non_max_suppression,
        folding=Folding.PAIRS,
        selects=Selects(lambda attributes, rank: {0: 0}, _boxes),  # noqa: ARG005
    ),
    OpDef("", "Unique", 11, _unique, folding=Folding.PYTHON, selects=Selects(_unique_axes, _slices)),
    OpDef("", "NonZero", 9, _non_zero, selects=Selects(lambda attributes, rank: {0: 1}, _elements)),  # noqa: ARG005
    OpDef(
        "",
        "Compress",
        9,
        _compress,
        moves=True,
        selects=Selects(_compressed_axes, _conditions, decided_by=1),
    ),
)
