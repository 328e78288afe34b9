"""Convolution: direct, over feature maps stored with channels last.

Weights are packed while building as `[group, panel, kernel…, channel, width]`: a panel is the `width` output channels whose
accumulators one register tile holds. Nothing is padded: the tiles at the ends of a row know which of their taps lie outside, and
a row near the border leaves out the rows of the kernel that do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ingot.loops.define import Site, Template, either
from ingot.loops.nest import accumulator_type, collapse, loop, nest
from ingot.loops.nodes import (
    Const,
    Expr,
    Let,
    Stmt,
    Var,
    cast,
    compare,
    index,
    load,
    select,
    store,
)
from ingot.ops.conv_spec import ConvSpec
from ingot.ops.depthwise import UNROLLED_MAX, build_depthwise
from ingot.ops.elementwise import map_broadcast
from ingot.ops.grid_conv import build_grid_conv, build_grid_depthwise
from ingot.ops.matmul import parts
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.register_tile import Step, Tile, accumulate, row_tiles, tiles
from ingot.ops.winograd import build_winograd, winograd_plan
from ingot.tensor import DType, TensorType


def channels_last(rank: int) -> tuple[int, ...]:
    """The storage order N, spatial…, C of a feature map `[N, C, spatial…]`."""
    return (0, *range(2, rank), 1)


def conv_template(spec: ConvSpec) -> Template:
    """A convolution (cross-correlation) of float or integer tensors.

    *Source:* ONNX Conv-22.
    """
    depthwise = spec.group > 1 and spec.w.shape[1] == 1 and spec.w.shape[0] == spec.group == spec.x.shape[1]
    depthwise = depthwise and spec.kernel[-1] <= UNROLLED_MAX
    return Template(
        "depthwise_conv" if depthwise else "conv",
        (spec.x, spec.w),
        (spec.y,),
        (lambda site: _build_depthwise(site, spec)) if depthwise else (lambda site: _build(site, spec)),
        spec={
            "kernel": spec.kernel,
            "strides": spec.strides,
            "dilations": spec.dilations,
            "pads": (*spec.pads_begin, *spec.pads_end),
            "group": spec.group,
        },
        prefers={("output", 0): channels_last(spec.y.rank)},
    )


def _build_depthwise(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    return build_grid_depthwise(site, spec) if site.machine.grid else build_depthwise(site, spec)


def _build(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    if site.machine.grid:
        return build_grid_conv(site, spec)
    plan = winograd_plan(site, spec)
    return _build_direct(site, spec) if plan is None else build_winograd(site, spec, plan)


def _build_direct(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    group = spec.group
    batch, (out_channels, depth) = spec.x.shape[0], spec.w.shape[:2]
    per_group = out_channels // group
    *outer_extents, row_width = spec.y.shape[2:]
    acc_type = accumulator_type(spec.y.dtype)
    tile = site.choose("tile", tiles(site.machine, acc_type, row_width, per_group))
    panels = -(-per_group // tile.columns)
    prologue, weight = _weights(site, spec, tile, panels)
    left, right = spec.row_ends(tile.rows)

    def row_of_outputs(n: Expr, g: Expr, panel: Expr, outer: Sequence[Expr], width: int) -> Sequence[Stmt]:
        channel = g * per_group + panel * tile.columns
        names = _Bounds(spec, outer)

        def tile_of(start: Expr, size: int) -> Sequence[Stmt]:
            def tap(step: Step, k: Sequence[Expr], rows: Sequence[Expr], last: Expr) -> Sequence[Stmt]:
                """All channels of one tap; what lies outside is zero, and a tap that is outside for all outputs is left out."""
                inside = [spec.column_inside(start + row, last) for row in range(size)]
                if all(isinstance(each, Const) and not each.value for each in inside):
                    return ()

                def value(row: int, c: Expr) -> Expr:
                    column = (start + row) * spec.strides[-1] + (last * spec.dilations[-1] - spec.pads_begin[-1])
                    return cast(select(inside[row], site.read(0, n, g * depth + c, *rows, column), 0), acc_type)

                return loop(
                    "c",
                    depth,
                    lambda c: step(
                        lambda row: value(row, c), lambda lane: cast(weight(g, panel, (*k, last), c, lane), acc_type)
                    ),
                )

            def reduction(step: Step) -> Sequence[Stmt]:
                def taps(k: Sequence[Expr], rows: Sequence[Expr]) -> Sequence[Stmt]:
                    # At the ends of a row the taps are written out, so that what lies outside is known while building.
                    if isinstance(start, Const) and spec.pads_row and spec.kernel[-1] <= UNROLLED_MAX:
                        return [stmt for last in range(spec.kernel[-1]) for stmt in tap(step, k, rows, index(last))]
                    return loop(f"k{spec.spatial_rank - 1}", spec.kernel[-1], lambda last: tap(step, k, rows, last))

                return names.rows(taps)

            def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
                return site.write(0, (n, channel + column, *outer, start + row), cast(value, spec.y.dtype))

            return accumulate(size, tile, acc_type, reduction, write, width)

        middle = row_tiles("w", row_width - left - right, tile.rows, lambda start, size: tile_of(start + left, size))
        return (
            *names.stmts,
            *(tile_of(index(0), left) if left else ()),
            *middle,
            *(tile_of(index(row_width - right), right) if right else ()),
        )

    stmts = tuple(prologue)
    weights_bytes = panels * math.prod(spec.kernel) * depth * tile.columns * acc_type.size_bytes
    fitting = weights_bytes <= site.machine.l2_bytes // 2
    rows_outside = site.choose("outer", either("rows", "panels", fitting))
    for first, count, width in parts(per_group, tile.columns):

        def task(where: tuple[Expr, ...], first: int = first, width: int = width) -> Sequence[Stmt]:
            if rows_outside:
                n, *outer, g, panel = where
            else:
                n, g, panel, *outer = where
            return row_of_outputs(n, g, panel + first, outer, width)

        rows = (*outer_extents,)
        box = (batch, *rows, group, count) if rows_outside else (batch, group, count, *rows)
        stmts += collapse(f"task{width}", box, task)
    return stmts


class _Bounds:
    """Which rows of the kernel lie in the input for a row of outputs; `stmts` compute that."""

    def __init__(self, spec: ConvSpec, outer: Sequence[Expr]) -> None:
        self.spec, self.outer = spec, outer
        self.stmts: list[Stmt] = []
        self._ranges: list[tuple[Expr, Expr]] = []
        for axis, at in enumerate(outer):
            bounds: list[Expr] = []
            for name, value in zip(("begin", "end"), spec.taps_inside(axis, at), strict=True):
                if isinstance(value, Const):
                    bounds.append(value)
                    continue
                self.stmts.append(Let(Var(f"{name}{axis}"), value))
                bounds.append(Var(f"{name}{axis}"))
            self._ranges.append((bounds[0], bounds[1]))

    def rows(self, body: Callable[[Sequence[Expr], Sequence[Expr]], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """Loops over the rows that lie inside; `body` gets the position in the kernel and in the input, but for the last axis."""
        spec = self.spec

        def inner(begun: tuple[Expr, ...]) -> Sequence[Stmt]:
            k = [begin + at for (begin, _), at in zip(self._ranges, begun, strict=True)]
            where = [
                at * stride + (kk * dilation - pad)
                for at, stride, kk, dilation, pad in zip(
                    self.outer, spec.strides, k, spec.dilations, spec.pads_begin, strict=False
                )
            ]
            return body(k, where)

        return nest([f"k{axis}" for axis in range(len(self.outer))], [end - begin for begin, end in self._ranges], inner)


Weight = Callable[[Expr, Expr, Sequence[Expr], Expr, Expr], Expr]  # group, panel, kernel index, channel, lane


def _weights(site: Site, spec: ConvSpec, tile: Tile, panels: int) -> tuple[tuple[Stmt, ...], Weight]:
    """Packed weights: made while building, or, where they are not constant, at the start of each run."""
    array = site.constant(1)
    if array is not None:
        packed = site.pack(1, pack_weights(array, spec.group, tile.columns))
        return (), lambda g, panel, k, c, lane: load(packed, g, panel, *k, c, lane)
    per_group, depth = spec.w.shape[0] // spec.group, spec.w.shape[1]
    workspace = site.workspace(
        "panels", spec.w.dtype, (spec.group, panels, *spec.kernel, depth, tile.columns)
    )

    def copy(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        g, panel, *k, c = where

        def one(lane: Expr) -> tuple[Stmt, ...]:
            channel = panel * tile.columns + lane
            source = site.read(1, g * per_group + channel, c, *k)
            value = select(compare("lt", channel, per_group), source, 0)
            return (store(workspace, (*where, lane), value),)

        return loop("lane", tile.columns, one)

    stmts = collapse("pack", (spec.group, panels, *spec.kernel, depth), copy)
    return stmts, lambda g, panel, k, c, lane: load(workspace, g, panel, *k, c, lane)


def pack_weights(array: np.ndarray, group: int, width: int) -> np.ndarray:
    """`[M, C, kernel…]` → `[group, panel, kernel…, C, width]`, filled with zeros to whole panels."""
    out_channels, depth, *kernel = array.shape
    per_group = out_channels // group
    panels = -(-per_group // width)
    padded = np.zeros((group, panels * width, depth, *kernel), array.dtype)
    padded[:, :per_group] = array.reshape(group, per_group, depth, *kernel)
    split = padded.reshape(group, panels, width, depth, *kernel)
    rank = len(kernel)
    return np.ascontiguousarray(split.transpose(0, 1, *range(4, 4 + rank), 3, 2))


# ─── lowering ──────────────────────────────────────────────────────────────────────────────────────────────────────


def window_padding(
    call_: OpCall,
    extents: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Padding in front and behind from the attributes `pads` and `auto_pad`."""
    rank = len(kernel)
    mode = call_.attr("auto_pad", "NOTSET")
    if mode in ("SAME_UPPER", "SAME_LOWER"):
        begins, ends = [], []
        for extent, size, stride, dilation in zip(extents, kernel, strides, dilations, strict=True):
            total = max(0, (-(-extent // stride) - 1) * stride + (size - 1) * dilation + 1 - extent)
            small = total // 2
            begins.append(small if mode == "SAME_UPPER" else total - small)
            ends.append(total - begins[-1])
        return tuple(begins), tuple(ends)
    pads = [0] * (2 * rank) if mode == "VALID" else [int(pad) for pad in call_.attr("pads", [0] * (2 * rank))]
    if any(pad < 0 for pad in pads):
        call_.unsupported(f"negative pads {pads}")
    return tuple(pads[:rank]), tuple(pads[rank:])


def conv_spec(call_: OpCall, x: TensorType, w: TensorType, out: DType | None = None) -> ConvSpec:
    """The numbers of a Conv-like node, checked."""
    rank = x.rank - 2
    if rank < 1 or w.rank != x.rank:
        call_.unsupported(f"convolution of {x} with weights {w}")
    kernel = w.shape[2:]
    if tuple(call_.attr("kernel_shape", kernel)) != kernel:
        call_.unsupported(f"kernel_shape {tuple(call_.attr('kernel_shape'))} differs from that of the weights {kernel}")
    strides = tuple(call_.attr("strides", [1] * rank))
    dilations = tuple(call_.attr("dilations", [1] * rank))
    begins, ends = window_padding(call_, x.shape[2:], kernel, strides, dilations)
    group = int(call_.attr("group", 1))
    if x.shape[1] != w.shape[1] * group or w.shape[0] % group:
        call_.unsupported(f"{x.shape[1]} channels and weights {w.shape} do not fit {group} groups")
    outputs = tuple(
        (begin + extent + end - (size - 1) * dilation - 1) // stride + 1
        for begin, extent, end, size, dilation, stride in zip(
            begins, x.shape[2:], ends, kernel, dilations, strides, strict=True
        )
    )
    y = TensorType(out or x.dtype, (x.shape[0], w.shape[0], *outputs))
    return ConvSpec(x, w, y, kernel, strides, dilations, begins, ends, group)


def add_channel_bias(call_: OpCall, emit: Emitter, y: Tensor, bias: Tensor | None) -> Tensor:
    """Emits `y [N, C, …] + bias [C]`."""
    if bias is None:
        return y
    shaped = emit.reshape(bias, (bias.shape[0], *[1] * (y.rank - 2)))
    return map_broadcast(call_, emit, [y, shaped], y.type, lambda a, b: a + b, "bias")


def _lower_conv(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ONNX Conv 1, 11, 22: any number of spatial dimensions, groups, dilations, `auto_pad`."""
    x, w = call_.input(0), call_.input(1)
    spec = conv_spec(call_, x.type, w.type)
    (y,) = emit.template(conv_template(spec), [x, w])
    return (add_channel_bias(call_, emit, y, call_.optional(2)),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Conv", 1, _lower_conv),
)
