"""Activation functions that recurrent networks name in their attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ingot.base.errors import nearest
from ingot.loops.nodes import Const, Expr, compare, maximum, minimum, select
from ingot.ops.opdef import OpCall
from ingot.ops.unary import elu, hard_sigmoid, leaky_relu, relu, sigmoid, softplus, softsign, tanh

Function = Callable[[Expr, float, float], Expr]


# Name → function of x, alpha and beta; default alpha; default beta. None: the function has no such parameter.
_FUNCTIONS: Mapping[str, tuple[Function, float | None, float | None]] = {
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
_DEFAULTS = {"RNN": ("tanh",), "GRU": ("sigmoid", "tanh"), "LSTM": ("sigmoid", "tanh", "tanh")}


@dataclass(frozen=True, slots=True)
class Activation:
    """A function with its parameters."""

    name: str
    alpha: float = 0.0
    beta: float = 0.0

    def __call__(self, x: Expr) -> Expr:
        return _FUNCTIONS[self.name][0](x, self.alpha, self.beta)


def text(value: str | bytes) -> str:
    """A string attribute."""
    return value.decode() if isinstance(value, bytes) else value


def choose_activations(call_: OpCall, kind: str, directions: int) -> tuple[tuple[Activation, ...], ...]:
    """The activations of each direction.

    Values of `activation_alpha` and `activation_beta` go, in order, to the functions that take one.
    """
    default = _DEFAULTS[kind]
    names = [text(one).lower() for one in call_.attr("activations") or default * directions]
    if len(names) != len(default) * directions:
        call_.unsupported(f"{len(names)} activations, expected {len(default) * directions}")
    alphas = [float(one) for one in call_.attr("activation_alpha") or ()]
    betas = [float(one) for one in call_.attr("activation_beta") or ()]
    made: list[Activation] = []
    for name in names:
        if name not in _FUNCTIONS:
            call_.unsupported(f"activation {name!r} is not known{nearest(name, _FUNCTIONS)}")
        _, alpha, beta = _FUNCTIONS[name]
        if alpha is not None and alphas:
            alpha = alphas.pop(0)
        if beta is not None and betas:
            beta = betas.pop(0)
        made.append(Activation(name, alpha or 0.0, beta or 0.0))
    each = len(default)
    return tuple(tuple(made[number * each : (number + 1) * each]) for number in range(directions))


def clipped(value: Expr, bound: float | None) -> Expr:
    """The value within `-bound … bound`; a NaN stays one."""
    if bound is None:
        return value
    return minimum(Const(bound, value.dtype), maximum(Const(-bound, value.dtype), value))
