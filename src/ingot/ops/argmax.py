"""Positions of extremes: ArgMax and ArgMin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.reduce.argmax import arg_extreme
from ingot.ops.opdef import Emitter, Lower, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast, normalise_axes


def _arg(largest: bool) -> Lower:
    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        (axis,) = normalise_axes(call_, [int(call_.attr("axis", 0))], x.rank)
        if x.rank == 0:
            return (emit.constant(np.zeros((), np.int64)),)
        if x.shape[axis] == 0:
            call_.unsupported(f"axis {axis} of {x.type} has no element to choose")
        if x.dtype is DType.BOOL:
            x = emit_cast(emit, x, DType.UINT8)
        template = arg_extreme(
            x.type, axis, largest, bool(call_.attr("select_last_index", 0)), call_.attr("keepdims", 1) == 1
        )
        return emit.template(template, [x])

    return lower


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "ArgMax", 1, _arg(True)),
    OpDef("", "ArgMin", 1, _arg(False)),
)
