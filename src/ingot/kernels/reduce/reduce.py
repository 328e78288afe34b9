"""Reductions over axes: sums, products, extremes and norms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import Algorithm, Estimate, build, needs_grid, why_not
from ingot.kernels.blocks.grid_rows import grid_fold_columns, grid_fold_rows, is_long
from ingot.kernels.template import Folded, Site, Template, each_kept, read_strides
from ingot.loops.build.nest import (
    Combine,
    add,
    by_storage_order,
    collapse,
    contiguous_axis,
    fold_row,
    larger,
    loop,
    nest,
    parallel_tiles,
    smaller,
    vector_sizes,
    vectors_of,
)
from ingot.loops.nodes import Alloc, Buffer, Const, Expr, Stmt, binary, buffer, index, load, store


def lowest(dtype: DType) -> float | int:
    """The smallest value of a type: minus infinity of a float."""
    if dtype.is_float:
        return -np.inf
    return -(2 ** (dtype.bits - 1)) if dtype.is_signed else 0


def highest(dtype: DType) -> float | int:
    """The largest value of a type: infinity of a float."""
    if dtype.is_float:
        return np.inf
    return int(2 ** (dtype.bits - dtype.is_signed) - 1)


@dataclass(frozen=True, slots=True)
class Fold:
    """How elements become one: a neutral element and a function that joins two."""

    name: str
    initial: Callable[[DType], float | int]
    combine: Combine


FOLDS = {
    fold.name: fold
    for fold in (
        Fold("sum", lambda _: 0, add),
        Fold("prod", lambda _: 1, lambda a, b: binary("mul", a, b)),
        Fold("max", lowest, larger),
        Fold("min", highest, smaller),
    )
}


def reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """The shape after a reduction."""
    if keepdims:
        return tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in axes)


# So many elements are added one after another at most. Rounding all in one direction, as of equal elements, is an error of about
# 1e-8 for each: of 45,632 in a row it was 4.6e-4, of 248 in a row and 184 such sums it is 4.3e-6.
_RUN_MAX = 256
_RUN = 128  # of a longer dimension: the lengths of sums whose sums are added


def _by_levels(
    total: Buffer,
    lanes: int,
    few_elements: int,
    extents: Sequence[int],
    update: Callable[[Buffer, tuple[Expr, ...]], Sequence[Stmt]],
) -> tuple[Stmt, ...]:
    """Adds elements of several dimensions to `total [lanes of a tile]`, by sums of sums where there are many.

    Args:
        total: is set before.
        lanes: elements in a register.
        few_elements: of inner dimensions, for which a sum of their own does not pay.
        extents: of the dimensions, the innermost last.
        update: adds the element at an index to a buffer like `total`.
    """
    size = total.shape[0]

    def level(into: Buffer, depth: int, at: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        left = extents[depth:]
        if math.prod(left) > _RUN_MAX:
            return span(into, depth, at, index(0), left[0])
        return nest(
            [f"r{axis}" for axis in range(depth, len(extents))],
            left,
            lambda rest: tuple(update(into, (*at, *rest))),
        )

    def span(into: Buffer, depth: int, at: tuple[Expr, ...], first: Expr, length: int) -> tuple[Stmt, ...]:
        """`length` places of a dimension from `first` on, with all that the inner dimensions have there."""
        behind = math.prod(extents[depth + 1 :])
        few = behind <= few_elements
        if length <= (_RUN_MAX // behind if few else _RUN_MAX):

            def place(number: Expr) -> tuple[Stmt, ...]:
                where = (*at, first + number)
                if few:
                    return level(into, depth + 1, where)
                return apart(into, f"part{depth}", lambda part: level(part, depth + 1, where))

            return loop(f"r{depth}_{length}", length, place)
        run = _RUN // behind if few else _RUN
        while length // run > _RUN_MAX:
            run *= _RUN
        blocks = length // run

        def block(start: Expr, places: int) -> tuple[Stmt, ...]:
            return apart(into, f"part{depth}_{places}", lambda part: span(part, depth, at, start, places))

        return (
            *loop(f"b{depth}_{length}", blocks, lambda number: block(first + number * run, run)),
            *(block(first + blocks * run, length % run) if length % run else ()),
        )

    def apart(into: Buffer, name: str, body: Callable[[Buffer], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """A sum of its own, which is added when it is complete."""
        part = buffer(name, into.dtype, (size,))
        return (
            Alloc(part),
            *vectors_of(size, lanes, lambda lane: (store(part, (lane,), Const(0, part.dtype)),)),
            *body(part),
            *vectors_of(
                size, lanes, lambda lane: (store(into, (lane,), load(into, lane) + load(part, lane)),)
            ),
        )

    return level(total, 0, ())


def reduction(x: TensorType, axes: tuple[int, ...], fold: Fold, keepdims: bool) -> Template:
    """A Template that folds `x` over `axes`. Float16 and bfloat16 are expected as float32 already."""
    output = TensorType(x.dtype, reduced_shape(x.shape, axes, keepdims))
    problem = Reduction(x, axes, fold, keepdims)
    spec = {"fold": fold.name, "axes": axes, "keepdims": keepdims}
    return Template(
        f"reduce_{fold.name}",
        (x,),
        (output,),
        lambda site: build(site, FAMILY, problem, REDUCE),
        spec,
        inlines=frozenset({0}),
        independent=each_kept(x.rank, axes, keepdims),
        folded=tuple(Folded((axis,), (None,), fold.initial(x.dtype)) for axis in axes),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """`x` is folded over `axes`."""

    x: TensorType
    axes: tuple[int, ...]
    fold: Fold
    keepdims: bool

    @property
    def initial(self) -> Const:
        return Const(self.fold.initial(self.x.dtype), self.x.dtype)

    def extents(self, axes: Sequence[int]) -> list[int]:
        return [self.x.shape[axis] for axis in axes]

    def contiguous(self, site: Site) -> int | None:
        """The dimension whose elements lie side by side in the input."""
        return contiguous_axis(read_strides(site, 0, self.x.shape), self.x.shape)

    def results_adjoin(self, site: Site) -> bool:
        """Whether elements of neighbouring results lie side by side."""
        return self.contiguous(site) not in (None, *self.axes)

    def kept(self, site: Site) -> tuple[int, ...]:
        """The dimensions of results, as the input stores them."""
        order = by_storage_order(read_strides(site, 0, self.x.shape), self.x.shape)
        return tuple(axis for axis in order if axis not in self.axes)

    def folded(self, site: Site) -> tuple[int, ...]:
        """The dimensions that are folded, as the input stores them."""
        order = by_storage_order(read_strides(site, 0, self.x.shape), self.x.shape)
        return tuple(axis for axis in order if axis in self.axes)

    def rows(self, site: Site) -> tuple[int, ...]:
        """The dimensions that are folded, that with elements side by side last."""
        folded, inner = self.folded(site), self.contiguous(site)
        return (*(axis for axis in folded if axis != inner), inner) if inner in folded else folded

    def read(self, site: Site, where: Mapping[int, Expr]) -> Expr:
        """The element at an index by dimensions."""
        return site.read(0, *(where[axis] for axis in range(self.x.rank)))

    def write(self, site: Site, where: Mapping[int, Expr], value: Expr) -> Sequence[Stmt]:
        """Stores the result at an index by dimensions."""
        target = [
            index(0) if axis in self.axes else where[axis]
            for axis in range(self.x.rank)
            if self.keepdims or axis not in self.axes
        ]
        return site.write(0, target, value)


def _build_group_rows(site: Site, problem: Reduction) -> Sequence[Stmt]:
    """A group of work items does a result."""
    kept, rows = problem.kept(site), problem.rows(site)
    return grid_fold_rows(
        site.machine.tuning.grid,
        problem.extents(kept),
        problem.extents(rows),
        lambda at, number: problem.read(site, dict(zip((*kept, *rows), (*at, *number), strict=True))),
        problem.initial,
        problem.fold.combine,
        lambda at, value: problem.write(site, dict(zip(kept, at, strict=True)), value),
    )


def _build_rows(site: Site, problem: Reduction) -> Sequence[Stmt]:
    """One result after another, by vectors along a dimension that is folded."""
    kept, (*outer, last) = problem.kept(site), (*problem.rows(site),) or (None,)
    fold, initial = problem.fold, problem.initial

    def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        fixed = dict(zip(kept, where, strict=True))
        if last is None:
            return problem.write(site, fixed, fold.combine(initial, problem.read(site, fixed)))
        stmts, result = fold_row(
            "fold",
            problem.x.shape[last],
            site.machine.lanes(problem.x.dtype) if problem.contiguous(site) == last else 1,
            lambda *at: problem.read(site, fixed | dict(zip((*outer, last), at, strict=True))),
            initial,
            fold.combine,
            outer=problem.extents(outer),
            neutral=fold.name in ("max", "min"),
        )
        return (*stmts, *problem.write(site, fixed, result))

    return collapse("row", problem.extents(kept), row)


def _outer_and_inner(site: Site, problem: Reduction) -> tuple[list[int], int]:
    inner = problem.contiguous(site)
    assert inner is not None, "results whose elements do not lie side by side are refused"
    return [axis for axis in problem.kept(site) if axis != inner], inner


def _build_group_columns(site: Site, problem: Reduction) -> Sequence[Stmt]:
    """A group of work items does some results whose elements lie side by side."""
    (outer, inner), folded = _outer_and_inner(site, problem), problem.folded(site)

    def read(at: Sequence[Expr], column: Expr, number: Sequence[Expr]) -> Expr:
        return problem.read(site, dict(zip((*outer, inner, *folded), (*at, column, *number), strict=True)))

    return grid_fold_columns(
        site.machine.tuning.grid,
        problem.extents(outer),
        problem.x.shape[inner],
        problem.extents(folded),
        read,
        problem.initial,
        problem.fold.combine,
        lambda at, column, value: problem.write(
            site, dict(zip((*outer, inner), (*at, column), strict=True)), value
        ),
    )


def _build_columns(site: Site, problem: Reduction) -> Sequence[Stmt]:
    """Results whose elements lie side by side, some vectors of them at once."""
    x, fold = problem.x, problem.fold
    (outer, inner), folded, lanes = (
        _outer_and_inner(site, problem),
        problem.folded(site),
        site.machine.lanes(x.dtype),
    )
    sizes = vector_sizes(lanes) if lanes == 1 else (4 * lanes, *vector_sizes(lanes))

    def column(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
        fixed = dict(zip(outer, where, strict=True))
        total = buffer("total", x.dtype, (size,))

        def update(into: Buffer, at: tuple[Expr, ...]) -> Sequence[Stmt]:
            point = fixed | dict(zip(folded, at, strict=True))

            def fold_lane(lane: Expr) -> Sequence[Stmt]:
                value = fold.combine(load(into, lane), problem.read(site, point | {inner: start + lane}))
                return (store(into, (lane,), value),)

            return vectors_of(size, lanes, fold_lane)

        rounds = fold.name == "sum" and x.dtype.is_float
        extents = problem.extents(folded)

        def sums() -> tuple[Stmt, ...]:
            if rounds:
                return _by_levels(total, lanes, site.machine.tuning.rows.few_elements, extents, update)
            return nest([f"r{axis}" for axis in folded], extents, lambda at: update(total, at))

        def finish(lane: Expr) -> Sequence[Stmt]:
            return problem.write(site, fixed | {inner: start + lane}, load(total, lane))

        return (
            Alloc(total),
            *vectors_of(size, lanes, lambda lane: (store(total, (lane,), problem.initial),)),
            *sums(),
            *vectors_of(size, lanes, finish),
        )

    return parallel_tiles("column", problem.extents(outer), x.shape[inner], sizes, column)


def _refuses_columns(site: Site, problem: Reduction) -> str:
    return why_not(
        (not problem.results_adjoin(site), "elements of neighbouring results do not lie side by side")
    )


def _refuses_group_rows(site: Site, problem: Reduction) -> str:
    few = not problem.axes or not is_long(site, math.prod(problem.extents(problem.axes)))
    return needs_grid(site, problem) or why_not((few, "too few elements are folded for a group"))


def _refuses_group_columns(site: Site, problem: Reduction) -> str:
    kept = [axis for axis in range(problem.x.rank) if axis not in problem.axes]
    busy = site.machine.tuning.grid.busy_min_results
    many = math.prod(problem.extents(kept)) >= busy
    return (
        _refuses_group_rows(site, problem)
        or _refuses_columns(site, problem)
        or why_not((many, f"there are {busy} results or more, which keep an item each busy"))
    )


def _unless_results_adjoin(site: Site, problem: Reduction) -> Estimate:
    pays = not problem.results_adjoin(site)
    return Estimate(pays, worth_measuring=pays)


GROUP_ROWS = Algorithm("group_rows", _build_group_rows, _refuses_group_rows, estimate=_unless_results_adjoin)
GROUP_COLUMNS = Algorithm("group_columns", _build_group_columns, _refuses_group_columns)
COLUMNS = Algorithm("columns", _build_columns, _refuses_columns)
ROWS = Algorithm(
    "rows",
    _build_rows,
    estimate=lambda site, problem: Estimate(True, worth_measuring=not problem.results_adjoin(site)),
)
FAMILY = "reduce"
REDUCE = (GROUP_ROWS, GROUP_COLUMNS, COLUMNS, ROWS)
