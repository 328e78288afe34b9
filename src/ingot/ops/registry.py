"""All operators that ingot has, as one plain tuple."""

from __future__ import annotations

from ingot.ops import (
    casts,
    elementwise,
    logic,
    movement,
    norm,
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
    *reduce.OPERATORS,
    *softmax.OPERATORS,
    *norm.OPERATORS,
)
