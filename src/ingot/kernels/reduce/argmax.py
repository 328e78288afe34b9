"""Positions of extremes: ArgMax and ArgMin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.reduce.reduce import highest, lowest, reduced_shape
from ingot.kernels.template import Folded, Site, Template, each_but, each_kept, read_strides
from ingot.loops.build.nest import (
    by_storage_order,
    contiguous_axis,
    loop,
    parallel_tiles,
    vector,
    vector_blocks,
    vector_sizes,
    vectors_of,
)
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Buffer,
    Const,
    Expr,
    Let,
    Operand,
    Stmt,
    Unary,
    Var,
    buffer,
    cast,
    compare,
    index,
    load,
    select,
    store,
)

_LONGEST = 2**31  # of an axis whose positions are sure to fit into 32 bits


def arg_extreme(x: TensorType, axis: int, largest: bool, last: bool, keepdims: bool) -> Template:
    """A Template for the position of the largest or smallest element along an axis.

    The first of several equal ones counts, or the `last`. A NaN is larger and smaller than all others.
    """
    return _extreme(x, axis, largest, last, keepdims)


def one_at_largest(x: TensorType, axis: int) -> Template:
    """A Template for 1 at the first of the largest elements along an axis, and 0 elsewhere."""
    return _extreme(x, axis, True, False, True, marked=True)


def _extreme(
    x: TensorType, axis: int, largest: bool, last: bool, keepdims: bool, marked: bool = False
) -> Template:
    """The position along an axis; or, `marked`, a tensor as `x` with a 1 there."""
    output = x if marked else TensorType(DType.INT64, reduced_shape(x.shape, (axis,), keepdims))
    wins = _wins(x.dtype, largest, last)

    def build(site: Site) -> Sequence[Stmt]:
        strides = read_strides(site, 0, x.shape)
        inner = contiguous_axis(strides, x.shape)
        column = inner if inner is not None and inner != axis else None
        lanes = site.machine.lanes(x.dtype)
        if inner == axis and 1 < x.shape[axis] < 2 * lanes and not site.machine.grid:
            # Rows too short for vectors go side by side: lanes are rows, as many elements apart as a row has.
            around = [part for part in by_storage_order(strides, x.shape) if part != axis]
            column = around[-1] if around and x.shape[around[-1]] >= lanes else None
        outer = [part for part in by_storage_order(strides, x.shape) if part not in (axis, column)]
        if column is not None:
            lanes = min(lanes, site.machine.lanes(DType.INT64) * 2)
        in_row = (
            inner == axis and column is None and 1 < lanes <= x.shape[axis] // 2 and x.shape[axis] < _LONGEST
        )

        def tile(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
            fixed = dict(zip(outer, where, strict=True))

            def point(lane: Expr, at: Operand) -> dict[int, Expr]:
                return fixed | {axis: index(at)} | ({} if column is None else {column: start + lane})

            def read(lane: Expr, at: Operand) -> Expr:
                coordinates = point(lane, at)
                return site.read(0, *(coordinates[part] for part in range(x.rank)))

            def mark(lane: Expr, at: Expr, position: Expr) -> Sequence[Stmt]:
                coordinates = point(lane, at)
                value = select(compare("eq", at, position), Const(1, x.dtype), Const(0, x.dtype))
                return site.write(0, [coordinates[part] for part in range(x.rank)], value)

            def write(lane: Expr, position: Expr) -> Sequence[Stmt]:
                coordinates = point(lane, 0)
                return site.write(
                    0, [coordinates[part] for part in range(x.rank) if keepdims or part != axis], position
                )

            def write_row(position: Expr) -> Sequence[Stmt]:
                if not marked:
                    return write(index(0), position)
                return vector_blocks("mark", x.shape[axis], lanes, lambda at: mark(index(0), at, position))

            def write_tile(size: int, position: Callable[[Expr], Expr]) -> Sequence[Stmt]:
                if not marked:
                    return vector("lane", size, lambda lane: write(lane, position(lane)))

                def row(at: Expr) -> Sequence[Stmt]:
                    return vector("lane", size, lambda lane: mark(lane, at, position(lane)))

                return loop("mark", x.shape[axis], row)

            if in_row:
                # In half as many lanes a short row is compared with itself sooner.
                are_many = lanes >= site.machine.tuning.rows.argmax_many_lanes
                shorter = lanes // 2 if are_many and x.shape[axis] < 4 * lanes else lanes
                parts = site.machine.tuning.rows.parts
                return _row(
                    parts, x.shape[axis], shorter, x.dtype, wins, lambda at: read(index(0), at), write_row
                )
            best, position = buffer("best", x.dtype, (size,)), buffer("position", DType.INT64, (size,))
            return (
                Alloc(best),
                Alloc(position),
                *vector(
                    "lane",
                    size,
                    lambda lane: (store(best, (lane,), read(lane, 0)), store(position, (lane,), index(0))),
                ),
                *loop(
                    "step",
                    x.shape[axis] - 1,
                    lambda step: vector(
                        "lane",
                        size,
                        lambda lane: _update(best, position, lane, read(lane, step + 1), step + 1, wins),
                    ),
                ),
                *write_tile(size, lambda lane: load(position, lane)),
            )

        extent = 1 if column is None else x.shape[column]
        sizes = (1,) if column is None else vector_sizes(lanes)
        return parallel_tiles("column", [x.shape[part] for part in outer], extent, sizes, tile)

    spec = {"axis": axis, "largest": largest, "last": last, "keepdims": keepdims}
    name = "hardmax" if marked else "argmax" if largest else "argmin"
    independent = each_but(x.rank, axis) if marked else each_kept(x.rank, (axis,), keepdims)
    # Of equal places the first wins, so that neutral ones behind it do not; the last of equal ones may be such a place.
    neutral = lowest(x.dtype) if largest else highest(x.dtype)
    folded = (
        () if last else (Folded((axis,), (axis if marked else None,), neutral, minimum=1, is_numbered=True),)
    )
    return Template(
        name, (x,), (output,), build, spec, inlines=frozenset({0}), independent=independent, folded=folded
    )


def _wins(dtype: DType, largest: bool, last: bool) -> Callable[[Expr, Expr], Expr]:
    """Whether a value that comes later takes the place of an older one."""
    comparison = ("ge" if last else "gt") if largest else ("le" if last else "lt")
    opposite = "le" if largest else "ge"

    def wins(value: Expr, old: Expr) -> Expr:
        if not dtype.is_float:
            return compare(comparison, value, old)
        if last:
            return Binary("or", compare(comparison, value, old), compare("ne", value, value))
        # What is not as small as an old number is larger or no number: one comparison, and one for the old.
        return Binary("and", Unary("not", compare(opposite, value, old)), compare("eq", old, old))

    return wins


def _update(
    best: Buffer, position: Buffer, lane: Expr, value: Expr, at: Expr, wins: Callable[[Expr, Expr], Expr]
) -> tuple[Stmt, ...]:
    old = load(best, lane)
    better = wins(value, old)
    return (
        store(position, (lane,), select(better, cast(at, position.dtype), load(position, lane))),
        store(best, (lane,), select(better, value, old)),
    )


def _row(
    max_parts: int,
    extent: int,
    lanes: int,
    dtype: DType,
    wins: Callable[[Expr, Expr], Expr],
    read: Callable[[Expr], Expr],
    write: Callable[[Expr], Sequence[Stmt]],
) -> tuple[Stmt, ...]:
    """One position of a row of neighbours: each lane of some vectors keeps the best of its own, then the lanes are compared.

    Lanes meet in the order of their numbers, not of their positions, so equal ones are told apart by the position.
    """
    parts = max_parts if extent >= 2 * max_parts * lanes else 1
    width = lanes * parts
    best, place = buffer("best", dtype, (width,)), buffer("place", DType.INT32, (width,))

    def begin(lane: Expr) -> Sequence[Stmt]:
        return store(best, (lane,), read(lane)), store(place, (lane,), cast(lane, DType.INT32))

    def step(start: Expr, size: int) -> tuple[Stmt, ...]:
        return vectors_of(
            size, lanes, lambda lane: _update(best, place, lane, read(start + lane), start + lane, wins)
        )

    def meet(lane: Expr, other: Expr) -> Sequence[Stmt]:
        value, old = load(best, other), load(best, lane)
        # Of two that do not beat each other in one order the better place counts: both comparisons say which is which.
        later = compare("gt", load(place, other), load(place, lane))
        forth, back = wins(value, old), Unary("not", wins(old, value))
        better = Binary("or", Binary("and", later, forth), Binary("and", Unary("not", later), back))
        return (
            store(place, (lane,), select(better, load(place, other), load(place, lane))),
            store(best, (lane,), select(better, value, old)),
        )

    def halves(size: int) -> tuple[Stmt, ...]:
        half = size // 2
        return (*vectors_of(half, lanes, lambda lane: meet(lane, lane + half)), *halves(half)) if half else ()

    blocks = extent // width
    rest = extent - blocks * width
    position = Var("found")
    return (
        Alloc(best),
        Alloc(place),
        *vectors_of(width, lanes, begin),
        *loop("step", blocks - 1, lambda number: step((number + 1) * width, width)),
        *(step(index(blocks * width), rest) if rest else ()),
        *halves(width),
        Let(position, cast(load(place, 0), DType.INT64)),
        *write(position),
    )
