"""The kernels of recurrent networks: one direction of an RNN, GRU or LSTM, walking through time (a step: `recurrent/steps`).

Where weights are large, or a batch gives nothing else to share out, the tiles of a step are shared out to threads, step after
step; else the sequences of a batch are, for all steps at once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.register_block import row_tiles
from ingot.kernels.recurrent.quantized import SCALES, QuantizedWork, quantized
from ingot.kernels.recurrent.steps import (
    L1_BYTES_MAX,
    Cell,
    Finish,
    Phase,
    Weights,
    Work,
    fits,
    tile_sizes,
)
from ingot.kernels.template import COPIES, Counted, Independent, Site, Template, either
from ingot.loops.build.nest import loop
from ingot.loops.nodes import (
    Const,
    Expr,
    For,
    Let,
    LoopKind,
    Operand,
    Stmt,
    Var,
    cast,
    index,
    load,
    maximum,
    minimum,
    store,
)


def _rows_together(site: Site, cell: Cell, weights_bytes: int, shared: bool) -> int:
    """How many sequences share what is read, at most; all groups have about as many.

    If steps are not shared out, threads get groups: an even number of them, where that leaves enough sequences in each to compute
    for longer than it takes to read the weights.
    """
    batch = max(1, cell.batch)
    rows = min(site.machine.tuning.recurrent.max_rows, batch)
    while rows > 1 and not fits(site, cell.gates, rows):
        rows -= 1
    enough = 1 if weights_bytes <= L1_BYTES_MAX else site.machine.tuning.recurrent.compute_bound_rows
    groups = -(-batch // rows)
    if not shared and groups % 2 and batch >= (groups + 1) * enough:
        groups += 1
    return -(-batch // groups)


def _phases(work: Work, x: Callable[[Expr, Expr], Expr]) -> tuple[Phase, ...]:
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


def _lstm_finish(work: Work) -> Finish:
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
    work: Work,
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

    A second copy, for every other four steps, can be worth its memory: a core of Zen 5 reads 256 KB over and over at 46 bytes a
    cycle, but 512 KB with 62, both from its second-level cache. Four steps, because three of them begin with what the one before
    left in the first-level cache; with eight the reading is as slow as with one copy.
    """
    hidden = cell.hidden
    array = site.constant(1)
    if array is None:
        source = site.input(1)
        return lambda phase, _, at, k, number, lane, _copy: load(
            source, k, at + lane + phase.gates[number] * hidden
        )
    pieces: list[np.ndarray] = []
    offsets: dict[tuple[int, ...], int] = {}
    by_gate = array.reshape(hidden, cell.gates, hidden)
    for gates in cell.passes:
        offsets[gates] = sum(piece.size for piece in pieces)
        at = 0
        for size in tile_sizes(site, dtype, hidden, len(gates), rows):
            while hidden - at >= size:
                pieces.append(np.ascontiguousarray(by_gate[:, list(gates), at : at + size]).reshape(-1))
                at += size
    whole = np.concatenate(pieces)
    tuning = site.machine.tuning.recurrent
    twice = (
        site.machine.lanes(dtype) > 1
        and cell.steps > tuning.copy_steps
        and L1_BYTES_MAX < whole.nbytes <= tuning.shared_min_bytes
    )
    twice = twice and site.choose(COPIES, either("twice", "once", _pays_twice(site, whole.nbytes, rows)))
    if twice:
        site.spare_bytes -= whole.nbytes
    packed = site.pack(1, np.concatenate([whole, whole]) if twice else whole)

    def weight(phase: Phase, size: int, at: Expr, k: Expr, number: int, lane: Expr, copy: Expr) -> Expr:
        count = len(phase.gates)
        begin = at * (hidden * count) + (copy * whole.size if twice else 0)
        return load(packed, begin + (k * count + number) * size + lane + offsets[phase.gates])

    return weight


