"""Softmax and its relatives: functions of one element and of all others along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.kernels.reduce.argmax import one_at_largest
from ingot.kernels.softmax import softmax_template
from ingot.loops.build.nest import accumulator_type
from ingot.ops.opdef import Emitter, Lower, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast, normalise_axes


def _with_axis(body: Callable[[Emitter, Tensor, int], Tensor]) -> Lower:
    """A lowering along `axis`; before opset 13 the tensor is first seen as two-dimensional, split before `axis`."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        coerce = call_.version < 13
        given = int(call_.attr("axis", 1 if coerce else -1))
        if x.rank == 0:
            return (emit.reshape(body(emit, emit.reshape(x, (1,)), 0), ()),)
        if not coerce:
            (axis,) = normalise_axes(call_, [given], x.rank)
            return (body(emit, x, axis),)
        split = given if given == x.rank else normalise_axes(call_, [given], x.rank)[0]
        # One dimension behind the split is the same as two.
        if split == x.rank - 1:
            return (body(emit, x, split),)
        outer = int(np.prod(x.shape[:split], dtype=np.int64))
        flat = emit.reshape(x, (outer, x.type.size // outer if outer else 0))
        return (emit.reshape(body(emit, flat, 1), x.shape),)

    return lower


def emit_softmax(emit: Emitter, x: Tensor, axis: int, logarithm: bool = False) -> Tensor:
    """Emits softmax along an axis; half floats are computed in float32."""
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    return emit_cast(emit, emit.template(softmax_template(work.type, axis, logarithm), [work])[0], x.dtype)


def _hardmax(emit: Emitter, x: Tensor, axis: int) -> Tensor:
    return emit.template(one_at_largest(x.type, axis), [x])[0]


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Softmax", 1, _with_axis(emit_softmax)),
    OpDef("", "LogSoftmax", 1, _with_axis(lambda emit, x, axis: emit_softmax(emit, x, axis, True))),
    OpDef("", "Hardmax", 1, _with_axis(_hardmax)),
)
