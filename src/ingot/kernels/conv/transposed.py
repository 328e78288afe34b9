"""Transposed convolution as convolutions: one for each place of an output between two steps of the stride.

Output `stride * q + phase` of a dimension sums the taps `k` for which `stride` divides `phase + begin - k * dilation`.
These are some steps apart, so that the outputs of one phase are a convolution of stride 1 by every so manyth tap, the last
first. With stride 1 there is one phase, and the operator is a convolution by reversed weights.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ingot.base.tensor import TensorType
from ingot.kernels.algorithm import Algorithm, Estimate, build, needs_grid, needs_processor
from ingot.kernels.blocks.register_block import Tile, tiles
from ingot.kernels.conv.conv import channels_last, pack_weights
from ingot.kernels.conv.grid import grid_conv_loops
from ingot.kernels.conv.input_copy import near_input
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.reduce_input_channels import (
    OUTPUTS_MAX,
    fills_vectors,
    has_few_outputs,
    tile_of,
    why_not_input_channels,
)
from ingot.kernels.conv.rows import Row, RowAt, Weight, write_rows
from ingot.kernels.template import Site, Template, Windowed, each_but
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import accumulator_type, collapse, flat_index, loop, nest
from ingot.loops.nodes import Expr, Stmt, compare, index, load, select, store


@dataclass(frozen=True, slots=True)
class Phase:
    """The outputs `q * stride + first`, `outputs` of them, of one dimension: tap `t` is `last - t * step` of the kernel and
    lies at input `q + t * dilation - pad`. There may be no tap, and `pad` may be negative.
    """

    first: int
    outputs: int
    taps: int
    last: int
    step: int
    dilation: int
    pad: int

    @property
    def kernel(self) -> tuple[int, ...]:
        """The places in the whole kernel, in the order of the taps."""
        return tuple(self.last - tap * self.step for tap in range(self.taps))


def phases(outputs: int, kernel: int, stride: int, dilation: int, begin: int) -> tuple[Phase, ...]:
    """All phases of a dimension that have outputs."""
    with_outputs = []
    step = stride // math.gcd(stride, dilation)
    for first in range(min(stride, outputs)):
        taps = [k for k in range(kernel) if (first + begin - k * dilation) % stride == 0]
        last = taps[-1] if taps else 0
        pad = -((first + begin - last * dilation) // stride)
        with_outputs.append(
            Phase(
                first,
                -(-(outputs - first) // stride),
                len(taps),
                last,
                step,
                dilation // math.gcd(stride, dilation),
                pad,
            )
        )
    return tuple(with_outputs)


@dataclass(frozen=True, slots=True)
class Run:
    """`count` phases that differ only in where their outputs and taps begin, each one further than the phase before."""

    phase: Phase
    count: int

    def at(self, number: int) -> Phase:
        return replace(self.phase, first=self.phase.first + number, last=self.phase.last + number)


def runs(parts: Sequence[Phase]) -> tuple[Run, ...]:
    """The phases of a dimension as runs: code is written once for each, and a stride of 16 has one or two."""
    merged: list[Run] = []
    for phase in parts:
        if merged and merged[-1].at(merged[-1].count) == phase:
            merged[-1] = replace(merged[-1], count=merged[-1].count + 1)
        else:
            merged.append(Run(phase, 1))
    return tuple(merged)


@dataclass(frozen=True, slots=True)
class TransposedSpec:
    """The numbers of a transposed convolution: `x [N, C, *spatial]`, `w [C, M/group, *kernel]`, `y [N, M, *out]`; `begins` are
    the outputs left away in front.
    """

    x: TensorType
    w: TensorType
    y: TensorType
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begins: tuple[int, ...]
    group: int

    def parts(self, axis: int) -> tuple[Phase, ...]:
        """The phases of a spatial dimension."""
        return phases(
            self.y.shape[axis + 2],
            self.w.shape[axis + 2],
            self.strides[axis],
            self.dilations[axis],
            self.begins[axis],
        )

    def convolution(self, chosen: Sequence[Phase]) -> ConvSpec:
        """What computes the outputs of one phase in each dimension. Pads are only those in front."""
        rank = len(chosen)
        kernel = tuple(phase.taps for phase in chosen)
        y = TensorType(self.y.dtype, (*self.y.shape[:2], *(phase.outputs for phase in chosen)))
        w = TensorType(self.w.dtype, (self.y.shape[1], self.x.shape[1] // self.group, *kernel))
        dilations, pads = tuple(phase.dilation for phase in chosen), tuple(phase.pad for phase in chosen)
        return ConvSpec(self.x, w, y, kernel, (1,) * rank, dilations, pads, (0,) * rank, self.group)


def conv_transpose_template(spec: TransposedSpec) -> Template:
    """*Source:* ONNX ConvTranspose-22."""
    order = channels_last(spec.y.rank)
    return Template(
        "conv_transpose",
        (spec.x, spec.w),
        (spec.y,),
        lambda site: build(site, FAMILY, spec, CONV_TRANSPOSE),
        spec={
            "strides": spec.strides,
            "dilations": spec.dilations,
            "begins": spec.begins,
            "group": spec.group,
        },
        prefers={("output", 0): order}
        | ({("input", 0): order} if has_few_outputs(spec.x, spec.y.shape[1], spec.group) else {}),
        independent=each_but(1, others=1),
        windowed=tuple(_windows(spec, axis) for axis in range(len(spec.strides))),
    )


def _windows(spec: TransposedSpec, axis: int) -> Windowed:
    """What is under an output of a dimension: output `i` reads no place behind `(i + begin) // stride`."""
    stride = spec.strides[axis]
    more = spec.y.shape[axis + 2] - spec.x.shape[axis + 2] * stride
    reach = max((more - 1 + spec.begins[axis]) // stride + 1, 0)
    return Windowed(axis + 2, 0.0, stride, more, reach=reach)


def _taps(spec: TransposedSpec) -> int:
    """Taps of an output, at most."""
    return math.prod(-(-size // stride) for size, stride in zip(spec.w.shape[2:], spec.strides, strict=True))


def _row_width(spec: TransposedSpec) -> int:
    """Outputs of a row of the widest phase."""
    return max((phase.outputs for phase in spec.parts(len(spec.strides) - 1)), default=0)


def _combinations(spec: TransposedSpec, split: Callable[[Sequence[Phase]], tuple[Run, ...]]) -> _Combinations:
    """One run of each dimension, in all ways."""
    return list(itertools.product(*(split(spec.parts(axis)) for axis in range(len(spec.strides)))))


def _build_grid(site: Site, spec: TransposedSpec) -> Sequence[Stmt]:
    """Groups of work items have each phase's loops of their own, outermost; all channels of a group are one panel."""
    combinations = _combinations(spec, lambda phases_: tuple(Run(each, 1) for each in phases_))
    prologue, weights = _weights(site, spec, combinations, spec.w.shape[1], False)
    source = _Source(spec, lambda *where: site.read(0, *where), None)

    def loops(rows: Sequence[tuple[Callable[[Expr], Row], int]], _number: int) -> Sequence[Stmt]:
        return [stmt for at, _ in rows for stmt in _grid_loops(site, at(index(0)))]

    return (*prologue, *_by_phases(site, source, Tile(1, spec.w.shape[1], 1), combinations, weights, loops))