def _pays_twice(site: Site, weights_bytes: int, rows: int) -> bool:
    """Whether weights are stored twice unasked: where reading them takes longer than computing with them, vectors are as
    long as those of the one processor that was seen to gain by it (Zen 5) and come from the second-level cache whole, both
    copies leave half of that cache to all else, and a file may grow by so much.
    """
    bound = rows < site.machine.tuning.recurrent.compute_bound_rows
    kept = 2 * weights_bytes <= site.machine.l2_bytes // 2 and weights_bytes <= site.spare_bytes
    machine = site.machine
    loads_are_dear = machine.double_pumped_512 or machine.l2_fills_use_load_ports
    wide = machine.has_wide_vectors and not loads_are_dear
    return bound and kept and wide


def recurrent(
    cell: Cell,
    dtype: DType,
    names: Sequence[str],
    types: Sequence[TensorType],
) -> Template:
    """Walks through time: outputs are `Y [T, 1, B, H]`, `Y_h [1, B, H]` and, for an LSTM, `Y_c [1, B, H]`.

    With `batch_first` they are `[B, T, 1, H]` and `[B, 1, H]`. `names` says what the operands are: `x` and `weights` (see
    Cell), and any of `lengths [B]`, `initial_h [1, B, H]`, `initial_c`, `peepholes [3*H]`, `recurrent_bias [H]`. With
    `weight_scales` among them the weights are int8 (see `recurrent/quantized`).
    """
    steps, batch, hidden = cell.steps, cell.batch, cell.hidden
    last = TensorType(dtype, (batch, 1, hidden) if cell.batch_first else (1, batch, hidden))
    outputs = [
        TensorType(dtype, (batch, steps, 1, hidden) if cell.batch_first else (steps, 1, batch, hidden)),
        last,
    ]
    if cell.kind == "LSTM":
        outputs.append(last)

    def build(site: Site) -> Sequence[Stmt]:
        return walk(site, cell, dtype, names)

    spec = {"cell": cell, "operands": tuple(names)}
    independent = (_batch(cell, names, len(outputs)),)
    return Template(
        cell.kind.lower(),
        tuple(types),
        tuple(outputs),
        build,
        spec,
        spares=True,
        independent=independent,
        counted=_counted(cell, dtype, names, types, len(outputs)),
    )


def _counted(
    cell: Cell, dtype: DType, names: Sequence[str], types: Sequence[TensorType], outputs: int
) -> Counted | None:
    """The axis of steps, unless each sequence has a length of its own already."""
    if "lengths" in names:
        return None
    steps, lengths = 1 if cell.batch_first else 0, TensorType(DType.INT32, (cell.batch,))
    return Counted(
        tuple(steps if name == "x" else None for name in names),
        (steps, *[None] * (outputs - 1)),
        lengths,
        (len(names),),
        lambda: recurrent(cell, dtype, (*names, "lengths"), (*types, lengths)),
    )


def _batch(cell: Cell, names: Sequence[str], outputs: int) -> Independent:
    """The axis of sequences in each operand and output of a template of `recurrent`."""
    state = 0 if cell.batch_first else 1
    axes = {"x": 0 if cell.batch_first else 1, "lengths": 0, "initial_h": state, "initial_c": state}
    last = (state,) * (outputs - 1)
    return Independent(tuple(map(axes.get, names)), (0 if cell.batch_first else 2, *last))


def is_one_task(site: Site, cell: Cell, dtype: DType, names: Sequence[str]) -> bool:
    """Whether a direction is best done by one thread while another one does the other direction: all its sequences share what is
    read, and its weights fit in the second-level cache of that thread's core.
    """
    weights_bytes = _weights_bytes(cell, dtype, names)
    alone = _rows_together(site, cell, weights_bytes, False) >= cell.batch
    return alone and weights_bytes <= site.machine.tuning.recurrent.shared_min_bytes and not site.machine.grid


