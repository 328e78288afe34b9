"""Positions of extremes: ArgMax and ArgMin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.loops.define import Site, Template
from ingot.loops.nest import by_storage_order, contiguous_axis, loop, parallel_tiles, read_strides, vector, vector_sizes
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Buffer,
    Const,
    Expr,
    Operand,
    Stmt,
    Unary,
    buffer,
    cast,
    compare,
    index,
    load,
    select,
    store,
)
from ingot.ops.opdef import Emitter, Lower, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast, normalise_axes, reduced_shape
from ingot.tensor import DType, TensorType

_LONGEST = 2**31  # of an axis whose numbers of vectors are sure to fit into 32 bits


def arg_extreme(x: TensorType, axis: int, largest: bool, last: bool, keepdims: bool) -> Template:
    """A Template for the position of the largest or smallest element along an axis.

    The first of several equal ones counts, or the `last`. A NaN is larger and smaller than all others.
    """
    output = TensorType(DType.INT64, reduced_shape(x.shape, (axis,), keepdims))
    wins = _wins(x.dtype, largest, last)

    def build(site: Site) -> Sequence[Stmt]:
        strides = read_strides(site, 0, x.shape)
        inner = contiguous_axis(strides, x.shape)
        column = inner if inner is not None and inner != axis else None
        outer = [part for part in by_storage_order(strides, x.shape) if part not in (axis, column)]
        lanes = site.machine.lanes(x.dtype)
        if column is not None:
            lanes = min(lanes, site.machine.lanes(DType.INT64) * 2)
        in_row = inner == axis and 1 < lanes <= x.shape[axis] // 2 and x.shape[axis] < _LONGEST

        def tile(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
            fixed = dict(zip(outer, where, strict=True))

            def point(lane: Expr, at: Operand) -> dict[int, Expr]:
                return fixed | {axis: index(at)} | ({} if column is None else {column: start + lane})

            def read(lane: Expr, at: Operand) -> Expr:
                found = point(lane, at)
                return site.read(0, *(found[part] for part in range(x.rank)))

            def write(lane: Expr, position: Expr) -> Sequence[Stmt]:
                found = point(lane, 0)
                return site.write(0, [found[part] for part in range(x.rank) if keepdims or part != axis], position)

            if in_row:
                return _row(x.shape[axis], lanes, x.dtype, wins, lambda at: read(index(0), at), lambda at: write(index(0), at))
            best, position = buffer("best", x.dtype, (size,)), buffer("position", DType.INT64, (size,))
            return (
                Alloc(best),
                Alloc(position),
                *vector("lane", size, lambda lane: (store(best, (lane,), read(lane, 0)), store(position, (lane,), index(0)))),
                *loop(
                    "step",
                    x.shape[axis] - 1,
                    lambda step: vector(
                        "lane", size, lambda lane: _update(best, position, lane, read(lane, step + 1), step + 1, wins)
                    ),
                ),
                *vector("lane", size, lambda lane: write(lane, load(position, lane))),
            )

        extent = 1 if column is None else x.shape[column]
        sizes = (1,) if column is None else vector_sizes(lanes)
        return parallel_tiles("column", [x.shape[part] for part in outer], extent, sizes, tile)

    spec = {"axis": axis, "largest": largest, "last": last, "keepdims": keepdims}
    name = "argmax" if largest else "argmin"
    return Template(name, (x,), (output,), build, spec, inlines=frozenset({0}))


def _wins(dtype: DType, largest: bool, last: bool) -> Callable[[Expr, Expr], Expr]:
    """Whether a value that comes later takes the place of an older one."""
    comparison = ("ge" if last else "gt") if largest else ("le" if last else "lt")

    def wins(value: Expr, old: Expr) -> Expr:
        better = compare(comparison, value, old)
        if not dtype.is_float:
            return better
        is_nan = compare("ne", value, value)
        if last:
            return Binary("or", Binary("and", better, compare("eq", old, old)), is_nan)
        return Binary("or", better, Binary("and", is_nan, compare("eq", old, old)))

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
    extent: int,
    lanes: int,
    dtype: DType,
    wins: Callable[[Expr, Expr], Expr],
    read: Callable[[Expr], Expr],
    write: Callable[[Expr], Sequence[Stmt]],
) -> tuple[Stmt, ...]:
    """One position of a row of neighbours: each lane keeps the best of its own, then the lanes are compared, then what is left.

    Lanes meet in the order of their numbers, not of their positions, so equal ones are told apart by the position.
    """
    best, block = buffer("best", dtype, (lanes,)), buffer("block", DType.INT32, (lanes,))
    top, position = buffer("top", dtype, (1,)), buffer("position", DType.INT64, (1,))
    zero = index(0)

    def place(lane: Expr) -> Expr:
        return cast(load(block, lane), DType.INT64) * lanes + lane

    def meet(number: Expr) -> Sequence[Stmt]:
        lane, value, old = number + 1, load(best, number + 1), load(top, zero)
        # Of two that do not beat each other in one order the better place counts: both comparisons say which is which.
        forth, back = wins(value, old), wins(old, value)
        later = compare("gt", place(lane), load(position, zero))
        better = select(later, forth, Unary("not", back))
        return (
            store(position, (zero,), select(better, place(lane), load(position, zero))),
            store(top, (zero,), select(better, value, old)),
        )

    blocks = extent // lanes
    return (
        Alloc(best),
        Alloc(block),
        Alloc(top),
        Alloc(position),
        *vector("lane", lanes, lambda lane: (store(best, (lane,), read(lane)), store(block, (lane,), Const(0, DType.INT32)))),
        *loop(
            "step",
            blocks - 1,
            lambda step: vector(
                "lane", lanes, lambda lane: _update(best, block, lane, read((step + 1) * lanes + lane), step + 1, wins)
            ),
        ),
        store(top, (zero,), load(best, zero)),
        store(position, (zero,), place(zero)),
        *loop("other", lanes - 1, meet),
        *loop(
            "rest",
            extent - blocks * lanes,
            lambda step: _update(top, position, zero, read(step + blocks * lanes), step + blocks * lanes, wins),
        ),
        *write(load(position, zero)),
    )


def _arg(largest: bool) -> Lower:
    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        (axis,) = normalise_axes(call_, [int(call_.attr("axis", 0))], x.rank)
        if x.rank == 0:
            return (emit.constant(np.zeros((), np.int64)),)
        if x.shape[axis] == 0:
            call_.unsupported(f"axis {axis} of {x.type} has no element to choose")
        if x.dtype is DType.BOOL:
            x = emit_cast(emit, x, DType.UINT8)
        template = arg_extreme(x.type, axis, largest, bool(call_.attr("select_last_index", 0)), bool(call_.attr("keepdims", 1)))
        return emit.template(template, [x])

    return lower


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "ArgMax", 1, _arg(True)),
    OpDef("", "ArgMin", 1, _arg(False)),
)
