"""The determinant of square matrices."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.kernels.determinant import determinant
from ingot.loops.build.nest import accumulator_type
from ingot.ops.facts import Folding
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast


def _lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    if x.rank < 2 or x.shape[-1] != x.shape[-2]:
        call_.unsupported(f"the determinant of {x.type}; expected square matrices")
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    return (emit_cast(emit, emit.template(determinant(work.type), [work])[0], x.dtype),)


OPERATORS: tuple[OpDef, ...] = (OpDef("", "Det", 11, _lower, folding=Folding.PAIRS),)
