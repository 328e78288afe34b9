"""The numbers of a normalisation of rows, which all algorithms for one share."""

from __future__ import annotations

from dataclasses import dataclass

from ingot.base.tensor import TensorType


@dataclass(frozen=True, slots=True)
class RowNorm:
    """Rows of the last dimension are normalised and scaled: `x [..., D], scale [D], bias [D]` → `y [..., D]`.

    `centred` takes the mean out first. With `bias` there is one; with `statistics` outputs 1 and 2 are the mean and the inverse
    deviation.
    """

    x: TensorType
    centred: bool
    epsilon: float
    bias: bool
    statistics: bool
