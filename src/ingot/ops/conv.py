"""Convolution: direct, over feature maps stored with channels last.

Weights are packed while building as `[group, panel, kernel…, channel, width]`: a panel is the `width` output channels whose
accumulators one register tile holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.register_block import Tile, rows_without_conflict, tiles
from ingot.kernels.blocks.transposed_store import UNIT, turning_tiles, worth_turning
from ingot.kernels.blocks.window import AUTO_PADS, places
from ingot.kernels.conv.amx import build_conv_tiles, suits_tiles
from ingot.kernels.conv.depthwise.depthwise import UNROLLED_MAX, build_depthwise
from ingot.kernels.conv.grid import build_grid_conv, build_grid_depthwise
from ingot.kernels.conv.input_copy import near_input
from ingot.kernels.conv.pairwise import conv_in_pairs
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.reduce_input_channels import is_thin, thin_tile
from ingot.kernels.conv.rows import Row, Weight, row_tasks
from ingot.kernels.conv.winograd.winograd import build_winograd, suits_winograd, winograd_plan
from ingot.kernels.template import Rows, Site, Template
from ingot.loops.build.nest import accumulator_type, across_lines, collapse, loop
from ingot.loops.nodes import Expr, Stmt, compare, load, select, store
from ingot.ops.elementwise import map_broadcast
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor


def channels_last(rank: int) -> tuple[int, ...]:
    """The storage order N, spatial…, C of a feature map `[N, C, spatial…]`."""
    return (0, *range(2, rank), 1)


def conv_template(spec: ConvSpec) -> Template:
    """A convolution (cross-correlation) of float or integer tensors.

    *Source:* ONNX Conv-22.
    """
    depthwise = spec.group > 1 and spec.w.shape[1] == 1 and spec.w.shape[0] == spec.group == spec.x.shape[1]
    depthwise = depthwise and spec.kernel[-1] <= UNROLLED_MAX
    # Their vectors are channels of the input, too.
    by_channels = depthwise or suits_winograd(spec) or is_thin(spec.x, spec.w.shape[0], spec.group)
    order = channels_last(spec.y.rank)
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
        prefers={("output", 0): order} | ({("input", 0): order} if by_channels else {}),
        turns=not depthwise and turns(spec),
        spares=suits_winograd(spec),
        rows=_rows(spec),
    )


def _rows(spec: ConvSpec) -> Rows | None:
    """How some rows of a picture are made alone; None where the algorithm works on squares of several rows."""
    if spec.spatial_rank != 2 or suits_winograd(spec):
        return None

    def make(first: int, stop: int) -> tuple[Template, int, int] | None:
        found = spec.cut(first, stop)
        return None if found is None else (conv_template(found[0]), *found[1:])

    return Rows(make, 2 * spec.y.shape[0] * math.prod(spec.w.shape) * spec.y.shape[-1])


def _build_depthwise(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    return build_grid_depthwise(site, spec) if site.machine.grid else build_depthwise(site, spec)


def _build(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    if site.machine.grid:
        return build_grid_conv(site, spec)
    plan = winograd_plan(site, spec)
    return _build_direct(site, spec) if plan is None else build_winograd(site, spec, plan)


def _build_direct(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    per_group = spec.w.shape[0] // spec.group
    thin = None
    if is_thin(spec.x, spec.w.shape[0], spec.group):
        thin = thin_tile(site, spec.x, per_group, math.prod(spec.kernel), spec.y.shape[-1])
    if thin is not None:
        row = _thin_row(site, spec, thin)
        return row_tasks(site, [(lambda _: row, 1)])
    if suits_tiles(site, spec):
        return build_conv_tiles(site, spec)
    if (pairs := conv_in_pairs(site, spec)) is not None:
        return pairs
    inlined = site.is_inlined(0)
    apart = 1 if inlined else site.input(0).strides[-1] * spec.strides[-1] * spec.x.dtype.size_bytes
    turned = turned_lanes(site, spec)
    problem = site.machine, accumulator_type(spec.y.dtype), spec.y.shape[-1], per_group, rows_without_conflict(apart)
    steps = spec.w.shape[1] * math.prod(spec.kernel)
    tile = site.choose("tile", turning_tiles(*problem, steps) if turned else tiles(*problem))
    prologue, weight = _weights(site, spec, tile, -(-per_group // tile.columns))
    packed = site.packed[1][0] if 1 in site.packed else None
    source = site.input(0) if site.machine.prefetch and not inlined else None
    near = near_input(site, spec)
    copied, of, read = near or ((), spec, lambda *where: site.read(0, *where))
    source = None if near else source
    def write(where: tuple[Expr, ...], value: Expr) -> Sequence[Stmt]:
        return site.write(0, where, value)

    made = Row(of, tile, read, weight, write, packed, source=source, asks=site.machine.prefetch, turned=turned)
    return (*prologue, *copied, *row_tasks(site, [(lambda _: made, 1)]))


def turns(spec: ConvSpec) -> bool:
    """Whether a direct convolution writes planes as well as it writes channels last."""
    direct = not suits_winograd(spec) and not is_thin(spec.x, spec.w.shape[0], spec.group)
    plane_bytes = math.prod(spec.y.shape[2:]) * spec.y.dtype.size_bytes
    return direct and worth_turning(spec.y.shape[-1], spec.w.shape[0] // spec.group, plane_bytes, spec.y.size_bytes)


def turned_lanes(site: Site, spec: ConvSpec) -> int:
    """How many neighbouring results of a channel are stored at once; 0 where channels lie side by side, or nothing is gained."""
    machine, strides = site.machine, site.outputs[0].strides
    lanes = machine.lanes(accumulator_type(spec.y.dtype))
    if not turns(spec) or strides[1] == 1 or strides[-1] != 1 or not machine.l2_bytes or lanes < UNIT:
        return 0
    return across_lines(lanes, strides, spec.y.dtype, machine)


def _thin_row(site: Site, spec: ConvSpec, tile: Tile) -> Row:
    """A row by vectors of input channels; weights are `[kernel…, M, C]`."""
    array = site.constant(1)
    assert array is not None, "weights are packed while building"
    packed = site.pack(1, np.moveaxis(array, (0, 1), (-2, -1)))
    return Row(
        spec,
        tile,
        lambda *where: site.read(0, *where),
        lambda _g, _panel, k, c, column: load(packed, *k, column, c),
        lambda where, value: site.write(0, where, value),
        thin=site,
    )


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
    if mode not in AUTO_PADS:
        call_.unsupported(f"auto_pad {mode!r} is not one of {', '.join(AUTO_PADS)}")
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
        call_.unsupported(f"{x.shape[1]} channels and weights {list(w.shape)} do not fit {group} groups")
    outputs = tuple(
        places(begin + extent + end, (size - 1) * dilation + 1, stride)
        for begin, extent, end, size, dilation, stride in zip(
            begins, x.shape[2:], ends, kernel, dilations, strides, strict=True
        )
    )
    y = TensorType(out or x.dtype, (x.shape[0], w.shape[0], *outputs))
    return ConvSpec(x, w, y, kernel, strides, dilations, begins, ends, group)


def without_unit_row(spec: ConvSpec) -> ConvSpec | None:
    """The same convolution without a last dimension of which input, kernel and output have one place; None if there is none.

    Register tiles lie along the last dimension: `[N, C, H, 1]` would be computed one output at a time.
    """
    extents = (spec.x.shape[-1], spec.kernel[-1], spec.y.shape[-1])
    if spec.spatial_rank == 1 or extents != (1, 1, 1) or spec.pads_begin[-1] or spec.pads_end[-1]:
        return None
    x, w, y = (TensorType(one.dtype, one.shape[:-1]) for one in (spec.x, spec.w, spec.y))
    shorter = ConvSpec(
        x, w, y, spec.kernel[:-1], spec.strides[:-1], spec.dilations[:-1], spec.pads_begin[:-1], spec.pads_end[:-1], spec.group
    )
    return without_unit_row(shorter) or shorter


def as_one_row(spec: ConvSpec) -> ConvSpec | None:
    """A pointwise convolution of volumes as one of a single row; None if it is another.

    Short rows are neither divided well into register tiles, nor turned when they are stored. (Those of pictures got no quicker.)
    """
    pointwise = math.prod(spec.kernel) == math.prod(spec.strides) == 1 and not any((*spec.pads_begin, *spec.pads_end))
    if not pointwise or spec.spatial_rank < 3:
        return None
    x, w, y = (TensorType(one.dtype, (*one.shape[:2], math.prod(one.shape[2:]))) for one in (spec.x, spec.w, spec.y))
    return ConvSpec(x, w, y, (1,), (1,), (1,), (0,), (0,), spec.group)


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
    call_.require_shape(2, "bias", w.shape[:1])
    result = spec.y.shape
    if (flat := without_unit_row(spec) or as_one_row(spec)) is not None:
        spec, x, w = flat, emit.reshape(x, flat.x.shape), emit.reshape(w, flat.w.shape)
    (y,) = emit.template(conv_template(spec), [x, w])
    return (emit.reshape(add_channel_bias(call_, emit, y, call_.optional(2)), result),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Conv", 1, _lower_conv),
)
