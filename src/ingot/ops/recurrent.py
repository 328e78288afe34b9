"""Recurrent networks: RNN, GRU and LSTM.

The part that does not depend on the state is one matrix product over all steps; a template then walks through time (see
`recurrent/cells`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.recurrent.cells import recurrent
from ingot.kernels.recurrent.directions import both_directions
from ingot.kernels.recurrent.steps import Cell
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Expr, compare, select
from ingot.ops.activations import choose_activations
from ingot.ops.facts import Folding
from ingot.ops.matmul import matmul, transpose_last
from ingot.ops.opdef import Emitter, Lower, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast

# ─── from a node to templates ──────────────────────────────────────────────────────────────────────────────────────


def _direction_of(emit: Emitter, tensor: Tensor, number: int) -> Tensor:
    """`tensor[number]`."""
    if tensor.constant is not None:
        return emit.constant(tensor.constant[number], tensor.dtype)
    if tensor.shape[0] == 1:
        return emit.reshape(tensor, tensor.shape[1:])
    output = TensorType(tensor.dtype, tensor.shape[1:])
    return emit.pointwise([tensor], output, lambda where, read: read(number, *where), "direction")


def _given(call_: OpCall, position: int) -> Tensor | None:
    """An optional operand; not one of constant zeros, which it is without it: some exporters write out an initial state."""
    tensor = call_.optional(position)
    return (
        None if tensor is not None and tensor.constant is not None and not tensor.constant.any() else tensor
    )


def _part(emit: Emitter, tensor: Tensor, first: int, size: int) -> Tensor:
    """`tensor[first : first + size]` of a vector."""
    if tensor.constant is not None:
        return emit.constant(tensor.constant[first : first + size], tensor.dtype)
    output = TensorType(tensor.dtype, (size,))
    return emit.pointwise([tensor], output, lambda where, read: read(where[0] + first), "part")


def _state_of(emit: Emitter, tensor: Tensor, number: int, batch_first: bool) -> Tensor:
    """One direction of an initial state, its dimension kept."""
    axis = 1 if batch_first else 0
    if tensor.shape[axis] == 1:
        return tensor
    shape = tuple(1 if dimension == axis else extent for dimension, extent in enumerate(tensor.shape))
    return emit.pointwise(
        [tensor],
        TensorType(tensor.dtype, shape),
        lambda where, read: read(
            *(number if dimension == axis else at for dimension, at in enumerate(where))
        ),
        "direction",
    )


@dataclass(frozen=True, slots=True)
class Network:
    """What a node says of a recurrent network, beside weights. `kind` is RNN, GRU or LSTM; `dtype` is what it computes in."""

    kind: str
    gates: int
    directions: int
    steps: int
    batch: int
    hidden: int
    batch_first: bool
    dtype: DType

    @property
    def by_batch(self) -> tuple[int, int, int]:
        """The shape of an initial or last state."""
        first = (self.batch, self.directions) if self.batch_first else (self.directions, self.batch)
        return (*first, self.hidden)


# The operands of a direction that weights are in: `x`, the product of the inputs, and those of `recurrent` for the state's.
Products = Callable[[int], dict[str, Tensor]]


def stated_network(
    call_: OpCall, kind: str, gates: int, w: Tensor, r: Tensor, transposed: bool = False
) -> Network:
    """Reads and checks the shapes of a node whose weights are `w [directions, gates*H, I]` and `r [directions, gates*H, H]`; if
    they are `transposed`, the last two dimensions of both are swapped.
    """
    x = call_.input(0)
    if {x.rank, w.rank, r.rank} != {3}:
        call_.unsupported(f"input {x.type} and weights {w.type} and {r.type}; expected three of rank 3")
    batch_first = bool(call_.attr("layout", 0))
    batch, steps = x.shape[:2] if batch_first else (x.shape[1], x.shape[0])
    directions, hidden = w.shape[0], r.shape[1 if transposed else 2]
    direction = call_.attr("direction", "forward")
    if (
        directions != (2 if direction == "bidirectional" else 1)
        or w.shape[2 if transposed else 1] != gates * hidden
    ):
        call_.unsupported(f"weights {w.type} and {r.type} for direction {direction!r}")
    network = Network(kind, gates, directions, steps, batch, hidden, batch_first, accumulator_type(x.dtype))
    for position, role, depth in ((1, "weights", x.shape[2]), (2, "recurrent weights", hidden)):
        own = (depth, gates * hidden) if transposed else (gates * hidden, depth)
        call_.require_shape(position, role, (directions, *own))
    call_.require_shape(3, "bias", (directions, 2 * gates * hidden))
    call_.require_shape(4, "sequence lengths", (batch,))
    call_.require_shape(5, "initial state", network.by_batch)
    if kind == "LSTM":
        call_.require_shape(6, "initial cell", network.by_batch)
        call_.require_shape(7, "peepholes", (directions, 3 * hidden))
    if int(call_.attr("hidden_size", hidden)) != hidden:
        call_.unsupported(f"hidden_size is {call_.attr('hidden_size')}, the weights are those of {hidden}")
    return network


def _lower(gates: int) -> Lower:
    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        network = stated_network(call_, call_.op_type, gates, call_.input(1), call_.input(2))
        x, w, r = (emit_cast(emit, call_.input(position), network.dtype) for position in range(3))

        def products(number: int) -> dict[str, Tensor]:
            weights = transpose_last(emit, _direction_of(emit, w, number))
            return {
                "x": matmul(call_, emit, x, weights),
                "weights": transpose_last(emit, _direction_of(emit, r, number)),
            }

        return emit_network(call_, emit, network, products)

    return lower


def emit_network(call_: OpCall, emit: Emitter, network: Network, products: Products) -> Sequence[Tensor]:
    """Emits the network of a node, with what its `products` are; operands from the bias on are inputs 3 to 7."""
    kind, gates, hidden, dtype, directions = (
        network.kind,
        network.gates,
        network.hidden,
        network.dtype,
        network.directions,
    )
    direction, lengths = call_.attr("direction", "forward"), call_.optional(4)
    activations = choose_activations(call_, kind, directions)
    linear = kind == "GRU" and bool(call_.attr("linear_before_reset", 0))
    clip = call_.attr("clip")
    optional = {
        name: emit_cast(emit, given, dtype)
        for name, position in (("bias", 3), ("initial_h", 5), ("initial_c", 6), ("peepholes", 7))
        if (kind == "LSTM" or position < 6) and (given := _given(call_, position)) is not None
    }
    cells: list[Cell] = []
    operands_of: list[dict[str, Tensor]] = []
    for number in range(directions):
        operands = products(number)
        if "bias" in optional:
            whole = _direction_of(emit, optional["bias"], number)
            operands["x"] = _add_bias(emit, operands["x"], whole, gates * hidden, hidden if linear else 0)
            if linear:
                operands["recurrent_bias"] = _part(emit, whole, (2 * gates - 1) * hidden, hidden)
        if lengths is not None:
            operands["lengths"] = lengths
        for name in ("initial_h", "initial_c"):
            if name in optional:
                operands[name] = _state_of(emit, optional[name], number, network.batch_first)
        if "peepholes" in optional:
            operands["peepholes"] = _direction_of(emit, optional["peepholes"], number)
        cell = Cell(
            kind,
            network.steps,
            network.batch,
            hidden,
            gates,
            reverse=direction == "reverse" or number == 1,
            batch_first=network.batch_first,
            activations=activations[number],
            clip=None if clip is None else float(clip),
            linear_before_reset=linear,
            input_forget=kind == "LSTM" and bool(call_.attr("input_forget", 0)),
        )
        cells.append(cell)
        operands_of.append(operands)
    names = [list(operands) for operands in operands_of]
    types = [[operand.type for operand in operands.values()] for operands in operands_of]
    if directions == 1:
        template = recurrent(cells[0], dtype, names[0], types[0])
    else:
        template = both_directions((cells[0], cells[1]), dtype, names, types)
    results = emit.template(template, [operand for operands in operands_of for operand in operands.values()])
    return [emit_cast(emit, result, call_.input(0).dtype) for result in results]


def _add_bias(emit: Emitter, x: Tensor, bias: Tensor, width: int, apart: int) -> Tensor:
    """Adds the input's and the state's bias to the input's product, but the last `apart` elements of the state's bias."""
    if bias.constant is not None:
        total = bias.constant[:width] + np.where(np.arange(width) < width - apart, bias.constant[width:], 0)
        summed = emit.constant(total.astype(bias.constant.dtype))
    else:

        def value(where: tuple[Expr, ...], read: Callable[..., Expr]) -> Expr:
            own = read(*where)
            both_ = own + read(where[0] + width)
            return select(compare("lt", where[0], width - apart), both_, own) if apart else both_

        summed = emit.pointwise([bias], TensorType(bias.dtype, (width,)), value, "biases")
    return emit.pointwise(
        [x, summed], x.type, lambda where, read, read_bias: read(*where) + read_bias(where[-1]), "bias"
    )


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "RNN", 7, _lower(1), folding=Folding.PAIRS, factors=(1, 2)),
    OpDef("", "GRU", 7, _lower(3), folding=Folding.PAIRS, factors=(1, 2)),
    OpDef("", "LSTM", 7, _lower(4), folding=Folding.PAIRS, factors=(1, 2)),
)
