"""Matrix product with weight-only quantisation, MatMulNBits: weights of 2, 4 or 8 bits in groups along the depth.

Each group has a scale. Weights stay quantized in memory: a decoder's step does little else than reading them.
`grouped_weights` says how they lie.

- Few rows on a processor with dot products of int8: `int8_slices`.
- Few rows: within a group values are multiplied as they are. A value is not even moved to the end of its word: what is left
  of the word without the other values, as a float, is the value times a power of two, by which the row's element was
  divided before. At the end of a group the sums are multiplied with the scale, and what the zero point would have taken off
  each value is taken off once: the sum of the row's group times scale and zero point.
- Many rows: a task widens some blocks of a panel of columns to real numbers on its stack, and uses them for all its rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import Algorithm, Estimate, build, why_not
from ingot.kernels.blocks.register_block import (
    ALIAS_BYTES,
    Sums,
    Tile,
    balanced,
    each_vector,
    parts,
    row_pitch,
    row_tiles,
    tiles,
)
from ingot.kernels.matmul.grouped_weights import (
    Blocks,
    GroupedWeights,
    WeightOnly,
    column_lanes,
    stored_columns,
)
from ingot.kernels.matmul.int8_slices import build_int8_slices, estimate_int8_slices, refuses_int8_slices
from ingot.kernels.template import Site, Template, each_but
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import add, collapse, fold_row, loop, vector_blocks, vectors_of
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Buffer,
    Const,
    Expr,
    Fma,
    For,
    LoopKind,
    Operand,
    Stmt,
    Var,
    buffer,
    cast,
    index,
    load,
    store,
)

_FLOAT, _INT = DType.FLOAT32, DType.INT32


def block_matmul(a: TensorType, columns: int, blocks: Blocks) -> Template:
    """`a [M, K]` times the real numbers that quantized values stand for → `[M, N]` in float32.

    Inputs 1 and 2 are constants: values `uint8 [K, N]` below `2 ** bits`, and scales `float32 [blocks, N]`. Input 3, where
    blocks have zero points of their own, is what each takes off: scale times zero point, `float32 [blocks, N]`, a constant.
    """
    output = TensorType(_FLOAT, (a.shape[0], columns))
    scales = TensorType(_FLOAT, (blocks.count, columns))
    inputs = (
        a,
        TensorType(DType.UINT8, (blocks.depth, columns)),
        scales,
        *((scales,) if blocks.zero is None else ()),
    )
    spec = {
        "m": a.shape[0],
        "n": columns,
        "k": blocks.depth,
        "bits": blocks.bits,
        "block": blocks.size,
        "zero": blocks.zero,
    }
    return Template(
        "block_matmul",
        inputs,
        (output,),
        lambda site: build(site, FAMILY, WeightOnly(a.shape[0], columns, blocks), MATMUL_NBITS),
        spec=spec,
        prefers={("output", 0): (0, 1)},
        independent=each_but(1, others=len(inputs) - 1),
    )


# Reads an element of the left operand: row, place along the depth.
Element = Callable[[Expr, Expr], Expr]


class _Kernel:
    """Writes the loops of one product by register blocks `tile`. A stored panel is one panel of the tile, or several of them."""

    def __init__(self, site: Site, problem: WeightOnly, tile: Tile) -> None:
        self.site, self.rows, self.columns, self.blocks = site, problem.rows, problem.columns, problem.blocks
        self.tile = tile
        self.weights = GroupedWeights(site, problem, tile.columns)

    def _in_place(self, panel: Expr, step: Expr, part: int, column: Expr) -> Expr:
        """A value times what `_divisor` says. The last one of a word would have the sign, so it is moved."""
        if part == self.blocks.each - 1:
            return self.weights.value(panel, step, part, column)
        mask = (2**self.blocks.bits - 1) << self.blocks.place(part)
        return cast(Binary("and", self.weights.words(panel, step, column), Const(mask, _INT)), _FLOAT)

    def _divisor(self, part: int) -> float:
        return 1.0 if part == self.blocks.each - 1 else float(2 ** self.blocks.place(part))

    def _each_block(self, body: Callable[[Expr, int], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """`body(number, depth)` for all blocks; the last one may be shorter."""
        stmts: tuple[Stmt, ...] = ()
        for first, count, depth in parts(self.blocks.depth, self.blocks.size):
            stmts += loop(
                f"block{depth}",
                count,
                lambda at, first=first, depth=depth: body(at + first, depth),  # type: ignore[misc]
            )
        return stmts

    # ─── few rows ──────────────────────────────────────────────────────────────────────────────────────────────────

    def for_few(self) -> tuple[Stmt, ...]:
        sums: Buffer | None = None
        divided = self.site.workspace("divided", _FLOAT, (self.rows, self.blocks.steps, self.blocks.each))
        stmts = self._divided_rows(divided)
        if self.weights.has_offsets:
            sums = self.site.workspace("sums", _FLOAT, (self.rows, self.blocks.count))
            stmts += self._sums_of_blocks(sums)
        for first, panels, valid in parts(self.columns, self.tile.columns):
            stmts += collapse(
                f"panel{valid}",
                (panels,),
                lambda where, first=first, valid=valid: self._few(where[0] + first, valid, divided, sums),  # type: ignore[misc]
            )
        return stmts

    def _divided_rows(self, divided: Buffer) -> tuple[Stmt, ...]:
        """The rows as `_in_place` wants them, with zeros behind them."""
        blocks = self.blocks
        whole, rest = divmod(blocks.depth, blocks.each)

        def step(row: Expr, at: Expr, count: int) -> Sequence[Stmt]:
            def element(part: int) -> Expr:
                if part >= count:
                    return Const(0.0, _FLOAT)
                return self.site.read(0, row, at * blocks.each + part) * (1 / self._divisor(part))

            return [store(divided, (row, at, part), element(part)) for part in range(blocks.each)]

        stmts = collapse("divide", (self.rows, whole), lambda where: step(where[0], where[1], blocks.each))
        return stmts + (
            collapse("rest", (self.rows,), lambda where: step(where[0], index(whole), rest)) if rest else ()
        )

    def _sums_of_blocks(self, sums: Buffer) -> tuple[Stmt, ...]:
        size, stmts = self.blocks.size, ()
        for first, count, depth in parts(self.blocks.depth, size):

            def sum_block(where: tuple[Expr, ...], first: int = first, depth: int = depth) -> Sequence[Stmt]:
                row, block = where[0], where[1] + first

                def element(k: Expr) -> Expr:
                    return self.site.read(0, row, block * size + k)

                fold, total = fold_row(
                    "sum", depth, self.site.machine.lanes(_FLOAT), element, Const(0.0, _FLOAT), add
                )
                return (*fold, store(sums, (row, block), total))

            stmts += collapse(f"sums{depth}", (self.rows, count), sum_block)  # type: ignore[assignment]
        return stmts

    def _few(self, panel: Expr, valid: int, divided: Buffer, sums: Buffer | None) -> Sequence[Stmt]:
        """All rows of one panel of columns."""
        rows, tile, blocks = self.rows, self.tile, self.blocks
        max_sums = self.site.machine.tuning.register_block.independent_sums
        chains = 2 if rows * tile.vectors * 2 <= max_sums else 1
        total, part = (
            buffer("total", _FLOAT, (rows, tile.columns)),
            buffer("part", _FLOAT, (chains, rows, tile.columns)),
        )
        zero = Const(0.0, _FLOAT)

        def clear(of: Buffer, *lead: int) -> tuple[Stmt, ...]:
            return each_vector(rows, tile, lambda row, column: (store(of, (*lead, row, column), zero),))

        def step(at: Expr) -> tuple[Stmt, ...]:
            """All values of one word of each column."""
            stmts: tuple[Stmt, ...] = ()
            for position in range(blocks.each):
                chain = position % chains

                def add_up(
                    row: int, column: Expr, position: int = position, chain: int = chain
                ) -> tuple[Stmt, ...]:
                    code = self._in_place(panel, at, position, column)
                    total = Fma(load(divided, row, at, position), code, load(part, chain, row, column))
                    return (store(part, (chain, row, column), total),)

                stmts += each_vector(rows, tile, add_up)
            return stmts

        def block(number: Expr, depth: int) -> Sequence[Stmt]:
            begin = number * (blocks.size // blocks.each)
            body = [stmt for chain in range(chains) for stmt in clear(part, chain)]
            body += loop("step", -(-depth // blocks.each), lambda at: step(begin + at))

            def scaled(row: int, column: Expr) -> tuple[Stmt, ...]:
                block_sum: Expr = load(part, 0, row, column)
                for chain in range(1, chains):
                    block_sum = block_sum + load(part, chain, row, column)
                result: Expr = Fma(
                    block_sum, self.weights.scale(panel, number, column), load(total, row, column)
                )
                offset = self.weights.offset(panel, number, column)
                if sums is not None and offset is not None:
                    result = result - load(sums, row, number) * offset
                return (store(total, (row, column), result),)

            return (*body, *each_vector(rows, tile, scaled))

        stmts: list[Stmt] = [Alloc(total), Alloc(part), *clear(total), *self._each_block(block)]
        for row in range(rows):
            stmts += vectors_of(
                valid,
                tile.lanes,
                lambda column, row=row: self.site.write(
                    0, (row, panel * tile.columns + column), load(total, row, column)
                ),  # type: ignore[misc]
            )
        return (For(Var("task"), Const(1, DType.INT64), tuple(stmts), LoopKind.SERIAL),)

    # ─── many rows ─────────────────────────────────────────────────────────────────────────────────────────────────

    def for_many(self) -> tuple[Stmt, ...]:
        stmts, element = self._rows()
        panels_in_all = -(-self.columns // self.tile.columns)
        kept = self.site.workspace("kept", _FLOAT, (panels_in_all, self.rows, self.tile.columns))
        tuning = self.site.machine.tuning.weight_only
        height, group_size = balanced(self.rows, tuning.task_max_rows)[0][0], tuning.panels_together
        for first_panel, panels, valid in parts(self.columns, self.tile.columns):
            for first_group, groups, together in parts(panels, group_size):
                for first_block, count, rows in parts(self.rows, height):

                    def task(
                        where: tuple[Expr, ...],
                        start: int = first_panel,
                        group: int = first_group,
                        together: int = together,
                        valid: int = valid,
                        block: int = first_block,
                        rows: int = rows,
                    ) -> Sequence[Stmt]:
                        panel = (where[0] + group) * group_size + start
                        return self._many(
                            kept, element, panel, together, valid, (where[1] + block) * height, rows
                        )

                    stmts += collapse(f"panels{together}x{valid}x{rows}", (groups, count), task)
        return stmts

    def _rows(self) -> tuple[tuple[Stmt, ...], Element]:
        """How to read an element of the rows, and statements before that: rows that would get in each other's way in the caches
        are copied to better places.
        """
        depth, lanes = self.blocks.depth, self.site.machine.lanes(_FLOAT)
        if (
            depth * _FLOAT.size_bytes % ALIAS_BYTES
            or self.columns < self.site.machine.tuning.matmul.copy_min_columns
        ):
            return (), lambda row, k: self.site.read(0, row, k)
        copied = self.site.workspace("rows", _FLOAT, (self.rows, row_pitch(depth, _FLOAT)))

        def copy(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            return vector_blocks(
                "c", depth, lanes, lambda k: (store(copied, (*where, k), self.site.read(0, *where, k)),)
            )

        return collapse("copy", (self.rows,), copy), lambda row, k: load(copied, row, k)

    def _many(
        self, kept: Buffer, element: Element, panel: Expr, panels: int, valid: int, first_row: Expr, rows: int
    ) -> Sequence[Stmt]:
        """`rows` rows of some panels of columns: some blocks are widened, multiplied with all rows, and then the next ones."""
        tile, size = self.tile, self.blocks.size
        room = max(8, self.site.machine.tuning.weight_only.widened_max_bytes // (4 * tile.columns * panels))
        chunk = min(room // size, self.blocks.count) * size or math.gcd(size, 1 << room.bit_length() - 1)
        wide = buffer("wide", _FLOAT, (panels, chunk, tile.columns))
        stmts: list[Stmt] = [Alloc(wide)]

        def each(body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            return loop("panel", panels, body)

        def clear(at: Expr) -> Sequence[Stmt]:
            def zero(row: Expr, column: Expr) -> Sequence[Stmt]:
                return (store(kept, (panel + at, first_row + row, column), Const(0.0, _FLOAT)),)

            return loop("row", rows, lambda row: self._vectors(lambda column: zero(row, column)))

        def multiply(at: Expr, first: Expr, depth: int) -> tuple[Stmt, ...]:
            def rows_of(start: Expr, count: int) -> Sequence[Stmt]:
                def begin(row: int, column: Expr) -> Expr:
                    return load(kept, panel + at, first_row + start + row, column)

                k = Builder()
                with k.block("tile"):
                    sums = Sums(k, count, tile, _FLOAT, begin)
                    for step in k.loop("k", depth):
                        values = [element(first_row + start + row, first + step) for row in range(count)]
                        sums.add(values, partial(load, wide, at, step))
                    for row, column, value in sums.results():
                        k.store(kept, (panel + at, first_row + start + row, column), value)
                return k.statements()

            return row_tiles("m", rows, tile.rows, rows_of)

        stmts += each(clear)
        for first, count, depth in parts(self.blocks.depth, chunk):

            def piece(number: Expr, first: int = first, depth: int = depth) -> Sequence[Stmt]:
                start = (number + first) * chunk
                widen = each(lambda at: self._widened(wide, panel, at, start, depth, chunk < size))
                return (*widen, *each(lambda at: multiply(at, start, depth)))

            stmts += loop(f"chunk{depth}", count, piece)

        def finish(at: Expr) -> Sequence[Stmt]:
            def write_at(row: Expr, column: Expr) -> Sequence[Stmt]:
                where = (first_row + row, (panel + at) * tile.columns + column)
                return self.site.write(0, where, load(kept, panel + at, first_row + row, column))

            return loop(
                "row", rows, lambda row: vectors_of(valid, tile.lanes, lambda column: write_at(row, column))
            )

        stmts += each(finish)
        return (For(Var("task"), Const(1, DType.INT64), tuple(stmts), LoopKind.SERIAL),)

    def _vectors(self, body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        return vectors_of(self.tile.columns, self.tile.lanes, body)

    def _widened(
        self, wide: Buffer, first_panel: Expr, at_panel: Expr, start: Expr, depth: int, is_part: bool
    ) -> tuple[Stmt, ...]:
        """The real numbers of `depth` values of a panel from `start` on: of whole blocks, or of a part of one."""
        blocks, panel, stmts = self.blocks, first_panel + at_panel, ()

        def steps(block: Expr, start: Expr, place: Operand, size: int) -> tuple[Stmt, ...]:
            """Values of one block from the element `start` on, which goes to `place`."""
            begin = start // blocks.each

            def step(at: Expr, count: int) -> tuple[Stmt, ...]:
                stmts: tuple[Stmt, ...] = ()
                for part in range(count):

                    def real(column: Expr, part: int = part) -> tuple[Stmt, ...]:
                        value = self.weights.real(panel, block, begin + at, part, column)
                        return (store(wide, (at_panel, at * blocks.each + part + place, column), value),)

                    stmts += self._vectors(real)
                return stmts

            whole, rest = divmod(size, blocks.each)
            last = step(index(whole), rest) if rest else ()
            return (*loop("step", whole, lambda at: step(at, blocks.each)), *last)

        if is_part:
            return steps(start // blocks.size, start, 0, depth)
        for first, count, size in parts(depth, blocks.size):

            def block(at: Expr, first: int = first, size: int = size) -> Sequence[Stmt]:
                place = (at + first) * blocks.size
                return steps(start // blocks.size + at + first, start + place, place, size)

            stmts += loop(f"wide{size}", count, block)  # type: ignore[assignment]
        return stmts


def _build_in_registers(site: Site, problem: WeightOnly) -> Sequence[Stmt]:
    """The values of a word are multiplied one by one where they lie in it, without widening it in memory."""
    lanes = column_lanes(site, problem)
    return _Kernel(site, problem, Tile(problem.rows, stored_columns(site, problem) // lanes, lanes)).for_few()


def _build_widened(site: Site, problem: WeightOnly) -> Sequence[Stmt]:
    """Some groups of a panel of columns become real numbers first, which all rows of a task use."""
    rows = min(problem.rows, site.machine.tuning.weight_only.task_max_rows)
    stored = stored_columns(site, problem)
    by_cost = list(tiles(site.machine, _FLOAT, rows, problem.columns).values())
    tile = next((tile for tile in by_cost if stored % tile.columns == 0), by_cost[0])
    return _Kernel(site, problem, tile).for_many()


def _refuses_in_registers(site: Site, problem: WeightOnly) -> str:
    maximum = site.machine.tuning.weight_only.in_registers_max_rows
    return why_not((problem.rows > maximum, f"there are {problem.rows} rows, more than {maximum}"))


def _estimate_widened(site: Site, problem: WeightOnly) -> Estimate:
    return Estimate(True, problem.rows > site.machine.tuning.weight_only.in_registers_max_rows)


IN_REGISTERS = Algorithm("in_registers", _build_in_registers, _refuses_in_registers)
INT8_SLICES = Algorithm("int8_slices", build_int8_slices, refuses_int8_slices, estimate=estimate_int8_slices)
WIDENED = Algorithm("widened", _build_widened, estimate=_estimate_widened)
FAMILY = "matmul_nbits"
MATMUL_NBITS = (INT8_SLICES, IN_REGISTERS, WIDENED)
