"""Matrix products: MatMul and Gemm."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import Algorithm, build, needs_processor
from ingot.kernels.blocks.elements import broadcast_index
from ingot.kernels.blocks.prefetch import prefetch_pays, stream
from ingot.kernels.blocks.product_block import Order, Prefetching, Product, product_block, sums_for_each
from ingot.kernels.blocks.register_block import (
    ALIAS_BYTES,
    NEIGHBOURS,
    Tile,
    choose_tile,
    parts,
    row_blocks,
    row_pitch,
    tiles,
)
from ingot.kernels.blocks.work_split import rows_of_task
from ingot.kernels.matmul.amx import AMX
from ingot.kernels.matmul.columns import COLUMNS
from ingot.kernels.matmul.grid import GRID
from ingot.kernels.matmul.pairwise.matmul import PAIRWISE
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.matmul.strassen import STRASSEN
from ingot.kernels.template import Folded, Home, Site, Template, each_of_product, either
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Buffer, Expr, Load, Operand, Prefetch, Stmt, cast, index, load, minimum
from ingot.machines.machine import LINE_BYTES, Machine


def matmul_template(a: TensorType, b: TensorType, output: TensorType, few_columns: bool = False) -> Template:
    """`output[…, m, n] = Σ_k a[…, m, k] * b[…, k, n]`, batch dimensions broadcast. `few_columns` as of `MatMul`.

    *Source:* ONNX MatMul-13, which is numpy.matmul.
    """
    spec = {"m": output.shape[-2], "n": output.shape[-1], "k": a.shape[-1], "batch": output.shape[:-2]}
    return Template(
        "matmul",
        (a, b),
        (output,),
        lambda site: build(site, FAMILY, MatMul(a, b, output, few_columns), MATMUL),
        spec={**spec, "few_columns": True} if few_columns else spec,
        prefers={("output", 0): tuple(range(output.rank))},
        independent=each_of_product(a, b, output),
        folded=(Folded((a.rank - 1, b.rank - 2), (None,), 0.0),),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """What was decided about a product by panels of columns.

    Tasks have `height` rows; those that share a panel come one after the other if `panels_first`. `packed` are the weights, where
    they are prefetched: all of a panel `streams` by once, or the next panel while one is used. With `halves` a panel is read at
    two places at once.
    """

    site: Site
    problem: MatMul
    segments: tuple[Segment, ...]
    row_of: RowOf
    column_of: ColumnOf
    height: int
    panels_first: bool
    packed: Buffer | None
    streams: bool
    halves: bool

    @property
    def sum_type(self) -> DType:
        return accumulator_type(self.problem.output.dtype)

    @property
    def depth(self) -> int:
        return self.problem.a.shape[-1]


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """`rows` rows from `first_row` on, of one panel of columns."""

    batch: tuple[Expr, ...]
    segment: Segment
    panel: Expr
    first_row: Expr
    rows: int


def _build(site: Site, problem: MatMul) -> Sequence[Stmt]:
    k = Builder()
    plan = _plan(k, site, problem)
    for task in _tasks(k, plan):
        for start, size in row_blocks(k, "m", task.rows, task.segment.tile.rows):
            _write_block(k, plan, task, start, size)
    return k.statements()


def _plan(k: Builder, site: Site, problem: MatMul) -> _Plan:
    """Decides, and copies the operands to where they are read well."""
    a, b, output = problem.a, problem.b, problem.output
    rows, columns = output.shape[-2:]
    depth, dtype = a.shape[-1], accumulator_type(output.dtype)
    tile = site.choose("tile", _tiles(site, b, rows))
    segments = column_segments(site.machine, dtype, rows, columns, tile)
    row_of = _rows(k, site, a, (rows, columns), segments[0].tile)
    column_of = _columns(k, site, b, rows, segments)
    height, panels_first = _row_blocks(site, a, output.shape[:-2], segments)
    weights = site.packed.get(1)
    tuning = site.machine.tuning
    is_deep = depth >= tuning.matmul.prefetch_steps
    far = site.machine.prefetch and b.rank == 2 and panels_first and is_deep
    packed = weights[0] if weights is not None and far else None
    # With one block of rows each weight is used once, and the product is little else than reading them.
    streams = packed is not None and rows <= min(tuning.prefetch.stream_max_rows, segments[0].tile.rows)
    if packed is not None and not site.choose(
        "prefetch", either("ahead", "none", not streams or prefetch_pays(site))
    ):
        packed = None
    # From memory two streams, through the halves of each panel, come a tenth quicker than one.
    halves = streams and dtype.is_float and 4 * rows * tile.vectors <= site.machine.vector_registers
    halves = halves and sums_for_each(site.machine, rows, tile, dtype, depth) == 1 < depth
    halves = (
        halves and packed is None and site.choose("streams", either("two", "one", site.home is Home.MEMORY))
    )
    return _Plan(site, problem, segments, row_of, column_of, height, panels_first, packed, streams, halves)


def _tasks(k: Builder, plan: _Plan) -> Iterator[_Task]:
    """One panel of columns by one block of rows each. Partial panels and blocks have loops of their own, so that all others have
    constant sizes.
    """
    *batch, rows, _ = plan.problem.output.shape
    for segment in plan.segments:
        for first_block, blocks, count in parts(rows, plan.height):
            box = (segment.panels, blocks) if plan.panels_first else (blocks, segment.panels)
            for *at, first, second in k.collapse(f"task{segment.first}x{count}", (*batch, *box)):
                panel, number = (first, second) if plan.panels_first else (second, first)
                yield _Task(tuple(at), segment, panel, (number + first_block) * plan.height, count)


def _write_block(k: Builder, plan: _Plan, task: _Task, start: Expr, size: int) -> None:
    """One register block: `size` rows of a task, from its row `start` on."""
    site, segment, problem = plan.site, task.segment, plan.problem
    a_index = broadcast_index(task.batch, problem.a.shape[:-2])
    b_index = broadcast_index(task.batch, problem.b.shape[:-2])
    first_row = start + task.first_row
    first_column = task.panel * segment.tile.columns + segment.first

    def left(row: int, step: Expr) -> Expr:
        return cast(plan.row_of(a_index, first_row + row, step), plan.sum_type)

    def right(step: Expr, column: Expr) -> Expr:
        return cast(plan.column_of(segment, b_index, task.panel, step, column), plan.sum_type)

    if problem.output.shape[-2] == 1:
        _prefetch_row(k, site, problem.b, lambda step: plan.row_of(a_index, first_row, step))
    product = Product(size, segment.tile, plan.sum_type, plan.depth, left, right, segment.valid)
    blocks = product_block(
        k, product, _order(plan, size), _prefetching(plan, task, start), in_loop=site.has_long_epilogue
    )
    for row, column, value in blocks:
        where = (*task.batch, first_row + row, first_column + column)
        k.emit(site.write(0, where, cast(value, problem.output.dtype)))


def _order(plan: _Plan, rows: int) -> Order:
    """In which order a block of so many rows adds up."""
    tile, machine = plan.segments[0].tile, plan.site.machine
    sums = 2 if plan.halves else sums_for_each(machine, rows, tile, plan.sum_type, plan.depth)
    by_neighbours = rows == 1 and plan.problem.a.dtype is DType.FLOAT32 and machine.l2_fills_use_load_ports
    return Order(sums, by_parts=plan.halves, together=NEIGHBOURS if by_neighbours else 1)


def _tiles(site: Site, b: TensorType, rows: int) -> dict[str, Tile]:
    """The tiles to choose between, the best first.

    A product with few rows is shared out by its panels. Tiles as wide as the registers allow may make only one of them, and the
    other threads would do nothing. With three or five one of two threads waits for the other, where each has its weights in its
    own cache; what comes from a shared one takes as long either way, and wide panels come a little quicker.
    """
    depth, columns = b.shape[-2:]
    offered = tiles(site.machine, accumulator_type(b.dtype), rows, columns)
    best = next(iter(offered.values()))
    tuning, size_bytes = site.machine.tuning, depth * columns * b.dtype.size_bytes
    worth = site.is_constant(1) and size_bytes >= tuning.matmul.shared_min_bytes
    uneven = (1, 3, 5) if site.home is Home.CORE else (1,)
    if (
        not worth
        or rows > min(tuning.prefetch.stream_max_rows, best.rows)
        or columns // best.columns not in uneven
        or best.vectors < tuning.matmul.wide_vectors
    ):
        return offered
    half = replace(best, vectors=best.vectors // 2)
    return {f"{half.rows}x{half.vectors}": half, **offered}


def _prefetch_row(k: Builder, site: Site, b: TensorType, element: Callable[[Expr], Expr]) -> None:
    """Prefetches all of a single row. Half of it may be in the cache of another core, which made it: a line then takes as long as
    some kilobytes of weights, and sums, which go along the row, see no further than two lines.
    """
    depth, columns = b.shape[-2:]
    line = LINE_BYTES // b.dtype.size_bytes
    is_plain = (
        not site.is_inlined(0) and site.input(0).strides[-1] == 1 and isinstance(element(index(0)), Load)
    )
    size_bytes = depth * columns * b.dtype.size_bytes
    worth = site.is_constant(1) and size_bytes >= site.machine.tuning.matmul.row_prefetch_min_bytes
    if not (site.machine.l2_fills_use_load_ports and is_plain and worth):
        return
    for at in k.loop("line", -(-depth // line)):
        read = element(at * line)
        assert isinstance(read, Load)
        k.emit((Prefetch(read.buffer, read.index, near=True),))


def _prefetching(plan: _Plan, task: _Task, start: Expr) -> Prefetching | None:
    """How weights are brought in while the block of a task's rows from `start` on is computed."""
    packed, segment = plan.packed, task.segment
    if packed is None:
        return None
    if plan.streams:
        return _stream(plan.site, packed, segment, plan.depth, task.panel)
    rows = min(task.rows, plan.height)
    if segment.panels > 1 and rows > 2 * segment.tile.rows:
        return _next_panel(plan, packed, task, start, rows)
    return None


