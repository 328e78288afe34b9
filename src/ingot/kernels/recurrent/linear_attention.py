"""Attention with a state instead of keys: each token changes a matrix for each head, and reads it.

The columns of a state, one for each element of a value, never meet: a task takes some of them of one head through all tokens. It
keeps them near, reads them twice for each token, and writes them back once.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Site, Template
from ingot.loops.build.builder import Builder, vector_sizes
from ingot.loops.build.nest import add
from ingot.loops.nodes import Buffer, Const, Expr, Fma, Stmt, call, index, load

_COLUMNS = 2  # vectors of columns that share what is read of a token
_CHAINS = 4  # sums side by side: with fewer, a fused multiply-add waits for the one before it


@dataclass(frozen=True, slots=True)
class Positions:
    """Where operands are among the inputs; None for those that a rule has not."""

    past: int | None
    decay: int | None
    rate: int | None


def linear_attention(
    operands: Sequence[TensorType], positions: Positions, *, is_delta: bool, scale: float
) -> Template:
    """For each token `t`, of a state `S [K, V]` for each head: `S ← exp(decay) · S + rate · k ⊗ (v - (exp(decay) · S)ᵀ k)`, then
    `o = scale · Sᵀ q`. Without `is_delta` what is added is `k ⊗ v`.

    Args:
        operands: the types of q `[B, T, Q, K]`, k `[B, T, H, K]`, v `[B, T, H, V]`, where the larger of `Q` and `H` is a multiple
            of the other, and those at `positions`: past `[B, H, K, V]`, decay `[B, T, H, K or 1]`, rate `[B, T, H or 1]`.
        positions: of the other operands. Without a past states are zero at first, without a decay they stay, without a rate it
            is 1.
        is_delta: whether values are corrected by what the state has for their keys.
        scale: of results.

    Returns:
        The template; its outputs are o `[B, T, max(Q, H), V]` and the states behind the last token `[B, H, K, V]`.
    """
    q, _, v = operands[:3]
    batch, tokens, heads, width = v.shape
    output = TensorType(q.dtype, (batch, tokens, max(q.shape[2], heads), width))
    state = TensorType(q.dtype, (batch, heads, q.shape[3], width))
    problem = _Problem(tuple(operands), positions, is_delta, scale)
    operands_of = {"past": positions.past, "decay": positions.decay, "rate": positions.rate}
    return Template(
        "linear_attention",
        tuple(operands),
        (output, state),
        lambda site: _build(site, problem),
        {**operands_of, "delta": is_delta, "scale": scale},
        epilogue=False,
    )


@dataclass(frozen=True, slots=True)
class _Problem:
    operands: tuple[TensorType, ...]
    positions: Positions
    is_delta: bool
    scale: float

    @property
    def dtype(self) -> DType:
        return self.operands[0].dtype

    @property
    def has_fewer_queries(self) -> bool:
        """Whether heads share queries, instead of queries a head: then each head has a result."""
        return self.operands[0].shape[2] < self.operands[2].shape[2]


@dataclass(frozen=True, slots=True)
class _Columns:
    """`count` columns of the state of a head, which lie in `memory [task, K, at least count]` meanwhile."""

    batch: Expr
    head: Expr
    task: Expr
    start: Expr
    count: int
    memory: Buffer

    @property
    def rows(self) -> int:
        return self.memory.shape[1]

    def place(self, row: Expr, lane: Expr) -> tuple[Expr, Expr, Expr]:
        """Where an element of the state is."""
        return self.task, row, lane

    def held(self, row: Expr, lane: Expr) -> Expr:
        """An element of the state."""
        return load(self.memory, *self.place(row, lane))


def _build(site: Site, problem: _Problem) -> Sequence[Stmt]:
    batch, tokens, heads, width = problem.operands[2].shape
    lanes = site.machine.lanes(problem.dtype)
    widest = min(_COLUMNS * lanes, max(width, 1))
    memory = site.workspace("states", problem.dtype, (batch * heads, problem.operands[0].shape[3], widest))
    k = Builder()
    for at, head in k.collapse("head", (batch, heads)):
        for start, count in k.tiles("column", width, (_COLUMNS * lanes, *vector_sizes(lanes))):
            columns = _Columns(at, head, at * heads + head, start, count, memory)
            _begin(k, site, problem, columns)
            for token in k.loop(f"token{count}", tokens):
                _step(k, site, problem, columns, token)
            _end(k, site, problem, columns)
    return k.statements()


def _begin(k: Builder, site: Site, problem: _Problem, columns: _Columns) -> None:
    past = problem.positions.past
    for row in k.loop(f"begin{columns.count}", columns.rows):
        for lane in k.vectors(columns.count, site.machine.lanes(problem.dtype)):
            where = (columns.batch, columns.head, row, columns.start + lane)
            old = Const(0, problem.dtype) if past is None else site.read(past, *where)
            k.store(columns.memory, columns.place(row, lane), old)


def _end(k: Builder, site: Site, problem: _Problem, columns: _Columns) -> None:
    for row in k.loop(f"end{columns.count}", columns.rows):
        for lane in k.vectors(columns.count, site.machine.lanes(problem.dtype)):
            where = (columns.batch, columns.head, row, columns.start + lane)
            k.store(site.outputs[1], where, columns.held(row, lane))


def _step(k: Builder, site: Site, problem: _Problem, columns: _Columns, token: Expr) -> None:
    """One token: what the state has for its key, the new state, and what that has for its queries."""
    kept = _kept(k, site, problem, columns, token)
    new = _new(k, site, problem, columns, (token, kept))
    count, lanes = columns.count, site.machine.lanes(problem.dtype)
    heads = _queries(problem, columns.head)
    sums = _Sums(k.alloc(f"results{count}", problem.dtype, (len(heads), _CHAINS, count)), lanes)
    sums.clear(k)
    for chain, row in _rows(k, f"row{count}", columns.rows):
        key = k.let(f"key{count}_{chain}", site.read(1, columns.batch, token, columns.head, row))
        queries = [
            k.let(f"query{count}_{chain}_{at}", site.read(0, columns.batch, token, head, row))
            for at, head in enumerate(heads)
        ]
        for lane in k.vectors(count, lanes):
            state = k.let(
                f"state{count}_{chain}", Fma(key, load(new, lane), kept(row, columns.held(row, lane)))
            )
            k.store(columns.memory, columns.place(row, lane), state)
            for at, query in enumerate(queries):
                sums.add(k, (at, chain), lane, query, state)
    for at, head in enumerate(heads):
        for lane in k.vectors(count, lanes):
            own = columns.head if problem.has_fewer_queries else head
            where = (columns.batch, token, own, columns.start + lane)
            k.store(site.outputs[0], where, sums.total(at, lane) * problem.scale)


def _rows(k: Builder, name: str, rows: int) -> Iterator[tuple[int, Expr]]:
    """Each row, and which of the sums side by side it goes to."""
    for first, size in k.tiles(name, rows, (_CHAINS, 1)):
        for chain in range(size):
            yield chain, first + chain


@dataclass(frozen=True, slots=True)
class _Sums:
    """Several vectors of sums, of which each is in parts: `memory [sums, _CHAINS, count]`."""

    memory: Buffer
    lanes: int

    def clear(self, k: Builder) -> None:
        numbers, chains, count = self.memory.shape
        for number, chain in itertools.product(range(numbers), range(chains)):
            for lane in k.vectors(count, self.lanes):
                k.store(self.memory, (number, chain, lane), 0)

    def add(self, k: Builder, part: tuple[int, int], lane: Expr, left: Expr, right: Expr) -> None:
        """Adds a product to a part of a sum."""
        where = (*part, lane)
        k.store(self.memory, where, Fma(left, right, load(self.memory, *where)))

    def total(self, number: int, lane: Expr) -> Expr:
        parts = [load(self.memory, number, chain, lane) for chain in range(self.memory.shape[1])]
        return functools.reduce(add, parts)


def _queries(problem: _Problem, head: Expr) -> list[Expr]:
    """The heads of queries that read the state of a head."""
    queries, heads = problem.operands[0].shape[2], problem.operands[2].shape[2]
    if problem.has_fewer_queries:
        return [head // (heads // queries)]
    return [head * (queries // heads) + at for at in range(queries // heads)]


_Kept = Callable[[Expr, Expr], Expr]  # row of a state, an element of it → what is left of the element


def _kept(k: Builder, site: Site, problem: _Problem, columns: _Columns, token: Expr) -> _Kept:
    decay = problem.positions.decay
    if decay is None:
        return lambda _, state: state
    rows = problem.operands[decay].shape[3]
    where = (columns.batch, token, columns.head)
    if rows == 1:
        factor = k.let(f"factor{columns.count}", call("exp", site.read(decay, *where, index(0))))
        return lambda _, state: state * factor
    factors = k.alloc(f"factors{columns.count}", problem.dtype, (rows,))
    for row in k.vector_blocks(f"decay{columns.count}", rows, site.machine.lanes(problem.dtype)):
        k.store(factors, (row,), call("exp", site.read(decay, *where, row)))
    return lambda row, state: state * load(factors, row)


def _new(
    k: Builder, site: Site, problem: _Problem, columns: _Columns, token_and_kept: tuple[Expr, _Kept]
) -> Buffer:
    """What is added for a key: `[count]`."""
    token, kept = token_and_kept
    count, lanes, rate = columns.count, site.machine.lanes(problem.dtype), problem.positions.rate
    new = k.alloc(f"new{count}", problem.dtype, (count,))
    known = _Sums(k.alloc(f"known{count}", problem.dtype, (1, _CHAINS, count)), lanes)
    known.clear(k)
    for chain, row in _rows(k, f"known_row{count}", columns.rows if problem.is_delta else 0):
        key = k.let(f"known_key{count}_{chain}", site.read(1, columns.batch, token, columns.head, row))
        for lane in k.vectors(count, lanes):
            known.add(k, (0, chain), lane, key, kept(row, columns.held(row, lane)))
    for lane in k.vectors(count, lanes):
        value = site.read(2, columns.batch, token, columns.head, columns.start + lane)
        if problem.is_delta:
            value = value - known.total(0, lane)
        if rate is not None:
            head = index(0) if problem.operands[rate].shape[2] == 1 else columns.head
            value = value * site.read(rate, columns.batch, token, head)
        k.store(new, (lane,), value)
    return new
