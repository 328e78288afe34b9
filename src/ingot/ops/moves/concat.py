"""Tensors put together: one behind another, or by turns."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.kernels.concat import concat_template
from ingot.ops.facts import Folding, Identity
from ingot.ops.moves.shapes import axis_of
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor


def concat(emit: Emitter, inputs: Sequence[Tensor], axis: int) -> Tensor:
    """The tensors one behind another along `axis`. Each element is written once, in its place."""
    if len(inputs) == 1:
        return inputs[0]
    return emit.template(concat_template([tensor.type for tensor in inputs], axis), inputs)[0]


def _concat(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Concat 4, 11, 13: an empty input of any version adds nothing."""
    inputs = [call_.input(position) for position in range(len(call_.inputs))]
    axis = axis_of(call_, int(call_.attr("axis", 1)), inputs[0].rank)
    for tensor in inputs[1:]:
        agree = [a == b for a, b in zip(tensor.shape, inputs[0].shape, strict=False)]
        if tensor.rank != inputs[0].rank or not all(same for at, same in enumerate(agree) if at != axis):
            call_.unsupported(
                f"shapes {list(inputs[0].shape)} and {list(tensor.shape)} differ beside axis {axis}"
            )
    kept = [tensor for tensor in inputs if tensor.shape[axis] != 0]
    return (concat(emit, kept or inputs[:1], axis),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Concat", 4, _concat, moves=True, folding=Folding.ARRAYS, identity=Identity.ONE_INPUT),
)