def _build_by_input_channels(site: Site, spec: TransposedSpec) -> Sequence[Stmt]:
    combinations = _combinations(spec, runs)
    tile = tile_of(site.machine, spec.w.shape[1], _row_width(spec))
    prologue, weights = _weights(site, spec, combinations, tile.columns, True)
    source = _Source(spec, lambda *where: site.read(0, *where), site)
    return (*prologue, *_by_phases(site, source, tile, combinations, weights, _tasks(site)))


def _build_direct(site: Site, spec: TransposedSpec) -> Sequence[Stmt]:
    per_group, dtype = spec.w.shape[1], accumulator_type(spec.y.dtype)
    tile = site.choose("tile", tiles(site.machine, dtype, _row_width(spec), per_group))
    combinations = _combinations(spec, runs)
    if not combinations:
        return ()
    prologue, weights = _weights(site, spec, combinations, tile.columns, False)
    near = near_input(
        site,
        spec.convolution([run.phase for run in combinations[0]]),
        per_group * math.prod(spec.w.shape[2:]),
    )
    copied, of, read = near or ((), spec, lambda *where: site.read(0, *where))
    source = _Source(replace(spec, x=of.x), read, None)
    return (*prologue, *copied, *_by_phases(site, source, tile, combinations, weights, _tasks(site)))


