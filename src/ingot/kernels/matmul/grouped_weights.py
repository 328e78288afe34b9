"""Weights of 2, 4 or 8 bits in groups along the depth, as the kernels of MatMulNBits keep and read them.

Values of one column that follow each other share a word of 32 bits, and the words of neighbouring columns lie side by side, so
that one load has a vector of words. The first four values of a word are the lowest bits of its four bytes, the next four the bits
above: a mask leaves four values as the bytes of an int8x4.

Scales, and scales times zero points, are float16 where that loses nothing: with groups of 32 values of 4 bits, float32 would be a
third of all bytes that a decoder's step reads. The values of the constants decide that, while building.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.dot_block import WORD
from ingot.kernels.template import Site
from ingot.loops.nodes import Binary, Buffer, Const, Expr, cast, load

_FLOAT, _INT = DType.FLOAT32, DType.INT32
# An offset is a product, which is rounded to float32. A float16 may stand for it that is at most one such rounding away.
_OFFSET_ULP = 2.0**-23


@dataclass(frozen=True, slots=True)
class Blocks:
    """How values lie: `bits` of each, `size` of a block along a depth of `depth`. `zero` is the zero point of all blocks;
    None if each has its own.
    """

    bits: int
    size: int
    depth: int
    zero: float | None

    @property
    def each(self) -> int:
        """Values in a word; the size of a block is a multiple of it."""
        return 32 // self.bits

    @property
    def count(self) -> int:
        return -(-self.depth // self.size)

    @property
    def steps(self) -> int:
        """Words of a column."""
        return -(-self.depth // self.each)

    def place(self, part: int) -> int:
        """The lowest bit of a value in its word."""
        return 8 * (part % WORD) + self.bits * (part // WORD)


@dataclass(frozen=True, slots=True)
class WeightOnly:
    """`rows` rows of real numbers times `columns` columns of quantized ones."""

    rows: int
    columns: int
    blocks: Blocks


def pack_values(values: np.ndarray, blocks: Blocks, width: int) -> np.ndarray:
    """Values `[K, N]` → words `int32 [panels, steps, width]`, filled up with zeros."""
    depth, columns = values.shape
    panels = -(-columns // width)
    padded = np.zeros((blocks.steps * blocks.each, panels * width), np.uint8)
    padded[:depth, :columns] = values
    words = np.zeros((blocks.steps, panels * width), np.uint32)
    for part in range(blocks.each):
        words |= padded[part :: blocks.each].astype(np.uint32) << np.uint32(blocks.place(part))
    return np.moveaxis(words.view(np.int32).reshape(blocks.steps, panels, width), 1, 0)


def pack_scales(scales: np.ndarray, width: int, dtype: DType) -> np.ndarray:
    """`[blocks, N]` → `[panels, blocks, width]` of a type of floats."""
    count, columns = scales.shape
    panels = -(-columns // width)
    padded = np.zeros((count, panels * width), dtype.numpy)
    padded[:, :columns] = scales
    return np.moveaxis(padded.reshape(count, panels, width), 1, 0)


def shortest_type(numbers: np.ndarray, error: float = 0.0) -> DType:
    """Float16 if it holds all of some float32, each but for `error` of itself."""
    with np.errstate(over="ignore", invalid="ignore"):
        short = numbers.astype(np.float16).astype(np.float32)
        fits = np.abs(short - numbers) <= np.float32(error) * np.abs(numbers)
    return DType.FLOAT16 if fits.all() else _FLOAT


def stored_columns(site: Site, problem: WeightOnly) -> int:
    """Columns of a panel as it is stored: the same for any number of rows, so that programs for several share the weights."""
    lanes = column_lanes(site, problem)
    return lanes * min(site.machine.tuning.weight_only.max_vectors, -(-problem.columns // lanes))


def column_lanes(site: Site, problem: WeightOnly) -> int:
    """Columns of a vector: those of a register, or fewer where half of it would stay empty."""
    lanes = site.machine.lanes(_FLOAT)
    while lanes > 1 and lanes >= 2 * problem.columns:
        lanes //= 2
    return lanes


class GroupedWeights:
    """The constants of one product, packed for panels of `columns` columns. A stored panel is one such panel, or several of them:
    `panel` and `column` are those of the reader.
    """

    def __init__(self, site: Site, problem: WeightOnly, columns: int) -> None:
        self.blocks, self.columns = problem.blocks, columns
        width = stored_columns(site, problem)
        if width % columns:
            width = columns
        self._in_stored = width // columns
        assert site.is_constant(1) and site.is_constant(2), "values and scales of a product are constants"
        self._values = site.arrange(1, partial(pack_values, blocks=self.blocks, width=width))
        self._scales = site.arrange(2, partial(pack_scales, width=width, dtype=site.ask(2, shortest_type)))
        self._offsets: Buffer | None = None
        if self.blocks.zero is None:
            assert site.is_constant(3), "zero points of a product are constants"
            error = 0.0 if site.machine.math == "exact" else _OFFSET_ULP
            dtype = site.ask(3, partial(shortest_type, error=error))
            self._offsets = site.arrange(3, partial(pack_scales, width=width, dtype=dtype))

    @property
    def has_offsets(self) -> bool:
        return self._offsets is not None or bool(self.blocks.zero)

    def words(self, panel: Expr, step: Expr, column: Expr) -> Expr:
        """The values of one step, as an int32."""
        return self._stored(self._values, panel, step, column)

    def value(self, panel: Expr, step: Expr, part: int, column: Expr) -> Expr:
        """A value as a float; `part` is its place in the word."""
        word = self.words(panel, step, column)
        if place := self.blocks.place(part):
            word = Binary("shr", word, Const(place, _INT))
        return cast(Binary("and", word, Const(2**self.blocks.bits - 1, _INT)), _FLOAT)

    def scale(self, panel: Expr, block: Expr, column: Expr) -> Expr:
        return cast(self._stored(self._scales, panel, block, column), _FLOAT)

    def offset(self, panel: Expr, block: Expr, column: Expr) -> Expr | None:
        """What the zero point takes off each product with 1; None if it is 0."""
        if self._offsets is not None:
            return cast(self._stored(self._offsets, panel, block, column), _FLOAT)
        zero = self.blocks.zero
        return self.scale(panel, block, column) * zero if zero else None

    def real(self, panel: Expr, block: Expr, step: Expr, part: int, column: Expr) -> Expr:
        """The real number that a value stands for."""
        value, scale = self.value(panel, step, part, column), self.scale(panel, block, column)
        if self._offsets is not None:
            return value * scale - cast(self._stored(self._offsets, panel, block, column), _FLOAT)
        return (value - self.blocks.zero if self.blocks.zero else value) * scale

    def _stored(self, constant: Buffer, panel: Expr, at: Expr, column: Expr) -> Expr:
        if self._in_stored == 1:
            return load(constant, panel, at, column)
        within = panel % self._in_stored * self.columns
        return load(constant, panel // self._in_stored, at, within + column)
