"""Matrix products: MatMul and Gemm."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import Algorithm, build, needs_processor
from ingot.kernels.blocks.elements import broadcast_index
from ingot.kernels.blocks.prefetch import STREAM_ROWS, stream, streams_ahead
from ingot.kernels.blocks.product_block import Asking, product_tile, sums_for_each
from ingot.kernels.blocks.register_block import (
    ALIAS_BYTES,
    NEIGHBOURS,
    THIRD_LEVEL,
    Tile,
    choose_tile,
    parts,
    row_pitch,
    row_tiles,
    tiles,
)
from ingot.kernels.blocks.work_split import rows_of_task
from ingot.kernels.matmul.amx import AMX
from ingot.kernels.matmul.columns import COLUMNS
from ingot.kernels.matmul.grid import GRID
from ingot.kernels.matmul.pairwise.matmul import PAIRWISE
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.matmul.strassen import STRASSEN
from ingot.kernels.template import Home, Site, Template, either
from ingot.loops.build.nest import accumulator_type, collapse, loop, vector_blocks
from ingot.loops.nodes import Buffer, Expr, Load, Operand, Prefetch, Stmt, cast, index, load, minimum, store
from ingot.machines.machine import LINE_BYTES, Machine

_ROWS_LEAST = 8  # of a task
# A product with few rows is worth sharing out from so many bytes of weights on, and a tile so wide worth dividing for it.
SHARED_BYTES_LEAST, WIDE_VECTORS = 128 * 1024, 6
# A left operand is copied to better places if each of its elements is used for at least so many columns.
COLUMNS_WORTH_COPY = 64
# A right operand that is not constant is copied into panels if it is larger than this, so many tiles of rows read them, and
# all panels of a batch together fill so many second-level caches at most.
PANELS_WORTH_BYTES, PANELS_WORTH_TILES, PANELS_CACHES = 32 * 1024, 10, 8
# Steps of a sum between two prefetches for the next panel.
PREFETCH_STEPS = 4
# All of a single row is asked for from so many bytes of weights on.
ASKED_BYTES_LEAST = 16 * 1024


def matmul_template(a: TensorType, b: TensorType, output: TensorType) -> Template:
    """`output[…, m, n] = Σ_k a[…, m, k] * b[…, k, n]`, batch dimensions broadcast.

    *Source:* ONNX MatMul-13, which is numpy.matmul.
    """
    return Template(
        "matmul",
        (a, b),
        (output,),
        lambda site: build(site, FAMILY, MatMul(a, b, output), MATMUL),
        spec={"m": output.shape[-2], "n": output.shape[-1], "k": a.shape[-1], "batch": output.shape[:-2]},
        prefers={("output", 0): tuple(range(output.rank))},
    )


def _build(site: Site, problem: MatMul) -> Sequence[Stmt]:
    a, b, output = problem.a, problem.b, problem.output
    rows, columns = output.shape[-2:]
    depth = a.shape[-1]
    batch = output.shape[:-2]
    acc_type = accumulator_type(output.dtype)
    tile = site.choose("tile", _tiles(site, b, rows))
    segments = column_segments(site.machine, acc_type, rows, columns, tile)
    stmts, row_of = _rows(site, a, rows, columns, segments[0].tile)
    prologue, column_of = _columns(site, b, rows, segments)
    stmts += tuple(prologue)
    height, panels_first = _row_blocks(site, a, batch, segments)
    late = site.has_long_epilogue
    weights = site.packed.get(1)
    far = site.machine.prefetch and b.rank == 2 and panels_first and depth >= PREFETCH_STEPS
    packed = weights[0] if weights is not None and far else None
    # With one tile of rows each weight is used once, and the product is little else than reading them.
    streams = packed is not None and rows <= min(STREAM_ROWS, segments[0].tile.rows)
    if packed is not None and not site.choose(
        "prefetch", either("ahead", "none", not streams or streams_ahead(site))
    ):
        packed = None
    # From memory two streams, through the halves of each panel, come a tenth quicker than one.
    halves = streams and acc_type.is_float and 4 * rows * tile.vectors <= site.machine.vector_registers
    halves = halves and sums_for_each(rows, tile, acc_type, depth) == 1 < depth
    halves = (
        halves and packed is None and site.choose("streams", either("two", "one", site.home is Home.MEMORY))
    )

    def block(
        where: tuple[Expr, ...], panel: Expr, segment: Segment, first_row: Expr, row_count: int
    ) -> Sequence[Stmt]:
        a_index = broadcast_index(where, a.shape[:-2])
        b_index = broadcast_index(where, b.shape[:-2])
        first_column = panel * segment.tile.columns + segment.first

        def rows_of(start: Expr, size: int) -> Sequence[Stmt]:
            first = start + first_row

            def left(row: int, k: Expr) -> Expr:
                return cast(row_of(a_index, first + row, k), acc_type)

            def right(k: Expr, column: Expr) -> Expr:
                return cast(column_of(segment, b_index, panel, k, column), acc_type)

            def write(row: int | Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
                return site.write(0, (*where, first + row, first_column + column), cast(value, output.dtype))

            ahead = None
            if packed is not None and streams:
                ahead = _stream(site, packed, segment, depth, panel)
            elif packed is not None and segment.panels > 1 and min(row_count, height) > 2 * segment.tile.rows:
                ahead = _prefetch(packed, segment, depth, panel, start, min(row_count, height))
            ways = 2 if halves else sums_for_each(size, segments[0].tile, acc_type, depth)
            together = (
                NEIGHBOURS
                if size == 1 and a.dtype is DType.FLOAT32 and site.machine.l2_fills_use_load_ports
                else 1
            )
            product = product_tile(
                size,
                segment.tile,
                acc_type,
                depth,
                left,
                right,
                write,
                segment.valid,
                ways,
                ahead,
                late,
                halves,
                together,
            )
            return (
                (*_asked_first(site, b, lambda k: row_of(a_index, first, k)), *product)
                if rows == 1
                else product
            )

        return row_tiles("m", row_count, segment.tile.rows, rows_of)

    # A task is one panel of columns by one block of rows. Partial panels and blocks have loops of their own, so that
    # all others have constant sizes.
    for segment in segments:
        for first_block, blocks, count in parts(rows, height):

            def task(
                where: tuple[Expr, ...],
                segment: Segment = segment,
                first_block: int = first_block,
                count: int = count,
            ) -> Sequence[Stmt]:
                *index_, one, other = where
                panel, number = (one, other) if panels_first else (other, one)
                return block(tuple(index_), panel, segment, (number + first_block) * height, count)

            box = (segment.panels, blocks) if panels_first else (blocks, segment.panels)
            stmts += collapse(f"task{segment.first}x{count}", (*batch, *box), task)
    return stmts


def _tiles(site: Site, b: TensorType, rows: int) -> dict[str, Tile]:
    """The tiles to choose between, the best first.

    A product with few rows is shared out by its panels. Tiles as wide as the registers allow may make only one of them, and the
    other threads would do nothing. With three or five one of two threads waits for the other, where each has its weights in its
    own cache; what comes from a shared one takes as long either way, and wide panels come a little quicker.
    """
    depth, columns = b.shape[-2:]
    offered = tiles(site.machine, accumulator_type(b.dtype), rows, columns)
    best = next(iter(offered.values()))
    worth = site.constant(1) is not None and depth * columns * b.dtype.size_bytes >= SHARED_BYTES_LEAST
    uneven = (1, 3, 5) if site.home is Home.CORE else (1,)
    if (
        not worth
        or rows > min(STREAM_ROWS, best.rows)
        or columns // best.columns not in uneven
        or best.vectors < WIDE_VECTORS
    ):
        return offered
    half = replace(best, vectors=best.vectors // 2)
    return {f"{half.rows}x{half.vectors}": half, **offered}


def _asked_first(site: Site, b: TensorType, element: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
    """Asks for all of a single row. Half of it may be in the cache of another core, which made it: a line then takes as long as
    some kilobytes of weights, and sums, which go along the row, see no more than two ahead.
    """
    depth, columns = b.shape[-2:]
    line = LINE_BYTES // b.dtype.size_bytes
    is_plain = (
        not site.is_inlined(0) and site.input(0).strides[-1] == 1 and isinstance(element(index(0)), Load)
    )
    worth = site.constant(1) is not None and depth * columns * b.dtype.size_bytes >= ASKED_BYTES_LEAST
    if not (site.machine.l2_fills_use_load_ports and is_plain and worth):
        return ()

    def ask(at: Expr) -> tuple[Stmt, ...]:
        found = element(at * line)
        assert isinstance(found, Load)
        return (Prefetch(found.buffer, found.index, near=True),)

    return loop("line", -(-depth // line), ask)


def _prefetch(packed: Buffer, segment: Segment, depth: int, panel: Expr, row: Expr, rows: int) -> Asking:
    """Brings the next panel in while this one is used: each tile of rows its part of it, line by line.

    Weights come from memory once in an inference; without this the first tile of every panel waits for them.
    """
    line = LINE_BYTES // packed.dtype.size_bytes
    panel_size = depth * segment.tile.columns
    blocks = depth // PREFETCH_STEPS
    tiles = -(-rows // segment.tile.rows)
    each = -(-panel_size // (line * blocks * tiles))  # lines in PREFETCH_STEPS steps

    def ahead(number: Expr) -> Sequence[Stmt]:
        done = row * blocks // segment.tile.rows + number
        following = (panel + 1) * panel_size + segment.first * depth
        return tuple(
            Prefetch(packed, (minimum(following + (done * each + one) * line, packed.shape[0] - 1),))
            for one in range(each)
        )

    return Asking(PREFETCH_STEPS, ahead)


def _stream(site: Site, packed: Buffer, segment: Segment, depth: int, panel: Expr) -> Asking:
    """Each step of the sum asks for as much as it reads."""
    width = segment.tile.columns
    start = (panel * width + segment.first) * depth
    return Asking(1, lambda k: stream(site, packed, start + k * width, width))


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
    made: list[Segment] = []
    first = 0
    while first < columns or not made:
        tile = (best if first == 0 else None) or choose_tile(machine, dtype, rows, columns - first)
        panels = max(1, (columns - first) // tile.columns)
        made.append(Segment(first, panels, min(tile.columns, columns - first), tile))
        first += panels * tile.columns
    return tuple(made)


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
    too_large = rows * row_bytes > THIRD_LEVEL * site.machine.l2_bytes and columns <= rows
    one_way = not too_large and rows * row_bytes <= site.machine.l2_bytes // 2
    if not site.choose("outer", {"panels": True} if one_way else either("panels", "rows", not too_large)):
        return max(1, site.machine.l2_bytes // (2 * row_bytes * step)) * step, False
    tasks = math.prod(batch) * sum(segment.panels for segment in segments)
    if site.machine.cores:
        return rows_of_task(rows, step, tasks, rows // _ROWS_LEAST, site.machine), True
    return max(2 * step, rows_of_task(rows, step, tasks, rows, site.machine)), True


RowOf = Callable[[Sequence[Operand], Expr, Expr], Expr]  # batch index, row, k → element


def _rows(site: Site, a: TensorType, rows: int, columns: int, tile: Tile) -> tuple[tuple[Stmt, ...], RowOf]:
    """How to read the left operand: in place, or from a copy whose rows do not get in each other's way. Half floats are made wide
    once, by vectors, and not one by one for each panel of columns.
    """
    strides = site.input(0).strides
    apart = strides[-2] * a.dtype.size_bytes
    aliased = apart % ALIAS_BYTES == 0 and tile.rows > 4
    kept = accumulator_type(a.dtype) if site.machine.l2_bytes else a.dtype
    worth = (
        columns >= COLUMNS_WORTH_COPY and rows >= 4 and (aliased or strides[-1] != 1 or kept is not a.dtype)
    )
    if not worth or not site.choose("left", either("copied", "in_place", True)):
        return (), lambda where, row, k: site.read(0, *where, row, k)
    depth, lanes = a.shape[-1], site.machine.lanes(kept)
    workspace = site.workspace("rows", kept, (*a.shape[:-1], row_pitch(depth, kept)))

    def copy(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        return vector_blocks(
            "c", depth, lanes, lambda k: (store(workspace, (*where, k), cast(site.read(0, *where, k), kept)),)
        )

    stmts = collapse("copy", a.shape[:-1], copy)
    return stmts, lambda where, row, k: load(workspace, *where, row, k)


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
    fits = 0 < copied_bytes <= PANELS_CACHES * site.machine.l2_bytes
    return fits and size_bytes > PANELS_WORTH_BYTES and rows >= PANELS_WORTH_TILES * tile.rows


def _columns(
    site: Site, b: TensorType, rows: int, segments: Sequence[Segment]
) -> tuple[Sequence[Stmt], ColumnOf]:
    """How to read the right operand: packed while building, in place, or packed first while running.

    Packed, the panels lie one behind the other, each `[depth, width]`.
    """
    array = site.constant(1)
    depth = b.shape[-2]

    def packed(buffer_: Buffer, start: int = 0) -> ColumnOf:
        def column_of(segment: Segment, where: Sequence[Operand], panel: Expr, k: Expr, column: Expr) -> Expr:
            width = segment.tile.columns
            return load(
                buffer_, *where, (panel * depth + k) * width + (segment.first - start) * depth + column
            )

        return column_of

    if array is not None:
        return (), packed(site.pack(1, pack_panels(array, segments)))
    in_place = not site.is_inlined(1) and site.input(1).strides[-1] == 1
    if in_place and not site.choose(
        "right", either("in_place", "copied", not _worth_panels(site, b, rows, segments[0].tile))
    ):
        in_place = False
    loose = [segment for segment in segments if not (in_place and segment.is_whole)]

    def direct(segment: Segment, where: Sequence[Operand], panel: Expr, k: Expr, column: Expr) -> Expr:
        return site.read(1, *where, k, panel * segment.tile.columns + segment.first + column)

    if not loose:
        return (), direct
    start = loose[0].first
    size = depth * (loose[-1].first + loose[-1].panels * loose[-1].tile.columns - start)
    kept = accumulator_type(b.dtype) if site.machine.l2_bytes else b.dtype  # half floats are made wide once
    workspace = site.workspace("panels", kept, (*b.shape[:-2], size))
    write_to = packed(workspace, start)
    stmts: tuple[Stmt, ...] = ()
    for segment in loose:

        def copy(where: tuple[Expr, ...], segment: Segment = segment) -> Sequence[Stmt]:
            *index_, panel = where
            lanes = segment.tile.lanes

            def put(k: Expr, column: Expr, value: Operand) -> tuple[Stmt, ...]:
                place = write_to(segment, index_, panel, k, column)
                assert isinstance(place, Load)
                return (
                    store(workspace, place.index, cast(value, kept) if isinstance(value, Expr) else value),
                )

            def row(k: Expr) -> tuple[Stmt, ...]:
                moved = vector_blocks(
                    "c", segment.valid, lanes, lambda c: put(k, c, direct(segment, index_, panel, k, c))
                )
                rest = segment.tile.columns - segment.valid
                return moved + vector_blocks("z", rest, lanes, lambda c: put(k, c + segment.valid, 0))

            return loop("k", depth, row)

        stmts += collapse(f"pack{segment.first}", (*b.shape[:-2], segment.panels), copy)
    by_copy = {id(segment) for segment in loose}
    return stmts, lambda segment, *where: (write_to if id(segment) in by_copy else direct)(segment, *where)


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
