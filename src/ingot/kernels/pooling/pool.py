"""Pooling: the largest, the mean or the norm of a sliding window, or of a whole feature map."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import Algorithm, build
from ingot.kernels.blocks.window import Reach, Window, tap_loops, window_loops
from ingot.kernels.pooling.problem import Factor, Pool, reads_once
from ingot.kernels.pooling.rows import ROWS
from ingot.kernels.reduce.reduce import lowest
from ingot.kernels.template import (
    Mean,
    Rows,
    Site,
    Taps,
    Template,
    Windowed,
    each_but,
    read_strides,
    windowed,
)
from ingot.loops.build.nest import Combine, nest, vectors_of
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Expr,
    If,
    Let,
    Stmt,
    Var,
    both,
    buffer,
    compare,
    index,
    load,
    select,
    store,
)

# What a factor does that divides by the number of places in a window, with those of the padding.
PADDED_MEAN = "mean of the padded window"


def _source(
    window: Window,
    point: Sequence[Expr],
    vector_axis: int | None,
    reaches: Sequence[Reach],
    taps: Sequence[Expr],
    lane: Expr,
) -> list[Expr]:
    """The index of the input element under the given taps, for a lane of a tile."""
    where = [point[0], point[1] + lane if vector_axis == 1 else point[1]]
    for axis, (reach, tap) in enumerate(zip(reaches, taps, strict=True)):
        at = reach.origin + tap * window.dilations[axis]
        where.append(at + lane * window.strides[axis] if vector_axis == axis + 2 else at)
    return where


def _target(point: Sequence[Expr], vector_axis: int | None, lane: Expr) -> list[Expr]:
    return [at + lane if axis == vector_axis else at for axis, at in enumerate(point)]


def pool_template(
    name: str,
    x: TensorType,
    window: Window,
    initial: float,
    combine: Combine,
    factor: Factor | None = None,
    key: str = "",
) -> Template:
    """Folds the elements under each window; the result is multiplied by `factor`. `key` names what `factor` does."""
    output = TensorType(x.dtype, (*x.shape[:2], *window.output))

    pool = Pool(x, window, initial, combine, factor)

    def some(first: int, stop: int) -> tuple[Template, int, int] | None:
        share = window.cut(first, stop)
        if share is None:
            return None
        cut, begin, end = share
        part = TensorType(x.dtype, (*x.shape[:2], *cut.input))
        return pool_template(name, part, cut, initial, combine, factor, key), begin, end

    inlines = frozenset({0}) if reads_once(window) else frozenset[int]()
    operations = math.prod(window.kernel) * math.prod((*output.shape[:2], *output.shape[3:]))
    rows = Rows(some, operations) if window.rank == 2 else None
    return Template(
        name,
        (x,),
        (output,),
        lambda site: build(site, FAMILY, pool, POOL),
        window.spec() | {"factor": key},
        inlines=inlines,
        rows=rows,
        independent=each_but(2),
        windowed=_windows(window, initial, key),
        mean=_mean(name, x, window, combine) if key and key != PADDED_MEAN else None,
    )


def _mean(name: str, x: TensorType, window: Window, add: Combine) -> Mean:
    taps = zip(window.kernel, window.strides, window.dilations, window.begins, strict=True)
    return Mean(
        tuple(Taps(axis, *numbers) for axis, numbers in enumerate(taps, 2)),
        lambda: pool_template(f"{name}_sum", x, window, 0, add),
    )


def _windows(window: Window, neutral: float, key: str) -> tuple[Windowed, ...]:
    """The axes along which results do not depend on where the input ends, but for places that have the neutral value."""
    along: list[Windowed] = []
    for axis, size in enumerate(window.kernel):
        span, stride = (size - 1) * window.dilations[axis] + 1, window.strides[axis]
        before, behind = window.begins[axis], window.ends[axis]
        may_reach_over = window.ceil and stride > 1
        if key and may_reach_over:
            continue  # the last windows are divided by other numbers
        if may_reach_over and behind + stride > span:
            continue  # whether there is a last window follows from more than its place
        along.append(
            windowed(
                axis + 2,
                neutral,
                span=span,
                stride=stride,
                pads=(before, behind),
                ceil=may_reach_over,
                is_mean=bool(key and behind and key != PADDED_MEAN),
            )
        )
    return tuple(along)


def _build_windows(site: Site, pool: Pool) -> Sequence[Stmt]:
    """Each result by itself, by vectors of results."""
    x, window, initial, combine, factor = pool.x, pool.window, pool.initial, pool.combine, pool.factor
    lanes, strides = site.machine.lanes(x.dtype), read_strides(site, 0, x.shape)

    def tile(point: list[Expr], axis: int | None, size: int, reaches: list[Reach]) -> Sequence[Stmt]:
        total = buffer("total", x.dtype, (size,))

        def update(taps: list[Expr]) -> Sequence[Stmt]:
            return vectors_of(
                size,
                lanes,
                lambda lane: (
                    store(
                        total,
                        (lane,),
                        combine(
                            load(total, lane),
                            site.read(0, *_source(window, point, axis, reaches, taps, lane)),
                        ),
                    ),
                ),
            )

        scale = Var("scale", x.dtype)
        lets = (Let(scale, factor(reaches)),) if factor is not None else ()

        def finish(lane: Expr) -> Sequence[Stmt]:
            value = load(total, lane)
            return site.write(0, _target(point, axis, lane), value * scale if factor is not None else value)

        return (
            Alloc(total),
            *lets,
            *vectors_of(size, lanes, lambda lane: (store(total, (lane,), initial),)),
            *tap_loops(reaches, update),
            *vectors_of(size, lanes, finish),
        )

    return window_loops(strides, x.shape, window, lanes, tile, site.machine.grid)


WINDOWS = Algorithm("windows", _build_windows)
FAMILY = "pool"
POOL = (ROWS, WINDOWS)


def max_pool_indices(x: TensorType, window: Window, column_major: bool) -> Template:
    """Max pooling with the flat position of each largest element in the whole input as output 1."""
    shape = (*x.shape[:2], *window.output)
    spatial = x.shape[2:]

    def build(site: Site) -> Sequence[Stmt]:
        lanes = min(site.machine.lanes(x.dtype), 2 * site.machine.lanes(DType.INT64))

        def flat(where: Sequence[Expr]) -> Expr:
            result = where[0] * x.shape[1] + where[1]
            axes = range(len(spatial))
            for extent in spatial:
                result = result * extent
            inside: Expr = index(0)
            for axis in reversed(axes) if column_major else axes:
                inside = inside * spatial[axis] + where[axis + 2]
            return result + inside

        def tile(point: list[Expr], axis: int | None, size: int, reaches: list[Reach]) -> Sequence[Stmt]:
            best = buffer("best", x.dtype, (size,))
            place = buffer("place", DType.INT64, (size,))

            def update(taps: list[Expr], lane: Expr) -> Sequence[Stmt]:
                where = _source(window, point, axis, reaches, taps, lane)
                value = Var("value", x.dtype)
                old = load(best, lane)
                better = compare("gt", value, old)
                if x.dtype.is_float:
                    first_nan = Binary("and", compare("ne", value, value), compare("eq", old, old))
                    better = Binary("or", better, first_nan)
                wins = Var("wins", DType.BOOL)
                return (
                    Let(value, site.read(0, *where)),
                    Let(wins, better),
                    store(place, (lane,), select(wins, flat(where), load(place, lane))),
                    store(best, (lane,), select(wins, value, old)),
                )

            def begin(lane: Expr) -> Sequence[Stmt]:
                first = _source(window, point, axis, reaches, [reach.start for reach in reaches], lane)
                return store(best, (lane,), lowest(x.dtype)), store(place, (lane,), flat(first))

            def finish(lane: Expr) -> Sequence[Stmt]:
                where = _target(point, axis, lane)
                return (*site.write(0, where, load(best, lane)), *site.write(1, where, load(place, lane)))

            return (
                Alloc(best),
                Alloc(place),
                *vectors_of(size, lanes, begin),
                *tap_loops(reaches, lambda taps: vectors_of(size, lanes, lambda lane: update(taps, lane))),
                *vectors_of(size, lanes, finish),
            )

        return window_loops(read_strides(site, 0, x.shape), x.shape, window, lanes, tile, site.machine.grid)

    outputs = (TensorType(x.dtype, shape), TensorType(DType.INT64, shape))
    spec = window.spec() | {"column_major": column_major}
    return Template(
        "max_pool_indices",
        (x,),
        outputs,
        build,
        spec,
        inlines=frozenset({0}) if reads_once(window) else frozenset(),
    )


# ─── undoing a max pool ────────────────────────────────────────────────────────────────────────────────────────────


def max_unpool(x: TensorType, places: TensorType, output: TensorType, inferred: tuple[int, ...]) -> Template:
    """Zeros, with every element of `x` at the flat position that `places` has for it in a tensor of shape `inferred`."""

    def build(site: Site) -> Sequence[Stmt]:
        from_place = Var("place")
        rank = x.rank

        def clear(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            return (store(site.outputs[0], where, 0),)

        def scatter(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            target: list[Expr] = []
            rest: Expr = from_place
            for axis in reversed(range(rank)):
                target.append(rest % inferred[axis] if axis else rest)
                rest = rest // inferred[axis]
            target.reverse()
            # What a wrong position would write outside of the output is left out.
            inside = [compare("ge", from_place, 0)]
            inside += [compare("lt", at, extent) for at, extent in zip(target, output.shape, strict=True)]
            return (
                Let(from_place, site.read(1, *where)),
                If(both(*inside), (store(site.outputs[0], tuple(target), site.read(0, *where)),)),
            )

        names = [f"i{axis}" for axis in range(rank)]
        return (
            *nest(names, output.shape, clear),
            *nest([f"j{axis}" for axis in range(rank)], x.shape, scatter),
        )

    return Template(
        "max_unpool",
        (x, places),
        (output,),
        build,
        {"inferred": inferred},
        inlines=frozenset({0, 1}),
        epilogue=False,
    )
