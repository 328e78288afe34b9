"""Steps of training: what optimisers make of weights and their gradients.

*Source:* the operators' definitions in ONNX, version 1 of ai.onnx.preview.training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.loops.nodes import Const, Expr, call, cast, compare, select
from ingot.ops.elementwise import scalar
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

DOMAIN = "ai.onnx.preview.training"
# New states of one tensor from a function that reads its states, and the rate of learning; in the order of the outputs.
Step = Callable[[OpCall, Sequence[Expr], Expr, Expr], Sequence[Expr]]
# The rate of learning that an update count leaves.
Rate = Callable[[OpCall, Expr, Expr], Expr]


def _step(rate: Rate, step: Step, states: int) -> Callable[[OpCall, Emitter], Sequence[Tensor]]:
    """The rule of an optimiser: inputs are a rate, a number of updates, then all weights, all gradients, and `states` kinds of
    states; outputs all new weights, and all new states.
    """

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        count, rest = divmod(len(call_.inputs) - 2, states + 2)
        if rest or count < 1:
            call_.unsupported(
                f"{len(call_.inputs)} inputs, expected two and {states + 2} for each tensor that is updated"
            )
        for position, role in ((0, "the rate of learning"), (1, "the number of updates")):
            call_.require_one(position, role)
        r, t = call_.input(0), call_.input(1)
        scalar_type = TensorType(DType.FLOAT64, ())
        adjusted = emit.pointwise(
            [r, t],
            scalar_type,
            lambda _, read_r, read_t: rate(call_, cast(scalar(r, read_r), DType.FLOAT64), scalar(t, read_t)),
            "rate",
        )
        results: list[list[Tensor]] = [[] for _ in range(states + 1)]
        for number in range(count):
            places = [2 + kind * count + number for kind in range(states + 2)]
            given = [call_.input(place) for place in places]
            for place, name in zip(places[1:], ("gradient", "state", "state"), strict=False):
                call_.require_shape(place, name, given[0].shape)
            for kind, new in enumerate(_updated(call_, emit, step, given, adjusted, t)):
                results[kind].append(new)
        return [tensor for kind in results for tensor in kind]

    return lower


def _updated(
    call_: OpCall, emit: Emitter, step: Step, given: Sequence[Tensor], rate: Tensor, t: Tensor
) -> list[Tensor]:
    dtype, kinds = given[0].dtype, len(given) - 1
    if dtype not in (DType.FLOAT32, DType.FLOAT64):
        call_.unsupported(f"weights of {dtype.value}, expected float32 or float64")

    def new(kind: int) -> Callable[..., Expr]:
        def at(where: tuple[Expr, ...], *reads: Callable[..., Expr]) -> Expr:
            states = [read(*where) for read in reads[:-2]]
            return step(call_, states, cast(reads[-2](), dtype), scalar(t, reads[-1]))[kind]

        return at

    # Output 0 are weights, the others the states, which are behind the gradient in the inputs.
    types = [given[0].type, *(tensor.type for tensor in given[2:])]
    return [emit.pointwise([*given, rate, t], types[kind], new(kind), "update") for kind in range(kinds)]


def _regularised(call_: OpCall, states: Sequence[Expr]) -> Expr:
    return states[0] * float(call_.attr("norm_coefficient", 0.0)) + states[1]


def _decayed(call_: OpCall, r: Expr, t: Expr) -> Expr:
    return r / (cast(t, r.dtype) * float(call_.attr("decay_factor", 0.0)) + 1.0)


def _adagrad(call_: OpCall, states: Sequence[Expr], rate: Expr, t: Expr) -> Sequence[Expr]:  # noqa: ARG001
    gradient = _regularised(call_, states)
    squares = states[2] + gradient * gradient
    root = call("sqrt", squares) + float(call_.attr("epsilon", 1e-6))
    return states[0] - rate * gradient / root, squares


def _corrected(call_: OpCall, r: Expr, t: Expr) -> Expr:
    """The rate `r`, corrected for moments that begin at zero after `t` updates; in float64, since `1 - beta**t` is small."""
    alpha, beta = (
        Const(float(call_.attr(name, default)), r.dtype)
        for name, default in (("alpha", 0.9), ("beta", 0.999))
    )
    updates = cast(t, r.dtype)
    unit = Const(1.0, r.dtype)
    corrected = r * call("sqrt", unit - call("pow", beta, updates)) / (unit - call("pow", alpha, updates))
    return select(compare("gt", t, 0), corrected, r)


def _adam(call_: OpCall, states: Sequence[Expr], rate: Expr, t: Expr) -> Sequence[Expr]:  # noqa: ARG001
    alpha, beta = float(call_.attr("alpha", 0.9)), float(call_.attr("beta", 0.999))
    gradient = _regularised(call_, states)
    first = states[2] * alpha + gradient * (1 - alpha)
    second = states[3] * beta + gradient * gradient * (1 - beta)
    root = call("sqrt", second) + float(call_.attr("epsilon", 1e-6))
    weights = states[0] - rate * (first / root)
    return weights * (1 - float(call_.attr("norm_coefficient_post", 0.0))), first, second


def _momentum(call_: OpCall, states: Sequence[Expr], rate: Expr, t: Expr) -> Sequence[Expr]:
    """Standard, or Nesterov's."""
    mode, alpha = str(call_.attr("mode", "standard")), float(call_.attr("alpha", 0.0))
    if mode not in ("standard", "nesterov"):
        call_.unsupported(f"mode={mode!r}, expected 'standard' or 'nesterov'")
    gradient = _regularised(call_, states)
    weight = select(compare("gt", t, 0), Const(float(call_.attr("beta", 1.0)), rate.dtype), 1.0)
    moved = states[2] * alpha + weight * gradient
    return states[0] - rate * (moved if mode == "standard" else gradient + moved * alpha), moved


OPERATORS: tuple[OpDef, ...] = (
    OpDef(DOMAIN, "Adagrad", 1, _step(_decayed, _adagrad, 1)),
    OpDef(DOMAIN, "Adam", 1, _step(_corrected, _adam, 2)),
    OpDef(DOMAIN, "Momentum", 1, _step(lambda call_, r, t: r, _momentum, 1)),  # noqa: ARG005
)
