"""The activation functions that recurrent networks name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ingot.kernels.blocks.activations import (
    elu,
    hard_sigmoid,
    leaky_relu,
    relu,
    sigmoid,
    softplus,
    softsign,
    tanh,
)
from ingot.loops.nodes import Const, Expr, compare, maximum, minimum, select

Function = Callable[[Expr, float, float], Expr]


# Name → function of x, alpha and beta; default alpha; default beta. None: the function has no such parameter.
FUNCTIONS: Mapping[str, tuple[Function, float | None, float | None]] = {
    "affine": (lambda x, a, b: x * a + b, 1.0, 0.0),
    "elu": (lambda x, a, _b: elu(x, a), 1.0, None),
    "hardsigmoid": (hard_sigmoid, 0.2, 0.5),
    "leakyrelu": (lambda x, a, _b: leaky_relu(x, a), 0.01, None),
    "relu": (lambda x, _a, _b: relu(x), None, None),
    "scaledtanh": (lambda x, a, b: tanh(x * b) * a, 1.0, 1.0),
    "sigmoid": (lambda x, _a, _b: sigmoid(x), None, None),
    "softplus": (lambda x, _a, _b: softplus(x), None, None),
    "softsign": (lambda x, _a, _b: softsign(x), None, None),
    "tanh": (lambda x, _a, _b: tanh(x), None, None),
    "thresholdedrelu": (lambda x, a, _b: select(compare("gt", x, a), x, Const(0, x.dtype)), 1.0, None),
}


@dataclass(frozen=True, slots=True)
class Activation:
    """A function with its parameters."""

    name: str
    alpha: float = 0.0
    beta: float = 0.0

    def __call__(self, x: Expr) -> Expr:
        return FUNCTIONS[self.name][0](x, self.alpha, self.beta)


def clipped(value: Expr, bound: float | None) -> Expr:
    """The value within `-bound … bound`; a NaN stays one."""
    if bound is None:
        return value
    return minimum(Const(bound, value.dtype), maximum(Const(-bound, value.dtype), value))
