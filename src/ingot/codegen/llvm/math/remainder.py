"""Remainders of floats in vectors, exact as C's `fmod` is.

The quotient of two sizes, cut to a whole number, is never too small, and while it has fewer bits than the type it is too large by
one at most. The dividend without so many divisors is then one number of the type, which a fused multiply-add gives exactly; if it
is negative, one divisor is added again. Larger quotients, and what is not finite, are left to the C library.
"""

from __future__ import annotations

from collections.abc import Mapping

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value, constant
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.math.f32 import unless, with_sign_of

# Below it the error of a rounded quotient is less than 1.
_LIMITS: Mapping[DType, float] = {DType.FLOAT32: 2.0**23, DType.FLOAT64: 2.0**52}
_WIDE_LIMIT = 2.0**28  # of float32 in float64: quotients are right, and so are their products


def has_remainder(ops: Operations, x: Value, y: Value) -> bool:
    """Whether `remainder` takes these operands on this processor: vectors of a float type."""
    if not (x.lanes or y.lanes) or x.dtype not in _LIMITS:
        return False
    return ops.chip.machine.has_fma or (ops.chip.has_doubles and x.dtype is DType.FLOAT32)


def remainder(ops: Operations, x: Value, y: Value) -> Value:
    """What is left of x without as many y as fit into it, with the sign of x."""
    x, y = ops.plain(x, y)
    lanes = max(x.lanes, y.lanes)
    x, y = ops.vector(x, lanes), ops.vector(y, lanes)
    dividend, divisor = ops.call("abs", [x]), ops.call("abs", [y])
    zero = constant(0.0, x.dtype)
    if ops.chip.machine.has_fma:
        quotient = ops.call("trunc", [ops.binary("div", dividend, divisor)])
        rest = ops.fma(ops.unary("neg", quotient), divisor, dividend)
        rest = ops.select(ops.binary("lt", rest, zero), ops.add(rest, divisor), rest)
        near = ops.binary("lt", quotient, constant(_LIMITS[x.dtype], x.dtype))
    else:
        wide, by = ops.cast(dividend, DType.FLOAT64), ops.cast(divisor, DType.FLOAT64)
        whole = ops.call("trunc", [ops.binary("div", wide, by)])
        rest = ops.cast(ops.binary("sub", wide, ops.mul(whole, by)), x.dtype)
        near = ops.binary("lt", whole, constant(_WIDE_LIMIT, DType.FLOAT64))
    rest = ops.select(ops.binary("lt", dividend, divisor), dividend, rest)  # also by infinity
    signed = with_sign_of(ops, rest, x)
    return unless(ops, ops.unary("not", near), signed, lambda: ops.make(f"frem {x.typed}, {y.text}", x))
