"""Normalisations: of batches, rows, instances, groups and vectors."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.algorithm import Algorithm, Estimate, build, needs_grid, why_not
from ingot.kernels.blocks.grid_rows import grid_row_norm, is_long
from ingot.kernels.normalize.columns import COLUMNS
from ingot.kernels.normalize.problem import RowNorm
from ingot.kernels.softmax import row_storage
from ingot.kernels.template import Site, Template, each_but
from ingot.loops.build.nest import add, collapse, fold_row, vector_blocks
from ingot.loops.nodes import Const, Expr, Let, Operand, Stmt, Var, call, load, store

# ─── rows: layer and root-mean-square normalisation ────────────────────────────────────────────────────────────────


def row_norm(x: TensorType, centred: bool, epsilon: float, bias: bool, statistics: bool) -> Template:
    """Normalises rows of the last dimension and scales them: `x [..., D], scale [D], bias [D]` → `y [..., D]`.

    `centred` takes the mean out first and divides by the standard deviation (layer normalisation), otherwise by the root of
    the mean square. With `statistics`, outputs 1 and 2 are the mean and the inverse deviation `[..., 1]`.
    """
    parameter = TensorType(x.dtype, (x.shape[-1],))
    by_row = TensorType(x.dtype, (*x.shape[:-1], 1))
    inputs = (x, parameter, parameter) if bias else (x, parameter)
    outputs = (x, by_row, by_row) if statistics else (x,)
    spec = {"centred": centred, "epsilon": epsilon}
    norm = RowNorm(x, centred, epsilon, bias, statistics)
    return Template(
        "layer_norm" if centred else "rms_norm",
        inputs,
        outputs,
        lambda site: build(site, FAMILY, norm, LAYER_NORM),
        spec,
        inlines=frozenset({0}),
        independent=each_but(x.rank - 1, others=len(inputs) - 1, outputs=len(outputs)),
    )


def _build_group_rows(site: Site, norm: RowNorm) -> Sequence[Stmt]:
    """A group of work items does a row."""
    return grid_row_norm(site, norm.x, norm.centred, norm.epsilon, norm.bias, norm.statistics)


def _build_rows(site: Site, norm: RowNorm) -> Sequence[Stmt]:
    """One row after another, by vectors along it."""
    x, centred, epsilon, bias, statistics = norm.x, norm.centred, norm.epsilon, norm.bias, norm.statistics
    extent, lanes, outer = x.shape[-1], site.machine.lanes(x.dtype), x.shape[:-1]
    row, declare, place = row_storage(site, "row", x, outer, extent, 1)

    def body(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        def slot(at: Operand) -> tuple[Expr, ...]:
            return place(where, at, 0)

        def keep(at: Expr, value: Expr) -> Sequence[Stmt]:
            return (store(row, slot(at), value),)

        mean, inverse = Var("mean", x.dtype), Var("inverse", x.dtype)
        zero = Const(0, x.dtype)
        stmts: list[Stmt] = [*declare]
        if centred:
            fold, total = fold_row(
                "sum", extent, lanes, lambda at: site.read(0, *where, at), zero, add, keep=keep
            )
            stmts += [*fold, Let(mean, total / extent)]

            def square(at: Expr) -> Expr:
                distance = load(row, *slot(at)) - mean
                return distance * distance

            fold, total = fold_row("square", extent, lanes, square, zero, add)
        else:
            fold, total = fold_row(
                "square",
                extent,
                lanes,
                lambda at: site.read(0, *where, at),
                zero,
                lambda partial, value: partial + value * value,
                merge=add,
                keep=keep,
            )
        stmts += [*fold, Let(inverse, Const(1, x.dtype) / call("sqrt", total / extent + epsilon))]

        def finish(at: Expr) -> Sequence[Stmt]:
            value = load(row, *slot(at))
            scaled = ((value - mean) if centred else value) * inverse * site.read(1, at)
            return site.write(0, (*where, at), scaled + site.read(2, at) if bias else scaled)

        stmts += vector_blocks("j", extent, lanes, finish)
        if statistics:
            stmts += site.write(1, (*where, 0), mean)
            stmts += site.write(2, (*where, 0), inverse)
        return stmts

    return collapse("row_index", outer, body)


GROUP_ROWS = Algorithm(
    "group_rows",
    _build_group_rows,
    lambda site, norm: (
        needs_grid(site, norm)
        or why_not((not is_long(site, norm.x.shape[-1]), "rows are too short for a group"))
    ),
)
ROWS = Algorithm("rows", _build_rows, estimate=lambda *_: Estimate(True, worth_measuring=False))
FAMILY = "layer_norm"
LAYER_NORM = (GROUP_ROWS, COLUMNS, ROWS)