def walk(site: Site, cell: Cell, dtype: DType, names: Sequence[str], whole: bool = False) -> Sequence[Stmt]:
    """The kernel of a direction; with `whole`, of one that `is_one_task`, nothing of it is shared out."""
    batch, hidden = cell.batch, cell.hidden
    position = {name: number for number, name in enumerate(names)}
    weights_bytes = _weights_bytes(cell, dtype, names)
    together = _rows_together(site, cell, weights_bytes, False)
    tuning = site.machine.tuning.recurrent
    min_bytes = tuning.alone_shared_min_bytes if together >= batch else tuning.shared_min_bytes
    shared = "lengths" not in position and weights_bytes > min_bytes and not site.machine.grid and not whole
    if shared and together < batch:
        together = _rows_together(site, cell, weights_bytes, True)
    state = site.workspace("state", dtype, (batch, 2, hidden))
    memory = site.workspace("memory", dtype, (batch, hidden)) if cell.kind == "LSTM" else state
    gates = state
    if cell.phases == 2:
        gates = site.workspace("gates", dtype, (batch, 2 * hidden))
    lanes = site.machine.lanes(dtype)
    if SCALES in position:
        packed = quantized(site, cell, position, together)
        work: Work = QuantizedWork(
            site, cell, dtype, position, state, memory, gates, lanes, together, None, quantized=packed
        )
    else:
        weights = _weights(site, cell, dtype, together)
        work = Work(site, cell, dtype, position, state, memory, gates, lanes, together, weights)

    if shared:
        return _walk_shared(work)

    def sequences(first: Expr, count: int) -> Sequence[Stmt]:
        return _walk(work, [first + number for number in range(count)])

    return row_tiles("sequence", batch, together, sequences, LoopKind.PARALLEL)


def _weights_bytes(cell: Cell, dtype: DType, names: Sequence[str]) -> int:
    return cell.gates * cell.hidden**2 * (1 if SCALES in names else dtype.size_bytes)


def _edge(cell: Cell, b: Expr) -> tuple[Operand, Operand]:
    """Where a sequence is in an initial or last state."""
    return (b, 0) if cell.batch_first else (0, b)


def _begin(work: Work, b: Expr) -> tuple[Stmt, ...]:
    """The initial state of a sequence."""
    cell, zero = work.cell, Const(0, work.dtype)

    def begin(j: Expr) -> Sequence[Stmt]:
        where = (*_edge(cell, b), j)
        stmts = [
            store(work.state, (b, 0, j), work.operand("initial_h", *where) if work.has("initial_h") else zero)
        ]
        if cell.kind == "LSTM":
            initial = work.operand("initial_c", *where) if work.has("initial_c") else zero
            stmts.append(store(work.memory, (b, j), initial))
        return stmts

    return work.each("b", begin)


def _end(work: Work, b: Expr, length: Expr) -> tuple[Stmt, ...]:
    """The last state of a sequence as a result."""
    cell, site = work.cell, work.site
    ends = work.each("e", lambda j: site.write(1, (*_edge(cell, b), j), load(work.state, b, length % 2, j)))
    if cell.kind == "LSTM":
        ends += work.each("f", lambda j: site.write(2, (*_edge(cell, b), j), load(work.memory, b, j)))
    return ends


def _result(work: Work, t: Expr, j: Expr, b: Expr, value: Expr) -> Sequence[Stmt]:
    return work.site.write(0, (b, t, 0, j) if work.cell.batch_first else (t, 0, b, j), value)


def _at(
    work: Work, number: Expr, length: Callable[[Expr], Expr], now: Expr
) -> tuple[Work, tuple[Phase, ...]]:
    """The phases of a step, from its number, each sequence's number of steps, and the state that the step begins with."""
    cell = work.cell

    def at(b: Expr) -> Expr:
        return length(b) - 1 - number if cell.reverse else number

    def x(column: Expr, b: Expr) -> Expr:
        return (
            work.operand("x", b, at(b), column) if cell.batch_first else work.operand("x", at(b), b, column)
        )

    copy = number // work.site.machine.tuning.recurrent.copy_steps % 2
    stepping = replace(work, now=now, copy=copy, result=lambda j, b, value: _result(work, at(b), j, b, value))
    return stepping, _phases(stepping, x)


def _steps(
    work: Work,
    rows: Sequence[Expr],
    first: Expr,
    count: Expr,
    length: Callable[[Expr], Expr],
    name: str = "step",
) -> For:
    """`count` steps of some sequences from `first` on."""
    number, now = Var(name), Var("now")
    time = first + number
    stepping, phases = _at(work, time, length, now)
    body = (Let(now, time % 2), *(stmt for phase in phases for stmt in stepping.phase(phase, rows)))
    return For(number, count, body, LoopKind.SERIAL)