def _tasks(site: Site) -> Loops:
    """Loops for processors: tasks for threads."""

    def loops(rows: Sequence[RowAt], number: int) -> Sequence[Stmt]:
        k = Builder()
        write_rows(k, site, rows, f"outer{number}")
        return k.statements()

    return loops


def _by_phases(
    site: Site,
    source: _Source,
    tile: Tile,
    combinations: _Combinations,
    weights: Sequence[WeightAt],
    loops: Loops,
) -> tuple[Stmt, ...]:
    """`loops` for the phases of the last dimension, around them those of the others."""
    stmts: tuple[Stmt, ...] = ()
    in_one_task = itertools.groupby(zip(combinations, weights, strict=True), lambda pair: pair[0][:-1])
    for number, (outer, together) in enumerate(in_one_task):
        kinds = list(together)

        def phases_of(
            numbers: tuple[Expr, ...], kinds: list[_Kind] = kinds, number: int = number
        ) -> Sequence[Stmt]:
            def row(kind: _Kind, last: Expr) -> Row:
                combination, weight = kind
                return _row(site, source, tile, combination, (*numbers, last), weight)

            return loops([(partial(row, kind), kind[0][-1].count) for kind in kinds], number)

        stmts += nest([f"phase{axis}" for axis in range(len(outer))], [run.count for run in outer], phases_of)
    return stmts


WeightAt = Callable[[Sequence[Expr]], Weight]  # from the number in each run to the weights of that phase
_Kind = tuple[tuple[Run, ...], WeightAt]
_Combinations = list[tuple[Run, ...]]
# Writes the rows of some phases of the last dimension: a function from the number in each run to the row, and the length of the
# run; and the number of these phases.
Loops = Callable[[Sequence[tuple[Callable[[Expr], Row], int]], int], Sequence[Stmt]]


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """What is convolved, and how it is read. `by_inputs`: by vectors of input channels, at this site."""

    spec: TransposedSpec
    read: Callable[..., Expr]
    by_inputs: Site | None


def _row(
    site: Site,
    source: _Source,
    tile: Tile,
    combination: Sequence[Run],
    numbers: Sequence[Expr],
    weight: WeightAt,
) -> Row:
    """The row of one phase of each dimension: the phases with these numbers in their runs."""
    spec = source.spec

    def write(where: tuple[Expr, ...], value: Expr) -> Sequence[Stmt]:
        n, channel, *at = where
        steps = zip(at, spec.strides, combination, numbers, strict=True)
        return site.write(
            0,
            (n, channel, *(q * stride + (number + run.phase.first) for q, stride, run, number in steps)),
            value,
        )

    return Row(
        spec.convolution([run.phase for run in combination]),
        tile,
        source.read,
        weight(numbers),
        write,
        site.machine.tuning,
        by_inputs=source.by_inputs,
    )


def _grid_loops(site: Site, row: Row) -> Sequence[Stmt]:
    def weight(g: Expr, taps: Sequence[Expr], c: Expr, column: Expr) -> Expr:
        return row.weight(g, index(0), taps, c, column)

    return grid_conv_loops(site, row.spec, weight, True, row.write)


