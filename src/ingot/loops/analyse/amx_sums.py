"""Sums of products of two matrices in loops of kind `TILES`: what registers for matrices need to know of them.

The form is

    tiles _ < 1
      for row < rows:  vector column < columns:  store(sums[row, column], 0)
      for … (any number of loops)
        … (statements that have nothing to do with the sums)
        for word < words:  for row < rows:  vector column < columns:  store(sums[row, column], product)
        … (more such statements and products, of as many words)

where `sums` is a dense local, and what stands between products writes nothing that those of its iteration read. Words are 32
bits, and a product is one of

- of quantized values: `dot4(word(left[…]), right[…], sums[row, column])`, with sums in int32;
- of halves: the two products of the upper and the lower halves of `left[…]` and `right[…]`, which are bfloat16, added to
  `sums[row, column]` (`add_halves`), with sums in float32. They are rounded in any order, and subnormal ones may count as zero.

The words of the left operand lie one behind the other, those of a column of the right one at some distance, columns one behind
the other. Loops of another form are serial.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.loops.analyse.ranges import Ranges
from ingot.loops.nodes import (
    Binary,
    Bitcast,
    Buffer,
    Const,
    Dot4,
    Expr,
    Fma,
    For,
    Load,
    LoopKind,
    Stmt,
    Store,
    Var,
    Word,
    load,
    store,
)
from ingot.loops.transform.rewrite import expressions, loads, statements, walk

WORD = 4  # quantized values in a word, and its bytes
UPPER, HALF = -65536, 16  # the bits of the upper half of a word, and where they begin


@dataclass(frozen=True, slots=True)
class TileProduct:
    """One product of matrices. `loop` is that over words; distances are in bytes. `variables`: word, row and column."""

    loop: For
    variables: tuple[Var, Var, Var]
    left: Load
    row_step: int
    right: Load
    word_step: int


@dataclass(frozen=True, slots=True)
class TileSums:
    """Numbers of rows and columns are those of `sums`, that of words is of one product."""

    sums: Buffer
    rows: int
    columns: int
    words: int
    products: tuple[TileProduct, ...]

    @property
    def is_float(self) -> bool:
        return self.sums.dtype.is_float


def sums_in_tiles(stmt: For) -> TileSums | None:
    """The sums that a loop holds; None if it is none of kind `TILES`, or of another form."""
    if stmt.kind is not LoopKind.TILES or _extent(stmt) != 1 or len(stmt.body) != 2:
        return None
    zeros, nest = stmt.body
    sums = _zeroed(zeros)
    if sums is None or not isinstance(nest, For):
        return None
    body: tuple[Stmt, ...] = (nest,)
    while True:
        candidates = [_product(inner, sums) for inner in body]
        products = tuple(product for product in candidates if product is not None)
        others = [inner for inner, product in zip(body, candidates, strict=True) if product is None]
        if any(_disturbs(inner, sums) for inner in (others if products else others[:-1])):
            return None
        if products:
            break
        last = body[-1] if body else None
        if not isinstance(last, For):
            return None
        body = last.body
    words = {_extent(product.loop) for product in products}
    if len(words) != 1:
        return None
    rows, columns = sums.shape
    return TileSums(sums, rows, columns, words.pop(), products)


def tile_sums(
    sums: Buffer,
    outer: Sequence[tuple[Var, int]],
    words: int,
    factors: Sequence[tuple[Expr, Expr]],
    variables: tuple[Var, Var, Var],
    interleaved: Sequence[Sequence[Stmt]] = (),
) -> For:
    """The loop that fills a local `sums [rows, columns]`.

    Args:
        sums: of type int32 for products of quantized values, float32 for those of bfloat16 pairs.
        outer: the loops of the reduction, each with its extent.
        words: words of one product.
        factors: of each product the word of the left and the right operand, in terms of the variables.
        variables: for word, row and column.
        interleaved: statements in the innermost of the outer loops, in front of the first product, the second one and so on.
    """
    inner, row, column = variables
    rows, columns = (Const(extent, DType.INT64) for extent in sums.shape)
    first = Var(f"{row.name}_z"), Var(f"{column.name}_z")
    zero = For(first[0], rows, (For(first[1], columns, (store(sums, first, 0),), LoopKind.VECTOR),))
    add: Callable[[Expr, Expr, Expr], Expr] = add_halves if sums.dtype.is_float else Dot4

    def product(left: Expr, right: Expr) -> For:
        added = store(sums, (row, column), add(left, right, load(sums, row, column)))
        nest = For(row, rows, (For(column, columns, (added,), LoopKind.VECTOR),))
        return For(inner, Const(words, DType.INT64), (nest,))

    body: tuple[Stmt, ...] = ()
    for others, pair in itertools.zip_longest(interleaved, factors, fillvalue=()):
        body += (*others, *((product(*pair),) if pair else ()))
    for var, extent in reversed(outer):
        body = (For(var, Const(extent, DType.INT64), body),)
    if len(body) > 1:  # no loop around
        body = (For(Var("once"), Const(1, DType.INT64), body),)
    return For(Var("tiles"), Const(1, DType.INT64), (zero, *body), LoopKind.TILES, expects="amx_sums")


def add_halves(left: Expr, right: Expr, total: Expr) -> Expr:
    """`total` and the products of the lower and of the upper halves of two words, which are bfloat16."""
    return Fma(upper(left), upper(right), Fma(lower(left), lower(right), total))


def upper(word: Expr) -> Expr:
    """The upper half of a word as a float32."""
    return Bitcast(Binary("and", word, Const(UPPER, DType.INT32)), DType.FLOAT32)


def lower(word: Expr) -> Expr:
    """The lower half of a word as a float32."""
    return Bitcast(Binary("shl", word, Const(HALF, DType.INT32)), DType.FLOAT32)


def _extent(stmt: For) -> int:
    return int(stmt.extent.value) if isinstance(stmt.extent, Const) else 0


def _product(stmt: Stmt, sums: Buffer) -> TileProduct | None:
    """The product that a statement adds to the sums; None if it is another one."""
    loops: list[For] = []
    nest = stmt
    while isinstance(nest, For) and len(nest.body) == 1 and len(loops) < 3:
        loops.append(nest)
        nest = nest.body[0]
    if len(loops) < 3 or not isinstance(nest, Store) or nest.buffer != sums:
        return None
    inner, by_row, by_column = loops
    extents = _extent(inner), _extent(by_row), _extent(by_column)
    at, rows = (by_row.var, by_column.var), extents[1]
    factors = _of_halves(nest.value) if sums.dtype.is_float else _of_quantized(nest.value)
    if factors is None or min(extents) < 1 or extents[1:] != sums.shape:
        return None
    left, right, total = factors
    if total.buffer != sums or not (_are(total.index, at, rows) and _are(nest.index, at, rows)):
        return None
    if any(element.buffer == sums for operand in (left, right) for element in loads(operand)):
        return None
    variables = inner.var, by_row.var, by_column.var
    of_left, of_right = (
        [_step(factor, var) if extent > 1 else 0 for var, extent in zip(variables, extents, strict=True)]
        for factor in (left, right)
    )
    row_step, word_step = of_left[1], of_right[0]
    dense = of_left[0] == (WORD if extents[0] > 1 else 0) and of_left[2] == 0
    dense = dense and of_right[1] == 0 and of_right[2] == (WORD if extents[2] > 1 else 0)
    if not dense or row_step is None or word_step is None:
        return None
    return TileProduct(inner, variables, left, row_step, right, word_step)


def _of_quantized(value: Expr) -> tuple[Load, Load, Load] | None:
    """Both factors, and what their product is added to."""
    if not isinstance(value, Dot4) or value.signed or not isinstance(value.a, Word):
        return None
    left, right, total = value.a.element, value.b, value.total
    if not isinstance(right, Load) or not isinstance(total, Load):
        return None
    fits = left.dtype in (DType.UINT8, DType.INT8) and right.dtype is total.dtype is DType.INT32
    return (left, right, total) if fits else None


def _of_halves(value: Expr) -> tuple[Load, Load, Load] | None:
    if not isinstance(value, Fma) or not isinstance(value.c, Fma) or not isinstance(value.c.c, Load):
        return None
    lows, highs = (value.c.a, value.c.b), (value.a, value.b)
    words = [_half_of(factor, "shl", HALF) for factor in lows]
    others = [_half_of(factor, "and", UPPER) for factor in highs]
    left, right = words
    if left is None or right is None or not all(_alike(*pair) for pair in zip(others, words, strict=True)):
        return None
    return left, right, value.c.c


def _half_of(value: Expr, op: str, number: int) -> Load | None:
    """The word of which an expression is a half."""
    if (
        not isinstance(value, Bitcast)
        or value.dtype is not DType.FLOAT32
        or not isinstance(value.operand, Binary)
    ):
        return None
    cut = value.operand
    is_half = cut.op == op and isinstance(cut.right, Const) and cut.right.value == number
    return cut.left if is_half and isinstance(cut.left, Load) and cut.left.dtype is DType.INT32 else None


def _alike(left: Load | None, right: Load | None) -> bool:
    """Whether both are loads, and read the same element."""
    return left is not None and right is not None and (left is right or place_of(left) == place_of(right))


def place_of(element: Load) -> tuple[object, ...]:
    """Where an element lies, in a form that is the same for loads of the same element whose indices are sums of variables."""
    parts = (Ranges({}).linear(part) for part in element.index)
    return (element.buffer, *((part.constant, frozenset(part.terms.items())) for part in parts))


def _are(index: Sequence[Expr], variables: Sequence[Var], rows: int) -> bool:
    """Whether an index is these variables; where there is one row, its number may have become 0."""
    row, column = index
    is_row = row == variables[0] or (rows == 1 and isinstance(row, Const) and row.value == 0)
    return is_row and column == variables[1]


def _zeroed(stmt: Stmt) -> Buffer | None:
    """The buffer that a statement fills with zeros, if sums can be held of it."""
    by_row = stmt
    by_column = by_row.body[0] if isinstance(by_row, For) and len(by_row.body) == 1 else None
    stored = by_column.body[0] if isinstance(by_column, For) and len(by_column.body) == 1 else None
    if not isinstance(by_row, For) or not isinstance(by_column, For) or not isinstance(stored, Store):
        return None
    rows, sums = _extent(by_row), stored.buffer
    right = (rows, _extent(by_column)) == sums.shape and sums.is_row_major
    right = (
        right
        and sums.dtype in (DType.INT32, DType.FLOAT32)
        and _are(stored.index, (by_row.var, by_column.var), rows)
    )
    return sums if right and isinstance(stored.value, Const) and stored.value.value == 0 else None


def _disturbs(stmt: Stmt, sums: Buffer) -> bool:
    """Whether a statement reads or writes the sums, or has others that registers would hold."""
    for inner in statements((stmt,)):
        if isinstance(inner, For) and inner.kind is LoopKind.TILES:
            return True
        if isinstance(inner, Store) and inner.buffer == sums:
            return True
        if any(element.buffer == sums for expr in expressions(inner) for element in loads(expr)):
            return True
    return False


def _step(element: Load, variable: Var) -> int | None:
    """Bytes in memory between one value of a variable and the next; None where that is not the same everywhere."""
    step = 0
    for part, stride, extent in zip(element.index, element.buffer.strides, element.buffer.shape, strict=True):
        if extent == 1:
            continue
        for atom, coefficient in Ranges({}).linear(part).terms.items():
            if atom == variable:
                step += coefficient * stride
            elif any(node == variable for node in walk(atom)):
                return None
    return step * element.dtype.size_bytes
