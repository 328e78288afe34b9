"""Sampling of images at places that are data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from ingot.base.tensor import DType, TensorType
from ingot.kernels.sampling.blocks import Spot, sample_tiles
from ingot.loops.build.nest import flat_index
from ingot.loops.nodes import (
    Binary,
    Const,
    Expr,
    both,
    call,
    cast,
    compare,
    maximum,
    minimum,
    select,
)
from ingot.ops.arguments import equal_elements, is_open, only
from ingot.ops.facts import Folding
from ingot.ops.opdef import Emitter, Implied, OpCall, OpDef, Tensor

Read = Callable[..., Expr]


# ─── GridSample ────────────────────────────────────────────────────────────────────────────────────────────────────


def _reflected(x: Expr, low: float, high: float) -> Expr:
    """A coordinate mirrored at the borders as often as it needs; one inside stays."""
    span = high - low
    if span <= 0:
        return Const(low, x.dtype)
    outside = select(compare("lt", x, low), low - x, x - high)
    turns = call("trunc", outside / span)
    rest = outside - turns * span
    is_even = compare("eq", turns, call("floor", turns / 2.0) * 2.0)
    below = select(is_even, rest + low, high - rest)
    above = select(is_even, high - rest, rest + low)
    return select(compare("lt", x, low), below, select(compare("gt", x, high), above, x))


def _weights(fraction: Expr, mode: str) -> tuple[Expr, ...]:
    """The weights of the 2 or 4 nearest samples of a position that is `fraction` of a step after a sample."""
    t = fraction
    unit = Const(1.0, t.dtype)
    if mode == "linear":
        return unit - t, t
    a = -0.75

    def far(d: Expr) -> Expr:
        return ((d * a - 5 * a) * d + 8 * a) * d - 4 * a

    def near(d: Expr) -> Expr:
        return (d * (a + 2) - (a + 3)) * d * d + 1.0

    rest = unit - t
    return far(t + 1.0), near(t), near(rest), far(rest + 1.0)


class _Sampler:
    """How places along one spatial dimension become indices: `align_corners`, `padding_mode`, and the extent."""

    def __init__(self, extent: int, align: bool, padding: str, computed: DType) -> None:
        self.extent, self.align, self.padding, self.computed = extent, align, padding, computed
        self.low, self.high = (0.0, extent - 1.0) if align else (-0.5, extent - 0.5)

    def place(self, normalized: Expr, mode: str) -> Expr:
        """The coordinate in pixels of one that goes from -1 to 1."""
        if self.align:
            x = (normalized + 1.0) / 2.0 * (self.extent - 1.0)
        else:
            x = ((normalized + 1.0) * float(self.extent) - 1.0) / 2.0
        if mode == "nearest":
            x = call("rint", x)
        if self.padding == "border":
            # Between the outermost pixel's centre and its edge a cubic still bends, so only what lies beyond the edge moves.
            beyond = Binary("or", compare("lt", x, self.low), compare("gt", x, self.high))
            x = select(beyond, minimum(maximum(x, 0.0), self.extent - 1.0), x)
        elif self.padding == "reflection":
            x = _reflected(x, self.low, self.high)
        # Far outside all places are alike; a NaN goes there too, so that the conversion to an index is always defined.
        return minimum(maximum(x, -8.0), self.extent + 8.0)

    def pixel(self, at: Expr) -> tuple[Expr, Expr | None]:
        """An index that is surely inside, and the condition under which the pixel counts (None: always)."""
        if self.padding == "reflection":
            mirrored = cast(
                call("trunc", _reflected(cast(at, self.computed), self.low, self.high)), DType.INT64
            )
            return maximum(minimum(mirrored, self.extent - 1), 0), None
        inside = maximum(minimum(at, self.extent - 1), 0)
        if self.padding == "border":
            return inside, None
        return inside, both(compare("ge", at, 0), compare("lt", at, self.extent))


def _grid_sample(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """GridSample 16 (`bilinear`, `bicubic`), 20, 22: any number of spatial dimensions, all modes and paddings.

    With a border, a place beyond the edge is that of the border pixel, as in the text and the reference
    (`docs/reference/differences.md`).
    """
    x, grid = call_.input(0), call_.input(1)
    rank = x.rank - 2
    if grid.rank != x.rank or grid.shape[-1] != rank or grid.shape[0] != x.shape[0]:
        call_.unsupported(f"a grid of the shape {list(grid.shape)} does not fit the shape {list(x.shape)}")
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(
        call_.attr("mode", "linear"), call_.attr("mode", "linear")
    )
    padding = call_.attr("padding_mode", "zeros")
    if mode not in ("nearest", "linear", "cubic") or padding not in ("zeros", "border", "reflection"):
        call_.unsupported(f"mode {mode!r} with padding_mode {padding!r} is not known")
    output = TensorType(x.dtype, (*x.shape[:2], *grid.shape[1:-1]))
    if x.type.size == 0 and output.size:
        call_.unsupported(f"the empty shape {list(x.shape)} cannot be sampled")
    computed = DType.FLOAT64 if DType.FLOAT64 in (x.dtype, grid.dtype) else DType.FLOAT32
    samplers = [
        _Sampler(extent, bool(call_.attr("align_corners", 0)), padding, computed) for extent in x.shape[2:]
    ]

    def spots(image: Expr, sample: Expr, read_grid: Read) -> list[Spot]:
        choices: list[list[tuple[Expr, Expr | None, Expr | None]]] = []  # per axis: index, condition, weight
        for axis, sampler in enumerate(samplers):
            place = sampler.place(cast(read_grid(image, sample, rank - 1 - axis), computed), mode)
            if mode == "nearest":
                choices.append([(*sampler.pixel(cast(place, DType.INT64)), None)])
                continue
            floor = call("floor", place)
            first = cast(floor, DType.INT64)
            weights = _weights(place - floor, mode)
            begin = 1 - len(weights) // 2
            choices.append(
                [(*sampler.pixel(first + begin + number), weight) for number, weight in enumerate(weights)]
            )
        return [_spot(combination, x.shape[2:]) for combination in itertools.product(*choices)]

    flat = emit.reshape(x, (*x.shape[:2], math.prod(x.shape[2:])))
    places = emit.reshape(grid, (grid.shape[0], math.prod(grid.shape[1:-1]), rank))
    spec = {
        "mode": mode,
        "padding": padding,
        "align": bool(call_.attr("align_corners", 0)),
        "spatial": x.shape[2:],
    }
    (y,) = emit.template(sample_tiles(flat.type, places.type, spots, spec, computed), [flat, places])
    return (emit.reshape(y, output.shape),)


def _spot(combination: Sequence[tuple[Expr, Expr | None, Expr | None]], extents: Sequence[int]) -> Spot:
    """One pixel out of a choice along each axis."""
    conditions = [condition for _, condition, _ in combination if condition is not None]
    weight: Expr | None = None
    for _, _, factor in combination:
        weight = factor if weight is None or factor is None else weight * factor
    return Spot(
        flat_index([at for at, _, _ in combination], extents),
        both(*conditions) if conditions else None,
        weight,
    )


def _affine_grid(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """AffineGrid 20: the places `theta · (x, y, 1)` of every pixel of an image of `size`, which must be a constant."""
    theta = call_.input(0)
    size = [int(extent) for extent in call_.constant(1, "size").reshape(-1)]
    spatial = size[2:]
    rank = len(spatial)
    if theta.shape != (size[0], rank, rank + 1):
        call_.unsupported(f"theta of the shape {list(theta.shape)} does not fit the size {size}")
    align = bool(call_.attr("align_corners", 0))
    computed = DType.FLOAT64 if theta.dtype is DType.FLOAT64 else DType.FLOAT32

    def coordinate(at: Expr, extent: int) -> Expr:
        number = cast(at, computed)
        if align:
            return number * (2.0 / max(1, extent - 1)) - 1.0
        return number * (2.0 / extent) + (1.0 / extent - 1.0)

    def at(where: tuple[Expr, ...], read: Read) -> Expr:
        row = where[-1]
        total = cast(read(where[0], row, rank), computed)
        for axis, extent in enumerate(spatial):
            # theta counts the dimensions from the innermost one
            factor = cast(read(where[0], row, rank - 1 - axis), computed)
            total = total + factor * coordinate(where[1 + axis], extent)
        return cast(total, theta.dtype)

    return (emit.pointwise([theta], TensorType(theta.dtype, (size[0], *spatial, rank)), at, "affine_grid"),)


def _size(call_: OpCall) -> Implied | None:
    """The extents of the grid: how many channels the image has, element 1, does not matter."""
    if not is_open(call_, 1) or not call_.wants(0):
        return None
    batch, *spatial, _ = call_.output().shape
    implied = only(call_, 1, "size", (batch, 1, *spatial))
    return replace(
        implied, means=lambda option, reads: equal_elements(option, tuple(reads), skip=1)(*reads.values())
    )


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "GridSample", 16, _grid_sample, folding=Folding.PAIRS),
    OpDef("", "AffineGrid", 20, _affine_grid, constant_inputs=(1,), folding=Folding.PAIRS, implied=_size),
)
