"""Convolution: direct, over feature maps stored with channels last.

Weights are packed while building as `[group, panel, kernel…, channel, width]`: a panel is the `width` output channels whose
accumulators one register tile holds. Zero padding is written into a workspace once, so that the inner loops have no conditions;
without padding the input is read where it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ingot.loops.define import Site, Template
from ingot.loops.nest import accumulator_type, collapse, loop, nest, vector_blocks
from ingot.loops.nodes import (
    Const,
    Expr,
    If,
    Operand,
    Stmt,
    both,
    cast,
    compare,
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
from ingot.ops.register_tile import Step, Tile, accumulate, choose_tile, row_tiles
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


# Reads the padded input: batch, channel, spatial index in the padded extents.
ReadInput = Callable[[Expr, Expr, Sequence[Expr]], Expr]


def _padded_input(site: Site, spec: ConvSpec) -> tuple[tuple[Stmt, ...], ReadInput]:
    """Statements that pad the input, if it needs that, and how to read it then."""
    if not spec.has_padding:
        return (), lambda n, c, at: site.read(0, n, c, *at)
    batch, channels = spec.x.shape[:2]
    extents, padded = spec.x.shape[2:], spec.padded
    workspace = site.workspace("padded", spec.x.dtype, (batch, *padded, channels))
    lanes = site.machine.lanes(spec.x.dtype)

    def fill(where: Sequence[Operand]) -> tuple[Stmt, ...]:
        return vector_blocks("c", channels, lanes, lambda c: (store(workspace, (*where, c), 0),))

    def copy(n: Expr, outer: Sequence[Expr], column: Expr) -> tuple[Stmt, ...]:
        begin = spec.pads_begin
        where = (n, *(at + pad for at, pad in zip((*outer, column), begin, strict=True)))
        return vector_blocks(
            "c", channels, lanes, lambda c: (store(workspace, (*where, c), site.read(0, n, c, *outer, column)),)
        )

    # Rows of the padded input are written in parallel: whole rows of zeros, or zeros, a row of the input, zeros.
    def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        n, *outer = where
        left, width, right = spec.pads_begin[-1], extents[-1], spec.pads_end[-1]
        inner = [at - pad for at, pad in zip(outer, spec.pads_begin[:-1], strict=True)]
        inside = both(
            *(
                condition
                for at, shifted, pad, extent, total in zip(
                    outer, inner, spec.pads_begin[:-1], extents[:-1], padded[:-1], strict=True
                )
                for condition in (
                    *([compare("ge", at, pad)] if pad else []),
                    *([compare("lt", shifted, extent)] if pad + extent < total else []),
                )
            )
        )
        zeros = loop("left", left, lambda w: fill((n, *outer, w)))
        zeros += loop("right", right, lambda w: fill((n, *outer, w + (left + width))))
        copied = loop("w", width, lambda w: copy(n, inner, w))
        if isinstance(inside, Const):
            return (*zeros, *copied)
        blank = loop("blank", width, lambda w: fill((n, *outer, w + left)))
        return (*zeros, If(inside, copied, blank))

    stmts = collapse("pad", (batch, *padded[:-1]), row)
    return stmts, lambda n, c, at: load(workspace, n, *at, c)


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
    tile = choose_tile(site.machine, acc_type, row_width, per_group)
    panels = -(-per_group // tile.columns)
    prologue, weight = _weights(site, spec, tile, panels)
    padding, read = _padded_input(site, spec)

    def row_of_outputs(n: Expr, g: Expr, panel: Expr, outer: Sequence[Expr], width: int) -> Sequence[Stmt]:
        channel = g * per_group + panel * tile.columns

        def tile_of(start: Expr, size: int) -> Sequence[Stmt]:
            def reduction(step: Step) -> Sequence[Stmt]:
                def at(indices: tuple[Expr, ...]) -> Sequence[Stmt]:
                    *k, c = indices
                    origin = [o * s + kk * d for o, s, kk, d in zip(outer, spec.strides, k, spec.dilations, strict=False)]
                    column = k[-1] * spec.dilations[-1]
                    return step(
                        lambda row: cast(
                            read(n, g * depth + c, (*origin, (start + row) * spec.strides[-1] + column)), acc_type
                        ),
                        lambda lane: cast(weight(g, panel, k, c, lane), acc_type),
                    )

                names = [f"k{axis}" for axis in range(spec.spatial_rank)]
                return nest([*names, "c"], [*spec.kernel, depth], at)

            def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
                return site.write(0, (n, channel + column, *outer, start + row), cast(value, spec.y.dtype))

            return accumulate(size, tile, acc_type, reduction, write, width)

        return row_tiles("w", row_width, tile.rows, tile_of)

    stmts = (*prologue, *padding)
    weights_bytes = panels * math.prod(spec.kernel) * depth * tile.columns * acc_type.size_bytes
    rows_outside = weights_bytes <= site.machine.l2_bytes // 2
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
