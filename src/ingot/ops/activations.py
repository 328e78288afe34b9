"""Activation functions that recurrent networks name in their attributes."""

from __future__ import annotations

from ingot.base.errors import nearest
from ingot.kernels.recurrent.activations import FUNCTIONS, Activation
from ingot.ops.opdef import OpCall

DEFAULTS = {"RNN": ("tanh",), "GRU": ("sigmoid", "tanh"), "LSTM": ("sigmoid", "tanh", "tanh")}
"""Of one direction, by the operator."""


def choose_activations(call_: OpCall, kind: str, directions: int) -> tuple[tuple[Activation, ...], ...]:
    """The activations of each direction.

    Values of `activation_alpha` and `activation_beta` go, in order, to the functions that take one.
    """
    default = DEFAULTS[kind]
    names = [name.lower() for name in call_.attr("activations") or default * directions]
    if len(names) != len(default) * directions:
        call_.unsupported(f"{len(names)} activations, expected {len(default) * directions}")
    alphas = [float(value) for value in call_.attr("activation_alpha") or ()]
    betas = [float(value) for value in call_.attr("activation_beta") or ()]
    activations: list[Activation] = []
    for name in names:
        if name not in FUNCTIONS:
            call_.unsupported(f"activation {name!r} is not known{nearest(name, FUNCTIONS)}")
        _, alpha, beta = FUNCTIONS[name]
        if alpha is not None and alphas:
            alpha = alphas.pop(0)
        if beta is not None and betas:
            beta = betas.pop(0)
        activations.append(Activation(name, alpha or 0.0, beta or 0.0))
    each = len(default)
    return tuple(tuple(activations[number * each : (number + 1) * each]) for number in range(directions))
