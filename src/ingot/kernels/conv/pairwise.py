"""Convolutions by pairwise inner products (see `matmul/pairwise`): a row is what the window of an output has, tap by tap."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.algorithm import Algorithm, Estimate, why_not
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.matmul.pairwise.kernel import build_inner_product
from ingot.kernels.matmul.pairwise.product import Product, estimate_pairs, why_not_even, why_not_pairs
from ingot.kernels.template import Site
from ingot.loops.build.nest import split_index
from ingot.loops.nodes import Expr, Stmt, both, compare


def _refuses(site: Site, spec: ConvSpec) -> str:
    few = math.prod(spec.kernel) > 1 and spec.x.shape[1] < site.machine.lanes(spec.x.dtype)
    return (
        why_not(
            (not site.is_constant(1), "weights are not known while building"),
            (spec.group != 1, "it takes no groups of channels"),
            (spec.y.dtype is not DType.FLOAT32, "it multiplies float32 only"),
            (spec.y.size == 0, "there is nothing to compute"),
            (site.is_inlined(0), "its input is not in memory"),
            (few, "input channels fill no vector"),
        )
        or why_not((not _has_channels_last(site), "channels do not lie side by side"))
        or why_not_pairs(site, *_sizes(spec))
    )


def _refuses_values(site: Site, spec: ConvSpec) -> str:
    return why_not_even(site, lambda weights: _matrix(weights, spec))


def _sizes(spec: ConvSpec) -> tuple[int, int, int]:
    """Rows, depth and columns of the product."""
    return _rows(spec), math.prod(spec.kernel) * spec.x.shape[1], spec.w.shape[0]


def _estimate(site: Site, spec: ConvSpec) -> Estimate:
    return estimate_pairs(site, *_sizes(spec), math.prod(spec.kernel), spec.share_inside)


def _rows(spec: ConvSpec) -> int:
    return spec.y.shape[0] * math.prod(spec.y.shape[2:])


def _matrix(weights: np.ndarray, spec: ConvSpec) -> np.ndarray:
    """Weights as a right operand, `[taps × channels, output channels]`."""
    return np.moveaxis(weights, (0, 1), (-1, -2)).reshape(math.prod(spec.kernel) * spec.x.shape[1], -1)


def _build(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    taps, pixels = math.prod(spec.kernel), (spec.y.shape[0], *spec.y.shape[2:])

    def place(row: Expr, tap: Expr) -> tuple[Expr, list[Expr]]:
        n, *where = split_index(row, pixels)
        geometry = zip(
            where, split_index(tap, spec.kernel), spec.strides, spec.dilations, spec.pads_begin, strict=True
        )
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
        site,
        Product(
            *_sizes(spec),
            read,
            write,
            taps,
            inside if spec.has_padding else None,
            lambda weights: _matrix(weights, spec),
        ),
    )


def _has_channels_last(site: Site) -> bool:
    return site.input(0).strides[1] == site.outputs[0].strides[1] == 1


PAIRWISE = Algorithm("pairwise", _build, _refuses, _refuses_values, _estimate)
