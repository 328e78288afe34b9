"""Matrix product of 8-bit quantized values with a constant right operand, summed in int32 (see `blocks/dot_block`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import Algorithm, build, why_not
from ingot.kernels.blocks.amx_tile import Steps, accumulate_in_tiles, amx_tiles, pack_tiles, steps_of
from ingot.kernels.blocks.dot_block import (
    WORD,
    WORDS,
    Factors,
    Step,
    accumulate,
    dot_tiles,
    factors,
    pack_columns,
    packed_at,
    reads_int8x4,
    spreads_int8x4,
)
from ingot.kernels.blocks.prefetch import AmxPrefetch, PanelPrefetch, Share, prefetch_pays, stream
from ingot.kernels.blocks.register_block import Tile, parts, row_tiles, sum_steps
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.template import Home, Site, Template, each_but, either
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import collapse, loop, vector_blocks
from ingot.loops.nodes import Expr, Operand, Stmt, load, store, word
from ingot.machines.machine import Machine


def qmatmul_template(a: TensorType, b: TensorType) -> Template:
    """Sums `[M, N]` in int32 of the product of quantized values `a [M, K]` and int8 weights `b [K, N]`, which are constants.

    Input 2 is the number `[N]` that the sums of a column start from, as `dot_tile.starts` makes it.
    """
    problem = MatMul(a, b, TensorType(DType.INT32, (a.shape[0], b.shape[1])))
    return Template(
        "qmatmul",
        (a, b, TensorType(DType.INT32, (b.shape[1],))),
        (problem.output,),
        lambda site: build(site, FAMILY, problem, QMATMUL),
        spec={"m": a.shape[0], "n": b.shape[1], "k": a.shape[1]},
        inlines=frozenset({0}),
        prefers={("output", 0): (0, 1)},
        independent=each_but(1, others=2),
    )


def _known_operands(site: Site) -> tuple[np.ndarray, np.ndarray]:
    """The weights `[K, N]` and the numbers `[N]` that sums start from."""
    weights, starts = site.constant(1), site.constant(2)
    assert weights is not None and starts is not None, "the right operand of an integer product is a constant"
    return weights, starts


def _build_panels(site: Site, problem: MatMul) -> Sequence[Stmt]:
    """Dot products of packed values, by panels of columns."""
    a, (array, begin) = problem.a, _known_operands(site)
    rows, columns = problem.output.shape
    kind = factors(site.machine, array.T)
    tile = site.choose("tile", dot_tiles(site.machine, rows, columns, kind))
    packed = site.pack(1, kind.pack(np.ascontiguousarray(array.T), tile.columns))
    first = site.pack(2, pack_columns(kind.starts(begin, array.T), tile.columns))
    prologue, word_at = rows_of_int8x4(site, a, kind)
    few = site.machine.prefetch and rows <= min(site.machine.tuning.prefetch.stream_max_rows, tile.rows)
    # Pairs take so long that the processor itself keeps up: asking for lines took 4 to 12 % more.
    streams = few and site.choose(
        "prefetch", either("ahead", "none", prefetch_pays(site) and kind.takes_int8x4)
    )
    steps, taken = packed.shape[1:]
    far = site.machine.prefetch and not few and site.home is not Home.CORE
    prefetch = PanelPrefetch(site.machine.tuning.prefetch, packed, steps * taken, rows) if far else None

    def block(_: Sequence[Expr], panel: Expr, width: int, start: Expr, size: int) -> Sequence[Stmt]:
        def sums(step: Step) -> Sequence[Stmt]:
            def at(j: Expr) -> Sequence[Stmt]:
                asked = stream(site, packed, (panel * steps + j) * taken, taken) if streams else ()
                return (*asked, *step(lambda row: word_at((), start + row, j), packed_at(packed, panel, j)))

            written_out = kind.takes_int8x4 and tile.steps == 1
            along = (
                Builder.loop if prefetch is None else prefetch.along(Share(panel, start, size), written_out)
            )
            return sum_steps("j", steps, tile.steps, at, along, adjoin=True)

        def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
            return site.write(0, (start + row, panel * tile.columns + column), value)

        return accumulate(size, tile, lambda column: load(first, panel, column), sums, write, width, kind)

    return (*prologue, *product_tasks(site.machine, (), rows, columns, tile, block))


def _amx_tiles(site: Site, problem: MatMul) -> dict[str, Tile]:
    rows, columns = problem.output.shape
    return amx_tiles(site.machine, rows, columns, problem.a.shape[1])


def _refuses_amx(site: Site, problem: MatMul) -> str:
    return why_not((not site.machine.amx_int8, "the machine has no tiles that multiply int8")) or why_not(
        (not _amx_tiles(site, problem), "rows or columns are too few for a tile")
    )


def _build_amx(site: Site, problem: MatMul) -> Sequence[Stmt]:
    """Products in AMX tiles (see `blocks/amx_tile`)."""
    a, (array, begin) = problem.a, _known_operands(site)
    (rows, depth), columns = a.shape, array.shape[1]
    tile = site.choose("tile", _amx_tiles(site, problem))
    steps = steps_of(depth)
    packed = site.pack(1, pack_tiles(np.ascontiguousarray(array.T), tile.columns, steps))
    first = site.pack(2, pack_columns(begin, tile.columns))
    prologue, word_at = rows_in_steps(site, a, steps)
    prefetch = None
    if site.machine.prefetch and site.home is not Home.CORE:
        prefetch = AmxPrefetch(packed, packed.shape[0], -(-rows // tile.rows), steps.count)

    def block(_: Sequence[Expr], panel: Expr, width: int, start: Expr, size: int) -> Sequence[Stmt]:
        def write(row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
            return site.write(0, (start + row, panel * tile.columns + column), value)

        return accumulate_in_tiles(
            size,
            tile,
            steps.words,
            (steps.count,),
            lambda row, at, step: word_at((), start + row, step[0] * steps.words + at),
            lambda at, column, step: load(packed, panel, step[0], at, column),
            lambda column: load(first, panel, column),
            write,
            width,
            prefetch=None
            if prefetch is None
            else lambda step: prefetch.of_step(panel, start // tile.rows, step),
        )

    return (*prologue, *product_tasks(site.machine, (), rows, columns, tile, block))


AMX = Algorithm("amx", _build_amx, _refuses_amx)
PANELS = Algorithm("panels", _build_panels)
FAMILY = "qmatmul"
QMATMUL = (AMX, PANELS)


# Writes a tile of a result: batch index, panel of columns, how many of its columns there are; first row, number of rows.
Block = Callable[[Sequence[Expr], Expr, int, Expr, int], Sequence[Stmt]]


def product_tasks(
    machine: Machine, batch: Sequence[int], rows: int, columns: int, tile: Tile, block: Block
) -> tuple[Stmt, ...]:
    """A result `[*batch, rows, columns]`, shared out by panels of columns and some tiles of rows."""
    rows_per_task = _rows_per_task(machine, rows, tile, math.prod(batch) * -(-columns // tile.columns))
    stmts: tuple[Stmt, ...] = ()
    for first_panel, panels, width in parts(columns, tile.columns):
        for first_block, blocks, height in parts(rows, rows_per_task):

            def task(
                where: tuple[Expr, ...],
                first_panel: int = first_panel,
                width: int = width,
                first_block: int = first_block,
                height: int = height,
            ) -> Sequence[Stmt]:
                *outer, panel, number = where
                first_row = (number + first_block) * rows_per_task
                return row_tiles(
                    "m",
                    height,
                    tile.rows,
                    lambda at, size: block(outer, panel + first_panel, width, at + first_row, size),
                )

            stmts += collapse(f"task{width}x{height}", (*batch, panels, blocks), task)
    return stmts


def _rows_per_task(machine: Machine, rows: int, tile: Tile, panels: int) -> int:
    """As many for each task, or else whole tiles, of which there are not more than if one task did all."""
    tuning, enough = machine.tuning.matmul, panels >= machine.tuning.threads.tasks
    maximum = tuning.int8_panels_max_rows if enough else max(tile.rows, tuning.int8_task_max_rows)
    blocks = -(-rows // maximum)
    each = -(-rows // blocks)
    tiles = -(-each // tile.rows)
    return each if rows % blocks == 0 and tiles * blocks == -(-rows // tile.rows) else tiles * tile.rows


def rows_in_steps(
    site: Site, a: TensorType, steps: Steps
) -> tuple[tuple[Stmt, ...], Callable[[Sequence[Operand], Expr, Expr], Expr]]:
    """As `rows_of_int8x4`, for rows of so many steps."""
    depth = a.shape[-1]
    if not a.dtype.is_signed and depth == steps.values and reads_int8x4(site, 0, a.rank - 1):
        source = site.input(0)
        return (), lambda outer, row, j: word(load(source, *outer, row, j * WORD))
    return _copied_rows(site, a, WORDS, steps.values)


def rows_of_int8x4(
    site: Site, a: TensorType, kind: Factors
) -> tuple[tuple[Stmt, ...], Callable[[Sequence[Operand], Expr, Expr], Expr]]:
    """Statements that copy the left operand `[…, M, K]` into rows of whole int8x4, if it needs that, and how to read an
    int8x4 then: batch index, row, number of the int8x4.
    """
    depth = a.shape[-1]
    few = a.shape[-2] < site.machine.tuning.matmul.int8_copy_min_rows
    as_stored = few or spreads_int8x4(site.machine, a.dtype, depth)
    if kind.takes_int8x4 and as_stored and depth % WORD == 0 and reads_int8x4(site, 0, a.rank - 1):
        source = site.input(0)
        return (), lambda outer, row, j: kind.word(word(load(source, *outer, row, j * WORD)), a.dtype)
    return _copied_rows(site, a, kind, -(-depth // kind.per_step) * kind.per_step)


def _copied_rows(
    site: Site, a: TensorType, kind: Factors, whole: int
) -> tuple[tuple[Stmt, ...], Callable[[Sequence[Operand], Expr, Expr], Expr]]:
    """Statements that copy the left operand into rows of `whole` values, and how to read an int8x4 then."""
    depth = a.shape[-1]
    copied = site.workspace("rows", kind.row, (*a.shape[:-1], whole))
    at_once = DType.INT32 if site.is_inlined(0) or kind.takes_int8x4 else DType.UINT8
    lanes = site.machine.lanes(at_once)

    def copy(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        def code(c: Expr) -> Sequence[Stmt]:
            return (store(copied, (*where, c), kind.code(site.read(0, *where, c))),)

        moved = vector_blocks("c", depth, lanes, code)
        return moved + loop("z", whole - depth, lambda z: (store(copied, (*where, z + depth), 0),))

    return collapse("copy", a.shape[:-1], copy), lambda outer, row, j: kind.factor(
        load(copied, *outer, row, j * kind.per_step)
    )
