"""The kernels of recurrent networks: one direction of an RNN, GRU or LSTM, walking through time.

A step multiplies the state by weights that are larger than the first-level cache, so it takes as long as reading them. They are
packed in the order in which they are read: tiles of hidden elements, for each the gates side by side, so that the sums of a tile
are in registers when its gates are known. Several sequences of a batch share what is read.

Where weights are large the tiles of a step are shared out to threads, step after step; else the sequences of a batch are, for all
steps at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ingot.loops.define import Site, Template, either
from ingot.loops.nest import loop, tiles, vector, vector_blocks, vector_sizes
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
    index,
    load,
    maximum,
    minimum,
    store,
)
from ingot.ops.activations import Activation, clipped
from ingot.ops.register_tile import row_tiles
from ingot.tensor import DType, TensorType

# Independent sums that a tile should have, for each sequence: they hide the latency of a multiply-add.
SUMS_WANTED = 8
ROWS_MOST = 6
# So many sequences take longer to compute than their weights to read from the second-level cache.
ROWS_ENOUGH = 4
# Weights of the state of which each step is shared out: reading them takes longer than having threads meet.
SHARED_BYTES = 512 * 1024
# More than what the first-level cache of any processor holds.
FIRST_LEVEL_BYTES = 48 * 1024


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


# A gate's value from its number; the hidden element; the sequence → what is done with the gates.
Finish = Callable[[Callable[[int], Expr], Expr, Expr], Sequence[Stmt]]


@dataclass(frozen=True, slots=True)
class Phase:
    """Gates that one pass over weights gives: `gate[j] = start(gate, j, b) + Σ_k factor(k, b) * R[k, gate*H + j]`."""

    name: str
    gates: tuple[int, ...]
    start: Callable[[int, Expr, Expr], Expr]
    factor: Callable[[Expr, Expr], Expr]
    finish: Finish


# A weight from the phase, the tile's size, its first hidden element, k, the gate's position in the phase, the lane, and which of
# two copies.
Weights = Callable[[Phase, int, Expr, Expr, int, Expr, Expr], Expr]


@dataclass(slots=True)
class _Work:
    """A template being built: operands by name, the state, and what the cells share."""

    site: Site
    cell: Cell
    dtype: DType
    position: Mapping[str, int]
    state: Buffer  # of each sequence, the one that a step reads and the one that it writes
    memory: Buffer
    gates: Buffer  # what a GRU keeps between its two phases: the update gate, then the reset state
    lanes: int
    together: int  # sequences that share what is read; the last ones of a batch may be fewer
    weights: Weights
    # What else is done with an element of the next state: of the hidden element, the sequence and the value to the statements.
    result: Callable[[Expr, Expr, Expr], Sequence[Stmt]] = lambda _j, _b, _value: ()
    now: Expr = field(default_factory=lambda: index(0))  # which of the two states is read

    def has(self, name: str) -> bool:
        return name in self.position

    def operand(self, name: str, *where: Operand) -> Expr:
        return self.site.read(self.position[name], *where)

    def activate(self, number: int, value: Expr) -> Expr:
        return self.cell.activations[number](clipped(value, self.cell.clip))

    def each(self, name: str, body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """Vectors over the hidden elements."""
        return vector_blocks(name, self.cell.hidden, self.lanes, body)

    def old(self, j: Expr, b: Expr) -> Expr:
        """An element of the state that the step begins with."""
        return load(self.state, b, self.now, j)

    def reach(self, value: Expr, j: Expr, b: Expr) -> tuple[Stmt, ...]:
        """Makes `value` an element of the next state, and of the result."""
        new = Var("reached", self.dtype)
        return (Let(new, value), store(self.state, (b, 1 - self.now, j), new), *self.result(j, b, new))

    def phase(self, phase: Phase, rows: Sequence[Expr]) -> tuple[Stmt, ...]:
        """One pass over the weights of a phase, for the sequences `rows`."""
        return tiles(f"{phase.name}_tile", self.cell.hidden, self.sizes(phase), self.tile(phase, rows))

    def shared_phase(self, phase: Phase, lets: Sequence[Stmt]) -> tuple[Stmt, ...]:
        """One pass over the weights of a phase, for all sequences, its tiles shared out to threads; each begins with `lets`."""

        def tile(at: Expr, size: int) -> Sequence[Stmt]:
            def sequences(first: Expr, count: int) -> Sequence[Stmt]:
                return self.tile(phase, [first + number for number in range(count)])(at, size)

            return (*lets, *row_tiles("sequence", self.cell.batch, self.together, sequences))

        return tiles(f"{phase.name}_tile", self.cell.hidden, self.sizes(phase), tile, LoopKind.PARALLEL)

    def sizes(self, phase: Phase) -> tuple[int, ...]:
        return tile_sizes(self.site, self.dtype, self.cell.hidden, len(phase.gates), self.together)

    def tile(self, phase: Phase, rows: Sequence[Expr]) -> Callable[[Expr, int], Sequence[Stmt]]:
        """What computes a tile of a phase from its first hidden element and its size, for the sequences `rows`."""
        hidden, count = self.cell.hidden, len(phase.gates)

        def tile(at: Expr, size: int) -> Sequence[Stmt]:
            total = buffer(f"{phase.name}_total", self.dtype, (len(rows), count, size))

            def chunks(body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
                stmts: tuple[Stmt, ...] = ()
                for begin in range(0, size, self.lanes):
                    stmts += vector(
                        f"{phase.name}_lane",
                        min(size, self.lanes),
                        lambda lane, begin=begin: body(lane + begin),  # type: ignore[misc]
                    )
                return stmts

            def each_sum(body: Callable[[int, int, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
                return tuple(
                    stmt
                    for number in range(count)
                    for row in range(len(rows))
                    for stmt in chunks(lambda lane, row=row, number=number: body(row, number, lane))  # type: ignore[misc]
                )

            def step(k: Expr) -> Sequence[Stmt]:
                factors = [Var(f"{phase.name}_factor{row}", self.dtype) for row in range(len(rows))]

                def add(row: int, number: int, lane: Expr) -> Sequence[Stmt]:
                    weight = self.weights(phase, size, at, k, number, lane, self.now)
                    return (store(total, (row, number, lane), Fma(factors[row], weight, load(total, row, number, lane))),)

                lets = [Let(factor, phase.factor(k, b)) for factor, b in zip(factors, rows, strict=True)]
                return (*lets, *each_sum(add))

            def begin(row: int, number: int, lane: Expr) -> Sequence[Stmt]:
                return (store(total, (row, number, lane), phase.start(phase.gates[number], at + lane, rows[row])),)

            ends: tuple[Stmt, ...] = ()
            for row, b in enumerate(rows):

                def finish(lane: Expr, row: int = row, b: Expr = b) -> Sequence[Stmt]:
                    def gate(number: int) -> Expr:
                        return load(total, row, phase.gates.index(number), lane)

                    return phase.finish(gate, at + lane, b)

                ends += chunks(finish)
            return (Alloc(total), *each_sum(begin), *loop(f"{phase.name}_k", hidden, step), *ends)

        return tile


def tile_sizes(site: Site, dtype: DType, hidden: int, gates: int, rows: int) -> tuple[int, ...]:
    """Sizes of tiles of hidden elements: the sums of all gates and rows, and weights that rows share, fit in registers."""
    lanes = site.machine.lanes(dtype)
    vectors = SUMS_WANTED
    while vectors > 1 and (vectors * lanes > hidden or gates * vectors > SUMS_WANTED or not _fits(site, gates * vectors, rows)):
        vectors //= 2
    if lanes == 1 or vectors == 1:
        return vector_sizes(lanes)
    return (vectors * lanes, *vector_sizes(lanes))


def _fits(site: Site, vectors: int, rows: int) -> bool:
    return vectors * (rows + (rows > 1)) + 2 <= site.machine.vector_registers


def _rows_together(site: Site, cell: Cell, weights_bytes: int, shared: bool) -> int:
    """How many sequences share what is read, at most; all groups have about as many.

    If steps are not shared out, threads get groups: an even number of them, where that leaves enough sequences in each to compute
    for longer than it takes to read the weights.
    """
    batch = max(1, cell.batch)
    rows = min(ROWS_MOST, batch)
    while rows > 1 and not _fits(site, cell.gates, rows):
        rows -= 1
    enough = 1 if weights_bytes <= FIRST_LEVEL_BYTES else ROWS_ENOUGH
    groups = -(-batch // rows)
    if not shared and groups % 2 and batch >= (groups + 1) * enough:
        groups += 1
    return -(-batch // groups)


def _phases(work: _Work, x: Callable[[Expr, Expr], Expr]) -> tuple[Phase, ...]:
    """The phases of a step; `x(column, b)` is the input's product. The last one stores the next state."""

    def start(gate: int, j: Expr, b: Expr) -> Expr:
        return x(j + gate * work.cell.hidden, b)

    match work.cell.kind:
        case "RNN":

            def finish(gate: Callable[[int], Expr], j: Expr, b: Expr) -> Sequence[Stmt]:
                return work.reach(work.activate(0, gate(0)), j, b)

            return (Phase("gate", (0,), start, work.old, finish),)
        case "LSTM":
            return (Phase("gate", (0, 1, 2, 3), start, work.old, _lstm_finish(work)),)
    return _gru_phases(work, x, start)


