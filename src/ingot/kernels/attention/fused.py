"""Attention in one kernel: a block of query rows at a time goes through scores, softmax and the mean of values.

The scores of a block stay in the caches of one core; the whole matrix of scores, the square of a sequence's length for each
head, is never stored. Rows are scaled by the inverse of their sum behind the second product, which has fewer elements than the
weights, unless something else is done to the weights first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ingot.base.tensor import TensorType
from ingot.kernels.blocks.elements import broadcast_index
from ingot.kernels.blocks.product_block import Order, Product, product_block, sums_for_each
from ingot.kernels.blocks.register_block import parts, row_blocks, row_pitch, row_tiles, tiles
from ingot.kernels.blocks.work_split import rows_of_task
from ingot.kernels.matmul.matmul import Segment, column_segments
from ingot.kernels.softmax import exponentials
from ingot.kernels.template import Site, Template
from ingot.loops.analyse.counts import Count
from ingot.loops.build.builder import Builder, Extent
from ingot.loops.build.nest import add, collapse, expecting, flat_index, fold_row, loop, vector, vector_blocks
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    Let,
    LoopKind,
    Stmt,
    Var,
    buffer,
    call,
    index,
    load,
    maximum,
    minimum,
    store,
)

# The expression applied to a score or a weight after its product: site, index `[…, row, key]`, number → number.
Then = Callable[[Site, tuple[Expr, ...], Expr], Expr]


@dataclass(frozen=True, slots=True, eq=False)
class Scoring:
    """What is done to scores between the products.

    `score` is done to each score; where it takes many operations it is `long`. `weight` is done to each weight that the softmax
    gives. `filled` says how many keys there are: the position of an input with sizes, and the count. `score` hides all others.
    """

    score: Then | None = None
    weight: Then | None = None
    long: bool = False
    filled: tuple[int, Count] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Attention:
    """What is computed: `k [..., D, N]`, `v [..., N, E]`; the rest as for `attention_template`."""

    q: TensorType
    k: TensorType
    v: TensorType
    output: TensorType
    scoring: Scoring

    @property
    def score(self) -> Then | None:
        return self.scoring.score

    @property
    def weight(self) -> Then | None:
        return self.scoring.weight

    @property
    def batch(self) -> tuple[int, ...]:
        return self.output.shape[:-2]


def attention_template(
    operands: tuple[TensorType, TensorType, TensorType],
    extras: tuple[TensorType, ...],
    output: TensorType,
    scoring: Scoring,
    *,
    spec: Mapping[str, object],
    order: tuple[int, ...],
) -> Template:
    """`softmax(score(q @ k)) @ v` along the last dimension, as one kernel.

    Args:
        operands: q `[..., M, D]`, k `[..., D, N]`, v `[..., N, E]`, whose batch dimensions broadcast.
        extras: inputs 3 and on, which `scoring` reads.
        output: `[..., M, E]`.
        scoring: what is done to scores and weights.
        spec: what tells what is done to scores and weights from others.
        order: the order of dimensions in which the output is liked stored.
    """
    q, k, v = operands
    problem, filled = _Attention(q, k, v, output, scoring), scoring.filled
    sizes = {"m": q.shape[-2], "n": k.shape[-1], "k": q.shape[-1], "e": v.shape[-1], "batch": problem.batch}
    return Template(
        "attention",
        (*operands, *extras),
        (output,),
        lambda site: _build(site, problem),
        spec={**sizes, **spec, **({} if filled is None else {"filled": filled})},
        prefers={("output", 0): order},
    )


def _build(site: Site, problem: _Attention) -> Sequence[Stmt]:
    dtype, (rows, depth), keys, width = (
        problem.q.dtype,
        problem.q.shape[-2:],
        problem.k.shape[-1],
        problem.v.shape[-1],
    )
    tile = site.choose("tile", tiles(site.machine, dtype, rows, keys))
    score_segments = column_segments(site.machine, dtype, rows, keys, tile)
    value_segments = column_segments(site.machine, dtype, tile.rows, width)
    total = math.prod(problem.batch)
    tuning = site.machine.tuning.attention
    max_height = rows // ((tuning.cores_min_tiles if site.machine.cores else tuning.min_tiles) * tile.rows)
    height = rows_of_task(rows, tile.rows, total, max_height, site.machine)
    blocks = parts(rows, height)
    tasks = (*problem.batch, -(-rows // height))
    reach = _reach(site, problem, score_segments)
    pack_keys, key_at = _panels(site, 1, "keys", tasks, depth, score_segments, reach)
    pack_values, value_at = _panels(site, 2, "values", tasks, keys, value_segments)
    declare, scores_of = _scores(site, problem, tasks, tile.rows, row_pitch(keys, dtype))
    stmts: tuple[Stmt, ...] = ()
    for first_block, count, size in blocks:

        def task(where: tuple[Expr, ...], first_block: int = first_block, size: int = size) -> Sequence[Stmt]:
            *batch, number = where
            here = (*batch, number + first_block)
            number_of_task = flat_index(here, tasks)
            scores = scores_of(number_of_task)

            def block(start: Expr, height_: int) -> Sequence[Stmt]:
                first = start + (number + first_block) * height
                place = _Place(site, problem, tuple(batch), first, height_, scores, reach)
                return (
                    *declare,
                    *place.products(score_segments, key_at(number_of_task, tuple(batch))),
                    *place.softmax(),
                    *place.means(value_segments, value_at(number_of_task, tuple(batch))),
                )

            return (
                *pack_keys(number_of_task, tuple(batch)),
                *pack_values(number_of_task, tuple(batch)),
                *row_tiles("m", size, tile.rows, block),
            )

        stmts += collapse(f"task{size}", (*problem.batch, count), task)
    return stmts


# ─── how many keys there are ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class _Reach:
    """The keys up to the last one that is there, in `rounds` rounds of `size` keys."""

    rounds: Expr
    size: int

    def blocks(self, size: int) -> Expr:
        """How many blocks of a size that divides a round."""
        return self.rounds * (self.size // size)


def _reach(site: Site, problem: _Attention, segments: Sequence[Segment]) -> _Reach | None:
    """Where loops over keys end; None where they go through all of them, since rounds would not come out even."""
    if problem.scoring.filled is None:
        return None
    keys, width = problem.k.shape[-1], segments[0].tile.columns
    vectors = site.machine.lanes(problem.q.dtype) * site.machine.tuning.rows.parts
    size = math.lcm(width, vectors)
    if keys % size:
        return None
    position, count = problem.scoring.filled
    there = maximum(count.expression(site.input(position), keys), 1)
    return _Reach(minimum((there + (size - 1)) // size, keys // size), size)


# ─── where scores are ──────────────────────────────────────────────────────────────────────────────────────────────

_ScoreAt = Callable[[int | Expr, Expr], tuple[Buffer, tuple[Expr, ...]]]  # row of the block, key → place


def _scores(
    site: Site, problem: _Attention, tasks: tuple[int, ...], rows: int, pitch: int
) -> tuple[tuple[Stmt, ...], Callable[[Expr], _ScoreAt]]:
    """Room for the scores of a block of rows: its declaration, and from the number of a task to the place of a score."""
    if rows * pitch * problem.q.dtype.size_bytes <= site.machine.tuning.attention.scores_max_bytes:
        local = buffer("scores", problem.q.dtype, (rows, pitch))
        return (Alloc(local),), lambda _: lambda row, key: (local, (index(row), key))
    space = site.workspace("scores", problem.q.dtype, (math.prod(tasks), rows, pitch))
    return (), lambda task: lambda row, key: (space, (task, index(row), key))


_Right = Callable[[Segment, Expr, Expr, Expr], Expr]  # panel, step of the sum, column in the panel → element
_Pack = Callable[[Expr, tuple[Expr, ...]], tuple[Stmt, ...]]
_RightOf = Callable[[Expr, tuple[Expr, ...]], _Right]


def _panels(
    site: Site,
    position: int,
    name: str,
    tasks: tuple[int, ...],
    depth: int,
    segments: Sequence[Segment],
    reach: _Reach | None = None,
) -> tuple[_Pack, _RightOf]:
    """How a task packs a right operand into panels, each `[depth, width]`, where it does not lie well, and how it reads it."""
    operand = site.input(position)
    in_place = operand.strides[-1] == 1
    loose = [segment for segment in segments if not (in_place and segment.is_whole)]

    def element(batch: tuple[Expr, ...], k: Expr, column: Expr) -> Expr:
        return load(operand, *broadcast_index(batch, operand.shape[:-2]), k, column)

    def direct(batch: tuple[Expr, ...]) -> _Right:
        return lambda segment, panel, k, column: element(
            batch, k, panel * segment.tile.columns + segment.first + column
        )

    if not loose:
        return lambda *_: (), lambda _, batch: direct(batch)
    start = loose[0].first
    size = depth * (loose[-1].first + loose[-1].panels * loose[-1].tile.columns - start)
    space = site.workspace(name, operand.dtype, (math.prod(tasks), size))
    lanes = min(site.machine.lanes(operand.dtype), 16)
    square = lanes if operand.strides[-2] == 1 and 4 <= lanes <= depth else 0

    def place(task: Expr, segment: Segment, panel: Expr, k: Expr, column: Expr) -> tuple[Expr, Expr]:
        width = segment.tile.columns
        return task, (panel * depth + k) * width + (segment.first - start) * depth + column

    def pack(task: Expr, batch: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        stmts: tuple[Stmt, ...] = ()
        for segment in loose:

            def panel_of(panel: Expr, segment: Segment = segment) -> Sequence[Stmt]:
                read = direct(batch)

                def move(k: Expr, column: Expr) -> Sequence[Stmt]:
                    return (
                        store(space, place(task, segment, panel, k, column), read(segment, panel, k, column)),
                    )

                # Keys lie along the depth: squares of them are read so, and transposed in registers.
                transposed = segment.valid // square * square if square else 0
                deep = depth // square * square if transposed else 0

                def squares(part: Expr) -> Sequence[Stmt]:
                    moves: tuple[Stmt, ...] = ()
                    for first in range(0, transposed, square):

                        def row(n: Expr, first: int = first) -> Sequence[Stmt]:
                            return vector("lane", square, lambda lane: move(part * square + n, lane + first))

                        moves += expecting("transpose", loop("turn", square, row, LoopKind.UNROLLED))
                    return moves

                def row(k: Expr, first: int) -> Sequence[Stmt]:
                    moved = vector_blocks(
                        "c", segment.valid - first, segment.tile.lanes, lambda c: move(k, c + first)
                    )
                    rest = segment.tile.columns - segment.valid
                    return moved + vector_blocks(
                        "z",
                        rest,
                        segment.tile.lanes,
                        lambda z: (store(space, place(task, segment, panel, k, z + segment.valid), 0),),
                    )

                return (
                    *loop("part", deep // square if deep else 0, squares),
                    *loop("k", deep, lambda k: row(k, transposed)),
                    *loop("rest", depth - deep, lambda k: row(k + deep, 0)),
                )

            stmts += loop(f"{name}{segment.first}", _panel_count(segment, reach), panel_of)
        return stmts

    by_copy = {id(segment) for segment in loose}

    def right_of(task: Expr, batch: tuple[Expr, ...]) -> _Right:
        read = direct(batch)

        def right(segment: Segment, panel: Expr, k: Expr, column: Expr) -> Expr:
            if id(segment) not in by_copy:
                return read(segment, panel, k, column)
            return load(space, *place(task, segment, panel, k, column))

        return right

    return pack, right_of


# ─── one block of rows ─────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A block of `rows` query rows from `first` on, of one head."""

    site: Site
    problem: _Attention
    batch: tuple[Expr, ...]
    first: Expr
    rows: int
    scores: _ScoreAt
    reach: _Reach | None

    @property
    def keys(self) -> int:
        return self.problem.k.shape[-1]

    def _load(self, row: int | Expr, key: Expr) -> Expr:
        place, where = self.scores(row, key)
        return load(place, *where)

    def _keep(self, row: int | Expr, key: Expr, value: Expr) -> tuple[Stmt, ...]:
        place, where = self.scores(row, key)
        return (store(place, where, value),)

    def _rounds(self) -> tuple[int, tuple[Extent, ...]]:
        """Keys that are folded in a round, and how many rounds there are, if more than one."""
        return (self.keys, ()) if self.reach is None else (self.reach.size, (self.reach.rounds,))

    def _ends(self) -> Extent:
        return self.keys if self.reach is None else self.reach.blocks(1)

    def products(self, segments: Sequence[Segment], key_at: _Right) -> tuple[Stmt, ...]:
        """The scores of all keys."""
        problem, depth = self.problem, self.problem.q.shape[-1]
        at = broadcast_index(self.batch, problem.q.shape[:-2])

        def panel_of(segment: Segment, panel: Expr) -> Sequence[Stmt]:
            first = panel * segment.tile.columns + segment.first

            product = Product(
                self.rows,
                segment.tile,
                problem.q.dtype,
                depth,
                lambda row, k: self.site.read(0, *at, self.first + row, k),
                lambda k, column: key_at(segment, panel, k, column),
                segment.valid,
            )
            order = Order(
                sums_for_each(self.site.machine, self.rows, segments[0].tile, problem.q.dtype, depth)
            )
            k = Builder()
            for row, column, score in product_block(k, product, order, in_loop=problem.scoring.long):
                where = (*self.batch, self.first + row, first + column)
                final = score if problem.score is None else problem.score(self.site, where, score)
                k.emit(self._keep(row, first + column, final))
            return k.statements()

        return _each_panel("keys", segments, panel_of, self.reach)

    def softmax(self) -> tuple[Stmt, ...]:
        """Scores become weights: exponentials, whose inverse sum is kept for later, or what `weight` makes of the softmax."""
        problem, dtype, lanes = (
            self.problem,
            self.problem.q.dtype,
            self.site.machine.lanes(self.problem.q.dtype),
        )
        inverse = buffer("inverse", dtype, (self.rows,))

        def row_of(row: Expr) -> Sequence[Stmt]:
            top = Var("top", dtype)
            round_size, rounds = self._rounds()

            def key(where: Sequence[Expr]) -> Expr:
                return flat_index(where, (*rounds, round_size))

            find, best = fold_row(
                "top",
                round_size,
                lanes,
                lambda *at: self._load(row, key(at)),
                Const(-np.inf, dtype),
                maximum,
                outer=rounds,
            )
            exps, total = fold_row(
                "sum",
                round_size,
                lanes,
                lambda *at: call("exp_flushed", self._load(row, key(at)) - top),
                Const(0, dtype),
                add,
                outer=rounds,
                keep=lambda *at: self._keep(row, key(at[:-1]), at[-1]),
                parts=exponentials(self.site.machine),
            )
            stmts: tuple[Stmt, ...] = (*find, Let(top, best), *exps)
            weight = problem.weight
            if weight is None:
                return (*stmts, store(inverse, (row,), Const(1, dtype) / total))
            scale = Var("scale", dtype)

            def finish(at: Expr) -> Sequence[Stmt]:
                where = (*self.batch, self.first + row, at)
                return self._keep(row, at, weight(self.site, where, self._load(row, at) * scale))

            return (
                *stmts,
                Let(scale, Const(1, dtype) / total),
                *vector_blocks("j", self._ends(), lanes, finish),
            )

        declare = (Alloc(inverse),) if problem.weight is None else ()
        return (*declare, *loop("row", self.rows, row_of))

    def means(self, segments: Sequence[Segment], value_at: _Right) -> tuple[Stmt, ...]:
        """The results: values by their weights."""
        problem = self.problem
        inverse = buffer("inverse", problem.q.dtype, (self.rows,))

        def panel_of(segment: Segment, panel: Expr) -> Sequence[Stmt]:
            first = panel * segment.tile.columns + segment.first

            def element(start: Expr, row: int, step: Expr) -> Expr:
                return self._load(start + row, step)

            k = Builder()
            for start, size in row_blocks(k, "value_row", self.rows, segment.tile.rows):
                product = Product(
                    size,
                    segment.tile,
                    problem.q.dtype,
                    self._ends(),
                    partial(element, start),
                    lambda step, column: value_at(segment, panel, step, column),
                    segment.valid,
                )
                order = Order(
                    sums_for_each(self.site.machine, size, segments[0].tile, problem.q.dtype, self.keys)
                )
                late = self.site.has_long_epilogue
                for row, column, mean in product_block(k, product, order, in_loop=late):
                    at = start + row
                    result = mean * load(inverse, at) if problem.weight is None else mean
                    k.emit(self.site.write(0, (*self.batch, self.first + at, first + column), result))
            return k.statements()

        return _each_panel("values", segments, panel_of)


def _panel_count(segment: Segment, reach: _Reach | None) -> Extent:
    return segment.panels if reach is None else reach.blocks(segment.tile.columns)


def _each_panel(
    name: str,
    segments: Sequence[Segment],
    body: Callable[[Segment, Expr], Sequence[Stmt]],
    reach: _Reach | None = None,
) -> tuple[Stmt, ...]:
    stmts: tuple[Stmt, ...] = ()
    for segment in segments:
        stmts += loop(
            f"{name}{segment.first}",
            _panel_count(segment, reach),
            lambda panel, segment=segment: body(segment, panel),  # type: ignore[misc]
        )
    return stmts
