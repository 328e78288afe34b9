"""The inner loop of matrix products: a register tile, or for small ones several sums for each result.

A multiply-add takes four cycles and two begin in each, so fewer than eight independent sums leave the units idle. Then the
reduction goes several elements at a time, each with a sum of its own, which are added at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.kernels.blocks.register_block import Step, Tile, accumulate, each_vector, sum_steps
from ingot.loops.build.nest import loop, vectors_of
from ingot.loops.nodes import Alloc, Const, Expr, Fma, For, LoopKind, Stmt, Var, buffer, load, store

SUMS_WANTED = 8
WAYS_MOST = 8


@dataclass(frozen=True, slots=True)
class Asking:
    """`ask(number)` asks for weights that are needed later. It is done once in `steps` steps of a sum, `depth // steps` times in
    all; in tiles with several sums for each result about as often, if at all.
    """

    steps: int
    ask: Callable[[Expr], Sequence[Stmt]]


def sums_for_each(rows: int, tile: Tile, dtype: DType, depth: int) -> int:
    """How many sums a result of such a tile should have. All tiles of the same rows must have equally many: columns with equal
    factors have equal results then.
    """
    ways = 1
    while (
        dtype.is_float and ways < WAYS_MOST and 2 * ways <= depth and rows * tile.vectors * ways < SUMS_WANTED
    ):
        ways *= 2
    return ways


def product_tile(
    rows: int,
    tile: Tile,
    dtype: DType,
    depth: int,
    left: Callable[[int, Expr], Expr],
    right: Callable[[Expr, Expr], Expr],
    write: Callable[[int | Expr, Expr, Expr], Sequence[Stmt]],
    valid: int,
    ways: int,
    ahead: Asking | None = None,
    late: bool = False,
    apart: bool = False,
    together: int = 1,
) -> tuple[Stmt, ...]:
    """One tile of `Σ_k left(row, k) * right(k, column)`; `write(row, column, value)` stores one of the first `valid` columns.

    `ways` is the number of sums for each result, of `sums_for_each`. With `late` what is done to results is long: it is
    written once for all rows, not once for each. With `apart` each of several sums is over a part of the depth by itself, else
    over every `ways`-th element. `together`: so many steps of a single sum are an unrolled loop, or as many as the tile says.
    """
    if ways > 1:
        return _several_sums(rows, tile, dtype, depth, ways, left, right, write, valid, ahead, apart)

    def reduction(step: Step) -> Sequence[Stmt]:
        def at(k: Expr) -> tuple[Stmt, ...]:
            return step(lambda row: left(row, k), lambda column: right(k, column))

        if ahead is None:
            return sum_steps("k", depth, max(together, tile.steps), at)

        def several(number: Expr) -> tuple[Stmt, ...]:
            if tile.steps > 1:
                steps_of = sum_steps(
                    "step", ahead.steps, tile.steps, lambda one: at(number * ahead.steps + one)
                )
                return (*ahead.ask(number), *steps_of)
            steps = (at(number * ahead.steps + one) for one in range(ahead.steps))
            return (*ahead.ask(number), *(stmt for step_ in steps for stmt in step_))

        blocks = depth // ahead.steps
        return (
            *loop("k", blocks, several),
            *loop("rest", depth - blocks * ahead.steps, lambda k: at(k + blocks * ahead.steps)),
        )

    return accumulate(rows, tile, dtype, reduction, write, valid, write if late else None)


def _several_sums(
    rows: int,
    tile: Tile,
    dtype: DType,
    depth: int,
    ways: int,
    left: Callable[[int, Expr], Expr],
    right: Callable[[Expr, Expr], Expr],
    write: Callable[[int | Expr, Expr, Expr], Sequence[Stmt]],
    valid: int,
    ahead: Asking | None,
    apart: bool,
) -> tuple[Stmt, ...]:
    blocks = depth // ways
    acc = buffer("acc", dtype, (ways, rows, tile.columns))

    def each(count: int, body: Callable[[int, int, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        stmts: tuple[Stmt, ...] = ()
        for way in range(count):
            stmts += each_vector(rows, tile, lambda row, column, way=way: body(way, row, column))  # type: ignore[misc]
        return stmts

    def step(at: Callable[[int], Expr], count: int) -> tuple[Stmt, ...]:
        return each(
            count,
            lambda way, row, column: (
                store(
                    acc,
                    (way, row, column),
                    Fma(left(row, at(way)), right(at(way), column), load(acc, way, row, column)),
                ),
            ),
        )

    def block(k: Expr) -> tuple[Stmt, ...]:
        return step((lambda way: k + way * blocks) if apart else (lambda way: k * ways + way), ways)

    stmts: list[Stmt] = [Alloc(acc)]
    stmts += each(ways, lambda way, row, column: (store(acc, (way, row, column), Const(0.0, dtype)),))
    if ahead is None:
        stmts += loop("k", blocks, block)
    else:  # of the steps between two calls `ways` are taken at once
        calls = ways // ahead.steps
        stmts += loop(
            "k",
            blocks,
            lambda k: (*(stmt for one in range(calls) for stmt in ahead.ask(k * calls + one)), *block(k)),
        )
    stmts += loop("rest", depth - blocks * ways, lambda k: step(lambda way: k + blocks * ways + way, 1))
    half = ways // 2
    while half:
        stmts += each(
            half,
            lambda way, row, column, half=half: (  # type: ignore[misc]
                store(
                    acc, (way, row, column), load(acc, way, row, column) + load(acc, way + half, row, column)
                ),
            ),
        )
        half //= 2
    for row in range(rows):
        stmts += vectors_of(
            valid,
            tile.lanes,
            lambda column, row=row: write(row, column, load(acc, 0, row, column)),  # type: ignore[misc]
        )
    return (For(Var("tile"), Const(1, DType.INT64), tuple(stmts), LoopKind.SERIAL),)