def _weights(
    site: Site, spec: TransposedSpec, chosen: Sequence[tuple[Run, ...]], width: int, by_input_channels: bool
) -> tuple[tuple[Stmt, ...], list[WeightAt]]:
    """The weights of each phase in panels of `width` output channels, one phase behind the other: packed while building, or,
    where they are not constant, at the start of each run. `by_input_channels`: these lie side by side; the weights are constant.
    """
    depth, per_group = spec.x.shape[1] // spec.group, spec.w.shape[1]
    boxes = []
    for combination in chosen:
        kernel = spec.convolution([run.phase for run in combination]).kernel
        boxes.append(
            (*(run.count for run in combination), spec.group, -(-per_group // width), *kernel, depth, width)
        )
    array = site.constant(1)
    stmts: tuple[Stmt, ...] = ()
    if array is not None:
        pieces = [
            pack_weights(reversed_weights(array, spec, phases_), spec.group, width)
            for combination in chosen
            for phases_ in itertools.product(
                *([run.at(number) for number in range(run.count)] for run in combination)
            )
        ]
        place = site.pack(
            1,
            np.concatenate(
                [(piece.swapaxes(-1, -2) if by_input_channels else piece).ravel() for piece in pieces]
            ),
        )
    else:
        place = site.workspace("panels", spec.w.dtype, (sum(map(math.prod, boxes)),))
    weights: list[WeightAt] = []
    start = 0
    for combination, box in zip(chosen, boxes, strict=True):

        def weight(numbers: Sequence[Expr], box: tuple[int, ...] = box, start: int = start) -> Weight:
            def element(g: Expr, panel: Expr, k: Sequence[Expr], c: Expr, lane: Expr) -> Expr:
                if by_input_channels:
                    return load(
                        place,
                        flat_index((*numbers, g, panel, *k, lane, c), (*box[:-2], box[-1], box[-2])) + start,
                    )
                return load(place, flat_index((*numbers, g, panel, *k, c, lane), box) + start)

            return element

        def copy(
            where: tuple[Expr, ...],
            combination: tuple[Run, ...] = combination,
            box: tuple[int, ...] = box,
            start: int = start,
        ) -> Sequence[Stmt]:
            rank = len(combination)
            numbers, (g, panel, *taps, c) = where[:rank], where[rank:]
            k = [
                number + (run.phase.last - tap * run.phase.step)
                for tap, run, number in zip(taps, combination, numbers, strict=True)
            ]

            def copy_lane(lane: Expr) -> tuple[Stmt, ...]:
                channel = panel * width + lane
                value = select(compare("lt", channel, per_group), site.read(1, g * depth + c, channel, *k), 0)
                return (store(place, (flat_index((*where, lane), box) + start,), value),)

            return loop("lane", width, copy_lane)

        if array is None:
            stmts += collapse("pack", box[:-1], copy)
        weights.append(weight)
        start += math.prod(box)
    return stmts, weights


def reversed_weights(array: np.ndarray, spec: TransposedSpec, combination: Sequence[Phase]) -> np.ndarray:
    """`[C, M/group, kernel…]` → `[M, C/group, taps…]` of one phase."""
    for axis, phase in enumerate(combination):
        array = np.take(array, np.array(phase.kernel, np.intp), axis + 2)
    channels, per_group, *taps = array.shape
    by_group = array.reshape(spec.group, channels // spec.group, per_group, *taps)
    return np.swapaxes(by_group, 1, 2).reshape(spec.group * per_group, channels // spec.group, *taps)


def _refuses_input_channels(site: Site, spec: TransposedSpec) -> str:
    outputs = spec.w.shape[1]
    if not has_few_outputs(spec.x, spec.y.shape[1], spec.group):
        return f"there are more than {OUTPUTS_MAX} output channels, or too few input channels, or groups"
    return why_not_input_channels(site, spec.x, outputs, _row_width(spec))


GRID = Algorithm("grid", _build_grid, needs_grid)
INPUT_CHANNELS = Algorithm(
    "input_channels",
    _build_by_input_channels,
    _refuses_input_channels,
    estimate=lambda site, spec: Estimate(pays=fills_vectors(site, spec.x, _taps(spec))),
)
DIRECT = Algorithm("direct", _build_direct, needs_processor)
FAMILY = "conv_transpose"
CONV_TRANSPOSE = (GRID, INPUT_CHANNELS, DIRECT)
