"""Recurrent networks: RNN, GRU and LSTM.

The part that does not depend on the state is one matrix product over all steps; a template then walks through time, one
sequence of the batch per task, with the state in a workspace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.loops.define import Site, Template
from ingot.loops.nest import accumulator_type, collapse, loop, tiles, vector, vector_blocks, vector_sizes
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    Fma,
    For,
    Let,
    LoopKind,
    Operand,
    Stmt,
    Var,
    buffer,
    cast,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)
from ingot.ops.activations import Activation, choose_activations, clipped, text
from ingot.ops.matmul import matmul, transpose_last
from ingot.ops.opdef import Emitter, Lower, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast
from ingot.tensor import DType, TensorType


@dataclass(frozen=True, slots=True)
class Cell:
    """What one direction of a recurrent network computes, besides its operands.

    `kind` is RNN, GRU or LSTM. `gates` rows of `hidden` are in the products: the input's is operand 0, `[T, B, gates*H]` or
    `[B, T, gates*H]` if `batch_first`, biases added; the state's weights are operand 1, `[H, gates*H]`.
    """

    kind: str
    steps: int
    batch: int
    hidden: int
    gates: int
    reverse: bool
    batch_first: bool
    activations: tuple[Activation, ...]
    clip: float | None
    linear_before_reset: bool = False
    input_forget: bool = False


@dataclass(slots=True)
class _Work:
    """A template being built: operands by name, the state, and what the cells share."""

    site: Site
    cell: Cell
    dtype: DType
    position: Mapping[str, int]
    sequence: Expr
    state: Buffer
    memory: Buffer
    gates: Buffer
    lanes: int

    def has(self, name: str) -> bool:
        return name in self.position

    def operand(self, name: str, *where: Operand) -> Expr:
        return self.site.read(self.position[name], *where)

    def activate(self, number: int, value: Expr) -> Expr:
        return self.cell.activations[number](clipped(value, self.cell.clip))

    def h(self, at: Operand) -> Expr:
        return load(self.state, self.sequence, at)

    def c(self, at: Operand) -> Expr:
        return load(self.memory, self.sequence, at)

    def gate(self, number: int, at: Expr) -> Expr:
        return load(self.gates, self.sequence, at + number * self.cell.hidden)

    def each(self, name: str, body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """Vectors over the hidden elements."""
        return vector_blocks(name, self.cell.hidden, self.lanes, body)

    def products(
        self, name: str, first: int, width: int, start: Callable[[Expr], Expr], factor: Callable[[Expr], Expr]
    ) -> tuple[Stmt, ...]:
        """`gates[column] = start(column) + Σ_k factor(k) * R[k, column]` for `width` columns from `first` on."""
        weights = self.site.input(1)
        sizes = vector_sizes(self.lanes) if self.lanes == 1 else (4 * self.lanes, *vector_sizes(self.lanes))

        def tile(at: Expr, size: int) -> Sequence[Stmt]:
            total = buffer(f"{name}_total", self.dtype, (size,))
            k_var = Var(f"{name}_factor", self.dtype)

            def chunks(body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
                stmts: tuple[Stmt, ...] = ()
                for begin in range(0, size, self.lanes):
                    stmts += vector(
                        f"{name}_lane",
                        min(size, self.lanes),
                        lambda lane, begin=begin: body(lane + begin),  # type: ignore[misc]
                    )
                return stmts

            def step(k: Expr) -> Sequence[Stmt]:
                return (
                    Let(k_var, factor(k)),
                    *chunks(
                        lambda lane: (
                            store(total, (lane,), Fma(k_var, load(weights, k, at + lane + first), load(total, lane))),
                        )
                    ),
                )

            return (
                Alloc(total),
                *chunks(lambda lane: (store(total, (lane,), start(at + lane + first)),)),
                *loop(f"{name}_k", self.cell.hidden, step),
                *chunks(lambda lane: (store(self.gates, (self.sequence, at + lane + first), load(total, lane)),)),
            )

        return tiles(f"{name}_tile", width, sizes, tile)


def _rnn_step(work: _Work, x: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
    return (
        *work.products("gate", 0, work.cell.hidden, x, work.h),
        *work.each("j", lambda j: (store(work.state, (work.sequence, j), work.activate(0, work.gate(0, j))),)),
    )


def _gru_step(work: _Work, x: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
    hidden = work.cell.hidden

    def new_state(update: Expr, candidate: Expr, old: Expr) -> Expr:
        return (Const(1, work.dtype) - update) * candidate + update * old

    if work.cell.linear_before_reset:
        bias = work.has("recurrent_bias")

        def start(column: Expr) -> Expr:
            return x(column)

        def start_candidate(column: Expr) -> Expr:
            return work.operand("recurrent_bias", column - 2 * hidden) if bias else Const(0, work.dtype)

        def finish(j: Expr) -> Sequence[Stmt]:
            update = work.activate(0, work.gate(0, j))
            reset = work.activate(0, work.gate(1, j))
            candidate = work.activate(1, x(j + 2 * hidden) + reset * work.gate(2, j))
            return (store(work.state, (work.sequence, j), new_state(update, candidate, work.h(j))),)

        return (
            *work.products("gate", 0, 2 * hidden, start, work.h),
            *work.products("candidate", 2 * hidden, hidden, start_candidate, work.h),
            *work.each("j", finish),
        )

    def gates(j: Expr) -> Sequence[Stmt]:
        reset = work.activate(0, work.gate(1, j)) * work.h(j)
        return (
            store(work.gates, (work.sequence, j), work.activate(0, work.gate(0, j))),
            store(work.gates, (work.sequence, j + hidden), reset),
        )

    def finish_plain(j: Expr) -> Sequence[Stmt]:
        candidate = work.activate(1, work.gate(2, j))
        return (store(work.state, (work.sequence, j), new_state(work.gate(0, j), candidate, work.h(j))),)

    return (
        *work.products("gate", 0, 2 * hidden, x, work.h),
        *work.each("i", gates),
        *work.products("candidate", 2 * hidden, hidden, x, lambda k: work.gate(1, k)),
        *work.each("j", finish_plain),
    )


def _lstm_step(work: _Work, x: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
    hidden, peep = work.cell.hidden, work.has("peepholes")

    def with_peephole(value: Expr, number: int, at: Expr, memory: Expr) -> Expr:
        return value + work.operand("peepholes", at + number * hidden) * memory if peep else value

    def finish(j: Expr) -> Sequence[Stmt]:
        # The gates are in the order input, output, forget, cell; peepholes are input, output, forget.
        old, new = Var("old", work.dtype), Var("new", work.dtype)
        enter = work.activate(0, with_peephole(work.gate(0, j), 0, j, old))
        if work.cell.input_forget:
            keep = Const(1, work.dtype) - enter
        else:
            keep = work.activate(0, with_peephole(work.gate(2, j), 2, j, old))
        candidate = work.activate(1, work.gate(3, j))
        leave = work.activate(0, with_peephole(work.gate(1, j), 1, j, new))
        return (
            Let(old, work.c(j)),
            Let(new, keep * old + enter * candidate),
            store(work.memory, (work.sequence, j), new),
            store(work.state, (work.sequence, j), leave * work.cell.activations[2](new)),
        )

    return (*work.products("gate", 0, 4 * hidden, x, work.h), *work.each("j", finish))


_STEPS = {"RNN": _rnn_step, "GRU": _gru_step, "LSTM": _lstm_step}


def recurrent(cell: Cell, dtype: DType, names: Sequence[str], types: Sequence[TensorType]) -> Template:
    """Walks through time: outputs are `Y [T, 1, B, H]`, `Y_h [1, B, H]` and, for an LSTM, `Y_c [1, B, H]`.

    With `batch_first` they are `[B, T, 1, H]` and `[B, 1, H]`. `names` says what the operands are: `x` and `weights` (see
    Cell), and any of `lengths [B]`, `initial_h [1, B, H]`, `initial_c`, `peepholes [3*H]`, `recurrent_bias [H]`.
    """
    steps, batch, hidden = cell.steps, cell.batch, cell.hidden
    last = TensorType(dtype, (batch, 1, hidden) if cell.batch_first else (1, batch, hidden))
    outputs = [TensorType(dtype, (batch, steps, 1, hidden) if cell.batch_first else (steps, 1, batch, hidden)), last]
    if cell.kind == "LSTM":
        outputs.append(last)

    def build(site: Site) -> Sequence[Stmt]:
        state = site.workspace("state", dtype, (batch, hidden))
        memory = site.workspace("memory", dtype, (batch, hidden)) if cell.kind == "LSTM" else state
        gates = site.workspace("gates", dtype, (batch, cell.gates * hidden))
        position = {name: number for number, name in enumerate(names)}
        lanes = site.machine.lanes(dtype)

        def sequence(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            (b,) = where
            work = _Work(site, cell, dtype, position, b, state, memory, gates, lanes)
            edge = (b, 0) if cell.batch_first else (0, b)

            def begin(j: Expr) -> Sequence[Stmt]:
                zero = Const(0, dtype)
                stmts = [store(state, (b, j), work.operand("initial_h", *edge, j) if work.has("initial_h") else zero)]
                if cell.kind == "LSTM":
                    initial = work.operand("initial_c", *edge, j) if work.has("initial_c") else zero
                    stmts.append(store(memory, (b, j), initial))
                return stmts

            def result(t: Expr, j: Expr, value: Expr) -> Sequence[Stmt]:
                return site.write(0, (b, t, 0, j) if cell.batch_first else (t, 0, b, j), value)

            length: Expr = index(steps)
            lets: tuple[Stmt, ...] = ()
            if work.has("lengths"):
                length = Var("length")
                given = cast(work.operand("lengths", b), DType.INT64)
                lets = (Let(length, minimum(maximum(given, 0), steps)),)

            def step(number: Expr) -> Sequence[Stmt]:
                t = length - 1 - number if cell.reverse else number

                def x(column: Expr) -> Expr:
                    return work.operand("x", b, t, column) if cell.batch_first else work.operand("x", t, b, column)

                return (*_STEPS[cell.kind](work, x), *work.each("o", lambda j: result(t, j, work.h(j))))

            def clear(number: Expr) -> Sequence[Stmt]:
                return work.each("z", lambda j: result(length + number, j, Const(0, dtype)))

            time, rest = Var("step"), Var("unused")
            walk: list[Stmt] = [For(time, length, tuple(step(time)), LoopKind.SERIAL)]
            if lets:
                walk.append(For(rest, index(steps) - length, tuple(clear(rest)), LoopKind.SERIAL))
            ends = [*work.each("e", lambda j: site.write(1, (*edge, j), work.h(j)))]
            if cell.kind == "LSTM":
                ends += work.each("f", lambda j: site.write(2, (*edge, j), work.c(j)))
            return (*work.each("b", begin), *lets, *walk, *ends)

        return collapse("sequence", (batch,), sequence)

    spec = {"cell": cell}
    return Template(cell.kind.lower(), tuple(types), tuple(outputs), build, spec)


# ─── from a node to templates ──────────────────────────────────────────────────────────────────────────────────────


def _direction_of(emit: Emitter, tensor: Tensor, number: int) -> Tensor:
    """`tensor[number]`."""
    if tensor.constant is not None:
        return emit.constant(tensor.constant[number])
    if tensor.shape[0] == 1:
        return emit.reshape(tensor, tensor.shape[1:])
    output = TensorType(tensor.dtype, tensor.shape[1:])
    return emit.pointwise([tensor], output, lambda where, read: read(number, *where), "direction")


def _part(emit: Emitter, tensor: Tensor, first: int, size: int) -> Tensor:
    """`tensor[first : first + size]` of a vector."""
    if tensor.constant is not None:
        return emit.constant(tensor.constant[first : first + size])
    output = TensorType(tensor.dtype, (size,))
    return emit.pointwise([tensor], output, lambda where, read: read(where[0] + first), "part")


def _state_of(emit: Emitter, tensor: Tensor, number: int, batch_first: bool) -> Tensor:
    """One direction of an initial state, its dimension kept."""
    axis = 1 if batch_first else 0
    if tensor.shape[axis] == 1:
        return tensor
    shape = tuple(1 if one == axis else extent for one, extent in enumerate(tensor.shape))
    return emit.pointwise(
        [tensor],
        TensorType(tensor.dtype, shape),
        lambda where, read: read(*(number if one == axis else at for one, at in enumerate(where))),
        "direction",
    )


def _join(emit: Emitter, parts: Sequence[Tensor], axis: int) -> Tensor:
    """The two directions one behind the other."""
    if len(parts) == 1:
        return parts[0]
    first, second = parts
    shape = tuple(2 if one == axis else extent for one, extent in enumerate(first.shape))

    def value(where: tuple[Expr, ...], read: Callable[..., Expr], read_second: Callable[..., Expr]) -> Expr:
        at = [index(0) if one == axis else part for one, part in enumerate(where)]
        return select(compare("eq", where[axis], 0), read(*at), read_second(*at))

    return emit.pointwise([first, second], TensorType(first.dtype, shape), value, "directions")


def _lower(gates: int) -> Lower:
    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x, w, r = (call_.input(position) for position in range(3))
        dtype = accumulator_type(x.dtype)
        lengths = call_.optional(4)
        batch_first = bool(call_.attr("layout", 0))
        batch, steps = x.shape[:2] if batch_first else (x.shape[1], x.shape[0])
        directions, hidden = w.shape[0], r.shape[2]
        direction = text(call_.attr("direction", "forward"))
        if directions != (2 if direction == "bidirectional" else 1) or w.shape[1] != gates * hidden:
            call_.unsupported(f"weights {w.type} and {r.type} for direction {direction!r}")
        kind = call_.op_type
        activations = choose_activations(call_, kind, directions)
        x, w, r = (emit_cast(emit, one, dtype) for one in (x, w, r))
        linear = kind == "GRU" and bool(call_.attr("linear_before_reset", 0))
        clip = call_.attr("clip")
        optional = {
            name: emit_cast(emit, given, dtype)
            for name, position in (("bias", 3), ("initial_h", 5), ("initial_c", 6), ("peepholes", 7))
            if (kind == "LSTM" or position < 6) and (given := call_.optional(position)) is not None
        }
        results: list[tuple[Tensor, ...]] = []
        for number in range(directions):
            weights = transpose_last(emit, _direction_of(emit, w, number))
            operands = {"x": matmul(call_, emit, x, weights), "weights": transpose_last(emit, _direction_of(emit, r, number))}
            if "bias" in optional:
                whole = _direction_of(emit, optional["bias"], number)
                operands["x"] = _add_bias(emit, operands["x"], whole, gates * hidden, hidden if linear else 0)
                if linear:
                    operands["recurrent_bias"] = _part(emit, whole, (2 * gates - 1) * hidden, hidden)
            if lengths is not None:
                operands["lengths"] = lengths
            for name in ("initial_h", "initial_c"):
                if name in optional:
                    operands[name] = _state_of(emit, optional[name], number, batch_first)
            if "peepholes" in optional:
                operands["peepholes"] = _direction_of(emit, optional["peepholes"], number)
            cell = Cell(
                kind,
                steps,
                batch,
                hidden,
                gates,
                reverse=direction == "reverse" or number == 1,
                batch_first=batch_first,
                activations=activations[number],
                clip=None if clip is None else float(clip),
                linear_before_reset=linear,
                input_forget=kind == "LSTM" and bool(call_.attr("input_forget", 0)),
            )
            types = [one.type for one in operands.values()]
            results.append(emit.template(recurrent(cell, dtype, list(operands), types), list(operands.values())))
        axes = (2, 1, 1) if batch_first else (1, 0, 0)
        joined = [_join(emit, parts, axis) for parts, axis in zip(zip(*results, strict=True), axes, strict=False)]
        return [emit_cast(emit, one, call_.input(0).dtype) for one in joined]

    return lower


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
    OpDef("", "RNN", 7, _lower(1)),
    OpDef("", "GRU", 7, _lower(3)),
    OpDef("", "LSTM", 7, _lower(4)),
)
