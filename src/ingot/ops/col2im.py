"""Images put together from columns: Col2Im.

Every pixel sums the columns that it is in. Along the last dimension the pixels that lie a stride apart are one phase, as in
a transposed convolution: neighbours of a phase read neighbouring blocks, so that they make vectors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ingot.kernels.col2im import col2im
from ingot.ops.facts import Folding
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

# ─── lowering ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _lower_col2im(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Col2Im 18: adds the columns of every block to the pixels that the block was taken from; any number of dimensions."""
    x = call_.input(0)
    image = tuple(int(extent) for extent in call_.constant(1, "image_shape").reshape(-1))
    block = tuple(int(extent) for extent in call_.constant(2, "block_shape").reshape(-1))
    rank = len(image)
    strides = tuple(call_.attr("strides") or (1,) * rank)
    dilations = tuple(call_.attr("dilations") or (1,) * rank)
    pads = tuple(call_.attr("pads") or (0,) * (2 * rank))
    counts = tuple(
        max(
            0,
            (image[axis] + pads[axis] + pads[axis + rank] - dilations[axis] * (block[axis] - 1) - 1)
            // strides[axis]
            + 1,
        )
        for axis in range(rank)
    )
    inside = math.prod(block)
    if rank == 0 or x.rank != 3 or inside == 0 or x.shape[1] % inside or x.shape[2] != math.prod(counts):
        call_.unsupported(
            f"columns of shape {list(x.shape)} are not {math.prod(counts)} blocks of {block} in an image {image}"
        )
    return emit.template(col2im(x.type, image, block, strides, dilations, pads[:rank], counts), [x])


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Col2Im", 18, _lower_col2im, constant_inputs=(1, 2), folding=Folding.PAIRS),
)