def _resting_steps(work: Work) -> int:
    """How many steps read no weights: the first one, where it would multiply zeros by weights that are finite."""
    unknown = work.has("initial_h") or work.has("lengths") or not work.cell.steps
    weights = None if unknown else work.site.constant(work.position["weights"])
    return int(weights is not None and bool(np.isfinite(weights).all()))


def _rest(work: Work, b: Expr) -> tuple[Stmt, ...]:
    """The first step of a sequence whose state is zero: its gates are what they start with."""
    resting, phases = _at(work, index(0), lambda _: index(work.cell.steps), index(0))
    return tuple(stmt for phase in phases for stmt in resting.resting_phase(phase, b))


def _walk(work: Work, rows: Sequence[Expr]) -> tuple[Stmt, ...]:
    """All steps of some sequences."""
    starts = tuple(stmt for b in rows for stmt in _begin(work, b))
    if work.has("lengths"):
        return (*starts, *_walk_lengths(work, rows))
    steps, first = index(work.cell.steps), _resting_steps(work)
    rest = tuple(stmt for b in rows for stmt in _rest(work, b)) if first else ()
    walk = _steps(work, rows, index(first), index(work.cell.steps - first), lambda _: steps)
    return (*starts, *rest, walk, *(stmt for b in rows for stmt in _end(work, b, steps)))


def _walk_lengths(work: Work, rows: Sequence[Expr]) -> tuple[Stmt, ...]:
    """Sequences of lengths known while running: first the steps that all have, together, then for each those that are left."""
    steps = work.cell.steps

    def given(b: Expr) -> Expr:
        return minimum(maximum(cast(work.operand("lengths", b), DType.INT64), 0), steps)

    lengths: dict[int, Expr] = {id(b): Var(f"length{number}") for number, b in enumerate(rows)}
    lets = [Let(Var(f"length{number}"), given(b)) for number, b in enumerate(rows)]
    common = Var("common")
    lets.append(Let(common, functools.reduce(minimum, lengths.values())))
    walk: list[Stmt] = [_steps(work, rows, index(0), common, lambda b: lengths[id(b)])]
    if len(rows) > 1:

        def left(number: Expr) -> Sequence[Stmt]:
            own = Var("own")
            return (
                Let(own, given(rows[0] + number)),
                _steps(work, [rows[0] + number], common, own - common, lambda _: own, "later"),
            )

        walk += loop("left", len(rows), left)
    rest = Var("unused")
    for b in rows:
        length = lengths[id(b)]
        clear = work.each(
            "z",
            lambda j, b=b, length=length: _result(work, length + rest, j, b, Const(0, work.dtype)),  # type: ignore[misc]
        )
        walk.append(For(rest, index(steps) - length, clear, LoopKind.SERIAL))
    return (*lets, *walk, *(stmt for b in rows for stmt in _end(work, b, lengths[id(b)])))


def _walk_shared(work: Work) -> tuple[Stmt, ...]:
    """All steps of all sequences, one after the other, the tiles of each shared out to threads."""
    cell, first, length = work.cell, _resting_steps(work), index(work.cell.steps)
    return (
        *loop("first", cell.batch, lambda b: _begin(work, b)),
        *(loop("rest", cell.batch, lambda b: _rest(work, b)) if first else ()),
        *_steps_shared(work, first),
        *loop("last", cell.batch, lambda b: _end(work, b, length)),
    )


def _steps_shared(work: Work, first: int) -> tuple[Stmt, ...]:
    """The steps from the one numbered `first` on."""
    if work.cell.steps <= first:
        return ()
    step, now, length = Var("step"), Var("now"), index(work.cell.steps)
    time = step + first
    stepping, phases = _at(work, time, lambda _: length, now)
    lets = (Let(now, time % 2),)
    stmts = tuple(stmt for phase in phases for stmt in stepping.shared_phase(phase, lets))
    return (For(step, index(work.cell.steps - first), stmts, LoopKind.SERIAL),)