def _lstm_finish(work: _Work) -> Finish:
    hidden, peep = work.cell.hidden, work.has("peepholes")

    def with_peephole(value: Expr, number: int, at: Expr, memory: Expr) -> Expr:
        return value + work.operand("peepholes", at + number * hidden) * memory if peep else value

    def finish(gate: Callable[[int], Expr], j: Expr, b: Expr) -> Sequence[Stmt]:
        # The gates are in the order input, output, forget, cell; peepholes are input, output, forget.
        old, new = Var("old", work.dtype), Var("new", work.dtype)
        enter = work.activate(0, with_peephole(gate(0), 0, j, old))
        forget = work.activate(0, with_peephole(gate(2), 2, j, old))
        keep = Const(1, work.dtype) - enter if work.cell.input_forget else forget
        candidate = work.activate(1, gate(3))
        leave = work.activate(0, with_peephole(gate(1), 1, j, new))
        return (
            Let(old, load(work.memory, b, j)),
            Let(new, keep * old + enter * candidate),
            store(work.memory, (b, j), new),
            *work.reach(leave * work.cell.activations[2](new), j, b),
        )

    return finish


def _gru_phases(
    work: _Work,
    x: Callable[[Expr, Expr], Expr],
    start: Callable[[int, Expr, Expr], Expr],
) -> tuple[Phase, ...]:
    hidden = work.cell.hidden

    def new_state(update: Expr, candidate: Expr, j: Expr, b: Expr) -> Sequence[Stmt]:
        # Each of the two is used twice.
        kept, fresh = Var("kept", work.dtype), Var("fresh", work.dtype)
        value = (Const(1, work.dtype) - kept) * fresh + kept * work.old(j, b)
        return (Let(kept, update), Let(fresh, candidate), *work.reach(value, j, b))

    if work.cell.linear_before_reset:
        bias = work.has("recurrent_bias")

        def start_apart(gate: int, j: Expr, b: Expr) -> Expr:
            if gate < 2:
                return start(gate, j, b)
            return work.operand("recurrent_bias", j) if bias else Const(0, work.dtype)

        def finish(gate: Callable[[int], Expr], j: Expr, b: Expr) -> Sequence[Stmt]:
            reset = work.activate(0, gate(1))
            candidate = work.activate(1, x(j + 2 * hidden, b) + reset * gate(2))
            return new_state(work.activate(0, gate(0)), candidate, j, b)

        return (Phase("gate", (0, 1, 2), start_apart, work.old, finish),)

    def keep(gate: Callable[[int], Expr], j: Expr, b: Expr) -> Sequence[Stmt]:
        reset = work.activate(0, gate(1)) * work.old(j, b)
        return (
            store(work.gates, (b, j), work.activate(0, gate(0))),
            store(work.gates, (b, j + hidden), reset),
        )

    def finish_plain(gate: Callable[[int], Expr], j: Expr, b: Expr) -> Sequence[Stmt]:
        return new_state(load(work.gates, b, j), work.activate(1, gate(2)), j, b)

    return (
        Phase("gate", (0, 1), start, work.old, keep),
        Phase("candidate", (2,), start, lambda k, b: load(work.gates, b, k + hidden), finish_plain),
    )


