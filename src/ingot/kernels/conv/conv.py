"""Convolution: direct, over feature maps stored with channels last.

Weights are packed while building as `[group, panel, kernel…, channel, width]`: a panel is the `width` output channels whose
accumulators one register block holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ingot.base.tensor import TensorType
from ingot.kernels.algorithm import Algorithm, Estimate, build, needs_grid, needs_processor, why_not
from ingot.kernels.blocks.register_block import Tile, rows_without_conflict, tiles
from ingot.kernels.blocks.transposed_store import UNIT, transposing_tiles, worth_transposing
from ingot.kernels.conv.amx import AMX
from ingot.kernels.conv.depthwise.depthwise import UNROLLED_MAX, build_depthwise
from ingot.kernels.conv.grid import build_grid_conv, build_grid_depthwise
from ingot.kernels.conv.input_copy import near_input
from ingot.kernels.conv.pairwise import PAIRWISE
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.reduce_input_channels import (
    OUTPUTS_MAX,
    fills_vectors,
    has_few_outputs,
    tile_of,
    why_not_input_channels,
)
from ingot.kernels.conv.rows import Row, Weight, write_rows
from ingot.kernels.conv.winograd.winograd import WINOGRAD, suits_winograd
from ingot.kernels.template import Rows, Site, Template
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import accumulator_type, across_lines
from ingot.loops.nodes import Stmt, compare, load, select
from ingot.machines.tuning import DEFAULT, TransposedStore


def channels_last(rank: int) -> tuple[int, ...]:
    """The storage order N, spatial…, C of a feature map `[N, C, spatial…]`."""
    return (0, *range(2, rank), 1)


def conv_template(spec: ConvSpec) -> Template:
    """A convolution (cross-correlation) of float or integer tensors.

    *Source:* ONNX Conv-22.
    """
    depthwise = is_depthwise(spec)
    # Their vectors are channels of the input, too.
    by_channels = depthwise or suits_winograd(spec) or has_few_outputs(spec.x, spec.w.shape[0], spec.group)
    order = channels_last(spec.y.rank)
    independent, windows = spec.along_axes(0.0)
    return Template(
        "depthwise_conv" if depthwise else "conv",
        (spec.x, spec.w),
        (spec.y,),
        lambda site: build(site, FAMILY, spec, CONV),
        spec={
            "kernel": spec.kernel,
            "strides": spec.strides,
            "dilations": spec.dilations,
            "pads": (*spec.pads_begin, *spec.pads_end),
            "group": spec.group,
        },
        prefers={("output", 0): order} | ({("input", 0): order} if by_channels else {}),
        # No machine is known yet.
        turns=not depthwise and turns(spec, DEFAULT.transposed_store),
        spares=suits_winograd(spec),
        rows=_rows(spec),
        independent=independent,
        windowed=windows,
    )


def _rows(spec: ConvSpec) -> Rows | None:
    """How some rows of an image are made alone; None where the algorithm works on squares of several rows."""
    if spec.spatial_rank != 2 or suits_winograd(spec):
        return None

    def make(first: int, stop: int) -> tuple[Template, int, int] | None:
        cut = spec.cut(first, stop)
        return None if cut is None else (conv_template(cut[0]), *cut[1:])

    return Rows(make, 2 * spec.y.shape[0] * math.prod(spec.w.shape) * spec.y.shape[-1])


def is_depthwise(spec: ConvSpec) -> bool:
    """Whether each group has one input and one output channel, and few enough taps to write them out."""
    each = spec.group > 1 and spec.w.shape[1] == 1 and spec.w.shape[0] == spec.group == spec.x.shape[1]
    return each and spec.kernel[-1] <= UNROLLED_MAX


def _why_not_depthwise(spec: ConvSpec) -> str:
    several = f"groups have several channels, or a row has more than {UNROLLED_MAX} taps"
    return why_not((spec.group == 1, "there are no groups of channels"), (not is_depthwise(spec), several))


def _unless_depthwise(_site: Site, spec: ConvSpec) -> Estimate:
    return Estimate(True, worth_measuring=not is_depthwise(spec))


GRID_DEPTHWISE = Algorithm(
    "grid_depthwise",
    build_grid_depthwise,
    lambda site, spec: needs_grid(site, spec) or _why_not_depthwise(spec),
)
GRID = Algorithm("grid", build_grid_conv, needs_grid, estimate=_unless_depthwise)
DEPTHWISE = Algorithm(
    "depthwise", build_depthwise, lambda site, spec: needs_processor(site, spec) or _why_not_depthwise(spec)
)


def _refuses_input_channels(site: Site, spec: ConvSpec) -> str:
    outputs = spec.w.shape[0]
    if not has_few_outputs(spec.x, outputs, spec.group):
        return f"there are more than {OUTPUTS_MAX} output channels, or too few input channels, or groups"
    return why_not_input_channels(site, spec.x, outputs, spec.y.shape[-1])


def _build_by_input_channels(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    row = _row_by_inputs(site, spec, tile_of(site.machine, spec.w.shape[0], spec.y.shape[-1]))
    k = Builder()
    write_rows(k, site, [(lambda _: row, 1)])
    return k.statements()


INPUT_CHANNELS = Algorithm(
    "input_channels",
    _build_by_input_channels,
    _refuses_input_channels,
    estimate=lambda site, spec: Estimate(pays=fills_vectors(site, spec.x, math.prod(spec.kernel))),
)


def _build_direct(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    per_group = spec.w.shape[0] // spec.group
    inlined = site.is_inlined(0)
    apart = 1 if inlined else site.input(0).strides[-1] * spec.strides[-1] * spec.x.dtype.size_bytes
    transposed_lanes = _transposed_lanes(site, spec)
    problem = (
        site.machine,
        accumulator_type(spec.y.dtype),
        spec.y.shape[-1],
        per_group,
        rows_without_conflict(apart),
    )
    steps = spec.w.shape[1] * math.prod(spec.kernel)
    tile = site.choose("tile", transposing_tiles(*problem, steps) if transposed_lanes else tiles(*problem))
    k = Builder()
    weight = _weights(k, site, spec, tile, -(-per_group // tile.columns))
    packed = site.packed[1][0] if 1 in site.packed else None
    near = near_input(site, spec)
    copied, of, read = near or ((), spec, lambda *where: site.read(0, *where))
    k.emit(copied)
    row = Row(
        of,
        tile,
        read,
        weight,
        lambda where, value: site.write(0, where, value),
        site.machine.tuning,
        packed,
        source=site.input(0) if site.machine.prefetch and not inlined and not near else None,
        prefetches=site.machine.prefetch,
        transposed=transposed_lanes,
    )
    write_rows(k, site, [(lambda _: row, 1)])
    return k.statements()


# Of a depthwise convolution it would use one lane of each vector.
DIRECT = Algorithm("direct", _build_direct, needs_processor, estimate=_unless_depthwise)
FAMILY = "conv"
CONV = (GRID_DEPTHWISE, GRID, DEPTHWISE, *WINOGRAD, INPUT_CHANNELS, AMX, PAIRWISE, DIRECT)


def turns(spec: ConvSpec, tuning: TransposedStore) -> bool:
    """Whether a direct convolution writes planes as well as it writes channels last."""
    direct = not suits_winograd(spec) and not has_few_outputs(spec.x, spec.w.shape[0], spec.group)
    plane_bytes = math.prod(spec.y.shape[2:]) * spec.y.dtype.size_bytes
    return direct and worth_transposing(
        tuning, spec.y.shape[-1], spec.w.shape[0] // spec.group, plane_bytes, spec.y.size_bytes
    )


def _transposed_lanes(site: Site, spec: ConvSpec) -> int:
    """How many neighbouring results of a channel are stored at once; 0 where channels lie side by side, or nothing is gained."""
    machine, strides = site.machine, site.outputs[0].strides
    lanes = machine.lanes(accumulator_type(spec.y.dtype))
    pays = turns(spec, machine.tuning.transposed_store)
    if not pays or strides[1] == 1 or strides[-1] != 1 or not machine.l2_bytes or lanes < UNIT:
        return 0
    return across_lines(lanes, strides, spec.y.dtype, machine)


def _row_by_inputs(site: Site, spec: ConvSpec, tile: Tile) -> Row:
    """A row by vectors of input channels; weights are `[kernel…, M, C]`."""
    packed = site.arrange(1, lambda array: np.moveaxis(array, (0, 1), (-2, -1)))
    return Row(
        spec,
        tile,
        lambda *where: site.read(0, *where),
        lambda _g, _panel, k, c, column: load(packed, *k, column, c),
        lambda where, value: site.write(0, where, value),
        site.machine.tuning,
        by_inputs=site,
    )


def _weights(k: Builder, site: Site, spec: ConvSpec, tile: Tile, panels: int) -> Weight:
    """Packed weights: made while building, or, where they are not constant, at the start of each run."""
    if site.is_constant(1):
        packed = site.arrange(1, lambda array: pack_weights(array, spec.group, tile.columns))
        return lambda g, panel, kernel, c, lane: load(packed, g, panel, *kernel, c, lane)
    per_group, depth = spec.w.shape[0] // spec.group, spec.w.shape[1]
    box = (spec.group, panels, *spec.kernel, depth)
    workspace = site.workspace("panels", spec.w.dtype, (*box, tile.columns))
    for g, panel, *kernel, c in k.collapse("pack", box):
        for lane in k.loop("lane", tile.columns):
            channel = panel * tile.columns + lane
            source = site.read(1, g * per_group + channel, c, *kernel)
            value = select(compare("lt", channel, per_group), source, 0)
            k.store(workspace, (g, panel, *kernel, c, lane), value)
    return lambda g, panel, kernel, c, lane: load(workspace, g, panel, *kernel, c, lane)


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


def without_unit_row(spec: ConvSpec) -> ConvSpec | None:
    """The same convolution without a last dimension of which input, kernel and output have one place; None if there is none.

    Register blocks lie along the last dimension: `[N, C, H, 1]` would be computed one output at a time.
    """
    extents = (spec.x.shape[-1], spec.kernel[-1], spec.y.shape[-1])
    if spec.spatial_rank == 1 or extents != (1, 1, 1) or spec.pads_begin[-1] or spec.pads_end[-1]:
        return None
    x, w, y = (TensorType(tensor.dtype, tensor.shape[:-1]) for tensor in (spec.x, spec.w, spec.y))
    shorter = ConvSpec(
        x,
        w,
        y,
        spec.kernel[:-1],
        spec.strides[:-1],
        spec.dilations[:-1],
        spec.pads_begin[:-1],
        spec.pads_end[:-1],
        spec.group,
    )
    return without_unit_row(shorter) or shorter


def as_one_row(spec: ConvSpec) -> ConvSpec | None:
    """A pointwise convolution of volumes as one of a single row; None if it is another.

    Short rows are neither divided well into register blocks, nor transposed when stored. (Those of images got no quicker.)
    """
    pointwise = math.prod(spec.kernel) == math.prod(spec.strides) == 1 and not any(
        (*spec.pads_begin, *spec.pads_end)
    )
    if not pointwise or spec.spatial_rank < 3:
        return None
    x, w, y = (
        TensorType(tensor.dtype, (*tensor.shape[:2], math.prod(tensor.shape[2:])))
        for tensor in (spec.x, spec.w, spec.y)
    )
    return ConvSpec(x, w, y, (1,), (1,), (1,), (0,), (0,), spec.group)
