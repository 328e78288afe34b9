"""Pooling of overlapping windows row by row: first across the rows of the input that a row of results sees, then along them.

So an element is folded as often as a window is high, and each of these folds as often as it is wide, not as often as a window has
elements. What is left of the first step is a row with its padding, so that all results of a row are made alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType
from ingot.kernels.algorithm import FOR_PROCESSORS, Algorithm, Estimate, why_not
from ingot.kernels.blocks.window import Reach, Window, interior, named_reaches, tap_loops
from ingot.kernels.pooling.problem import Pool, reads_once
from ingot.kernels.template import Site, read_strides
from ingot.loops.build.nest import (
    by_storage_order,
    contiguous_axis,
    loop,
    parallel_tiles,
    tiles,
    vector_blocks,
    vectors_of,
)
from ingot.loops.nodes import LOCAL_BYTES_MAX, Alloc, Expr, For, Let, Stmt, Var, buffer, index, load, store

_UNROLLED_TAPS = 16


def _refuses(site: Site, pool: Pool) -> str:
    x, window = pool.x, pool.window
    far = contiguous_axis(read_strides(site, 0, x.shape), x.shape) != len(x.shape) - 1
    return why_not(
        (site.machine.grid, FOR_PROCESSORS),
        (site.machine.lanes(x.dtype) <= 1, "the machine has no vectors of these elements"),
        (pool.taps_above <= 1, "a window is one row"),
        (window.kernel[-1] > _UNROLLED_TAPS, f"a row of a window has more than {_UNROLLED_TAPS} taps"),
        (_span(window) > _elements_max(x.dtype), "a row does not fit on the stack"),
        (far, "elements of a row do not lie side by side"),
    )


def _estimate(site: Site, pool: Pool) -> Estimate:
    """It pays where an element is read for several windows, or vectors of results would be read one by one."""
    pays = pool.window.strides[-1] > site.machine.tuning.pooling.shuffled_max_step or not reads_once(
        pool.window
    )
    return Estimate(pays, worth_measuring=pays)


def _elements_max(dtype: DType) -> int:
    return LOCAL_BYTES_MAX // 2 // dtype.size_bytes


def _span(window: Window) -> int:
    """Elements of the padded input that the windows of a row reach over."""
    return (window.output[-1] - 1) * window.strides[-1] + (window.kernel[-1] - 1) * window.dilations[-1] + 1


def _build(site: Site, pool: Pool) -> tuple[Stmt, ...]:
    x, window, initial, combine, factor = pool.x, pool.window, pool.initial, pool.combine, pool.factor
    strides = read_strides(site, 0, x.shape)
    lanes, tuning = site.machine.lanes(x.dtype), site.machine.tuning.pooling
    folded_lanes = tuning.vectors * lanes
    inner, row_axis = len(x.shape) - 1, len(x.shape) - 2
    outer = [axis for axis in by_storage_order(strides, x.shape) if axis < row_axis]
    extents = (*x.shape[:2], *window.output)
    begin, span, outputs = window.begins[-1], _span(window), window.output[-1]
    used = max(0, min(window.input[-1], span - begin))
    full = used // folded_lanes * folded_lanes
    # A processor waits where it reads across what it has just written: some rows are folded before the first is read.
    max_rows = max(1, min(tuning.max_rows, extents[row_axis], _elements_max(x.dtype) // span))

    def rows(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
        folded = buffer("folded", x.dtype, (size, span))

        def named(number: Expr) -> tuple[dict[int, Expr], list[Stmt], list[Reach]]:
            point = dict(zip(outer, where, strict=True)) | {row_axis: start + number}
            return point, *named_reaches(window, range(window.rank - 1), point)

        def border(name: str, number: Expr, first: int, count: int) -> tuple[Stmt, ...]:
            return vector_blocks(
                name, count, lanes, lambda at: (store(folded, (number, at + first), initial),)
            )

        def first_step(number: Expr) -> Sequence[Stmt]:
            point, lets, reaches = named(number)

            def keep(at: Expr, value: Expr) -> Stmt:
                return store(folded, (number, at + begin), value)

            return (
                *lets,
                *border("before", number, 0, min(begin, span)),
                *tiles(
                    "part",
                    full,
                    (folded_lanes,),
                    lambda at, size: fold_rows(point, reaches, at, size, keep),
                ),
                *(fold_rows(point, reaches, index(full), used - full, keep) if used > full else ()),
                *border("after", number, begin + used, span - begin - used),
            )

        def second_step(number: Expr) -> Sequence[Stmt]:
            point, lets, reaches = named(number)
            return (
                *(lets if factor is not None else ()),
                *results(point, reaches, lambda at: load(folded, number, at)),
            )

        return Alloc(folded), *loop("row", size, first_step), *loop("result", size, second_step)

    def fold_rows(
        point: dict[int, Expr],
        reaches: Sequence[Reach],
        start: Expr,
        size: int,
        keep: Callable[[Expr, Expr], Stmt],
    ) -> Sequence[Stmt]:
        total = buffer("total", x.dtype, (size,))

        def update(taps: Sequence[Expr]) -> Sequence[Stmt]:
            places = [
                reach.origin + tap * gap
                for reach, tap, gap in zip(reaches, taps, window.dilations, strict=False)
            ]

            def one_lane(lane: Expr) -> Sequence[Stmt]:
                value = site.read(0, point[0], point[1], *places, start + lane)
                return (store(total, (lane,), combine(load(total, lane), value)),)

            return vectors_of(size, lanes, one_lane)

        body = (
            Alloc(total),
            *vectors_of(size, lanes, lambda lane: (store(total, (lane,), initial),)),
            *tap_loops(reaches, update),
            *vectors_of(size, lanes, lambda lane: (keep(start + lane, load(total, lane)),)),
        )
        return (For(Var("block"), index(1), body),)

    def results(
        point: dict[int, Expr], reaches: Sequence[Reach], read: Callable[[Expr], Expr]
    ) -> tuple[Stmt, ...]:
        def results_at(at: Expr, inside: bool) -> Sequence[Stmt]:
            # Named, so that they are read once, and whatever the fold then does with them.
            taps = [Var(f"tap_{number}", x.dtype) for number in range(window.kernel[-1])]
            places = [
                at * window.strides[-1] + number * window.dilations[-1] for number in range(window.kernel[-1])
            ]
            reads = [Let(tap, read(place)) for tap, place in zip(taps, places, strict=True)]
            value: Expr = taps[0]
            for tap in taps[1:]:
                value = combine(value, tap)
            if factor is None:
                return (*reads, *site.write(0, [*(point[axis] for axis in range(inner)), at], value))
            lets, (last,) = named_reaches(window, [window.rank - 1], {inner: at}, inner if inside else None)
            scale = Var("scale", x.dtype)
            scaled = site.write(0, [*(point[axis] for axis in range(inner)), at], value * scale)
            return (*reads, *lets, Let(scale, factor([*reaches, last])), *scaled)

        first, stop = (0, outputs) if factor is None else interior(window, window.rank - 1)
        return (
            *loop("left", first, lambda at: results_at(at, False)),
            *vector_blocks("middle", stop - first, lanes, lambda at: results_at(at + first, True)),
            *loop("right", outputs - stop, lambda at: results_at(at + stop, False)),
        )

    rest = extents[row_axis] % max_rows
    sizes = (max_rows, rest) if rest else (max_rows,)
    return parallel_tiles("rows", [extents[axis] for axis in outer], extents[row_axis], sizes, rows)


ROWS = Algorithm("rows", _build, _refuses, estimate=_estimate)
