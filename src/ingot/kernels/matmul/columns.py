"""Matrix products of few rows whose right operand lies column by column: packing it would take longer than using it."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.kernels.algorithm import FOR_PROCESSORS, Algorithm, why_not
from ingot.kernels.blocks.elements import broadcast_index
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.template import Site
from ingot.loops.build.nest import accumulator_type, add, collapse, fold_row
from ingot.loops.nodes import Const, Expr, Stmt, cast

# With at most so many rows, columns that lie one behind the other are not packed.
DOT_ROWS = 2


def _refuses(site: Site, problem: MatMul) -> str:
    rows, depth, right = problem.output.shape[-2], problem.a.shape[-1], site.input(1)
    return why_not(
        (site.machine.grid, FOR_PROCESSORS),
        (site.constant(1) is not None, "the right operand is known while building, and is packed then"),
        (rows > DOT_ROWS, f"there are {rows} rows, more than {DOT_ROWS}"),
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

    def task(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        *batch, column = where
        a_index, b_index = (
            broadcast_index(tuple(batch), a.shape[:-2]),
            broadcast_index(tuple(batch), b.shape[:-2]),
        )
        stmts: tuple[Stmt, ...] = ()
        for row in range(rows):

            def product(k: Expr, row: int = row) -> Expr:
                return cast(site.read(0, *a_index, row, k), acc_type) * cast(
                    site.read(1, *b_index, k, column), acc_type
                )

            fold, total = fold_row(f"dot{row}", depth, lanes, product, Const(0, acc_type), add)
            stmts += (*fold, *site.write(0, (*batch, row, column), cast(total, output.dtype)))
        return stmts

    return collapse("dot", (*output.shape[:-2], output.shape[-1]), task)


COLUMNS = Algorithm("columns", _build, _refuses)
