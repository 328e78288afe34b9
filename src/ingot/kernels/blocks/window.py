"""Sliding windows over spatial dimensions: their geometry, and the loops that pooling operators share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ingot.loops.build.nest import (
    by_storage_order,
    contiguous_axis,
    loop,
    parallel_tiles,
    tiles,
    vector_sizes,
)
from ingot.loops.nodes import Const, Expr, For, Let, LoopKind, Stmt, Var, index, maximum, minimum


@dataclass(frozen=True, slots=True)
class Window:
    """A window for each spatial dimension: extent of the input and of the output, size, step, dilation, padding on both sides.
    `ceil`: the last window may reach further than the padding.
    """

    input: tuple[int, ...]
    output: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    ceil: bool = False

    @property
    def rank(self) -> int:
        return len(self.kernel)

    def cut(self, first: int, stop: int) -> tuple[Window, int, int] | None:
        """The window for these outputs of the first dimension alone, and the part of the input that is its own; None where it
        would read nothing.
        """
        geometry = (self.input[0], self.kernel[0], self.strides[0], self.dilations[0], self.begins[0])
        begin, end, before, behind = read_by(first, stop, *geometry)
        if begin >= end:
            return None
        cut = replace(
            self,
            input=(end - begin, *self.input[1:]),
            output=(stop - first, *self.output[1:]),
            begins=(before, *self.begins[1:]),
            ends=(self.ends[0] if behind else 0, *self.ends[1:]),
        )
        return cut, begin, end

    def spec(self) -> dict[str, tuple[int, ...]]:
        """What decides the code, for a template's spec."""
        return {
            "kernel": self.kernel,
            "strides": self.strides,
            "dilations": self.dilations,
            "begins": self.begins,
            "ends": self.ends,
        }


def read_by(
    first: int, stop: int, extent: int, kernel: int, stride: int, dilation: int, pad: int
) -> tuple[int, int, int, int]:
    """What outputs from `first` to before `stop` read of an input of this extent: where it begins and ends, and how much padding
    lies in front of it and behind it.
    """
    begin, end = first * stride - pad, (stop - 1) * stride - pad + (kernel - 1) * dilation + 1
    return max(begin, 0), min(end, extent), max(-begin, 0), max(end - extent, 0)


