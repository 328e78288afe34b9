"""Images put together from columns: Col2Im.

Every pixel sums the columns that it is in. Along the last dimension the pixels that lie a stride apart are one phase, as in
a transposed convolution: neighbours of a phase read neighbouring blocks, so that they make vectors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ingot.kernels.col2im import col2im
from ingot.ops.arguments import is_open, numbers
from ingot.ops.facts import Folding
from ingot.ops.opdef import Emitter, Implied, OpCall, OpDef, Tensor

# ─── lowering ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _lower_col2im(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Col2Im 18: adds the columns of every block to the pixels that the block was taken from; any number of dimensions."""
    x = call_.input(0)
    image = tuple(int(extent) for extent in call_.constant(1, "image_shape").reshape(-1))
    block = tuple(int(extent) for extent in call_.constant(2, "block_shape").reshape(-1))
    rank = len(image)
    strides, dilations, pads = _geometry(call_, rank)
    counts = _counts(call_, image, block)
    inside = math.prod(block)
    if rank == 0 or x.rank != 3 or inside == 0 or x.shape[1] % inside or x.shape[2] != math.prod(counts):
        call_.unsupported(
            f"columns of shape {list(x.shape)} are not {math.prod(counts)} blocks of {block} in an image {image}"
        )
    return emit.template(col2im(x.type, image, block, strides, dilations, pads[:rank], counts), [x])


def _implied(call_: OpCall) -> Implied | None:
    """The image has the stated extents; a block has as many elements as a column has for each channel."""
    if not (is_open(call_, 1) or is_open(call_, 2)) or not call_.wants(0):
        return None
    x, stated = call_.input(0), call_.output().shape
    image, rank = stated[2:], len(stated) - 2
    block = call_.input(2).constant
    if x.rank != 3 or rank < 1 or stated[1] < 1 or x.shape[1] % stated[1]:
        return None
    blocks = _factors(x.shape[1] // stated[1], rank) if block is None else [tuple(block.reshape(-1))]
    options = (
        {1: numbers(image), 2: numbers(sizes)}
        for sizes in blocks
        if math.prod(_counts(call_, image, sizes)) == x.shape[2]
    )
    return Implied({1: "image_shape", 2: "block_shape"}, tuple(options))


def _factors(product: int, count: int) -> Iterator[tuple[int, ...]]:
    """All factorisations of a number into so many."""
    if count == 1:
        yield (product,)
        return
    for first in range(1, product + 1):
        if product % first == 0:
            yield from ((first, *rest) for rest in _factors(product // first, count - 1))


def _counts(call_: OpCall, image: Sequence[int], block: Sequence[int]) -> tuple[int, ...]:
    """How many blocks there are along each dimension."""
    rank = len(image)
    strides, dilations, pads = _geometry(call_, rank)
    room = [
        image[axis] + pads[axis] + pads[axis + rank] - dilations[axis] * (int(block[axis]) - 1) - 1
        for axis in range(rank)
    ]
    return tuple(max(0, room[axis] // strides[axis] + 1) for axis in range(rank))


def _geometry(call_: OpCall, rank: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Strides, dilations and pads."""
    return (
        tuple(call_.attr("strides") or (1,) * rank),
        tuple(call_.attr("dilations") or (1,) * rank),
        tuple(call_.attr("pads") or (0,) * (2 * rank)),
    )


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Col2Im", 18, _lower_col2im, constant_inputs=(1, 2), folding=Folding.PAIRS, implied=_implied),
)
