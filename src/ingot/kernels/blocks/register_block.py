"""The register block: the inner loops that convolution and matrix product share.

A tile holds `rows` × `vectors` accumulators in registers. Each step of the reduction loads one vector of weights for each
column vector and one scalar for each row, and does `rows * vectors` fused multiply-adds; with enough accumulators the FMA units
never wait.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ingot.base.tensor import DType
from ingot.loops.build.builder import Builder, Extent, MakeLoop, Span, with_body
from ingot.loops.build.nest import Body, side_by_side
from ingot.loops.nodes import Buffer, Const, Expr, Fma, LoopKind, Stmt, load
from ingot.machines.machine import LINE_BYTES, Machine

# Rows that lie a multiple of this apart compete for the same few lines of a first-level cache.
ALIAS_BYTES = 4096
_LINES_IN_SET = 7  # that a tile may keep there: one of eight is for what else it reads
NEIGHBOURS = 4  # elements of a row that one load brings for as many steps, where it pays: what 16 bytes have


@dataclass(frozen=True, slots=True)
class Tile:
    """`rows` scalars by `vectors` vectors of `lanes` elements; of 8-bit values, words of four are elements. So many `steps` of a
    sum are written out, one behind the other.
    """

    rows: int
    vectors: int
    lanes: int
    steps: int = 1

    @property
    def columns(self) -> int:
        return self.vectors * self.lanes


def choose_tile(machine: Machine, dtype: DType, rows: int, columns: int) -> Tile:
    """The tile for a result of this many rows and columns: the first of `tiles`."""
    return next(iter(tiles(machine, dtype, rows, columns).values()))


def tiles(
    machine: Machine, dtype: DType, rows: int, columns: int, rows_max: int | None = None
) -> dict[str, Tile]:
    """Tiles for a result of this many rows and columns, those that should need the fewest cycles first, named as `14x2` (rows by
    vectors): something to choose between. None has more than `rows_max` rows.

    All accumulators, one vector of weights for each column vector and one broadcast scalar must fit in the registers. Two
    column vectors balance loads against multiply-adds; few rows get more column vectors, so that enough independent sums are
    under way.
    """
    rated = [
        (step_cycles(machine, rows, tile.rows, columns, tile.vectors, tile.lanes), tile)
        for tile in fitting_tiles(machine, dtype, rows, columns, rows_max)
    ]
    return different(rows, rated)


def fitting_tiles(
    machine: Machine, dtype: DType, rows: int, columns: int, rows_max: int | None = None
) -> Sequence[Tile]:
    """The tiles for a result of this many rows and columns that fit in the registers, at least one."""
    lanes = machine.lanes(dtype)
    while lanes > 1 and lanes >= 2 * columns:
        lanes //= 2
    fits = [tile for tile in _fitting(machine, rows, columns, lanes) if tile.rows <= (rows_max or rows)]
    if fits and machine.double_pumped_512 and lanes == machine.lanes(dtype) > 1:
        # Vectors of half the length take half the time, and may leave fewer columns of the last panel empty.
        halves = [
            tile for tile in _fitting(machine, rows, columns, lanes // 2) if tile.rows <= (rows_max or rows)
        ]
        whole, half = (
            min(
                step_cycles(machine, rows, tile.rows, columns, tile.vectors, tile.lanes, fmas)
                for tile in some
            )
            for some, fmas in ((fits, 1), (halves, 2))
        )
        if half < machine.tuning.half_vectors_worth * whole:
            fits = halves
    return fits or [Tile(1, 1, lanes)]


def _fitting(machine: Machine, rows: int, columns: int, lanes: int) -> Iterator[Tile]:
    """The tiles of vectors of so many lanes that fit in the registers."""
    registers, steps = machine.vector_registers, steps_written_out(machine)
    for vectors in (1, 2, 3, 4, 6, 8):
        if vectors > max(1, -(-columns // lanes)):
            break
        if machine.fma_by_element:
            rows_max = rows_by_lane(machine, vectors)
        else:  # a single row can take its weights from memory
            rows_max = max((registers - 1 - vectors) // vectors, int(vectors < registers - 1))
        for limit in range(1, min(rows_max, rows) + 1):
            yield Tile(limit, vectors, lanes, steps)


_TILES_MAX, _TILES_OF_VECTORS = 6, 2


def different(rows: int, rated: Sequence[tuple[float, Tile]]) -> dict[str, Tile]:
    """The best of tiles with their costs, and a few others, by name, the cheapest first, without those that divide the rows as a
    tile before. Of tiles that cost the same, but for a thousandth, the first is the best.
    """
    lowest, best = rated[0]
    for cost, tile in rated:
        if cost < lowest * 0.999:
            lowest, best = cost, tile
    kept = {f"{best.rows}x{best.vectors}": best}
    divided = {(best.vectors, balanced(rows, best.rows)[:1])}
    for _, tile in sorted(rated, key=lambda pair: pair[0]):
        as_others = (tile.vectors, balanced(rows, tile.rows)[:1])
        alike = sum(other.vectors == tile.vectors for other in kept.values())
        if as_others not in divided and alike < _TILES_OF_VECTORS and len(kept) < _TILES_MAX:
            divided.add(as_others)
            kept[f"{tile.rows}x{tile.vectors}"] = tile
    return kept


def step_cycles(
    machine: Machine,
    rows: int,
    tile_rows: int,
    columns: int,
    vectors: int,
    lanes: int,
    fmas_a_cycle: int = 2,
) -> float:
    """Cycles for one step of the reduction over the whole result: of FMAs, of loads, or of an FMA that waits for the one before.

    The loop itself and weights that come from the second-level cache also take their share; large tiles pay it seldom.
    """
    total, costs = 0.0, machine.tuning.register_block
    besides = costs.step_cycles + vectors * costs.vector_cycles
    for size, count in balanced(rows, tile_rows):
        loads = (size + vectors) * costs.load_cycles
        total += count * (max(size * vectors / fmas_a_cycle, loads, costs.latency_cycles) + besides)
    return total * -(-columns // (vectors * lanes))


def balanced(extent: int, limit: int, unit: int = 1) -> tuple[tuple[int, int], ...]:
    """Tiles of at most `limit` that cover `extent`, as (size, count): at most two sizes, which differ by one; or, if they are to
    be made of whole units, by a unit, with what is left in one more tile behind them.
    """
    if extent <= 0:
        return ()
    units, rest = divmod(extent, unit)
    if unit > 1 and limit >= unit and units:
        # What is left goes with as many units as the others have, if that is not too much.
        with_rest = min((limit - rest) // unit, units // -(-extent // limit)) if rest else 0
        whole = [(size * unit, count) for size, count in balanced(units - with_rest, limit // unit)]
        return (*whole, *(((with_rest * unit + rest, 1),) if rest else ()))
    count = -(-extent // limit)
    small = extent // count
    big_count = extent - small * count
    sizes = [(small + 1, big_count), (small, count - big_count)]
    return tuple((size, number) for size, number in sizes if number and size)


def parts(extent: int, size: int) -> tuple[tuple[int, int, int], ...]:
    """Covers `extent` by pieces of `size`: (first piece, number of pieces, their size), the last one smaller if need be."""
    full, rest = divmod(extent, size)
    return ((0, full, size),) * bool(full) + ((full, 1, rest),) * bool(rest)


def rows_without_conflict(apart_bytes: int) -> int:
    """How many rows that lie so many bytes apart a tile may read side by side, so that they stay in a first-level cache while
    the sums go along them.
    """
    return ALIAS_BYTES // math.gcd(apart_bytes, ALIAS_BYTES) * _LINES_IN_SET


def row_pitch(extent: int, dtype: DType) -> int:
    """Elements from one row of a copy to the next: an odd number of cache lines, so that each row begins in another set."""
    line = LINE_BYTES // dtype.size_bytes
    return (-(-extent // line) | 1) * line


def row_blocks(
    k: Builder, name: str, extent: int, limit: int, kind: LoopKind = LoopKind.SERIAL, unit: int = 1
) -> Iterator[Span]:
    """Covers `range(extent)` by balanced blocks of whole units, in loops of `kind`."""
    start = 0
    for size, count in balanced(extent, limit, unit):
        for at in k.loop(f"{name}{size}", count, kind):
            yield Span(at * size + start, size)
        start += size * count


def row_tiles(
    name: str,
    extent: int,
    limit: int,
    body: Callable[[Expr, int], Sequence[Stmt]],
    kind: LoopKind = LoopKind.SERIAL,
    unit: int = 1,
) -> tuple[Stmt, ...]:
    """`row_blocks` around a body: `body(start, size)` writes one."""
    return with_body(lambda k: row_blocks(k, name, extent, limit, kind, unit), lambda span: body(*span))


class Result(NamedTuple):
    """A sum that is complete, and the row and column that it belongs to."""

    row: int | Expr
    column: Expr
    value: Expr


class Sums:
    """The accumulators of one register block: `rows` × `tile.columns` of `dtype`, from `start(row, column)` or 0 on.

    They are declared in the block that is open. `add` adds the products of one step of the reduction; `results` gives the sums.
    """

    def __init__(
        self,
        k: Builder,
        rows: int,
        tile: Tile,
        dtype: DType,
        start: Callable[[int, Expr], Expr] | None = None,
    ) -> None:
        self.k, self.rows, self.tile = k, rows, tile
        self.acc = k.alloc("acc", dtype, (rows, tile.columns))
        zero = Const(0 if dtype.is_integer else 0.0, dtype)
        for row, column in self._vectors():
            k.store(self.acc, (row, column), start(row, column) if start else zero)

    def _vectors(self) -> Iterator[tuple[int, Expr]]:
        return block_vectors(self.k, range(self.rows), self.tile)

    def add(self, values: Sequence[Expr], weight: Callable[[Expr], Expr]) -> None:
        """One step: adds the scalar of each row times the weight of each column."""
        self.k.emit(self.products(values, weight))

    def products(self, values: Sequence[Expr], weight: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
        """The statements of one step (see `add`)."""
        # What lies outside of an image is known to be zero: it adds nothing.
        rows = [
            row for row, value in enumerate(values) if not (isinstance(value, Const) and value.value == 0)
        ]
        k = Builder()
        for row, column in block_vectors(k, rows, self.tile):
            total = load(self.acc, row, column)
            k.store(self.acc, (row, column), Fma(values[row], weight(column), total))
        return k.statements()

    def staged(self) -> Buffer:
        """The sums as `[rows, tile.columns]` on the stack."""
        stage = self.k.alloc("stage", self.acc.dtype, self.acc.shape)
        for row, column in self._vectors():
            self.k.store(stage, (row, column), load(self.acc, row, column))
        return stage

    def results(self, columns: int | None = None, in_loop: bool = False) -> Iterator[Result]:
        """The sums of the first `columns` columns, by default of all. With `in_loop` the sums of several rows go to the stack
        first, and a loop over rows reads them: what is done to them then, such as a long epilogue, is written once, with the
        registers for itself.
        """
        valid = columns or self.tile.columns
        if in_loop and self.rows > 1:
            stage = self.staged()
            for at in self.k.loop("row", self.rows):
                for column in self.k.vectors(valid, side_by_side(self.tile.lanes)):
                    yield Result(at, column, load(stage, at, column))
            return
        for row in range(self.rows):
            for column in self.k.vectors(valid, self.tile.lanes):
                yield Result(row, column, load(self.acc, row, column))


def rows_by_lane(machine: Machine, vectors: int) -> int:
    """How many rows a tile may have whose scalars are lanes: a register of each row is kept for several steps."""
    return (machine.vector_registers - vectors) // (vectors + 1)


def steps_written_out(machine: Machine) -> int:
    """How many steps of a sum are written out, one behind the other: those whose elements of a row come by one load."""
    return NEIGHBOURS if machine.fma_by_element else 1


def reduction_steps(
    k: Builder,
    name: str,
    count: Extent,
    together: int,
    make_loop: MakeLoop = Builder.loop,
    *,
    adjoin: bool = False,
) -> Iterator[Expr]:
    """The `count` steps of a sum, so many together written out, in a loop that `make_loop` makes, and the rest in one behind.

    `adjoin`: the scalars of neighbouring steps are float32 or int8x4 words that lie side by side, so one load should bring four.
    """
    if together == 1:
        yield from make_loop(k, name, count)
        return
    blocks, form = count // together, "broadcast4" if adjoin else ""
    if blocks != 0:
        for number in make_loop(k, name, blocks):
            for part in k.loop(f"{name}_part", together, LoopKind.UNROLLED, form):
                yield number * together + part
    for at in k.loop(f"{name}_rest", count - blocks * together):
        yield at + blocks * together


def sum_steps(
    name: str,
    count: int,
    together: int,
    step: Body,
    make_loop: MakeLoop = Builder.loop,
    *,
    adjoin: bool = False,
) -> tuple[Stmt, ...]:
    """`reduction_steps` around a body."""
    return with_body(lambda k: reduction_steps(k, name, count, together, make_loop, adjoin=adjoin), step)


def block_vectors(k: Builder, rows: Iterable[int], tile: Tile) -> Iterator[tuple[int, Expr]]:
    """A vector loop for each vector of each of these rows: gives the row and the column."""
    for row in rows:
        for column in k.vectors(tile.columns, tile.lanes):
            yield row, column


def each_vector(
    rows: int | Sequence[int], tile: Tile, body: Callable[[int, Expr], Sequence[Stmt]]
) -> tuple[Stmt, ...]:
    """`block_vectors` around a body, of so many rows or of these."""
    of = range(rows) if isinstance(rows, int) else rows
    return with_body(lambda k: block_vectors(k, of, tile), lambda at: body(*at))
