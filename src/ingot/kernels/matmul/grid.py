"""Matrix products for machines that run groups of work items."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.kernels.algorithm import Algorithm, needs_grid
from ingot.kernels.blocks.elements import broadcast_index
from ingot.kernels.blocks.grid_block import Product, product_loops
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.template import Site
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Expr, Stmt, cast


def _build(site: Site, problem: MatMul) -> Sequence[Stmt]:
    a, b, output = problem.a, problem.b, problem.output
    acc_type = accumulator_type(output.dtype)
    *batch, rows, columns = output.shape

    def left(where: tuple[Expr, ...], row: Expr, ks: tuple[Expr, ...]) -> Expr:
        return cast(site.read(0, *broadcast_index(where, a.shape[:-2]), row, ks[0]), acc_type)

    def right(where: tuple[Expr, ...], ks: tuple[Expr, ...], column: Expr) -> Expr:
        return cast(site.read(1, *broadcast_index(where, b.shape[:-2]), ks[0], column), acc_type)

    def write(where: tuple[Expr, ...], row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
        return site.write(0, (*where, row, column), cast(value, output.dtype))

    of_a, of_b, of_y = site.input(0).strides, site.input(1).strides, site.outputs[0].strides
    return product_loops(
        site.machine.tuning.grid,
        Product(
            tuple(batch),
            rows,
            columns,
            (a.shape[-1],),
            acc_type,
            left,
            right,
            write,
            left_along_k=of_a[-1] <= of_a[-2],
            right_along_k=of_b[-2] < of_b[-1],
            rows_across=of_y[-2] < of_y[-1],
        ),
    )


GRID = Algorithm("grid", _build, needs_grid)
