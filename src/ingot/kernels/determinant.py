"""The determinant of square matrices."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Site, Template, each_but
from ingot.loops.build.nest import collapse, nest
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Const,
    Expr,
    For,
    Let,
    LoopKind,
    Stmt,
    Var,
    buffer,
    call,
    compare,
    index,
    load,
    select,
    store,
)


def determinant(x: TensorType) -> Template:
    """Gaussian elimination with the largest pivot of each column: `x [..., n, n]` → `[...]`."""
    size = x.shape[-1]
    output = TensorType(x.dtype, x.shape[:-2])

    def build(site: Site) -> Sequence[Stmt]:
        outer = x.shape[:-2]
        matrix = site.workspace("matrix", x.dtype, (*outer, size, size))
        product = buffer("product", x.dtype, (1,))
        pivot_row = buffer("pivot_row", DType.INT64, (1,))

        def matrix_at(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            def at(row: Expr, column: Expr) -> Expr:
                return load(matrix, *where, row, column)

            def copy(here: tuple[Expr, ...]) -> Sequence[Stmt]:
                return (store(matrix, (*where, *here), site.read(0, *where, *here)),)

            step, row, below, column, across = (
                Var("step"),
                Var("row"),
                Var("below"),
                Var("column"),
                Var("across"),
            )
            pivot, factor, kept = Var("pivot", x.dtype), Var("factor", x.dtype), Var("kept", x.dtype)
            chosen = Var("chosen")
            other = step + 1 + row
            larger = compare("gt", call("abs", at(other, step)), call("abs", at(load(pivot_row, 0), step)))
            target = step + 1 + below
            body = (
                store(pivot_row, (0,), step),
                For(
                    row,
                    index(size - 1) - step,
                    (store(pivot_row, (0,), select(larger, other, load(pivot_row, 0))),),
                    LoopKind.SERIAL,
                ),
                Let(chosen, load(pivot_row, 0)),
                For(
                    column,
                    index(size),
                    (
                        Let(kept, at(step, column)),
                        store(matrix, (*where, step, column), at(chosen, column)),
                        store(matrix, (*where, chosen, column), kept),
                    ),
                    LoopKind.SERIAL,
                ),
                Let(pivot, at(step, step)),
                store(
                    product,
                    (0,),
                    load(product, 0) * select(compare("eq", chosen, step), pivot, Const(0, x.dtype) - pivot),
                ),
                For(
                    below,
                    index(size - 1) - step,
                    (
                        # Of a column of zeros nothing is left to eliminate, and the determinant is zero.
                        Let(
                            factor,
                            select(
                                compare("eq", pivot, 0),
                                Const(0, x.dtype),
                                Binary("div", at(target, step), pivot),
                            ),
                        ),
                        For(
                            across,
                            index(size),
                            (
                                store(
                                    matrix,
                                    (*where, target, across),
                                    at(target, across) - factor * at(step, across),
                                ),
                            ),
                            LoopKind.SERIAL,
                        ),
                    ),
                    LoopKind.SERIAL,
                ),
            )
            return (
                Alloc(product),
                Alloc(pivot_row),
                *nest(["i", "j"], [size, size], copy),
                store(product, (0,), 1),
                For(step, index(size), body, LoopKind.SERIAL),
                *site.write(0, where, load(product, 0)),
            )

        return collapse("number", outer, matrix_at)

    return Template(
        "determinant", (x,), (output,), build, inlines=frozenset({0}), independent=each_but(x.rank - 2)
    )
