"""Products of few rows with weights of 2, 4 or 8 bits by dot products of int8: each element of a row is three slices of 8 bits.

The elements of a row that meet one group of weights share a power of two, so that the largest is just below 2²³ of it. Rounded
to whole numbers they are three digits of base 256, from -128 to 127: slices, as in Ozaki's scheme for products on integer units
(Ootomo, Ozaki and Yokota 2024). The dot products of slices with the quantized values are exact in int32. At the end of a group
three sums become one float32, which is multiplied with the scale, as in `weight_only`.

An instruction multiplies four values by one slice each, so three of them do what takes four multiply-adds in float32, and four
conversions. A decoder's step waits for memory then, not for its instructions.

Error: rounding to a whole number moves an element by at most 1.01 × 2⁻²³ of the largest one of its group, and the sums of a group
round three times in all, where those of float32 round for each element. So a result's error is relative to the largest element of
each group times the sum of the sizes of its weights, before zero points are taken off. The tests compare it with that of float32.
An infinity or NaN makes NaN of its row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ingot.base.tensor import DType
from ingot.kernels.algorithm import Estimate, why_not
from ingot.kernels.blocks.dot_block import WORD
from ingot.kernels.blocks.register_block import Tile, parts
from ingot.kernels.matmul.grouped_weights import GroupedWeights, WeightOnly, column_lanes, stored_columns
from ingot.kernels.template import Site
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import add, fold_row
from ingot.loops.nodes import (
    Binary,
    Bitcast,
    Buffer,
    Const,
    Dot4,
    Expr,
    Fma,
    Stmt,
    call,
    cast,
    compare,
    load,
    maximum,
    select,
    word,
)

SLICES = 3
_BASE = 256
_FLOAT, _INT = DType.FLOAT32, DType.INT32
# Of a float32: bits behind the exponent, what is added to the exponent, the bits of infinity, and all but the sign.
_MANTISSA, _BIAS, _INFINITY, _SIZE = 23, 127, 0x7F800000, 0x7FFFFFFF
# The three digits hold whole numbers up to 127 * (1 + 256 + 65536), a little less than 2²³. A largest element above that part of
# its power of two gets the next one: adding this to its bits carries into the exponent.
_SPARE = 0x10200
# The largest element, as a whole number, has so many bits. Exponents below the minimum would overflow the factor.
_BITS, _MIN_EXPONENT = 22, 27
_DEEPEST = 65536  # values of 8 bits times slices that an int32 can sum


def build_int8_slices(site: Site, problem: WeightOnly) -> Sequence[Stmt]:
    """The rows are sliced once; each task multiplies all of them with a panel of columns."""
    kernel = _Kernel(site, problem)
    k = Builder()
    kernel.slice_rows(k)
    columns = kernel.tile.columns
    for first, panels, valid in parts(problem.columns, columns):
        for (panel,) in k.collapse(f"panel{valid}", (panels,)):
            kernel.multiply(k, panel + first, valid)
    return k.statements()


class _Kernel:
    def __init__(self, site: Site, problem: WeightOnly) -> None:
        self.site, self.rows, self.blocks = site, problem.rows, problem.blocks
        self.tile = _tile(site, problem)
        self.weights = GroupedWeights(site, problem, self.tile.columns)
        blocks = self.blocks
        self.slices = site.workspace("slices", DType.INT8, (self.rows, SLICES, blocks.steps * blocks.each))
        self.factors = site.workspace("factors", _FLOAT, (self.rows, blocks.count))
        self.sums: Buffer | None = None
        if self.weights.has_offsets:
            self.sums = site.workspace("sums", _FLOAT, (self.rows, blocks.count))

    # ─── rows ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def slice_rows(self, k: Builder) -> None:
        """Slices, factors and negated sums of all groups of the rows, and zeros behind the rows."""
        blocks = self.blocks
        for first, count, depth in parts(blocks.depth, blocks.size):
            for row, at in k.collapse(f"slice{depth}", (self.rows, count)):
                self._slice_group(k, row, at + first, depth)
        behind = blocks.steps * blocks.each - blocks.depth
        for row, part, at in k.nest(("row", "part", "behind"), (self.rows, SLICES, behind)):
            k.store(self.slices, (row, part, at + blocks.depth), Const(0, DType.INT8))

    def _slice_group(self, k: Builder, row: Expr, group: Expr, depth: int) -> None:
        lanes, begin = self.site.machine.lanes(_FLOAT), group * self.blocks.size

        def element(at: Expr) -> Expr:
            return self.site.read(0, row, begin + at)

        def size(at: Expr) -> Expr:
            return Binary("and", Bitcast(element(at), _INT), Const(_SIZE, _INT))

        fold, largest = fold_row("largest", depth, lanes, size, Const(0, _INT), maximum)
        k.emit(fold)
        exponent = k.let(
            "exponent", maximum(Binary("shr", largest + _SPARE, Const(_MANTISSA, _INT)), _MIN_EXPONENT)
        )
        up = k.let("up", _power_of_two(2 * _BIAS + _BITS - exponent))
        is_finite = compare("lt", largest, _INFINITY)
        down = select(is_finite, _power_of_two(exponent - _BITS), float("nan"))
        k.store(self.factors, (row, group), down)
        for at in k.vectors(depth, lanes):
            digits = cast(call("rint", element(at) * up), _INT)
            for part in range(SLICES):
                k.store(self.slices, (row, part, begin + at), cast(digits, DType.INT8))
                digits = Binary("shr", digits + _BASE // 2, Const(8, _INT))
        if self.sums is not None:
            fold, total = fold_row("sum", depth, lanes, element, Const(0.0, _FLOAT), add)
            k.emit(fold)
            k.store(self.sums, (row, group), -total)

    # ─── products ───────────────────────────────────────────────────────────────────────────────────────────────────

    def multiply(self, k: Builder, panel: Expr, valid: int) -> None:
        """All rows times one panel of columns, of which some are results."""
        tile, blocks = self.tile, self.blocks
        with k.block("task"):
            total = k.alloc("total", _FLOAT, (self.rows, tile.columns))
            for row in range(self.rows):
                for column in k.vectors(tile.columns, tile.lanes):
                    k.store(total, (row, column), 0.0)
            for first, count, depth in parts(blocks.depth, blocks.size):
                for at in k.loop(f"block{depth}", count):
                    self._add_group(k, panel, at + first, depth, total)
            for row in range(self.rows):
                for column in k.vectors(valid, tile.lanes):
                    where = (row, panel * tile.columns + column)
                    k.emit(self.site.write(0, where, load(total, row, column)))

    def _sums(self, k: Builder) -> Iterator[tuple[int, int, Expr]]:
        """Where each sum of products with slices is: slice, row, column."""
        for row in range(self.rows):
            for number in range(SLICES):
                for column in k.vectors(self.tile.columns, self.tile.lanes):
                    yield number, row, column

    def _add_group(self, k: Builder, panel: Expr, group: Expr, depth: int, total: Buffer) -> None:
        blocks, tile = self.blocks, self.tile
        with k.block("group"):
            part = k.alloc("part", _INT, (SLICES, self.rows, tile.columns))
            for where in self._sums(k):
                k.store(part, where, 0)
            begin = group * (blocks.size // blocks.each)
            for step in k.loop("step", -(-depth // blocks.each)):
                self._add_word(k, panel, begin + step, part)
            for row in range(self.rows):
                for column in k.vectors(tile.columns, tile.lanes):
                    k.store(total, (row, column), self._total(panel, group, row, column, part, total))

    def _add_word(self, k: Builder, panel: Expr, step: Expr, part: Buffer) -> None:
        """The products of all values of one word of each column."""
        for fours in range(self.blocks.each // WORD):
            begin = step * self.blocks.each + fours * WORD
            for number, row, column in self._sums(k):
                values = self._values(panel, step, fours, column)
                slices = word(load(self.slices, row, number, begin))
                product = self._dot(values, slices, load(part, number, row, column))
                k.store(part, (number, row, column), product)

    def _values(self, panel: Expr, step: Expr, fours: int, column: Expr) -> Expr:
        """Four values of a word as an int8x4."""
        words, bits = self.weights.words(panel, step, column), self.blocks.bits
        if fours:
            words = Binary("shr", words, Const(bits * fours, _INT))
        return words if bits == 8 else Binary("and", words, Const((2**bits - 1) * 0x01010101, _INT))

    def _dot(self, values: Expr, slices: Expr, total: Expr) -> Expr:
        if self.site.machine.dot_i8x4_signed:  # what is the same in all lanes comes first
            return Dot4(slices, values, total, signed=True)
        return Dot4(values, slices, total)

    def _total(self, panel: Expr, group: Expr, row: int, column: Expr, part: Buffer, total: Buffer) -> Expr:
        """The sums of a row and a column with one more group."""
        product: Expr = cast(load(part, SLICES - 1, row, column), _FLOAT)
        for number in reversed(range(SLICES - 1)):
            product = Fma(product, Const(float(_BASE), _FLOAT), cast(load(part, number, row, column), _FLOAT))
        scaled = product * load(self.factors, row, group)
        result: Expr = Fma(scaled, self.weights.scale(panel, group, column), load(total, row, column))
        offset = self.weights.offset(panel, group, column)
        if self.sums is not None and offset is not None:
            result = Fma(load(self.sums, row, group), offset, result)
        return result


def _tile(site: Site, problem: WeightOnly) -> Tile:
    """As many vectors of columns as registers have room for: sums of slices, sums of groups, values, a slice and a mask."""
    lanes = column_lanes(site, problem)
    vectors = stored_columns(site, problem) // lanes
    each = (SLICES + 1) * problem.rows + 1
    while vectors % 2 == 0 and vectors * each + 2 > site.machine.vector_registers:
        vectors //= 2
    return Tile(problem.rows, vectors, lanes)


def _power_of_two(exponent: Expr) -> Expr:
    """The float32 with this exponent, to which `_BIAS` was added."""
    return Bitcast(Binary("shl", exponent, Const(_MANTISSA, _INT)), _FLOAT)


def refuses_int8_slices(site: Site, problem: WeightOnly) -> str:
    """`Algorithm.refuses`: many rows, `exact` arithmetic, and what the instructions cannot multiply."""
    rows, blocks = site.machine.tuning.weight_only.in_registers_max_rows, problem.blocks
    return why_not(
        (problem.rows > rows, f"there are {problem.rows} rows, more than {rows}"),
        (
            site.machine.math == "exact",
            "it rounds elements of a row together, which math=exact does not allow",
        ),
        (blocks.size > _DEEPEST, f"groups have {blocks.size} values, more than {_DEEPEST}"),
        (
            site.machine.dot_i8x4_signed and blocks.bits == 8,
            "values of 8 bits are unsigned, and the instruction multiplies signed ones",
        ),
    )


def estimate_int8_slices(site: Site, _problem: WeightOnly) -> Estimate:
    """`Algorithm.estimate`: it pays where one instruction sums the products of four bytes."""
    pays = site.machine.dot_i8x4 and not site.machine.grid
    return Estimate(pays, worth_measuring=pays)
