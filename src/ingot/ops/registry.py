"""All operators that ingot has, as one plain tuple."""

from __future__ import annotations

from ingot.ops import (
    casts,
    conv,
    elementwise,
    indexing,
    logic,
    matmul,
    movement,
    norm,
    pool,
    reduce,
    shapes,
    softmax,
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
    *reduce.OPERATORS,
    *softmax.OPERATORS,
    *matmul.OPERATORS,
    *conv.OPERATORS,
    *norm.OPERATORS,
    *pool.OPERATORS,
)
