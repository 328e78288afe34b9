"""One step of a recurrent network: passes over weights, a tile of hidden elements after the other.

A step multiplies the state by weights that are larger than the first-level cache, so it takes as long as reading them. They are
packed in the order in which they are read: tiles of hidden elements, for each the gates side by side, so that the sums of a tile
are in registers when its gates are known. Several sequences of a batch share what is read. Every other step reads the tiles in
the opposite order, and finds the first ones in the first-level cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ingot.base.tensor import DType
from ingot.kernels.blocks.register_block import row_tiles
from ingot.kernels.recurrent.activations import Activation, clipped
from ingot.kernels.template import Site
from ingot.loops.build.nest import add, loop, side_by_side, tiles, vector_blocks, vector_sizes, vectors_of
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Expr,
    Fma,
    Let,
    Load,
    LoopKind,
    Operand,
    Prefetch,
    Stmt,
    Var,
    buffer,
    compare,
    index,
    load,
    minimum,
    select,
    store,
)
from ingot.machines.machine import LINE_BYTES

# As much as the largest L1 of any processor holds.
L1_BYTES_MAX = 48 * 1024


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

    @property
    def passes(self) -> tuple[tuple[int, ...], ...]:
        """The gates of each pass over weights in a step."""
        return (
            ((0, 1), (2,))
            if self.kind == "GRU" and not self.linear_before_reset
            else (tuple(range(self.gates)),)
        )

    @property
    def phases(self) -> int:
        return len(self.passes)


# A gate's value from its number; the hidden element; the sequence → what is done with the gates.
Finish = Callable[[Callable[[int], Expr], Expr, Expr], Sequence[Stmt]]
# The same from the position of the sequence.
End = Callable[[Callable[[int], Expr], Expr, int], Sequence[Stmt]]


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
class Work:
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
    weights: Weights | None  # None: they are read otherwise (`recurrent/quantized`)
    # What else is done with an element of the next state: of the hidden element, the sequence and the value to the statements.
    result: Callable[[Expr, Expr, Expr], Sequence[Stmt]] = lambda _j, _b, _value: ()
    now: Expr = field(default_factory=lambda: index(0))  # which of the two states is read
    copy: Expr = field(default_factory=lambda: index(0))  # which of two copies of the weights

    @property
    def weights_bytes(self) -> int:
        return self.cell.gates * self.cell.hidden**2 * self.dtype.size_bytes

    def has(self, name: str) -> bool:
        return name in self.position

    def operand(self, name: str, *where: Operand) -> Expr:
        return self.site.read(self.position[name], *where)

    def activate(self, number: int, value: Expr) -> Expr:
        return self.cell.activations[number](clipped(value, self.cell.clip))

    def each(self, name: str, body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """Vectors over the hidden elements."""
        return vector_blocks(name, self.cell.hidden, self.lanes, body)

    def ending(self, name: str, body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """The activations of the gates of all hidden elements."""
        return vector_blocks(name, self.cell.hidden, side_by_side(self.lanes), body)

    def old(self, j: Expr, b: Expr) -> Expr:
        """An element of the state that the step begins with."""
        return load(self.state, b, self.now, j)

    def reach(self, value: Expr, j: Expr, b: Expr) -> tuple[Stmt, ...]:
        """Makes `value` an element of the next state, and of the result."""
        new = Var("reached", self.dtype)
        return (Let(new, value), store(self.state, (b, 1 - self.now, j), new), *self.result(j, b, new))

    def resting_phase(self, phase: Phase, b: Expr) -> tuple[Stmt, ...]:
        """A phase where the state is zero: no weights are read."""
        return self.ending(
            f"{phase.name}_rest", lambda j: phase.finish(lambda gate: phase.start(gate, j, b), j, b)
        )

    def phase(self, phase: Phase, rows: Sequence[Expr]) -> tuple[Stmt, ...]:
        """One pass over the weights of a phase, for the sequences `rows`.

        With weights in the first-level cache a step is short, and what its gates go through a large part of it: that is done to
        the gates of all tiles at once. Larger weights are read meanwhile.
        """
        hidden, sizes = self.cell.hidden, self.sizes(phase)
        sums = buffer(f"{phase.name}_sums", self.dtype, (len(rows), len(phase.gates), hidden))
        at_once = self.lanes > 1 and hidden > sizes[0] and self.weights_bytes <= L1_BYTES_MAX

        def keep(gate: Callable[[int], Expr], j: Expr, row: int) -> Sequence[Stmt]:
            return tuple(
                store(sums, (row, place, j), gate(number)) for place, number in enumerate(phase.gates)
            )

        tile, start = self.tile(phase, rows, keep if at_once else None), 0
        stmts: tuple[Stmt, ...] = (Alloc(sums),) if at_once else ()
        for size in sizes:
            count = (hidden - start) // size
            name = f"{phase.name}_tile{size}"
            stmts += self.alternating_tiles(name, index(start), index(count), size, tile)
            start += count * size
        for row, b in enumerate(rows if at_once else ()):

            def finish(j: Expr, row: int = row, b: Expr = b) -> Sequence[Stmt]:
                return phase.finish(lambda gate: load(sums, row, phase.gates.index(gate), j), j, b)

            stmts += self.ending(f"{phase.name}_end", finish)
        return stmts

    def shared_phase(self, phase: Phase, lets: Sequence[Stmt]) -> tuple[Stmt, ...]:
        """One pass over the weights of a phase, for all sequences, shared out to threads in groups that begin with `lets`."""

        def tile(at: Expr, size: int) -> Sequence[Stmt]:
            def sequences(first: Expr, count: int) -> Sequence[Stmt]:
                return self.tile(phase, [first + number for number in range(count)])(at, size)

            return row_tiles("sequence", self.cell.batch, self.together, sequences)

        (size, *smaller), gates = self.sizes(phase), len(phase.gates)
        count, each = tiles_together(self.site, self.cell, gates * size, gates, self.dtype)

        def group(number: Expr) -> Sequence[Stmt]:
            many = minimum(count - number * each, each) if count % each else index(each)
            walk = self.alternating_tiles(f"{phase.name}_tile", number * (each * size), many, size, tile)
            return (*lets, *(self.fetched(phase) if each < count else ()), *walk)

        rest = self.cell.hidden - count * size

        def single(at: Expr, size: int) -> Sequence[Stmt]:
            return (*lets, *tile(at + (self.cell.hidden - rest), size))

        last = tiles(f"{phase.name}_last", rest, smaller, single) if rest else ()
        return (*loop(f"{phase.name}_group", -(-count // each), group, LoopKind.PARALLEL), *last)

    def alternating_tiles(
        self,
        name: str,
        start: Expr,
        count: Expr,
        size: int,
        tile: Callable[[Expr, int], Sequence[Stmt]],
    ) -> tuple[Stmt, ...]:
        """`count` tiles from `start` on, forth in even steps and back in odd ones: the tile that was read last, and is still in
        the first-level cache, is the first to be read again. Between two phases too much else is read for that. `tile` gets the
        first hidden element and the size.
        """

        def in_order(number: Expr) -> Sequence[Stmt]:
            at = select(compare("eq", self.now, 0), number, count - 1 - number) if self.alternates else number
            return tile(at * size + start, size)

        return loop(name, count, in_order)

    def fetched(self, phase: Phase) -> tuple[Prefetch, ...]:
        """Asks for all that a pass multiplies the weights by at once: other threads made a part of it, which comes from their
        caches, line by line where each is waited for. Several sequences hide that behind as many products, and so do long steps.
        """
        is_long = (
            self.cell.hidden * self.dtype.size_bytes > self.site.machine.tuning.recurrent.prefetch_max_bytes
        )
        if self.cell.batch > 1 or is_long or not self.site.machine.prefetch:
            return ()
        lines = range(0, self.cell.hidden, LINE_BYTES // self.dtype.size_bytes)
        factors = [phase.factor(index(at), index(0)) for at in lines]
        return tuple(
            Prefetch(factor.buffer, factor.index, near=True) for factor in factors if isinstance(factor, Load)
        )

    @property
    def alternates(self) -> bool:
        """Whether tiles are read forth and back."""
        return self.lanes > 1 and self.cell.phases == 1

    def alternating_terms(self, phase: Phase) -> tuple[Let, ...]:
        """The first term of a tile and how far it is to the next one, where terms alternate in direction as tiles do: what was
        read last of a tile is read first then. Else nothing of a tile that is larger is found in the L1 cache.
        """
        pays = (
            self.site.machine.l2_fills_use_load_ports
            and L1_BYTES_MAX < self.weights_bytes <= self.site.machine.tuning.recurrent.alternating_max_bytes
        )
        if not (self.alternates and pays):
            return ()
        is_even = compare("eq", self.now, 0)
        first, by = Var(f"{phase.name}_first"), Var(f"{phase.name}_by")
        return (
            Let(first, select(is_even, index(0), self.cell.hidden - 1)),
            Let(by, select(is_even, index(1), -1)),
        )

    def sizes(self, phase: Phase) -> tuple[int, ...]:
        return tile_sizes(self.site, self.dtype, self.cell.hidden, len(phase.gates), self.together)

    def tile(
        self, phase: Phase, rows: Sequence[Expr], end: End | None = None
    ) -> Callable[[Expr, int], Sequence[Stmt]]:
        """What computes a tile of a phase from its first hidden element and its size, for the sequences `rows`. `end` is what is
        done with the gates, if it is not what finishes the phase.
        """
        hidden, count = self.cell.hidden, len(phase.gates)

        def tile(at: Expr, size: int) -> Sequence[Stmt]:
            # Every so many weights have a sum of their own, so that there are enough.
            enough = self.site.machine.tuning.register_block.independent_sums
            parts = (
                max(1, min(hidden, enough // (len(rows) * count * -(-size // self.lanes))))
                if self.lanes > 1
                else 1
            )
            order, weights = self.alternating_terms(phase), self.weights
            assert weights is not None
            total = buffer(f"{phase.name}_total", self.dtype, (parts, len(rows), count, size))

            def chunks(body: Callable[[Expr], Sequence[Stmt]], lanes: int = self.lanes) -> tuple[Stmt, ...]:
                return vectors_of(size, lanes, body, name=f"{phase.name}_lane")

            def each_sum(body: Callable[[int, int, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
                return tuple(
                    stmt
                    for number in range(count)
                    for row in range(len(rows))
                    for stmt in chunks(lambda lane, row=row, number=number: body(row, number, lane))  # type: ignore[misc]
                )

            def step(k: Expr, part: int) -> Sequence[Stmt]:
                if order:
                    k = order[0].var + k * order[1].var
                factors = [Var(f"{phase.name}_factor{part}_{row}", self.dtype) for row in range(len(rows))]

                def multiply_add(row: int, number: int, lane: Expr) -> Sequence[Stmt]:
                    weight, where = (
                        weights(phase, size, at, k, number, lane, self.copy),
                        (part, row, number, lane),
                    )
                    return (store(total, where, Fma(factors[row], weight, load(total, *where))),)

                lets = [Let(factor, phase.factor(k, b)) for factor, b in zip(factors, rows, strict=True)]
                return (*lets, *each_sum(multiply_add))

            def steps(k: Expr) -> Sequence[Stmt]:
                return tuple(stmt for part in range(parts) for stmt in step(k * parts + part, part))

            def begin(row: int, number: int, lane: Expr) -> Sequence[Stmt]:
                first = store(
                    total, (0, row, number, lane), phase.start(phase.gates[number], at + lane, rows[row])
                )
                return (first, *(store(total, (part, row, number, lane), 0) for part in range(1, parts)))

            def join(row: int, number: int, lane: Expr) -> Sequence[Stmt]:
                values = [load(total, part, row, number, lane) for part in range(parts)]
                while len(values) > 1:
                    values = [*map(add, values[::2], values[1::2]), *values[len(values) // 2 * 2 :]]
                return (store(total, (0, row, number, lane), values[0]),)

            ends: tuple[Stmt, ...] = ()
            for row, b in enumerate(rows):

                def finish(lane: Expr, row: int = row, b: Expr = b) -> Sequence[Stmt]:
                    def gate(number: int) -> Expr:
                        return load(total, 0, row, phase.gates.index(number), lane)

                    return end(gate, at + lane, row) if end is not None else phase.finish(gate, at + lane, b)

                ends += chunks(finish, side_by_side(self.lanes))
            rest = tuple(
                stmt
                for part in range(hidden % parts)
                for stmt in step(index(hidden // parts * parts + part), part)
            )
            joined = each_sum(join) if parts > 1 else ()
            walk = loop(f"{phase.name}_k", hidden // parts, steps)
            return (*order, Alloc(total), *each_sum(begin), *walk, *rest, *joined, *ends)

        return tile


def tiles_together(site: Site, cell: Cell, tile: int, gates: int, dtype: DType) -> tuple[int, int]:
    """How many tiles a pass over the weights of so many gates has, each with so many weights for a term of its sums, and how many
    of them are shared out together.
    """
    count, weights_bytes = cell.hidden * gates // tile, gates * cell.hidden**2 * dtype.size_bytes
    group_bytes = site.machine.tuning.recurrent.group_min_bytes
    return count, -(-count // min(count, max(2, weights_bytes // group_bytes)))


def tile_sizes(site: Site, dtype: DType, hidden: int, gates: int, rows: int) -> tuple[int, ...]:
    """Sizes of tiles of hidden elements: the sums of all gates and rows, and weights that rows share, fit in registers; their
    weights are no more than `tuning.recurrent.tile_max_bytes`, if one vector is not.
    """
    lanes = site.machine.lanes(dtype)
    max_bytes = site.machine.tuning.recurrent.tile_max_bytes
    max_size = min(hidden, max_bytes // max(1, gates * hidden * dtype.size_bytes))
    vectors = max_vectors = site.machine.tuning.register_block.independent_sums
    while vectors > 1 and (
        vectors * lanes > max_size or gates * vectors > max_vectors or not fits(site, gates * vectors, rows)
    ):
        vectors //= 2
    if lanes == 1 or vectors == 1:
        return vector_sizes(lanes)
    return (vectors * lanes, *vector_sizes(lanes))


def fits(site: Site, vectors: int, rows: int) -> bool:
    """Whether registers hold the sums of `vectors` × `rows` sequences together with the weights that sequences share."""
    return vectors * (rows + (rows > 1)) + 2 <= site.machine.vector_registers
