"""Limits of values as limits of a kernel's parameters, which may have several axes of a value as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ingot.loops.analyse.counts import Limit
from ingot.loops.nodes import Buffer
from ingot.plan.program import Value


def param_limits(value: Value, param: Buffer, limits: Sequence[Limit]) -> tuple[Limit, ...]:
    """What is there of a parameter, given what is there of the value that it gets. Both are the same memory, so places are where
    the strides say. A limit of which the places are in no single axis of the parameter is left out.
    """
    if param.shape == value.type.shape:
        return tuple(limits)
    moved = (_moved(value, param, limit) for limit in limits)
    return tuple(limit for limit in moved if limit is not None)


def _moved(value: Value, param: Buffer, limit: Limit) -> Limit | None:
    stride = value.strides[limit.axis]
    place, every = stride * limit.each, stride * value.type.shape[limit.axis]  # elements of memory
    for axis, (extent, step) in enumerate(zip(param.shape, param.strides, strict=True)):
        if step and place and place % step == 0 and extent * step % every == 0 and extent * step >= every:
            rounds = limit.rounds * (extent * step // every)
            return replace(limit, axis=axis, each=place // step, rounds=rounds)
    return None
