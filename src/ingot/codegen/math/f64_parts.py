"""What the functions of `math/f64` are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ingot.base.tensor import DType
from ingot.loops.nodes import Binary, Bitcast, Const, Expr, Fma, Stmt, Var, call

F64, I64, U64 = DType.FLOAT64, DType.INT64, DType.UINT64
X, Y = Var("x", F64), Var("y", F64)
SIGN = Const(-(2**63), I64)
"""The sign bit of a float64."""


@dataclass(frozen=True, slots=True)
class Written:
    """A function: what it does with its parameters, and then its result."""

    params: tuple[Var, ...]
    body: tuple[Stmt, ...]
    result: Expr


def real(value: float) -> Const:
    """A float64."""
    return Const(float(value), F64)


def whole(value: int) -> Const:
    """An int64."""
    return Const(value, I64)


def split(value: Fraction, *bits: int) -> tuple[float, ...]:
    """A number as a sum of float64 numbers, of which the first have so many bits, and the last all."""
    parts = []
    for count in (*bits, 53):
        exponent = math.floor(math.log2(abs(value))) - count + 1
        part = Fraction(round(value / Fraction(2) ** exponent)) * Fraction(2) ** exponent
        parts.append(float(part))
        value -= part
    return tuple(parts)


def polynomial(x: Expr, coefficients: Sequence[float]) -> Expr:
    """The sum of coefficient k times x^k."""
    result: Expr = real(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = Fma(result, x, real(coefficient))
    return result


def size_of(x: Expr) -> Expr:
    """|x|."""
    return call("abs", x)


def with_sign_of(size: Expr, x: Expr) -> Expr:
    """The size, which has no sign, with that of x."""
    return Bitcast(Binary("or", Bitcast(size, I64), Binary("and", Bitcast(x, I64), SIGN)), F64)
