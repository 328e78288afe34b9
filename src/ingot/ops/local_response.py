"""Local response normalisation across channels."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.kernels.normalize.local_response import local_response
from ingot.loops.build.nest import accumulator_type
from ingot.ops.facts import Folding
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast


def _lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    if x.rank < 2:
        call_.unsupported(f"the input has the shape {list(x.shape)}, expected a batch and channels")
    if int(call_.attr("size")) < 1:
        call_.unsupported(f"size must be at least 1, got {call_.attr('size')}")
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    template = local_response(
        work.type,
        int(call_.attr("size")),
        float(call_.attr("alpha", 1e-4)),
        float(call_.attr("beta", 0.75)),
        float(call_.attr("bias", 1.0)),
    )
    return (emit_cast(emit, emit.template(template, [work])[0], x.dtype),)


OPERATORS: tuple[OpDef, ...] = (OpDef("", "LRN", 1, _lower, folding=Folding.PAIRS),)
