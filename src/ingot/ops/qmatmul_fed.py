"""Matrix product of two operands of 8-bit codes whose zero points are known only while running: dot products of words.

The right operand is put into words (see `dot_tile`) while building if it is a constant, else at the start of each run. Zero
points stay in the codes: with unsigned codes `a` and signed ones `b`, and what each of them has too much, the sum over k of
`(a - over_a) * (b - over_b)` is

    Σ a b  -  over_a Σ b  -  over_b (Σ a - K over_a)

where the second part belongs to a column, and the bracket to a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ingot.loops.define import Site, Template
from ingot.loops.nest import add, collapse, fold_row, loop, vector_blocks
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Buffer,
    Const,
    Dot4,
    Expr,
    Let,
    Stmt,
    Var,
    buffer,
    cast,
    index,
    load,
    store,
    word,
)
from ingot.ops.dot_tile import (
    WORD,
    WORDS,
    Step,
    accumulate,
    dot_tiles,
    pack_columns,
    pack_words,
    reads_words,
    unsigned_code,
)
from ingot.ops.elementwise import broadcast_index
from ingot.ops.matmul import parts
from ingot.ops.opdef import Emitter, Tensor
from ingot.ops.qmatmul import product_tasks, rows_of_words
from ingot.tensor import DType, TensorType

_ONES = Const(0x01010101, DType.INT32)
_INT = DType.INT32


def emit_fed_product(emit: Emitter, a: Tensor, a_zero: Tensor | None, b: Tensor, b_zero: Tensor | None) -> Tensor:
    """Emits sums `[…, M, N]` in int32 of `(a - a_zero) · (b - b_zero)`. `a_zero` has one element, `b_zero` one or one for each
    column; batch dimensions broadcast.
    """
    over_a = _over(emit, a_zero, 128 if a.dtype.is_signed else 0)
    over_b = _over(emit, b_zero, 0 if b.dtype.is_signed else -128)
    template = fed_product(a.type, b.type, over_a.type, over_b.type, *(not _is_zero(one) for one in (over_a, over_b)))
    return emit.template(template, [a, b, over_a, over_b])[0]


def _over(emit: Emitter, zero: Tensor | None, moved: int) -> Tensor:
    """What codes have too much, of which `moved` was added to make them unsigned or signed, as a vector."""
    if zero is None:
        return emit.constant(_whole([moved]))
    flat = emit.reshape(zero, (zero.type.size,))
    if flat.constant is not None:
        return emit.constant(_whole(flat.constant) + _whole([moved]))
    return emit.pointwise([flat], TensorType(_INT, flat.shape), lambda at, read: cast(read(*at), _INT) + moved, "zero_point")


def _whole(numbers: object) -> np.ndarray:
    return np.asarray(numbers).astype(np.int32)


def _is_zero(tensor: Tensor) -> bool:
    return tensor.constant is not None and not tensor.constant.any()


def fed_product(
    a: TensorType, b: TensorType, over_a: TensorType, over_b: TensorType, has_over_a: bool, has_over_b: bool
) -> Template:
    """A Template for the sums of codes `a […, M, K]` and `b […, K, N]`, and `over_a [1]` and `over_b [1 or N]`, which are read
    where they are not all zero (`has_over_a`, `has_over_b`).
    """
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    output = TensorType(_INT, (*batch, a.shape[-2], b.shape[-1]))
    return Template(
        "qmatmul_fed",
        (a, b, over_a, over_b),
        (output,),
        lambda site: _build(site, a, b, output, has_over_a, has_over_b, over_b.shape[0] > 1),
        spec={"m": a.shape[-2], "n": b.shape[-1], "k": a.shape[-1], "batch": batch, "zeros": (has_over_a, has_over_b)},
        inlines=frozenset({0, 1, 2, 3}),
        prefers={("output", 0): tuple(range(output.rank))},
    )


def _build(
    site: Site, a: TensorType, b: TensorType, output: TensorType, has_over_a: bool, has_over_b: bool, over_each: bool
) -> Sequence[Stmt]:
    (rows, depth), columns, batch = a.shape[-2:], b.shape[-1], output.shape[:-2]
    tile = site.choose("tile", dot_tiles(site.machine, rows, columns))
    words, panels = -(-depth // WORD), -(-columns // tile.columns)
    stmts: tuple[Stmt, ...] = ()
    starts: Callable[..., Expr] | None = None
    array = None if site.is_inlined(1) else site.constant(1)
    if array is not None:
        packed, starts = _packed_ahead(site, array, tile.columns)
    else:
        packed = site.workspace("columns", _INT, (*b.shape[:-2], panels, words, tile.columns))
        begin = site.workspace("starts", _INT, (*b.shape[:-2], panels, tile.columns)) if has_over_a else None
        stmts = _packed(site, b, packed, begin)
        if begin is not None:
            starts = partial(load, begin)
    over = site.workspace("over", _INT, (*a.shape[:-2], rows)) if has_over_b else None
    copies, word_at = rows_of_words(site, a, WORDS)
    stmts += copies
    if over is not None:
        stmts += _sums_of_rows(site, a, over)

    def block(where: Sequence[Expr], panel: Expr, width: int, start: Expr, size: int) -> Sequence[Stmt]:
        left, right = broadcast_index(where, a.shape[:-2]), broadcast_index(where, b.shape[:-2])

        def sums(step: Step) -> Sequence[Stmt]:
            def at(j: Expr) -> Sequence[Stmt]:
                return step(lambda row: word_at(left, start + row, j), lambda column: load(packed, *right, panel, j, column))

            return loop("j", words, at)

        def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
            number = panel * tile.columns + column
            if over is not None:
                value = value - site.read(3, number if over_each else 0) * load(over, *left, start + row)
            return site.write(0, (*where, start + row, number), value)

        def first(column: Expr) -> Expr:
            return starts(*right, panel, column) if starts is not None and has_over_a else Const(0, _INT)

        return accumulate(size, tile, first, sums, write, width)

    return (*stmts, *product_tasks(batch, rows, columns, tile, block))


# ─── the left operand ──────────────────────────────────────────────────────────────────────────────────────────────


def _sums_of_rows(site: Site, a: TensorType, over: Buffer) -> tuple[Stmt, ...]:
    """The sum of each row of unsigned codes, without what all of them have too much."""
    depth = a.shape[-1]

    def one(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        def code(k: Expr) -> Expr:
            return cast(unsigned_code(site.read(0, *where, k)), _INT)

        stmts, total = fold_row("sum", depth, site.machine.lanes(_INT), code, Const(0, _INT), add)
        return (*stmts, store(over, where, total - site.read(2, 0) * depth))

    return collapse("row_sum", a.shape[:-1], one)


# ─── the right operand ─────────────────────────────────────────────────────────────────────────────────────────────


def _packed_ahead(site: Site, array: np.ndarray, width: int) -> tuple[Buffer, Callable[..., Expr]]:
    """The words of constant codes, panel by panel, with the sums of the columns as one more row of each, and what a column's
    sum starts from.
    """
    codes = array if array.dtype == np.int8 else (array ^ 0x80).view(np.int8)
    turned = np.ascontiguousarray(np.swapaxes(codes, -1, -2))
    sums = pack_columns(turned.sum(axis=-1, dtype=np.int64).astype(np.int32), width)
    packed = site.pack(1, np.concatenate([pack_words(turned, width), sums[..., None, :]], axis=-2))
    last = packed.shape[-2] - 1

    def start(*where: Expr) -> Expr:
        *panel, column = where
        return -(load(packed, *panel, last, column) * site.read(2, 0))

    return packed, start


def _packed(site: Site, b: TensorType, packed: Buffer, begin: Buffer | None) -> tuple[Stmt, ...]:
    """Puts signed codes into words, panel by panel, and what the sums of each column start from into `begin`."""
    depth, columns = b.shape[-2:]
    *outer, _, _, width = packed.shape
    lanes = site.machine.lanes(_INT)
    reads_whole = reads_words(site, 1, b.rank - 2)
    stmts: tuple[Stmt, ...] = ()
    for first_panel, count, valid in parts(columns, width):

        def panel(where: tuple[Expr, ...], first_panel: int = first_panel, valid: int = valid) -> Sequence[Stmt]:
            *batch, number = where
            number = number + first_panel
            total = buffer("total", _INT, (valid,))

            def each(body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
                return vector_blocks("column", valid, lanes, body)

            def words_of(j: Expr, codes: int) -> Sequence[Stmt]:
                def one(column: Expr) -> Sequence[Stmt]:
                    at = number * width + column
                    if reads_whole and codes == WORD:
                        made = word(load(site.input(1), *batch, j * WORD, at))
                    else:
                        made = _joined([site.read(1, *batch, j * WORD + k, at) for k in range(codes)])
                    if not b.dtype.is_signed:
                        signs = sum(0x80 << 8 * k for k in range(codes))
                        made = Binary("xor", made, Const(signs - (1 << 32) * (codes == WORD), _INT))
                    named = Var("made", _INT)
                    kept = store(packed, (*batch, number, j, column), named)
                    if begin is None:
                        return Let(named, made), kept
                    return Let(named, made), kept, store(total, (column,), Dot4(_ONES, named, load(total, column)))

                return each(one)

            whole, rest = divmod(depth, WORD)
            fill = (*loop("j", whole, lambda j: words_of(j, WORD)), *(words_of(index(whole), rest) if rest else ()))
            if begin is None:
                return fill
            return (
                Alloc(total),
                *each(lambda column: (store(total, (column,), 0),)),
                *fill,
                *each(lambda column: (store(begin, (*batch, number, column), -(load(total, column) * site.read(2, 0))),)),
            )

        stmts += collapse(f"pack{valid}", (*outer, count), panel)
    return stmts


def _joined(codes: Sequence[Expr]) -> Expr:
    """Up to four codes as the bytes of an int32, the first lowest."""
    result: Expr | None = None
    for position, code in enumerate(codes):
        byte = code if code.dtype is DType.UINT8 else Bitcast(code, DType.UINT8)
        wide = cast(byte, _INT)
        moved = Binary("shl", wide, Const(8 * position, _INT)) if position else wide
        result = moved if result is None else Binary("or", result, moved)
    assert result is not None
    return result