def _weights(site: Site, cell: Cell, dtype: DType, rows: int) -> Weights:
    """How to read a weight. Constant ones are packed: `[tile][k][gate][lane]`, phase behind phase.

    A second copy, for every other step, can be worth its memory: a core of Zen 5 reads 256 KB over and over at 45 bytes a cycle,
    but 512 KB with 62, both from its second-level cache.
    """
    hidden = cell.hidden
    array = site.constant(1)
    if array is None:
        source = site.input(1)
        return lambda phase, _, at, k, number, lane, _copy: load(source, k, at + lane + phase.gates[number] * hidden)
    groups = ((0, 1), (2,)) if cell.kind == "GRU" and not cell.linear_before_reset else (tuple(range(cell.gates)),)
    pieces: list[np.ndarray] = []
    offsets: dict[tuple[int, ...], int] = {}
    by_gate = array.reshape(hidden, cell.gates, hidden)
    for gates in groups:
        offsets[gates] = sum(piece.size for piece in pieces)
        at = 0
        for size in tile_sizes(site, dtype, hidden, len(gates), rows):
            while hidden - at >= size:
                pieces.append(np.ascontiguousarray(by_gate[:, list(gates), at : at + size]).reshape(-1))
                at += size
    whole = np.concatenate(pieces)
    twice = site.machine.lanes(dtype) > 1 and cell.steps > 1 and FIRST_LEVEL_BYTES < whole.nbytes <= SHARED_BYTES
    twice = twice and site.choose("weights", either("twice", "once", False))
    packed = site.pack(1, np.concatenate([whole, whole]) if twice else whole)

    def weight(phase: Phase, size: int, at: Expr, k: Expr, number: int, lane: Expr, copy: Expr) -> Expr:
        count = len(phase.gates)
        begin = at * (hidden * count) + (copy * whole.size if twice else 0)
        return load(packed, begin + (k * count + number) * size + lane + offsets[phase.gates])

    return weight


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
        position = {name: number for number, name in enumerate(names)}
        weights_bytes = cell.gates * hidden * hidden * dtype.size_bytes
        shared = "lengths" not in position and weights_bytes > SHARED_BYTES and not site.machine.grid
        together = 1 if "lengths" in position else _rows_together(site, cell, weights_bytes, shared)
        state = site.workspace("state", dtype, (batch, 2, hidden))
        memory = site.workspace("memory", dtype, (batch, hidden)) if cell.kind == "LSTM" else state
        gates = state
        if cell.kind == "GRU" and not cell.linear_before_reset:
            gates = site.workspace("gates", dtype, (batch, 2 * hidden))
        weights = _weights(site, cell, dtype, together)
        lanes = site.machine.lanes(dtype)
        work = _Work(site, cell, dtype, position, state, memory, gates, lanes, together, weights)

        if shared:
            return _walk_shared(work, site.workspace("clock", DType.INT64, (1,)))

        def sequences(first: Expr, count: int) -> Sequence[Stmt]:
            return _walk(work, [first + number for number in range(count)])

        return row_tiles("sequence", batch, together, sequences, LoopKind.PARALLEL)

    spec = {"cell": cell}
    return Template(cell.kind.lower(), tuple(types), tuple(outputs), build, spec)


