"""The least and the largest element of a tensor and 0, in one pass."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.template import Folded, Site, Template, read_strides
from ingot.loops.build.nest import (
    by_storage_order,
    collapse,
    contiguous_axis,
    loop,
    power_of_two_below,
    split_index,
    tiles,
    vectors_of,
)
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Expr,
    For,
    Let,
    LoopKind,
    Stmt,
    Var,
    buffer,
    index,
    load,
    maximum,
    minimum,
    store,
)


def range_of(x: TensorType) -> Template:
    """A Template for the least element, or 0, and the largest one, or 0, as `[1]` each. A NaN is left out."""
    ends = TensorType(x.dtype, (1,))
    folded = tuple(Folded((axis,), (None, None), 0) for axis in range(x.rank))
    return Template(
        "range_of", (x,), (ends, ends), lambda site: _build(site, x), {}, frozenset({0}), folded=folded
    )


def _build(site: Site, x: TensorType) -> Sequence[Stmt]:
    strides = read_strides(site, 0, x.shape)
    order = by_storage_order(strides, x.shape)
    inner = contiguous_axis(strides, x.shape)
    outer = [axis for axis in order if axis != inner]
    extent = 1 if inner is None else x.shape[inner]
    lanes = min(site.machine.lanes(x.dtype), power_of_two_below(extent))
    tuning = site.machine.tuning.rows
    width = lanes * tuning.parts if extent >= lanes * tuning.parts else lanes
    rows = math.prod(x.shape[axis] for axis in outer)
    each = -(-rows // max(1, min(tuning.range_max_tasks, rows, rows * extent // tuning.range_task_elements)))
    tasks = -(-rows // each)
    partials = [site.workspace(name, x.dtype, (tasks,)) for name in ("least", "most")]
    folds = (minimum, maximum)

    def task(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        locals_ = [buffer(name, x.dtype, (width,)) for name in ("low", "high")]

        def widen(slot: Expr, value: Expr) -> list[Stmt]:
            # With the element on the left the result for a NaN is what was found before.
            named = Var("value", x.dtype)
            return [
                Let(named, value),
                *(
                    store(local, (slot,), fold(named, load(local, slot)))
                    for local, fold in zip(locals_, folds, strict=True)
                ),
            ]

        def row(number: Expr) -> tuple[Stmt, ...]:
            at = dict(zip(outer, split_index(number, [x.shape[axis] for axis in outer]), strict=True))

            def element(position: Expr) -> Expr:
                point = at if inner is None else at | {inner: position}
                return site.read(0, *(point[axis] for axis in range(len(x.shape))))

            def block(start: Expr, size: int) -> Sequence[Stmt]:
                return vectors_of(size, lanes, lambda lane: widen(lane, element(start + lane)))

            full = extent // width * width
            rest = block(index(full), extent - full) if extent > full else ()
            return (*tiles("block", full, (width,), block), *rest)

        number = Var("number")
        count = minimum(rows - where[0] * each, each)
        return (
            *(Alloc(local) for local in locals_),
            *vectors_of(width, lanes, lambda lane: [store(local, (lane,), 0) for local in locals_]),
            For(number, count, row(where[0] * each + number), LoopKind.SERIAL),
            *(
                stmt
                for local, fold in zip(locals_, folds, strict=True)
                for stmt in _joined(local, width, lanes, fold)
            ),
            *(store(all_, where, load(local, 0)) for all_, local in zip(partials, locals_, strict=True)),
        )

    totals = [buffer(name, x.dtype, (1,)) for name in ("low_of_all", "high_of_all")]

    def join(number: Expr) -> list[Stmt]:
        steps = zip(partials, totals, folds, strict=True)
        return [store(total, (0,), fold(load(all_, number), load(total, 0))) for all_, total, fold in steps]

    return (
        *collapse("task", (tasks,), task),
        *(Alloc(total) for total in totals),
        *(store(total, (0,), 0) for total in totals),
        *loop("joined", tasks, join),
        *(
            stmt
            for position, total in enumerate(totals)
            for stmt in site.write(position, (0,), load(total, 0))
        ),
    )


def _joined(values: Buffer, width: int, lanes: int, fold: Callable[[Expr, Expr], Expr]) -> tuple[Stmt, ...]:
    """Folds all lanes into the first."""
    stmts: tuple[Stmt, ...] = ()
    half = width // 2
    while half:

        def step(lane: Expr, half: int = half) -> Sequence[Stmt]:
            return (store(values, (lane,), fold(load(values, lane + half), load(values, lane))),)

        stmts += vectors_of(half, lanes, step)
        half //= 2
    return stmts
