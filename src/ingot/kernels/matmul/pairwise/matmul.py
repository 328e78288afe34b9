"""Matrix products as pairwise inner products (see `pairwise`)."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType
from ingot.kernels.algorithm import Algorithm, why_not
from ingot.kernels.matmul.pairwise.kernel import build_inner_product
from ingot.kernels.matmul.pairwise.product import Product, estimate_pairs, why_not_even, why_not_pairs
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.template import Site
from ingot.loops.nodes import Expr, Stmt, index


def _refuses(site: Site, problem: MatMul) -> str:
    output = problem.output
    rows, columns = output.shape[-2:]
    refusal = why_not(
        (
            not site.is_constant(1) or problem.b.rank != 2,
            "the right operand is no matrix that is known while building",
        ),
        (output.dtype is not DType.FLOAT32, "it multiplies float32 only"),
        (not output.size or output.size != rows * columns, "it makes one matrix"),
        (site.is_inlined(0), "its left operand is not in memory"),
    ) or why_not((site.input(0).strides[-1] != 1, "terms of the left operand do not lie side by side"))
    return refusal or why_not_pairs(site, *_sizes(problem))


def _sizes(problem: MatMul) -> tuple[int, int, int]:
    """Rows, depth and columns of one matrix."""
    depth, columns = problem.b.shape
    return problem.output.shape[-2], depth, columns


def _build(site: Site, problem: MatMul) -> Sequence[Stmt]:
    output = problem.output
    lead = (index(0),) * (output.rank - 2)

    def read(row: Expr, _run: Expr, k: Expr) -> Expr:
        return site.read(0, *lead[: problem.a.rank - 2], row, k)

    return build_inner_product(
        site,
        Product(
            *_sizes(problem), read, lambda row, column, value: site.write(0, (*lead, row, column), value)
        ),
    )


PAIRWISE = Algorithm(
    "pairwise",
    _build,
    _refuses,
    lambda site, _: why_not_even(site),
    lambda site, problem: estimate_pairs(site, *_sizes(problem)),
)
