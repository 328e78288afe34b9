"""The register block of a convolution with few output channels: vectors of input channels, summed up at the end.

Vectors of output channels would be mostly empty. Here a lane has every so manyth input channel, and a tile holds one vector of
sums for each of a few neighbouring outputs and each output channel.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import FOR_PROCESSORS, why_not
from ingot.kernels.blocks.register_block import Result, Tile
from ingot.kernels.template import Site
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Const, Expr, Fma, index, load
from ingot.machines.machine import Machine
from ingot.machines.tuning import DEFAULT

OUTPUTS_MAX = DEFAULT.conv.input_channels_max_outputs
"""Output channels of a convolution that is thin, which is asked before a machine is known."""


def has_few_outputs(x: TensorType, outputs: int, group: int) -> bool:
    """Whether a convolution of `x [N, C, …]` has few output channels and more input channels."""
    return group == 1 and outputs <= OUTPUTS_MAX and x.shape[1] >= 2 * outputs and x.dtype.is_float


def why_not_input_channels(site: Site, x: TensorType, outputs: int, row_width: int) -> str:
    """Why vectors are no input channels, of a convolution that `has_few_outputs`, with rows so wide; empty if they are."""
    machine, lanes = site.machine, site.machine.lanes(accumulator_type(x.dtype))
    return why_not(
        (machine.grid, FOR_PROCESSORS),
        (lanes < 2 * outputs, f"vectors of {lanes} are too short for {outputs} output channels"),
        (site.is_inlined(0), "its input is not in memory"),
        (not site.is_constant(1), "weights are not known while building"),
        (not row_width, "there is nothing to compute"),
        (x.shape[1] < lanes, "input channels fill no vector"),
    ) or why_not((site.input(0).strides[1] != 1, "input channels do not lie side by side"))


def fills_vectors(site: Site, x: TensorType, taps: int) -> bool:
    """Whether each sum has enough vectors of products."""
    lanes = site.machine.lanes(accumulator_type(x.dtype))
    return taps * x.shape[1] >= site.machine.tuning.conv.input_channels_min_vectors * lanes


def tile_of(machine: Machine, outputs: int, row_width: int) -> Tile:
    """The tile, with outputs as vectors of one lane."""
    return Tile(min(row_width, _rows(machine, outputs)), outputs, 1)


def _rows(machine: Machine, outputs: int) -> int:
    """Rows of a tile: all sums, and one vector of weights for each output channel, are in registers."""
    return max(
        1,
        min(machine.tuning.conv.input_channels_max_rows, (machine.vector_registers - 1 - outputs) // outputs),
    )


class InputChannelSums:
    """The sums of `rows` outputs and `columns` output channels, each a vector of partial sums over input channels.

    They are declared in the block that is open.
    """

    def __init__(self, k: Builder, rows: int, columns: int, lanes: int, dtype: DType) -> None:
        self.k, self.rows, self.columns, self.lanes = k, rows, columns, lanes
        self.acc = k.alloc("acc", dtype, (rows, columns, lanes))
        self.sums = k.alloc("sums", dtype, (columns, rows))
        for row, column in self._places():
            for lane in k.vector("lane", lanes):
                k.store(self.acc, (row, column, lane), Const(0.0, dtype))

    def _places(self) -> Iterator[tuple[int, int]]:
        return itertools.product(range(self.rows), range(self.columns))

    def add(
        self, width: int, value: Callable[[int, Expr], Expr], weight: Callable[[int, Expr], Expr]
    ) -> None:
        """One step: adds the products of `width` input channels: `value(row, lane)` by `weight(column, lane)`."""
        for row, column in self._places():
            for lane in self.k.vector("lane", width):
                total = load(self.acc, row, column, lane)
                self.k.store(
                    self.acc, (row, column, lane), Fma(value(row, lane), weight(column, lane), total)
                )

    def results(self) -> Iterator[Result]:
        """The sums over all lanes."""
        for row, column in self._places():
            self._add_lanes(row, column)
        for column in range(self.columns):
            for at in self.k.vectors(self.rows, self.lanes):
                yield Result(at, index(column), load(self.sums, column, at))

    def _add_lanes(self, row: int, column: int) -> None:
        half = self.lanes // 2
        while half:
            for lane in self.k.vector("lane", half):
                total = load(self.acc, row, column, lane) + load(self.acc, row, column, lane + half)
                self.k.store(self.acc, (row, column, lane), total)
            half //= 2
        self.k.store(self.sums, (column, row), load(self.acc, row, column, 0))
