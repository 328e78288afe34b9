"""Matrix product of 8-bit codes with a constant right operand, summed in int32: dot products of words (see `dot_tile`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.loops.define import Home, Site, Template, either
from ingot.loops.nest import collapse, loop, vector_blocks
from ingot.loops.nodes import Expr, Stmt, load, store, word
from ingot.ops.ahead import STREAM_ROWS, stream
from ingot.ops.dot_tile import (
    WORD,
    Step,
    accumulate,
    dot_tiles,
    pack_columns,
    pack_words,
    reads_words,
    unsigned_code,
    unsigned_word,
)
from ingot.ops.matmul import parts
from ingot.ops.register_tile import row_tiles
from ingot.tensor import DType, TensorType

# Rows that one task of the parallel loop computes for one panel of columns.
ROWS_PER_TASK = 96


def qmatmul_template(a: TensorType, b: TensorType) -> Template:
    """Sums `[M, N]` in int32 of the product of codes `a [M, K]` and int8 weights `b [K, N]`, which must be constants.

    Input 2 is the number `[N]` that the sums of a column start from, as `dot_tile.starts` makes it.
    """
    output = TensorType(DType.INT32, (a.shape[0], b.shape[1]))
    return Template(
        "qmatmul",
        (a, b, TensorType(DType.INT32, (b.shape[1],))),
        (output,),
        lambda site: _build(site, a, b),
        spec={"m": a.shape[0], "n": b.shape[1], "k": a.shape[1]},
        inlines=frozenset({0}),
        prefers={("output", 0): (0, 1)},
    )


def _build(site: Site, a: TensorType, b: TensorType) -> Sequence[Stmt]:
    array, begin = site.constant(1), site.constant(2)
    assert array is not None and begin is not None, "the right operand of an integer product is a constant"
    (rows, depth), columns = a.shape, b.shape[1]
    tile = site.choose("tile", dot_tiles(site.machine, rows, columns))
    packed = site.pack(1, pack_words(np.ascontiguousarray(array.T), tile.columns))
    first = site.pack(2, pack_columns(begin, tile.columns))
    prologue, word_at = _rows_of_bytes(site, a)
    few = site.machine.prefetch and rows <= min(STREAM_ROWS, tile.rows)
    streams = few and site.choose("prefetch", either("ahead", "none", site.home is Home.SHARED))
    words = -(-depth // WORD)

    def block(panel: Expr, width: int, first_row: Expr, row_count: int) -> Sequence[Stmt]:
        def rows_of(within: Expr, size: int) -> Sequence[Stmt]:
            start = within + first_row

            def sums(step: Step) -> Sequence[Stmt]:
                def at(j: Expr) -> Sequence[Stmt]:
                    asked = stream(packed, (panel * words + j) * tile.columns, tile.columns) if streams else ()
                    dots = step(lambda row: word_at(start + row, j * WORD), lambda column: load(packed, panel, j, column))
                    return (*asked, *dots)

                return loop("j", words, at)

            def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
                return site.write(0, (start + row, panel * tile.columns + column), value)

            return accumulate(size, tile, lambda column: load(first, panel, column), sums, write, width)

        return row_tiles("m", row_count, tile.rows, rows_of)

    rows_per_task = max(1, ROWS_PER_TASK // tile.rows) * tile.rows
    stmts = tuple(prologue)
    for first_panel, panels, width in parts(columns, tile.columns):
        for first_block, blocks, height in parts(rows, rows_per_task):

            def task(
                where: tuple[Expr, ...],
                first_panel: int = first_panel,
                width: int = width,
                first_block: int = first_block,
                height: int = height,
            ) -> Sequence[Stmt]:
                panel, number = where
                return block(panel + first_panel, width, (number + first_block) * rows_per_task, height)

            stmts += collapse(f"task{width}x{height}", (panels, blocks), task)
    return stmts


def _rows_of_bytes(site: Site, a: TensorType) -> tuple[tuple[Stmt, ...], Callable[[Expr, Expr], Expr]]:
    """Statements that copy the left operand into rows of whole words, if it needs that, and how to read words then."""
    rows, depth = a.shape
    if depth % WORD == 0 and reads_words(site, 0, 1):
        source = site.input(0)
        return (), lambda row, byte: unsigned_word(word(load(source, row, byte)), a.dtype)
    whole = -(-depth // WORD) * WORD
    copied = site.workspace("rows", DType.UINT8, (rows, whole))
    lanes = site.machine.lanes(DType.INT32)

    def copy(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        (row,) = where
        moved = vector_blocks("c", depth, lanes, lambda c: (store(copied, (row, c), unsigned_code(site.read(0, row, c))),))
        return moved + loop("z", whole - depth, lambda z: (store(copied, (row, z + depth), 0),))

    return collapse("copy", (rows,), copy), lambda row, byte: word(load(copied, row, byte))