def _edge(cell: Cell, b: Expr) -> tuple[Operand, Operand]:
    """Where a sequence is in an initial or last state."""
    return (b, 0) if cell.batch_first else (0, b)


def _begin(work: _Work, b: Expr) -> tuple[Stmt, ...]:
    """The initial state of a sequence."""
    cell, zero = work.cell, Const(0, work.dtype)

    def begin(j: Expr) -> Sequence[Stmt]:
        where = (*_edge(cell, b), j)
        stmts = [store(work.state, (b, 0, j), work.operand("initial_h", *where) if work.has("initial_h") else zero)]
        if cell.kind == "LSTM":
            initial = work.operand("initial_c", *where) if work.has("initial_c") else zero
            stmts.append(store(work.memory, (b, j), initial))
        return stmts

    return work.each("b", begin)


def _end(work: _Work, b: Expr, length: Expr) -> tuple[Stmt, ...]:
    """The last state of a sequence as a result."""
    cell, site = work.cell, work.site
    ends = work.each("e", lambda j: site.write(1, (*_edge(cell, b), j), load(work.state, b, length % 2, j)))
    if cell.kind == "LSTM":
        ends += work.each("f", lambda j: site.write(2, (*_edge(cell, b), j), load(work.memory, b, j)))
    return ends