def _next_panel(plan: _Plan, packed: Buffer, task: _Task, row: Expr, rows: int) -> Prefetching:
    """Brings the next panel in while this one is used: each block of rows its part of it, line by line.

    Weights come from memory once in an inference; without this the first block of every panel waits for them.
    """
    segment, depth, steps = task.segment, plan.depth, plan.site.machine.tuning.matmul.prefetch_steps
    line = LINE_BYTES // packed.dtype.size_bytes
    panel_size = depth * segment.tile.columns
    blocks = depth // steps
    row_tiles = -(-rows // segment.tile.rows)
    each = -(-panel_size // (line * blocks * row_tiles))  # lines in so many steps

    def lines(number: Expr) -> Sequence[Stmt]:
        done = row * blocks // segment.tile.rows + number
        following = (task.panel + 1) * panel_size + segment.first * depth
        return tuple(
            Prefetch(packed, (minimum(following + (done * each + at) * line, packed.shape[0] - 1),))
            for at in range(each)
        )

    return Prefetching(steps, lines)


def _stream(site: Site, packed: Buffer, segment: Segment, depth: int, panel: Expr) -> Prefetching:
    """Each step of the sum prefetches as much as it reads."""
    width = segment.tile.columns
    start = (panel * width + segment.first) * depth
    return Prefetching(1, lambda step: stream(site, packed, start + step * width, width))


@dataclass(frozen=True, slots=True)
class Segment:
    """`panels` panels of a result's columns, from column `first` on. `valid` columns of each are stored, all unless it is one."""

    first: int
    panels: int
    valid: int
    tile: Tile

    @property
    def is_whole(self) -> bool:
        return self.valid == self.tile.columns


def column_segments(
    machine: Machine, dtype: DType, rows: int, columns: int, best: Tile | None = None
) -> tuple[Segment, ...]:
    """The columns as panels of the best tile, or the given one, and what remains as panels of narrower ones."""
    segments: list[Segment] = []
    first = 0
    while first < columns or not segments:
        tile = (best if first == 0 else None) or choose_tile(machine, dtype, rows, columns - first)
        panels = max(1, (columns - first) // tile.columns)
        segments.append(Segment(first, panels, min(tile.columns, columns - first), tile))
        first += panels * tile.columns
    return tuple(segments)


def _row_blocks(
    site: Site, a: TensorType, batch: tuple[int, ...], segments: Sequence[Segment]
) -> tuple[int, bool]:
    """Rows that a task computes, and whether tasks that share a panel come one after the other.

    They do, so that weights come from memory once, unless the left operand is larger than the caches: then the panels pass by
    a block of rows that stays.
    """
    rows, depth = a.shape[-2:]
    step = segments[0].tile.rows
    row_bytes = depth * a.dtype.size_bytes
    columns = segments[-1].first + segments[-1].panels * segments[-1].tile.columns
    too_large = rows * row_bytes > site.machine.tuning.l3_caches * site.machine.l2_bytes and columns <= rows
    one_way = not too_large and rows * row_bytes <= site.machine.l2_bytes // 2
    if not site.choose("outer", {"panels": True} if one_way else either("panels", "rows", not too_large)):
        return max(1, site.machine.l2_bytes // (2 * row_bytes * step)) * step, False
    tasks = math.prod(batch) * sum(segment.panels for segment in segments)
    if site.machine.cores:
        minimum_rows = site.machine.tuning.matmul.task_min_rows
        return rows_of_task(rows, step, tasks, rows // minimum_rows, site.machine), True
    return max(2 * step, rows_of_task(rows, step, tasks, rows, site.machine)), True


RowOf = Callable[[Sequence[Operand], Expr, Expr], Expr]  # batch index, row, k → element


def _rows(k: Builder, site: Site, a: TensorType, extents: tuple[int, int], tile: Tile) -> RowOf:
    """How to read the left operand: in place, or from a copy whose rows do not get in each other's way. Half floats are made wide
    once, by vectors, and not one by one for each panel of columns. `extents` are those of the result.
    """
    rows, columns = extents
    strides = site.input(0).strides
    apart = strides[-2] * a.dtype.size_bytes
    aliased = apart % ALIAS_BYTES == 0 and tile.rows > 4
    kept = accumulator_type(a.dtype) if site.machine.l2_bytes else a.dtype
    reused = columns >= site.machine.tuning.matmul.copy_min_columns and rows >= 4
    worth = reused and (aliased or strides[-1] != 1 or kept is not a.dtype)
    if not worth or not site.choose("left", either("copied", "in_place", True)):
        return lambda where, row, step: site.read(0, *where, row, step)
    depth, lanes = a.shape[-1], site.machine.lanes(kept)
    workspace = site.workspace("rows", kept, (*a.shape[:-1], row_pitch(depth, kept)))
    for where in k.collapse("copy", a.shape[:-1]):
        for step in k.vector_blocks("c", depth, lanes):
            k.store(workspace, (*where, step), cast(site.read(0, *where, step), kept))
    return lambda where, row, step: load(workspace, *where, row, step)


ColumnOf = Callable[
    [Segment, Sequence[Operand], Expr, Expr, Expr], Expr
]  # batch index, panel, k, column in it → weight


def _worth_panels(site: Site, b: TensorType, rows: int, tile: Tile) -> bool:
    """Whether the right operand, which is larger than a first-level cache, is copied into panels though it lies row by row.

    Read in place, a panel has a few elements of each row: rows lie so far apart that they compete for few lines of the cache, and
    each is on another page. So each tile of rows waits for them again (on Zen 3 products of 512×512 took a half longer).
    All are copied before the first is used: not more than stay in the caches until then, and than an arena should grow by.
    """
    size_bytes = b.shape[-2] * b.shape[-1] * b.dtype.size_bytes
    copied_bytes = b.size * accumulator_type(b.dtype).size_bytes
    tuning = site.machine.tuning.matmul
    fits = 0 < copied_bytes <= tuning.panels_max_caches * site.machine.l2_bytes
    return fits and size_bytes > tuning.panels_min_bytes and rows >= tuning.panels_min_blocks * tile.rows


def _columns(k: Builder, site: Site, b: TensorType, rows: int, segments: Sequence[Segment]) -> ColumnOf:
    """How to read the right operand: packed while building, in place, or packed first while running.

    Packed, the panels lie one behind the other, each `[depth, width]`.
    """
    depth = b.shape[-2]
    if site.is_constant(1):
        packed = site.arrange(1, lambda array: pack_panels(array, segments))
        return lambda segment, *where: load(packed, *_place_in_panels(segment, depth, *where))
    in_place = not site.is_inlined(1) and site.input(1).strides[-1] == 1
    if in_place and not site.choose(
        "right", either("in_place", "copied", not _worth_panels(site, b, rows, segments[0].tile))
    ):
        in_place = False
    loose = [segment for segment in segments if not (in_place and segment.is_whole)]

    def direct(segment: Segment, where: Sequence[Operand], panel: Expr, step: Expr, column: Expr) -> Expr:
        return site.read(1, *where, step, panel * segment.tile.columns + segment.first + column)

    if not loose:
        return direct
    start = loose[0].first
    size = depth * (loose[-1].first + loose[-1].panels * loose[-1].tile.columns - start)
    kept = accumulator_type(b.dtype) if site.machine.l2_bytes else b.dtype  # half floats are made wide once
    workspace = site.workspace("panels", kept, (*b.shape[:-2], size))
    by_copy = {id(segment): replace(segment, first=segment.first - start) for segment in loose}
    for segment in loose:
        _pack_segment(k, b, segment, direct, workspace, by_copy[id(segment)])

    def column_of(segment: Segment, *where: Any) -> Expr:
        copied = by_copy.get(id(segment))
        if copied is None:
            return direct(segment, *where)
        return load(workspace, *_place_in_panels(copied, depth, *where))

    return column_of


def _place_in_panels(
    segment: Segment, depth: int, where: Sequence[Operand], panel: Expr, step: Expr, column: Expr
) -> tuple[Operand, ...]:
    """Where an element lies in packed panels, of which the segment's begin with column `segment.first`."""
    return (*where, (panel * depth + step) * segment.tile.columns + segment.first * depth + column)


def _pack_segment(
    k: Builder, b: TensorType, segment: Segment, direct: ColumnOf, workspace: Buffer, copied: Segment
) -> None:
    """Copies the panels of a segment, the last one filled with zeros, to where `copied` says."""
    depth, lanes = b.shape[-2], segment.tile.lanes
    for *at, panel in k.collapse(f"pack{segment.first}", (*b.shape[:-2], segment.panels)):
        for step in k.loop("k", depth):
            for column in k.vector_blocks("c", segment.valid, lanes):
                value = cast(direct(segment, at, panel, step, column), workspace.dtype)
                k.store(workspace, _place_in_panels(copied, depth, at, panel, step, column), value)
            for rest in k.vector_blocks("z", segment.tile.columns - segment.valid, lanes):
                place = _place_in_panels(copied, depth, at, panel, step, rest + segment.valid)
                k.store(workspace, place, 0)


def pack_panels(array: np.ndarray, segments: Sequence[Segment]) -> np.ndarray:
    """`[…, K, N]` → `[…, size]`: the panels of all segments, the last one filled with zeros."""
    *batch, depth, columns = array.shape
    total = segments[-1].first + segments[-1].panels * segments[-1].tile.columns
    padded = np.zeros((*batch, depth, total), array.dtype)
    padded[..., :columns] = array
    pieces = []
    for segment in segments:
        width = segment.tile.columns
        piece = padded[..., segment.first : segment.first + segment.panels * width]
        by_panel = np.moveaxis(piece.reshape(*batch, depth, segment.panels, width), -2, -3)
        pieces.append(by_panel.reshape(*batch, segment.panels * depth * width))
    return np.concatenate(pieces, -1)


PANELS = Algorithm("panels", _build, needs_processor)
FAMILY = "matmul"
MATMUL = (GRID, COLUMNS, AMX, PAIRWISE, STRASSEN, PANELS)
