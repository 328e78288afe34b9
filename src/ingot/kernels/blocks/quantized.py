"""Real numbers become quantized values: rounded and kept within an integer type."""

from __future__ import annotations

from ingot.base.tensor import DType
from ingot.loops.nodes import Const, Expr, call, cast, maximum, minimum


def saturated(value: Expr, dtype: DType, is_whole: bool = False) -> Expr:
    """A float rounded to the nearest integer, half to even, if it is not whole already, and kept within the type. A NaN becomes
    the lowest value.
    """
    lowest = -(1 << (dtype.bits - 1)) if dtype.is_signed else 0
    low, high = Const(float(lowest), value.dtype), Const(float(lowest + (1 << dtype.bits) - 1), value.dtype)
    # With the constant on the right the result for a NaN is the constant: no NaN reaches the conversion.
    return cast(minimum(maximum(value if is_whole else call("rint", value), low), high), dtype.carrier)


def coded(value: Expr, zero_point: int, dtype: DType, is_small: bool = False) -> Expr:
    """`saturated(rint(value) + zero_point)` of a float32 for a zero point that is known. With `is_small` no value is a NaN or
    beyond ±2^30.

    Small values are bounded as integers, which processors do while they narrow them. For others bounds come first, which are
    whole, and what is left is a small int32.
    """
    lowest = -(1 << (dtype.bits - 1)) if dtype.is_signed else 0
    highest = lowest + (1 << dtype.bits) - 1
    if is_small:
        whole = cast(call("rint", value), DType.INT32)
        whole = whole + zero_point if zero_point else whole
        return cast(
            minimum(maximum(whole, Const(lowest, DType.INT32)), Const(highest, DType.INT32)), dtype.carrier
        )
    low, high = (Const(float(end - zero_point), DType.FLOAT32) for end in (lowest, highest))
    # With the constant on the right the result for a NaN is the constant: no NaN reaches the conversion.
    whole = cast(call("rint", minimum(maximum(value, low), high)), DType.INT32)
    return cast(whole + zero_point if zero_point else whole, dtype.carrier)
