"""The largest or smallest elements along an axis, in order."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.kernels.topk.topk import top_template
from ingot.ops.arguments import is_open, only
from ingot.ops.opdef import Emitter, Implied, OpCall, OpDef, Tensor
from ingot.ops.reduce import normalise_axes


def _lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    (axis,) = normalise_axes(call_, [int(call_.attr("axis", -1))], x.rank)
    count = int(call_.scalar(1, "k")) if call_.version >= 10 else int(call_.attr("k"))
    if x.rank == 0 or not 0 <= count <= x.shape[axis]:
        call_.unsupported(f"k={count} of {x.type} along axis {axis}")
    return emit.template(top_template(x.type, axis, count, bool(call_.attr("largest", 1))), [x])


def _implied(call_: OpCall) -> Implied | None:
    stated = next((output for output in call_.outputs if output is not None), None)
    if stated is None or not is_open(call_, 1):
        return None
    (axis,) = normalise_axes(call_, [int(call_.attr("axis", -1))], len(stated.shape))
    return only(call_, 1, "k", (stated.shape[axis],))


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "TopK", 1, _lower),
    OpDef("", "TopK", 10, _lower, constant_inputs=(1,), implied=_implied),
)
