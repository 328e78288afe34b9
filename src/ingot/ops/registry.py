"""All operators that ingot has, as one plain tuple."""

from __future__ import annotations

from ingot.ops import (
    casts,
    conv,
    cumulative,
    einsum,
    elementwise,
    image,
    indexing,
    integer,
    local_response,
    logic,
    matmul,
    movement,
    norm,
    pool,
    quantize,
    recurrent,
    reduce,
    resize,
    shapes,
    softmax,
    top,
    unary,
)
from ingot.ops.opdef import OpDef

ALL: tuple[OpDef, ...] = (
    *elementwise.OPERATORS,
    *unary.OPERATORS,
    *logic.OPERATORS,
    *casts.OPERATORS,
    *shapes.OPERATORS,
    *movement.OPERATORS,
    *indexing.OPERATORS,
    *cumulative.OPERATORS,
    *quantize.OPERATORS,
    *einsum.OPERATORS,
    *resize.OPERATORS,
    *image.OPERATORS,
    *reduce.OPERATORS,
    *softmax.OPERATORS,
    *matmul.OPERATORS,
    *conv.OPERATORS,
    *norm.OPERATORS,
    *pool.OPERATORS,
    *local_response.OPERATORS,
    *recurrent.OPERATORS,
    *integer.OPERATORS,
    *top.OPERATORS,
)
