"""Activation functions as expressions."""

from __future__ import annotations

from ingot.loops.nodes import Const, Expr, call, compare, maximum, minimum, select


def relu(x: Expr) -> Expr:
    """`max(0, x)`; a NaN stays."""
    return maximum(Const(0, x.dtype), x)


def sigmoid(x: Expr) -> Expr:
    """`exp(x) / (1 + exp(x))`, right at both infinities."""
    power = call("exp_flushed", minimum(Const(64.0, x.dtype), x))  # from 37 on the result is 1
    return power / (1.0 + power)


def tanh(x: Expr) -> Expr:
    """The hyperbolic tangent."""
    return call("tanh", x)


def softplus(x: Expr) -> Expr:
    """`log(1 + exp(x))`, written so that exp never overflows, and what the sum with 1 rounds away is not lost."""
    power = call("exp", -call("abs", x))
    total = 1.0 + power
    return relu(x) + (call("log", total) + (power - (total - 1.0)))


def hard_sigmoid(x: Expr, alpha: float, beta: float) -> Expr:
    """`alpha * x + beta`, kept between 0 and 1."""
    return relu(minimum(Const(1.0, x.dtype), x * alpha + beta))


def leaky_relu(x: Expr, alpha: float) -> Expr:
    """`x` where it is not below 0, else `alpha * x`."""
    return select(compare("lt", x, 0.0), x * alpha, x)


def elu(x: Expr, alpha: float) -> Expr:
    """`x` where it is not below 0, else `alpha * (exp(x) - 1)`."""
    return select(compare("lt", x, 0.0), (call("exp_flushed", x) - 1.0) * alpha, x)


def softsign(x: Expr) -> Expr:
    """`x / (1 + |x|)`."""
    return x / (1.0 + call("abs", x))
