"""The numbers of a pooling, which both algorithms for one share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import TensorType
from ingot.kernels.blocks.window import Reach, Window
from ingot.loops.build.nest import Combine
from ingot.loops.nodes import Expr

# What one result is made of, besides the fold: from the reaches of all dimensions to a factor.
Factor = Callable[[Sequence[Reach]], Expr]


def reads_once(window: Window) -> bool:
    """Whether no element lies under two windows."""
    taps = zip(window.strides, window.kernel, window.dilations, strict=True)
    return all(step >= (size - 1) * gap + 1 for step, size, gap in taps)


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The elements of `x [N, C, *spatial]` under each window are folded by `combine` from `initial` on; the result is multiplied
    by `factor`.
    """

    x: TensorType
    window: Window
    initial: float
    combine: Combine
    factor: Factor | None

    @property
    def taps_above(self) -> int:
        """Taps of a window in one column of its last dimension."""
        return math.prod(self.window.kernel[:-1])