def places(padded: int, size: int, stride: int, ceil: bool = False) -> int:
    """How many places a window of this size has in a padded input, as ONNX infers: the quotient is rounded towards 0, also that
    of a window which is larger than the padded input. Less than 0: the model is wrong.
    """
    span = padded - size
    return (-(-span // stride) if ceil or span < 0 else span // stride) + 1


@dataclass(frozen=True, slots=True)
class Reach:
    """For one output position in one dimension: the input position of tap 0, and the taps that lie inside the input.

    `padded_stop` is where taps leave the padded input. In a vector along this dimension `origin` is that of lane 0.
    """

    origin: Expr
    start: Expr
    stop: Expr
    padded_stop: Expr

    @property
    def count(self) -> Expr:
        return self.stop - self.start


def reach(window: Window, axis: int, at: Expr, inside: bool = False) -> Reach:
    """The taps of one dimension at output position `at`; `inside`: all of them are known to be in the input."""
    kernel, dilation = window.kernel[axis], window.dilations[axis]
    origin = at * window.strides[axis] - window.begins[axis]
    whole = index(kernel)
    extent, end = window.input[axis], window.ends[axis]
    last = (window.output[axis] - 1) * window.strides[axis] - window.begins[axis]
    taps = (kernel - 1) * dilation
    start: Expr = index(0)
    stop: Expr = whole
    if not inside and window.begins[axis] > 0:
        start = minimum(maximum(index(0) - origin, 0) + (dilation - 1), kernel * dilation) // dilation
    if not inside and last + taps >= extent:
        stop = maximum(minimum((index(extent + dilation - 1) - origin) // dilation, kernel), start)
    padded = whole
    if last + taps >= extent + end:
        padded = maximum(minimum((index(extent + end + dilation - 1) - origin) // dilation, kernel), 0)
    return Reach(origin, start, stop, padded)


def named_reaches(
    window: Window, axes: Sequence[int], point: Mapping[int, Expr], inside: int | None = None
) -> tuple[list[Stmt], list[Reach]]:
    """Statements that name the taps of some spatial dimensions at an output `[N, C, spatial…]`, and the taps; all those of
    dimension `inside` are known to be in the input.
    """
    lets: list[Stmt] = []
    reaches: list[Reach] = []
    for axis in axes:
        taps = reach(window, axis, point[axis + 2], axis + 2 == inside)
        named = []
        for part, value in (
            ("origin", taps.origin),
            ("start", taps.start),
            ("stop", taps.stop),
            ("padded", taps.padded_stop),
        ):
            if isinstance(value, Const | Var):
                named.append(value)
                continue
            var = Var(f"{part}{axis}")
            lets.append(Let(var, value))
            named.append(var)
        reaches.append(Reach(*named))
    return lets, reaches


def interior(window: Window, axis: int) -> tuple[int, int]:
    """The range of output positions whose taps all lie inside the input."""
    step, taps = window.strides[axis], (window.kernel[axis] - 1) * window.dilations[axis]
    first = -(-window.begins[axis] // step)
    stop = (window.input[axis] - 1 - taps + window.begins[axis]) // step + 1
    first = min(max(first, 0), window.output[axis])
    return first, min(max(stop, first), window.output[axis])


# Writes the outputs of one tile: `(index of lane 0 in all dimensions, vector dimension, lanes, reach of each spatial dimension)`.
Tile = Callable[[list[Expr], int | None, int, list[Reach]], Sequence[Stmt]]


def window_loops(
    strides: Sequence[int], shape: tuple[int, ...], window: Window, lanes: int, tile: Tile, grid: bool = False
) -> tuple[Stmt, ...]:
    """Loops over all outputs `[N, C, spatial…]`: vectors run along the dimension that is contiguous in memory.

    Along channels all lanes share their taps. Along the last spatial dimension full vectors cover the outputs whose taps are
    all inside; those near the border are written one by one. For a machine with groups (`grid`) all are written alike.
    """
    out_shape = (*shape[:2], *window.output)
    inner = contiguous_axis(strides, shape)
    if inner is None or inner == 0 or 1 < inner < len(shape) - 1:
        inner, lanes = len(shape) - 1, 1
    order = [axis for axis in by_storage_order(strides, shape) if axis != inner]
    outer = [out_shape[axis] for axis in order]

    def bind(where: tuple[Expr, ...]) -> dict[int, Expr]:
        return dict(zip(order, where, strict=True))

    def reaches(point: dict[int, Expr], inside: bool) -> tuple[list[Stmt], list[Reach]]:
        return named_reaches(window, range(window.rank), point, inner if inside else None)

    if inner == 1:

        def channels(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
            point = bind(where) | {1: start}
            lets, taps = reaches(point, False)
            return (*lets, *tile([point[axis] for axis in range(len(shape))], 1, size, taps))

        sizes = (4 * lanes, *vector_sizes(lanes)) if lanes > 1 else (1,)
        return parallel_tiles("channel", outer, out_shape[1], sizes, channels)

    first, stop = interior(window, window.rank - 1)

    def row(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:  # noqa: ARG001
        fixed = bind(where)

        def write(at: Expr, width: int, inside: bool) -> Sequence[Stmt]:
            point = fixed | {inner: at}
            lets, taps = reaches(point, inside)
            return (
                *lets,
                *tile([point[axis] for axis in range(len(shape))], inner if width > 1 else None, width, taps),
            )

        if grid:
            return loop("at", out_shape[inner], lambda at: write(at, 1, False))
        return (
            *loop("left", first, lambda at: write(at, 1, False)),
            *tiles(
                "middle", stop - first, vector_sizes(lanes), lambda at, width: write(at + first, width, True)
            ),
            *loop("right", out_shape[inner] - stop, lambda at: write(at + stop, 1, False)),
        )

    return parallel_tiles("row", outer, 1, (1,), row)


def tap_loops(reaches: Sequence[Reach], body: Callable[[list[Expr]], Sequence[Stmt]]) -> tuple[Stmt, ...]:
    """Loops over the taps inside the input of those dimensions that `reaches` tells of; `body` gets the tap of each of them."""

    def level(axis: int, taps: list[Expr]) -> Sequence[Stmt]:
        if axis == len(reaches):
            return body(taps)
        span = reaches[axis]
        name = f"tap{axis}"
        if isinstance(span.start, Const) and isinstance(span.stop, Const):
            return loop(
                name,
                int(span.stop.value) - int(span.start.value),
                lambda tap: level(axis + 1, [*taps, tap + span.start]),
            )
        var = Var(name)
        return (For(var, span.count, tuple(level(axis + 1, [*taps, var + span.start])), LoopKind.SERIAL),)

    return tuple(level(0, []))
