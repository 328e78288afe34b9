"""The weights of an integer convolution by register blocks, packed while building."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ingot.kernels.blocks.dot_block import (
    WORD,
    Factors,
    dot_tiles,
    factors,
    pack_columns,
    reads_int8x4,
    spreads_int8x4,
    unsigned_zero,
)
from ingot.kernels.blocks.register_block import Tile
from ingot.kernels.conv.int8.problem import QConv, is_depthwise, known_operands
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site
from ingot.loops.nodes import Buffer


@dataclass(frozen=True, slots=True)
class Reduction:
    """The loops of a reduction: extents in front, then steps. `merged`: the steps run over the last kernel dimension too."""

    outer: tuple[int, ...]
    steps: int
    merged: bool


@dataclass(frozen=True, slots=True, eq=False)
class PackedWeights:
    """Weights and the numbers that sums start from, by panels of `tile.columns` output channels of each group.

    `kind` is what a step of the sum takes; `in_place` says that it takes packed values of the input from where they are.
    """

    kind: Factors
    in_place: bool
    reduction: Reduction
    tile: Tile
    weights: Buffer
    starts: Buffer


def factors_of(site: Site) -> Factors:
    """What a step of a sum takes there."""
    return factors(site.machine, known_operands(site)[0])


def offered_tiles(site: Site, spec: ConvSpec, kind: Factors) -> dict[str, Tile]:
    """The register blocks to choose between, the best first."""
    return dot_tiles(site.machine, spec.y.shape[-1], spec.w.shape[0] // spec.group, kind)


def pack_weights(site: Site, problem: QConv) -> PackedWeights:
    """Chooses a register block and packs for it."""
    spec, kind = problem.spec, factors_of(site)
    array, begin = known_operands(site)
    in_place = (
        kind.takes_int8x4
        and not spec.has_padding
        and spec.w.shape[1] % WORD == 0
        and reads_int8x4(site, 0, 1)
    )
    in_place = in_place and spreads_int8x4(site.machine, spec.x.dtype, spec.w.shape[1])
    reduction = _reduction(spec, in_place, kind.per_step)
    tile = site.choose("tile", offered_tiles(site, spec, kind))
    packed = site.pack(1, _pack(array, spec, reduction, tile, kind))
    starts = kind.starts(_of_unsigned(problem, begin, array), array).reshape(spec.group, -1)
    return PackedWeights(
        kind, in_place, reduction, tile, packed, site.pack(2, pack_columns(starts, tile.columns))
    )


def _of_unsigned(problem: QConv, begin: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """What sums over unsigned values start from; those of a depthwise convolution are given for values as they are."""
    spec = problem.spec
    if not is_depthwise(spec):
        return begin
    sums = weights.reshape(weights.shape[0], -1).sum(axis=1, dtype=np.int64)
    return np.asarray(begin.astype(np.int64) - unsigned_zero(0, spec.x.dtype) * sums).astype(np.int32)


def _reduction(spec: ConvSpec, in_place: bool, values: int) -> Reduction:
    depth = spec.w.shape[1]
    if not in_place and spec.group == 1 and spec.dilations[-1] == 1:
        return Reduction(spec.kernel[:-1], -(-spec.kernel[-1] * depth // values), True)
    return Reduction(spec.kernel, -(-depth // values), False)


def _pack(array: np.ndarray, spec: ConvSpec, reduction: Reduction, tile: Tile, kind: Factors) -> np.ndarray:
    """`[M, C/group, *kernel]` → `[group, panel, *outer kernel, step, what a step takes]`."""
    out_channels, depth, *kernel = array.shape
    per_group = out_channels // spec.group
    channels_behind = np.moveaxis(array.reshape(spec.group, per_group, depth, *kernel), 2, -1)
    rows = channels_behind.reshape(spec.group, per_group, *reduction.outer, -1)
    steps = kind.pack(
        np.moveaxis(rows, 1, -2), tile.columns
    )  # [group, *outer, panel, step, what a step takes]
    return np.ascontiguousarray(np.moveaxis(steps, -3, 1))
