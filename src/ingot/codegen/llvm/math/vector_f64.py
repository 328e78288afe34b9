"""Functions that are computed in float64 by the arithmetic of `math/f64`, in vectors, where the processor has vectors of float64.

So a result does not depend on the lane or the C library. Greatest errors: those of `math/f64` for float64; for float32 0.51 ulp,
as the result of the float64 function is rounded once.
"""

from __future__ import annotations

from collections.abc import Mapping

from ingot.base.tensor import DType
from ingot.codegen.math.f64 import WRITTEN
from ingot.codegen.math.f64_angles import near_sine, near_tangent
from ingot.codegen.math.f64_parts import Written
from ingot.codegen.math.f64_power import POWER

_PLAIN: Mapping[str, Written] = {name: written for name, written in WRITTEN.items() if not written.body}
_SHORT: Mapping[str, Written] = {"pow": POWER}


def written_for(function: str, dtype: DType) -> Written | None:
    """The function for arguments of a float type; None where it is not a plain expression."""
    return (_SHORT.get(function) if dtype is not DType.FLOAT64 else None) or _PLAIN.get(function)


# Of float64, for angles up to NEAR and no further, where multiply-adds are rounded once.
_NEAR: Mapping[str, Written] = {"sin": near_sine(0), "cos": near_sine(1), "tan": near_tangent()}


def near_angles_for(function: str, dtype: DType) -> Written | None:
    """The function of float64 angles that are not far."""
    return _NEAR.get(function) if dtype is DType.FLOAT64 else None
