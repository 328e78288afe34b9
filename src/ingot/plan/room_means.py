"""Means over windows in a draft with room: of the places that are there, not of those that there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.template import Pointwise, Taps, index_vars
from ingot.loops.nodes import Buffer, Const, Expr, Load, buffer, cast, index, maximum, minimum


def divided(type_: TensorType, taps: Sequence[tuple[Taps, Expr]], sizes: Buffer) -> Pointwise:
    """Sums over windows, each divided by how many places are under its window.

    Args:
        type_: of the sums.
        taps: of each axis with windows, and how many places of it are there.
        sizes: those of the call.
    """
    formal, where = buffer("a0", type_.dtype, type_.shape), index_vars(type_.rank)
    count: Expr = index(1)
    for its, there in taps:
        count = count * _places(its, where[its.axis], there)
    # A kernel of means multiplies by the same number: equal sums stay equal means.
    value = Load(formal, where) * (Const(1, type_.dtype) / cast(maximum(count, 1), type_.dtype))
    return Pointwise((formal, sizes), type_, where, value, "mean")


def _places(taps: Taps, window: Expr, extent: Expr) -> Expr:
    """How many places are under a window, of so many."""
    begin = window * taps.stride - taps.before
    return _before(taps, extent - begin) - _before(taps, 0 - begin)


def _before(taps: Taps, distance: Expr) -> Expr:
    """How many taps are less than a distance behind the begin of a window."""
    return minimum((maximum(distance, 0) + (taps.dilation - 1)) // taps.dilation, taps.count)
