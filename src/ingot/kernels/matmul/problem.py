"""The operands of a matrix product, which all ways to compute one share."""

from __future__ import annotations

from dataclasses import dataclass

from ingot.base.tensor import TensorType


@dataclass(frozen=True, slots=True)
class MatMul:
    """`output[…, m, n] = Σ_k a[…, m, k] * b[…, k, n]`, batch dimensions broadcast. With `few_columns` there may be far fewer
    columns than there is room for: nothing may be done for all of them.
    """

    a: TensorType
    b: TensorType
    output: TensorType
    few_columns: bool = False