def _result(work: _Work, t: Expr, j: Expr, b: Expr, value: Expr) -> Sequence[Stmt]:
    return work.site.write(0, (b, t, 0, j) if work.cell.batch_first else (t, 0, b, j), value)


def _at(work: _Work, number: Expr, length: Expr, now: Expr) -> tuple[_Work, tuple[Phase, ...]]:
    """What is done in a step: its number of so many; which of the states it begins with."""
    cell = work.cell
    t = length - 1 - number if cell.reverse else number

    def x(column: Expr, b: Expr) -> Expr:
        return work.operand("x", b, t, column) if cell.batch_first else work.operand("x", t, b, column)

    stepping = replace(work, now=now, result=lambda j, b, value: _result(work, t, j, b, value))
    return stepping, _phases(stepping, x)


def _walk(work: _Work, rows: Sequence[Expr]) -> tuple[Stmt, ...]:
    """All steps of some sequences."""
    cell = work.cell
    length: Expr = index(cell.steps)
    lets: tuple[Stmt, ...] = ()
    if work.has("lengths"):
        length = Var("length")
        given = cast(work.operand("lengths", rows[0]), DType.INT64)
        lets = (Let(length, minimum(maximum(given, 0), cell.steps)),)
    time, now = Var("step"), Var("now")
    stepping, phases = _at(work, time, length, now)
    step = (Let(now, time % 2), *(stmt for phase in phases for stmt in stepping.phase(phase, rows)))
    walk: list[Stmt] = [For(time, length, step, LoopKind.SERIAL)]
    if lets:
        rest = Var("unused")
        clear = work.each("z", lambda j: _result(work, length + rest, j, rows[0], Const(0, work.dtype)))
        walk.append(For(rest, index(cell.steps) - length, clear, LoopKind.SERIAL))
    starts = (stmt for b in rows for stmt in _begin(work, b))
    return (*starts, *lets, *walk, *(stmt for b in rows for stmt in _end(work, b, length)))


def _walk_shared(work: _Work, clock: Buffer) -> tuple[Stmt, ...]:
    """All steps of all sequences, one after the other, the tiles of each shared out to threads. They see nothing but memory, so
    `clock` tells them which step it is.
    """
    cell, length = work.cell, index(work.cell.steps)
    time, number, now = Var("time"), Var("step"), Var("now")
    stepping, phases = _at(work, number, length, now)
    lets = (Let(number, load(clock, 0)), Let(now, number % 2))
    step = (store(clock, (0,), time), *(stmt for phase in phases for stmt in stepping.shared_phase(phase, lets)))
    return (
        *loop("first", cell.batch, lambda b: _begin(work, b)),
        For(time, length, step, LoopKind.SERIAL),
        *loop("last", cell.batch, lambda b: _end(work, b, length)),
    )
