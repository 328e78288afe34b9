"""Matrix product of 8-bit quantized values whose zero points are dynamic, known only while running: dot products of int8x4.

The right operand is put into int8x4 (see `blocks/dot_block`) while building if it is a constant, else at the start of each
run. Zero points stay in the values: with unsigned values `a` and signed ones `b`, and what each of them has too much, the
sum over k of `(a - over_a) * (b - over_b)` is

    Σ a b  -  over_a Σ b  -  over_b (Σ a - K over_a)

where the second part belongs to a column, and the bracket to a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.dot_block import (
    WORD,
    Factors,
    Step,
    accumulate,
    dot_tiles,
    factors,
    joined,
    pack_columns,
    reads_int8x4,
    unsigned_value,
)
from ingot.kernels.blocks.elements import broadcast_index
from ingot.kernels.blocks.register_block import parts, sum_steps
from ingot.kernels.matmul.int8 import product_tasks, rows_of_int8x4
from ingot.kernels.template import Folded, Site, Template, each_of_product
from ingot.loops.build.nest import (
    add,
    collapse,
    expecting,
    fold_row,
    loop,
    tiles,
    vector,
    vector_blocks,
    vector_sizes,
)
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Buffer,
    Const,
    Expr,
    Let,
    LoopKind,
    Operand,
    Stmt,
    Var,
    buffer,
    cast,
    index,
    load,
    store,
    word,
)

_ONES = Const(0x01010101, DType.INT32)
_INT = DType.INT32


def dynamic_product(
    a: TensorType,
    b: TensorType,
    over_a: TensorType,
    over_b: TensorType,
    has_over_a: bool,
    has_over_b: bool,
    neutral: int | None = None,
) -> Template:
    """A Template for the sums of products of `a […, M, K]` and `b […, K, N]`, and `over_a [1]` and `over_b [1 or N]`, read
    where they are not all zero (`has_over_a`, `has_over_b`). Where `a` is `neutral` the product is 0, whatever `b` is.
    """
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    output = TensorType(_INT, (*batch, a.shape[-2], b.shape[-1]))
    return Template(
        "qmatmul_dynamic",
        (a, b, over_a, over_b),
        (output,),
        lambda site: _build(site, a, b, output, has_over_a, has_over_b, over_b.shape[0] > 1),
        spec={
            "m": a.shape[-2],
            "n": b.shape[-1],
            "k": a.shape[-1],
            "batch": batch,
            "zeros": (has_over_a, has_over_b),
        },
        inlines=frozenset({0, 1, 2, 3}),
        independent=each_of_product(a, b, output, others=2),
        folded=() if neutral is None else (Folded((a.rank - 1, b.rank - 2, None, None), (None,), neutral),),
        prefers={("output", 0): tuple(range(output.rank))},
    )


def _build(
    site: Site,
    a: TensorType,
    b: TensorType,
    output: TensorType,
    has_over_a: bool,
    has_over_b: bool,
    over_each: bool,
) -> Sequence[Stmt]:
    (rows, depth), columns, batch = a.shape[-2:], b.shape[-1], output.shape[:-2]
    tile = site.choose("tile", dot_tiles(site.machine, rows, columns))
    kind = factors(site.machine)
    steps, moved = -(-depth // kind.per_step), site.constant(2)
    # Values of rows may have less than unsigned ones, of which `over_a` is said.
    has_over_a = has_over_a if not kind.moved else moved is None or bool((moved != kind.moved).any())
    array = None if site.is_inlined(1) else site.constant(1)
    packed, starts, stmts = (
        (*_packed_constant(site, array, tile.columns, kind), ())
        if array is not None
        else _packed(site, b, tile.columns, kind, has_over_a)
    )
    over = site.workspace("over", _INT, (*a.shape[:-2], rows)) if has_over_b else None
    copies, word_at = rows_of_int8x4(site, a, kind)
    stmts += copies
    if over is not None:
        stmts += _sums_of_rows(site, a, over)

    def block(where: Sequence[Expr], panel: Expr, width: int, start: Expr, size: int) -> Sequence[Stmt]:
        left, right = broadcast_index(where, a.shape[:-2]), broadcast_index(where, b.shape[:-2])

        def sums(step: Step) -> Sequence[Stmt]:
            def at(j: Expr) -> Sequence[Stmt]:
                return step(
                    lambda row: word_at(left, start + row, j), lambda column: packed(*right, panel, j, column)
                )

            return sum_steps("j", steps, tile.steps, at, adjoin=True)

        def write(row: int, column: Expr, value: Expr) -> Sequence[Stmt]:
            number = panel * tile.columns + column
            if over is not None:
                value = value - site.read(3, number if over_each else 0) * load(over, *left, start + row)
            return site.write(0, (*where, start + row, number), value)

        def first(column: Expr) -> Expr:
            return starts(*right, panel, column) if has_over_a else Const(0, _INT)

        return accumulate(size, tile, first, sums, write, width, kind)

    return (*stmts, *product_tasks(site.machine, batch, rows, columns, tile, block))


# ─── the left operand ──────────────────────────────────────────────────────────────────────────────────────────────


def _sums_of_rows(site: Site, a: TensorType, over: Buffer) -> tuple[Stmt, ...]:
    """The sum of each row of unsigned values, without what all of them have too much."""
    depth = a.shape[-1]

    def row_sum(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        def code(k: Expr) -> Expr:
            return cast(unsigned_value(site.read(0, *where, k)), _INT)

        stmts, total = fold_row("sum", depth, site.machine.lanes(_INT), code, Const(0, _INT), add)
        return (*stmts, store(over, where, total - site.read(2, 0) * depth))

    return collapse("row_sum", a.shape[:-1], row_sum)


# ─── the right operand ─────────────────────────────────────────────────────────────────────────────────────────────


# How to read what lies packed: batch index, panel, step, and what a step takes; or without the step, and a column.
Packed = Callable[..., Expr]


def _packed_constant(site: Site, array: np.ndarray, width: int, kind: Factors) -> tuple[Packed, Packed]:
    """How to read constant values, panel by panel as steps want them, and what a column's sum starts from: the sums of the
    columns lie behind the last step of a panel.
    """
    signed = array if array.dtype == np.int8 else (array ^ 0x80).view(np.int8)
    transposed = np.ascontiguousarray(np.swapaxes(signed, -1, -2))
    steps = kind.pack(transposed, width)
    sums = pack_columns(transposed.sum(axis=-1, dtype=np.int64).astype("<i4"), width).view(steps.dtype)
    flat = steps.reshape(*steps.shape[:-2], -1)
    packed, taken, behind = (
        site.pack(1, np.concatenate([flat, sums], axis=-1)),
        steps.shape[-1],
        flat.shape[-1],
    )

    def read(*where: Expr) -> Expr:
        *panel, step, number = where
        return load(packed, *panel, step * taken + number)

    def start(*where: Expr) -> Expr:
        *panel, column = where
        total = load(packed, *panel, column * (_INT.size_bytes // packed.dtype.size_bytes) + behind)
        return -((word(total) if kind.widens else total) * (site.read(2, 0) - kind.moved))

    return read, start


def _packed(
    site: Site, b: TensorType, width: int, kind: Factors, has_over_a: bool
) -> tuple[Packed, Packed, tuple[Stmt, ...]]:
    """How to read signed values, panel by panel as steps want them, and what the sums of each column start from, and statements
    that put them there.
    """
    (depth, columns), outer = b.shape[-2:], b.shape[:-2]
    panels, steps = -(-columns // width), -(-depth // kind.per_step)
    element, taken = (DType.INT8, width * kind.per_step) if kind.widens else (_INT, width)
    packed = site.workspace("columns", element, (*outer, panels, steps, taken))
    begin = site.workspace("starts", _INT, (*outer, panels, width)) if has_over_a else None
    lanes, over_a = site.machine.lanes(_INT), site.read(2, 0) - kind.moved
    put = partial(_put_word, kind) if kind.takes_int8x4 else partial(_put_values, kind)
    stmts: tuple[Stmt, ...] = ()
    for first_panel, count, valid in parts(columns, width):

        def panel(
            where: tuple[Expr, ...], first_panel: int = first_panel, valid: int = valid
        ) -> Sequence[Stmt]:
            *batch, number = where
            number = number + first_panel
            total = buffer("total", _INT, (valid,)) if begin is not None else None

            def step(j: Expr, value_count: int) -> tuple[Stmt, ...]:
                return put(site, b, packed, total, (*batch, number, j), value_count, valid)

            def each(body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
                return vector_blocks("column", valid, lanes, body)

            whole, rest = divmod(depth, kind.per_step)
            fill = (
                *loop("j", whole, lambda j: step(j, kind.per_step)),
                *(step(index(whole), rest) if rest else ()),
            )
            if begin is None or total is None:
                return fill
            return (
                Alloc(total),
                *each(lambda column: (store(total, (column,), 0),)),
                *fill,
                *each(
                    lambda column: (store(begin, (*batch, number, column), -(load(total, column) * over_a)),)
                ),
            )

        stmts += collapse(f"pack{valid}", (*outer, count), panel)
    return partial(load, packed), partial(load, begin) if begin is not None else _nothing, stmts


def _nothing(*_: Expr) -> Expr:
    return Const(0, _INT)


def _put_word(
    kind: Factors, site: Site, b: TensorType, packed: Buffer, total: Buffer | None, where: tuple[Expr, ...], count: int,
    columns: int,
) -> tuple[Stmt, ...]:  # fmt: skip
    """Puts up to four values of each of the first columns of a panel into int8x4, and adds them to their sums. `where`: batch,
    panel, step.
    """
    *batch, number, j = where
    width = packed.shape[-1]

    def put_column(column: Expr) -> Sequence[Stmt]:
        at = number * width + column
        if count == WORD and reads_int8x4(site, 1, b.rank - 2):
            value = word(load(site.input(1), *batch, j * WORD, at))
        else:
            value = joined([site.read(1, *batch, j * WORD + k, at) for k in range(count)])
        if not b.dtype.is_signed:
            signs = sum(0x80 << 8 * k for k in range(count))
            value = Binary("xor", value, Const(signs - (1 << 32) * (count == WORD), _INT))
        named = Var("made", _INT)
        kept = store(packed, (*where, column), named)
        if total is None:
            return Let(named, value), kept
        return Let(named, value), kept, store(total, (column,), kind.dot(_ONES, named, load(total, column)))

    return vector_blocks("column", columns, site.machine.lanes(_INT), put_column)


def _put_values(
    kind: Factors, site: Site, b: TensorType, packed: Buffer, total: Buffer | None, where: tuple[Expr, ...], count: int,
    columns: int,
) -> tuple[Stmt, ...]:  # fmt: skip
    """As `_put_word`, the one or two values of a step side by side as bytes."""
    *batch, number, j = where
    step = kind.per_step
    first = number * (packed.shape[-1] // step)

    def code(part: Expr, column: Expr) -> Expr:
        value = site.read(1, *batch, j * step + part, first + column)
        return (
            value
            if b.dtype.is_signed
            else Bitcast(Binary("xor", value, Const(0x80, DType.UINT8)), DType.INT8)
        )

    def put(start: Expr, size: int) -> tuple[Stmt, ...]:
        def put_part(part: Expr, value: Callable[[Expr], Operand]) -> tuple[Stmt, ...]:
            def store_one(lane: Expr) -> Sequence[Stmt]:
                return (store(packed, (*where, (start + lane) * step + part), value(start + lane)),)

            return vector("lane", size, store_one)

        if count < step:
            return put_part(index(0), lambda column: code(index(0), column)) + put_part(index(1), lambda _: 0)
        # Both rows of a vector of columns together: they are put side by side in registers.
        return expecting(
            "interleave",
            loop(
                "part",
                step,
                lambda part: put_part(part, lambda column: code(part, column)),
                LoopKind.UNROLLED,
            ),
        )

    at_once = _INT if site.is_inlined(1) else DType.INT8
    stmts = tiles("column", columns, vector_sizes(site.machine.lanes(at_once)), put)
    if total is None:
        return stmts

    def add_up(column: Expr) -> Sequence[Stmt]:
        more = [cast(code(index(part), column), _INT) for part in range(count)]
        return (store(total, (column,), sum(more, load(total, column))),)

    return stmts + vector_blocks("summed", columns, site.machine.lanes(_INT), add_up)
