"""The inner loop of matrix products: a register block, or for small ones several sums for each result.

A multiply-add takes some cycles and several begin in each, so few independent sums leave the units idle. Then the reduction goes
several elements at a time, each with a sum of its own, which are added at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ingot.base.tensor import DType
from ingot.kernels.blocks.register_block import Result, Sums, Tile, block_vectors, reduction_steps
from ingot.loops.build.builder import Builder, Extent
from ingot.loops.nodes import Buffer, Const, Expr, Fma, Stmt, load
from ingot.machines.machine import Machine


@dataclass(frozen=True, slots=True)
class Prefetching:
    """`prefetch(number)` brings in weights that are needed later. It is done once in `steps` steps of a sum, `depth // steps`
    times in all; in blocks with several sums for each result about as often, if at all.
    """

    steps: int
    prefetch: Callable[[Expr], Sequence[Stmt]]


@dataclass(frozen=True, slots=True)
class Product:
    """One register block of a matrix product: `Σ_k left(row, k) * right(k, column)` for `rows` rows and the columns of the tile,
    of which the first `valid` are wanted. `k` goes up to `depth`, known only while running perhaps, where nothing is prefetched.
    """

    rows: int
    tile: Tile
    dtype: DType
    depth: Extent
    left: Callable[[int, Expr], Expr]
    right: Callable[[Expr, Expr], Expr]
    valid: int


@dataclass(frozen=True, slots=True)
class Order:
    """In which order a product adds up.

    `sums` is how many sums each result has (`sums_for_each`). Each of several is over a part of the depth by itself where they
    are `by_parts`, else over every `sums`-th element. `together`: so many steps of a single sum are an unrolled loop, or as many
    as the tile says.
    """

    sums: int
    by_parts: bool = False
    together: int = 1


def sums_for_each(machine: Machine, rows: int, tile: Tile, dtype: DType, depth: int) -> int:
    """How many sums a result of such a block should have. All blocks of the same rows must have equally many: columns with equal
    factors have equal results then.
    """
    sums, tuning = 1, machine.tuning.register_block
    while (
        dtype.is_float
        and sums < tuning.max_sums_each
        and 2 * sums <= depth
        and rows * tile.vectors * sums < tuning.independent_sums
    ):
        sums *= 2
    return sums


def product_block(
    k: Builder,
    product: Product,
    order: Order,
    prefetching: Prefetching | None = None,
    in_loop: bool = False,
) -> Iterator[Result]:
    """Computes a register block and gives its results, in a block of their own. With `in_loop` what is done to results is long:
    it is written once for all rows, not once for each (only of a single sum for each result).
    """
    with k.block("tile"):
        if order.sums > 1:
            yield from _several_sums(k, product, order, prefetching)
            return
        sums = Sums(k, product.rows, product.tile, product.dtype)
        for step in _steps(k, product, order, prefetching):
            sums.add([product.left(row, step) for row in range(product.rows)], partial(product.right, step))
        yield from sums.results(product.valid, in_loop)


def _steps(k: Builder, product: Product, order: Order, prefetching: Prefetching | None) -> Iterator[Expr]:
    """The steps of a single sum."""
    depth, tile = product.depth, product.tile
    if prefetching is None:
        yield from reduction_steps(k, "k", depth, max(order.together, tile.steps))
        return
    assert isinstance(depth, int), "prefetches are spread over a depth that is known"
    blocks = depth // prefetching.steps
    for number in k.loop("k", blocks):
        k.emit(prefetching.prefetch(number))
        first = number * prefetching.steps
        if tile.steps > 1:
            for step in reduction_steps(k, "step", prefetching.steps, tile.steps):
                yield first + step
        else:
            for part in range(prefetching.steps):
                yield first + part
    for at in k.loop("rest", depth - blocks * prefetching.steps):
        yield at + blocks * prefetching.steps


def _several_sums(
    k: Builder, product: Product, order: Order, prefetching: Prefetching | None
) -> Iterator[Result]:
    """Several sums for each result, which are added at the end."""
    rows, tile, sums = range(product.rows), product.tile, order.sums
    blocks = product.depth // sums
    acc = k.alloc("acc", product.dtype, (sums, product.rows, tile.columns))
    for part in range(sums):
        for row, column in block_vectors(k, rows, tile):
            k.store(acc, (part, row, column), Const(0.0, product.dtype))
    for block in k.loop("k", blocks):
        if prefetching is not None:  # of the steps between two calls all those of a block are taken at once
            calls = sums // prefetching.steps
            for call in range(calls):
                k.emit(prefetching.prefetch(block * calls + call))
        for part in range(sums):
            step = block + part * blocks if order.by_parts else block * sums + part
            _add(k, product, acc, part, step)
    for at in k.loop("rest", product.depth - blocks * sums):
        _add(k, product, acc, 0, at + blocks * sums)
    half = sums // 2
    while half:
        for part in range(half):
            for row, column in block_vectors(k, rows, tile):
                total = load(acc, part, row, column) + load(acc, part + half, row, column)
                k.store(acc, (part, row, column), total)
        half //= 2
    for row in rows:
        for column in k.vectors(product.valid, tile.lanes):
            yield Result(row, column, load(acc, 0, row, column))


def _add(k: Builder, product: Product, acc: Buffer, part: int, step: Expr) -> None:
    """Adds the products of a step to one of several sums."""
    for row, column in block_vectors(k, range(product.rows), product.tile):
        total = load(acc, part, row, column)
        k.store(acc, (part, row, column), Fma(product.left(row, step), product.right(step, column), total))
