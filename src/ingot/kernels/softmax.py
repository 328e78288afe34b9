"""Softmax and its relatives: functions of one element and of all others along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import TensorType
from ingot.kernels.algorithm import Algorithm, Estimate, build, needs_grid, why_not
from ingot.kernels.blocks.grid_rows import grid_softmax, is_long
from ingot.kernels.template import Folded, Site, Template, each_but, read_strides
from ingot.loops.build.nest import (
    add,
    by_storage_order,
    collapse,
    contiguous_axis,
    fold_row,
    loop,
    parallel_tiles,
    vector,
    vector_blocks,
    vector_sizes,
)
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    Let,
    Operand,
    Stmt,
    Var,
    buffer,
    call,
    index,
    load,
    maximum,
    store,
)
from ingot.machines.machine import Machine


def softmax_template(x: TensorType, axis: int, logarithm: bool) -> Template:
    """`exp(x - max) / sum(exp(x - max))` along an axis, or the logarithm of it. Float32 or float64.

    What is not simply in memory is computed once.
    """
    name = "log_softmax" if logarithm else "softmax"
    return Template(
        name,
        (x,),
        (x,),
        lambda site: build(site, FAMILY, Softmax(x, axis, logarithm), SOFTMAX),
        {"axis": axis, "logarithm": logarithm},
        inlines=frozenset({0}),
        independent=each_but(x.rank, axis),
        folded=(Folded((axis,), (axis,), -np.inf, None if logarithm else 0.0),),
    )


@dataclass(frozen=True, slots=True)
class Softmax:
    """`exp(x - max) / sum(exp(x - max))` along an axis, or the logarithm of it."""

    x: TensorType
    axis: int
    logarithm: bool

    def contiguous(self, site: Site) -> int | None:
        """The dimension whose elements lie side by side in the input."""
        return contiguous_axis(read_strides(site, 0, self.x.shape), self.x.shape)

    def rows_adjoin(self, site: Site) -> bool:
        """Whether another dimension has elements side by side, so that rows do."""
        return self.contiguous(site) not in (None, self.axis)

    def outer(self, site: Site) -> list[int]:
        """The other dimensions, as they are stored."""
        return [
            part
            for part in by_storage_order(read_strides(site, 0, self.x.shape), self.x.shape)
            if part != self.axis
        ]


def exponentials(machine: Machine) -> int:
    """Vectors of exponentials that are computed side by side and summed up: of 16 registers the constants and one vector take
    all.
    """
    return machine.tuning.rows.exponentials if machine.vector_registers >= 32 else 1


def _together(site: Site, x: TensorType, outer: Sequence[int], extent: int) -> int:
    """Rows that one task does side by side. The few vectors of a short row, their sum and the quotient wait for each other longer
    than a processor looks ahead.
    """
    tuning = site.machine.tuning.rows
    if site.machine.grid or not outer or extent * x.dtype.size_bytes > tuning.together_max_bytes:
        return 1
    return next(number for number in (4, 2, 1) if outer[-1] % number == 0)


def _stack(site: Site) -> int:
    """Bytes of a row that is kept on the stack between the passes; a longer one is kept where its result goes, or else in a
    workspace.
    """
    machine = site.machine
    return machine.tuning.grid.item_row_max_bytes if machine.grid else machine.tuning.rows.stack_max_bytes


def row_storage(
    site: Site, name: str, x: TensorType, outer: Sequence[int], extent: int, width: int
) -> tuple[Buffer, tuple[Stmt, ...], Callable[[tuple[Expr, ...], Operand, Operand], tuple[Expr, ...]]]:
    """Room for `extent` × `width` elements of `x`'s type in each iteration of a loop over the box `outer`.

    Returns the buffer, its declaration (none for a workspace), and a function from the outer index, the position
    and the lane to an index of the buffer.
    """
    if extent * width * x.dtype.size_bytes <= _stack(site):
        local = buffer(name, x.dtype, (extent, width))
        return local, (Alloc(local),), lambda _, at, lane: (index(at), index(lane))
    space = site.workspace(name, x.dtype, (*outer, extent, width))
    return space, (), lambda where, at, lane: (*where, index(at), index(lane))


def _build_group_rows(site: Site, problem: Softmax) -> Sequence[Stmt]:
    """A group of work items does a row."""
    x, axis, order = problem.x, problem.axis, problem.outer(site)

    def point(where: Sequence[Expr], at: Expr) -> list[Expr]:
        fixed = dict(zip(order, where, strict=True))
        return [at if part == axis else fixed[part] for part in range(x.rank)]

    return grid_softmax(
        site.machine.tuning.grid,
        x.dtype,
        [x.shape[part] for part in order],
        x.shape[axis],
        lambda where, at: site.read(0, *point(where, at)),
        lambda where, at, value: site.write(0, point(where, at), value),
        problem.logarithm,
    )


def _build_rows(site: Site, problem: Softmax) -> Sequence[Stmt]:
    """One row after another, by vectors along it where its elements lie side by side."""
    x, axis, logarithm, order = problem.x, problem.axis, problem.logarithm, problem.outer(site)
    lanes = site.machine.lanes(x.dtype) if problem.contiguous(site) == axis else 1
    extent = x.shape[axis]
    outer = [x.shape[part] for part in order]
    # If the result does not stay in the cache, what is to be divided by the sum is best kept in its place: memory is fetched then
    # while exponentials are computed. Not if a row is scattered there: each pass more takes a line of the cache for each element.
    row_max_bytes = site.machine.tuning.rows.stack_max_bytes
    far = x.size_bytes > site.machine.l2_bytes or extent * x.dtype.size_bytes > row_max_bytes
    adjoining = contiguous_axis(site.outputs[0].strides, x.shape) == axis
    in_output = far and adjoining and not (site.has_epilogue or site.machine.grid)
    unused = logarithm and not site.is_inlined(0)
    together = _together(site, x, outer, extent) if lanes > 1 else 1
    outer = [*outer[:-1], outer[-1] // together] if together > 1 else outer
    own = (
        None
        if in_output or unused
        else [row_storage(site, f"row{number}", x, outer, extent, 1) for number in range(together)]
    )

    def phases(where: tuple[Expr, ...], number: int) -> tuple[Sequence[Stmt], ...]:
        """Computes a row: its largest element, the sum, and the results."""
        at_row = (*where[:-1], where[-1] * together + number) if together > 1 else where
        fixed = dict(zip(order, at_row, strict=True))
        row = site.outputs[0] if own is None else own[number][0]

        def full(at: Expr) -> list[Expr]:
            return [at if part == axis else fixed[part] for part in range(x.rank)]

        def slot(at: Expr) -> tuple[Expr, ...]:
            return tuple(full(at)) if own is None else own[number][2](where, at, 0)

        find_top, top_value = fold_row(
            f"top{number}",
            extent,
            lanes,
            lambda at: site.read(0, *full(at)),
            Const(-np.inf, x.dtype),
            maximum,
            keep=(lambda at, value: (store(row, slot(at), value),)) if site.is_inlined(0) else None,
        )
        top = Var(f"top{number}", x.dtype)

        def element(at: Expr) -> Expr:
            return load(row, *slot(at)) if site.is_inlined(0) else site.read(0, *full(at))

        exps, total_value = fold_row(
            f"sum{number}",
            extent,
            lanes,
            lambda at: call("exp_flushed", element(at) - top),
            Const(0, x.dtype),
            add,
            keep=None if logarithm else lambda at, value: (store(row, slot(at), value),),
            parts=exponentials(site.machine),
        )
        scale = Var(f"scale{number}", x.dtype)
        last = call("log", total_value) if logarithm else Const(1, x.dtype) / total_value

        def finish(at: Expr) -> Sequence[Stmt]:
            value = element(at) if logarithm else load(row, *slot(at))
            return site.write(0, full(at), (value - top) - scale if logarithm else value * scale)

        declared = () if own is None else own[number][1]
        results = vector_blocks("j", extent, lanes, finish)
        return (*declared, *find_top), (Let(top, top_value), *exps), (Let(scale, last),), results

    def body(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        several = [phases(where, number) for number in range(together)]
        return [stmt for phase in zip(*several, strict=True) for stmts in phase for stmt in stmts]

    return collapse("row_index", outer, body)


def _build_columns(site: Site, problem: Softmax) -> Sequence[Stmt]:
    """Rows that lie side by side, a vector of them at once."""
    x, axis, logarithm, inner = problem.x, problem.axis, problem.logarithm, problem.contiguous(site)
    assert inner is not None, "rows that do not lie side by side are refused"
    order = [part for part in problem.outer(site) if part != inner]
    extent = x.shape[axis]
    lanes = site.machine.lanes(x.dtype)
    outer = [x.shape[part] for part in order]
    # A workspace is one for each position of the vectors too: its lanes are those of the whole inner dimension.
    on_stack = extent * lanes * x.dtype.size_bytes <= _stack(site)
    space = None if on_stack else site.workspace("rows", x.dtype, (*outer, extent, x.shape[inner]))

    def tile(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
        fixed = dict(zip(order, where, strict=True))
        rows = buffer("rows", x.dtype, (extent, size)) if space is None else space
        top = buffer("top", x.dtype, (size,))
        total = buffer("total", x.dtype, (size,))

        def full(at: Expr, lane: Expr) -> list[Expr]:
            return [
                at if part == axis else start + lane if part == inner else fixed[part]
                for part in range(x.rank)
            ]

        def slot(at: Expr, lane: Expr) -> tuple[Expr, ...]:
            return (at, lane) if space is None else (*where, at, start + lane)

        def take(at: Expr, lane: Expr) -> Sequence[Stmt]:
            value = Var("value", x.dtype)
            return (
                Let(value, site.read(0, *full(at, lane))),
                store(rows, slot(at, lane), value),
                store(top, (lane,), maximum(load(top, lane), value)),
            )

        def accumulate(at: Expr, lane: Expr) -> Sequence[Stmt]:
            value = Var("value", x.dtype)
            return (
                Let(value, call("exp_flushed", load(rows, *slot(at, lane)) - load(top, lane))),
                *(() if logarithm else (store(rows, slot(at, lane), value),)),
                store(total, (lane,), load(total, lane) + value),
            )

        def scale(lane: Expr) -> Sequence[Stmt]:
            value = load(total, lane)
            return (store(total, (lane,), call("log", value) if logarithm else Const(1, x.dtype) / value),)

        def finish(at: Expr, lane: Expr) -> Sequence[Stmt]:
            value = load(rows, *slot(at, lane))
            return site.write(
                0,
                full(at, lane),
                (value - load(top, lane)) - load(total, lane) if logarithm else value * load(total, lane),
            )

        def start_lane(lane: Expr) -> Sequence[Stmt]:
            return store(top, (lane,), -np.inf), store(total, (lane,), 0)

        def along(name: str, body: Callable[[Expr, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            return loop(name, extent, lambda at: vector("lane", size, lambda lane: body(at, lane)))

        return (
            *(() if space is not None else (Alloc(rows),)),
            Alloc(top),
            Alloc(total),
            *vector("lane", size, start_lane),
            *along("k", take),
            *along("k", accumulate),
            *vector("lane", size, scale),
            *along("k", finish),
        )

    return parallel_tiles("column", outer, x.shape[inner], vector_sizes(lanes), tile)


GROUP_ROWS = Algorithm(
    "group_rows",
    _build_group_rows,
    lambda site, problem: (
        needs_grid(site, problem)
        or why_not((not is_long(site, problem.x.shape[problem.axis]), "rows are too short for a group"))
    ),
    estimate=lambda site, problem: Estimate(not problem.rows_adjoin(site), worth_measuring=False),
)
COLUMNS = Algorithm(
    "columns",
    _build_columns,
    lambda site, problem: why_not((not problem.rows_adjoin(site), "rows do not lie side by side")),
)
ROWS = Algorithm(
    "rows", _build_rows, estimate=lambda site, problem: Estimate(True, not problem.rows_adjoin(site))
)
FAMILY = "softmax"
SOFTMAX = (GROUP_ROWS, COLUMNS, ROWS)
