"""Matrix products of few rows whose right operand lies column by column: packing it would take longer than using it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ingot.kernels.algorithm import FOR_PROCESSORS, Algorithm, why_not
from ingot.kernels.blocks.elements import broadcast_index
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.template import Site
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import accumulator_type, add, fold_row
from ingot.loops.nodes import Binary, Const, Expr, Fma, Stmt, cast
from ingot.machines.tuning import DEFAULT

MAX_ROWS = DEFAULT.matmul.columns_max_rows
"""Rows with which columns are not packed, for whom it concerns before a machine is known."""

_FEW_COLUMNS_ROWS = (
    16  # more rows than that are a block of queries, for whom packing pays even for all columns
)
# Vectors of a column whose products are added to one vector of sums: so few that sums of the next column hide how long one
# waits for another, and more sums would have to be added up.
_SHORT = 8


def _refuses(site: Site, problem: MatMul) -> str:
    rows, depth, right = problem.output.shape[-2], problem.a.shape[-1], site.input(1)
    maximum = _FEW_COLUMNS_ROWS if problem.few_columns else site.machine.tuning.matmul.columns_max_rows
    return why_not(
        (site.machine.grid, FOR_PROCESSORS),
        (site.is_constant(1), "the right operand is known while building, and is packed then"),
        (rows > maximum, f"there are {rows} rows, more than {maximum}"),
        (
            right.strides[-2] != 1 or right.strides[-1] < depth,
            "the right operand does not lie column by column",
        ),
        (not depth >= site.machine.lanes(right.dtype) > 1, "columns fill no vector"),
    )


def _build(site: Site, problem: MatMul) -> Sequence[Stmt]:
    """Each result as a sum over vectors along the depth."""
    a, b, output = problem.a, problem.b, problem.output
    rows, depth = a.shape[-2:]
    acc_type = accumulator_type(output.dtype)
    lanes = site.machine.lanes(acc_type)

    def product(row: int, batch: tuple[Expr, ...], column: Expr, step: Expr) -> Expr:
        left = site.read(0, *broadcast_index(batch, a.shape[:-2]), row, step)
        right = site.read(1, *broadcast_index(batch, b.shape[:-2]), step, column)
        return cast(left, acc_type) * cast(right, acc_type)

    k = Builder()
    for *batch, column in k.collapse("dot", (*output.shape[:-2], output.shape[-1])):
        for row in range(rows):
            element = partial(product, row, tuple(batch), column)
            fold, total = fold_row(
                f"dot{row}",
                depth,
                lanes,
                element,
                Const(0, acc_type),
                _multiply_add,
                add,
                neutral=True,
                parts=1 if depth <= _SHORT * lanes else DEFAULT.rows.parts,
            )
            k.emit(fold)
            k.emit(site.write(0, (*batch, row, column), cast(total, output.dtype)))
    return k.statements()


def _multiply_add(total: Expr, product: Expr) -> Expr:
    """A sum with one more product, in one operation."""
    is_product = isinstance(product, Binary) and product.op == "mul"
    return Fma(product.left, product.right, total) if is_product else add(total, product)  # type: ignore[attr-defined]


COLUMNS = Algorithm("columns", _build, _refuses)
