"""Convolutions as products in pairs of terms (see `matmul/pairwise`): a row is what the window of an output has, tap by tap."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.matmul.pairwise import Product, by_pairs
from ingot.kernels.matmul.pairwise_kernel import build_inner_product
from ingot.kernels.template import Site
from ingot.loops.build.nest import split_index
from ingot.loops.nodes import Expr, Stmt, both, compare


def conv_in_pairs(site: Site, spec: ConvSpec) -> Sequence[Stmt] | None:
    """The statements of a convolution in pairs of terms; None where it is not one that goes so, or another way is quicker."""
    weights = site.constant(1)
    if weights is None or not _suits(site, spec):
        return None
    channels, taps, pixels = spec.x.shape[1], math.prod(spec.kernel), (spec.y.shape[0], *spec.y.shape[2:])
    matrix = np.moveaxis(weights, (0, 1), (-1, -2)).reshape(taps * channels, -1)
    if not by_pairs(site, math.prod(pixels), matrix, taps, spec.share_inside):
        return None

    def place(row: Expr, tap: Expr) -> tuple[Expr, list[Expr]]:
        n, *where = split_index(row, pixels)
        geometry = zip(where, split_index(tap, spec.kernel), spec.strides, spec.dilations, spec.pads_begin, strict=True)
        return n, [at * stride + (k * dilation - pad) for at, k, stride, dilation, pad in geometry]

    def inside(row: Expr, tap: Expr) -> Expr:
        conditions: list[Expr] = []
        for at, extent in zip(place(row, tap)[1], spec.x.shape[2:], strict=True):
            conditions += [compare("ge", at, 0), compare("lt", at, extent)]
        return both(*conditions)

    def read(row: Expr, tap: Expr, channel: Expr) -> Expr:
        n, at = place(row, tap)
        return site.read(0, n, channel, *at)

    def write(row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
        n, *where = split_index(row, pixels)
        return site.write(0, (n, column, *where), value)

    return build_inner_product(
        site, Product(math.prod(pixels), matrix, read, write, taps, inside if spec.has_padding else None)
    )


def _suits(site: Site, spec: ConvSpec) -> bool:
    """Whether channels lie side by side, a vector of them or more, and there are no groups."""
    whole = spec.group == 1 and spec.y.dtype is DType.FLOAT32 and spec.y.size > 0 and not site.is_inlined(0)
    few = math.prod(spec.kernel) > 1 and spec.x.shape[1] < site.machine.lanes(spec.x.dtype)
    return whole and not few and site.input(0).strides[1] == site.outputs[0].strides[1] == 1
