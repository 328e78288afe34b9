"""Sums of products of two matrices of codes in loops of kind `TILES`: what registers for matrices need to know of them.

The form is

    tiles _ < 1
      for row < rows:  vector column < columns:  store(sums[row, column], 0)
      for … (any number of loops)
        for word < words:  for row < rows:  vector column < columns:
          store(sums[row, column], dot4(word(codes[…]), weights[…], sums[row, column]))

where `sums` is a dense local, and what will be read soon may be asked for (`Prefetch`) in front of each loop over words. Codes
lie `row_step` bytes apart from row to row, words one behind the other; weights are `word_step` words apart from word to word,
columns one behind the other. Loops of another form are serial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingot.loops.nodes import (
    Buffer,
    Const,
    Dot4,
    Expr,
    For,
    Load,
    LoopKind,
    Prefetch,
    Stmt,
    Store,
    Var,
    Word,
    load,
    store,
)
from ingot.loops.ranges import Ranges
from ingot.loops.rewrite import walk
from ingot.tensor import DType

WORD = 4  # codes in a word


@dataclass(frozen=True, slots=True)
class TileSums:
    """`inner` is the loop over the words of one step, in `outer` ones, the first outermost. Numbers of rows and columns are those
    of `sums`, that of words is of one step. `variables`: word, row and column.
    """

    sums: Buffer
    outer: tuple[For, ...]
    inner: For
    variables: tuple[Var, Var, Var]
    rows: int
    columns: int
    words: int
    codes: Load
    row_step: int
    weights: Load
    word_step: int


def sums_in_tiles(stmt: For) -> TileSums | None:
    """The sums that a loop holds; None if it is none of kind `TILES`, or of another form."""
    if stmt.kind is not LoopKind.TILES or _extent(stmt) != 1 or len(stmt.body) != 2:
        return None
    zeros, nest = stmt.body
    outer: list[For] = []
    loops: list[For] = []
    while isinstance(nest, For) and nest.body and all(isinstance(ahead, Prefetch) for ahead in nest.body[:-1]):
        loops.append(nest)
        nest = nest.body[-1]
    if len(loops) < 3 or any(len(one.body) > 1 for one in loops[-3:]):
        return None
    if not isinstance(nest, Store) or not isinstance(nest.value, Dot4):
        return None
    *outer, inner, by_row, by_column = loops
    extents = _extent(inner), _extent(by_row), _extent(by_column)
    value = nest.value
    if min(extents) < 1 or not isinstance(value.a, Word) or not isinstance(value.b, Load) or not isinstance(value.total, Load):
        return None
    words, rows, columns = extents
    sums, at, codes, weights = nest.buffer, (by_row.var, by_column.var), value.a.element, value.b
    plain = sums.is_row_major and sums.shape == (rows, columns) and sums.dtype is DType.INT32
    plain = plain and codes.dtype in (DType.UINT8, DType.INT8) and weights.dtype is DType.INT32
    if not plain or value.total.buffer != sums or not (_are(value.total.index, at, rows) and _are(nest.index, at, rows)):
        return None
    if sums in (codes.buffer, weights.buffer) or not _zeros(zeros, sums):
        return None
    variables = inner.var, by_row.var, by_column.var
    of_codes, of_weights = (
        [_step(one, var) if extent > 1 else 0 for var, extent in zip(variables, extents, strict=True)] for one in (codes, weights)
    )
    dense = of_codes[0] == (WORD if words > 1 else 0) and of_codes[2] == 0
    dense = dense and of_weights[1] == 0 and of_weights[2] == (1 if columns > 1 else 0)
    row_step, word_step = of_codes[1], of_weights[0]
    if not dense or row_step is None or word_step is None:
        return None
    return TileSums(sums, tuple(outer), inner, variables, rows, columns, words, codes, row_step, weights, word_step)


def tile_sums(
    sums: Buffer,
    outer: Sequence[tuple[Var, int]],
    words: int,
    codes: Expr,
    weights: Expr,
    variables: tuple[Var, Var, Var],
    ahead: Sequence[Prefetch] = (),
) -> For:
    """The loop that fills a local `sums [rows, columns]`. `codes` and `weights` are words in terms of the variables for word, row
    and column, and of those of the `outer` loops, each with its extent. In the innermost of these are `ahead`.
    """
    inner, row, column = variables
    rows, columns = (Const(extent, DType.INT64) for extent in sums.shape)
    first = Var(f"{row.name}_z"), Var(f"{column.name}_z")
    zero = For(first[0], rows, (For(first[1], columns, (store(sums, first, 0),), LoopKind.VECTOR),))
    add = store(sums, (row, column), Dot4(codes, weights, load(sums, row, column)))
    nest = For(row, rows, (For(column, columns, (add,), LoopKind.VECTOR),))
    nest = For(inner, Const(words, DType.INT64), (nest,))
    for number, (var, extent) in enumerate(reversed(outer)):
        nest = For(var, Const(extent, DType.INT64), (*ahead, nest) if number == 0 else (nest,))
    return For(Var("tiles"), Const(1, DType.INT64), (zero, nest), LoopKind.TILES)


def _extent(stmt: For) -> int:
    return int(stmt.extent.value) if isinstance(stmt.extent, Const) else 0


def _are(index: Sequence[Expr], variables: Sequence[Var], rows: int) -> bool:
    """Whether an index is these variables; where there is one row, its number may have become 0."""
    row, column = index
    is_row = row == variables[0] or (rows == 1 and isinstance(row, Const) and row.value == 0)
    return is_row and column == variables[1]


def _zeros(stmt: Stmt, sums: Buffer) -> bool:
    """Whether a statement fills `sums` with zeros."""
    by_row = stmt
    by_column = by_row.body[0] if isinstance(by_row, For) and len(by_row.body) == 1 else None
    stored = by_column.body[0] if isinstance(by_column, For) and len(by_column.body) == 1 else None
    if not isinstance(by_row, For) or not isinstance(by_column, For) or not isinstance(stored, Store):
        return False
    rows = _extent(by_row)
    right = (rows, _extent(by_column)) == sums.shape and stored.buffer == sums
    right = right and _are(stored.index, (by_row.var, by_column.var), rows)
    return right and isinstance(stored.value, Const) and stored.value.value == 0


def _step(element: Load, variable: Var) -> int | None:
    """Elements in memory between one value of a variable and the next; None where that is not the same everywhere."""
    step = 0
    for part, stride, extent in zip(element.index, element.buffer.strides, element.buffer.shape, strict=True):
        if extent == 1:
            continue
        for atom, coefficient in Ranges({}).linear(part).terms.items():
            if atom == variable:
                step += coefficient * stride
            elif any(node == variable for node in walk(atom)):
                return None
    return step
