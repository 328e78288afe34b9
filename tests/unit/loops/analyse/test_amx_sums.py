"""Loops of kind `tiles` whose products are of halves: which forms are known, and stay so when they are simplified or written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from ingot.base.tensor import DType
from ingot.loops.analyse.amx_sums import (
    HALF,
    UPPER,
    TileSums,
    add_halves,
    lower,
    sums_in_tiles,
    tile_sums,
    upper,
)
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Buffer,
    Const,
    Expr,
    Fma,
    For,
    Kernel,
    LoopKind,
    Stmt,
    Var,
    buffer,
    cast,
    index,
    load,
    store,
)
from ingot.loops.parse import from_text
from ingot.loops.text import to_text
from ingot.loops.transform.rewrite import statements
from ingot.loops.transform.simplify import simplify_kernel
from ingot.loops.verify import verify

WORD, ROW, COLUMN, K = Var("word"), Var("row"), Var("col"), Var("k")
ROWS, COLUMNS, WORDS, STEPS, PARTS = 20, 32, 6, 3, 2
LEFT = buffer("left", DType.INT32, (STEPS, PARTS, ROWS, WORDS))
RIGHT = buffer("right", DType.INT32, (STEPS, PARTS, WORDS, COLUMNS))
SUMS = buffer("sums", DType.FLOAT32, (ROWS, COLUMNS))
OTHER = buffer("other", DType.FLOAT32, (ROWS, COLUMNS))
Y = buffer("y", DType.FLOAT32, (ROWS, COLUMNS))
FACTORS = [
    (load(LEFT, K, one, ROW, WORD), load(RIGHT, K, other, WORD, COLUMN))
    for one, other in ((1, 0), (0, 0), (0, 1))
]


def filled(
    factors: Sequence[tuple[Expr, Expr]] = FACTORS,
    before: Sequence[Stmt] = (),
    outer: Sequence[tuple[Var, int]] = ((K, STEPS),),
    words: int = WORDS,
    sums: Buffer = SUMS,
) -> For:
    return tile_sums(sums, outer, words, factors, (WORD, ROW, COLUMN), (before,))


def beside(*some: Sequence[Stmt]) -> For:
    """Statements in front of the first product, the second one and so on."""
    return tile_sums(SUMS, ((K, STEPS),), WORDS, FACTORS, (WORD, ROW, COLUMN), some)


def kernel_of(stmt: For, sums: Buffer = SUMS) -> Kernel:
    """A kernel that stores the sums of a loop."""
    r, c = Var("r"), Var("c")
    stored = For(
        r,
        index(sums.shape[0]),
        (For(c, index(sums.shape[1]), (store(Y, (r, c), load(sums, r, c)),), LoopKind.VECTOR),),
    )
    inside: tuple[Stmt, ...] = (Alloc(sums), Alloc(OTHER), stmt, stored)
    return Kernel("tiled", (LEFT, RIGHT), (Y,), (For(Var("t"), index(1), inside),))


def found_in(kernel: Kernel) -> TileSums | None:
    (stmt,) = (one for one in statements(kernel.body) if isinstance(one, For) and one.kind is LoopKind.TILES)
    return sums_in_tiles(stmt)


def others(number: int) -> Stmt:
    return store(OTHER, (index(0), index(number)), 1.0)


KNOWN: dict[str, tuple[For, int]] = {
    "three products": (filled(), 3),
    "one product": (filled(FACTORS[:1]), 1),
    "a statement before them": (filled(before=[others(1)]), 3),
    "two statements before one": (filled(FACTORS[:1], before=[others(1), others(2)]), 1),
    "a statement between them": (beside([others(1)], [others(2)], []), 3),
    "statements behind them": (beside([], [], [others(1)], [others(2)]), 3),
    "a loop before them": (filled(before=[For(Var("i"), index(4), (others(1),))]), 3),
    "two loops around": (filled(outer=[(Var("j"), 2), (K, STEPS)]), 3),
    "loops of one iteration": (filled(outer=[(Var("j"), 1), (K, 1)]), 3),
    "fewer words": (filled(words=WORDS - 1), 3),
    "one word": (filled(words=1), 3),
    "no loop around one": (
        filled([(load(LEFT, 0, 0, ROW, WORD), load(RIGHT, 0, 0, WORD, COLUMN))], outer=()),
        1,
    ),
    "no loop around two": (
        filled(
            [(load(LEFT, 0, 0, ROW, WORD), load(RIGHT, 0, one, WORD, COLUMN)) for one in (0, 1)], outer=()
        ),
        2,
    ),
    "every other row": (
        filled([(load(LEFT, K, 0, ROW * 2, WORD), FACTORS[0][1])], sums=replace(SUMS, shape=(10, 32))),
        1,
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_forms_that_are_known_stay_so(name: str) -> None:
    stmt, count = KNOWN[name]
    sums = found_in(Kernel("bare", (), (), (stmt,)))
    assert sums is not None and sums.is_float and len(sums.products) == count
    kernel = kernel_of(stmt, sums.sums)
    verify(kernel)
    written = from_text(to_text(kernel))
    assert to_text(written) == to_text(kernel)
    for made in (written, simplify_kernel(kernel), simplify_kernel(written)):
        again = found_in(made)
        assert again is not None
        assert (again.rows, again.columns, again.words, len(again.products)) == (
            sums.rows,
            sums.columns,
            sums.words,
            count,
        )
        for one, other in zip(again.products, sums.products, strict=True):
            assert (one.row_step, one.word_step) == (other.row_step, other.word_step)
            assert (one.left.buffer.name, one.right.buffer.name) == ("left", "right")


# ─── other forms ───────────────────────────────────────────────────────────────────────────────────────────────────

A, B = FACTORS[0]
TOTAL = load(SUMS, ROW, COLUMN)


def adding(
    value: Expr, words: int = WORDS, sums: Buffer = SUMS, at: tuple[Expr, Expr] = (ROW, COLUMN)
) -> For:
    """A loop over words that stores a value in the sums."""
    rows, columns = sums.shape
    stored = For(ROW, index(rows), (For(COLUMN, index(columns), (store(sums, at, value),), LoopKind.VECTOR),))
    return For(WORD, index(words), (stored,))


def inside(*body: Stmt, zeros: Stmt | None = None) -> For:
    """Statements in the reduction of a loop of kind `tiles`."""
    empty, _ = filled().body
    return For(Var("tiles"), index(1), (zeros or empty, For(K, index(STEPS), body)), LoopKind.TILES)


def test_the_form_that_others_are_told_from_is_known() -> None:
    """What is changed below is all that keeps it from being known."""
    assert sums_in_tiles(inside(adding(add_halves(A, B, TOTAL)))) is not None
    assert sums_in_tiles(inside(others(1), *[adding(add_halves(A, B, TOTAL))] * 2)) is not None


def cut(word: Expr, op: str, number: int) -> Expr:
    return Bitcast(Binary(op, word, Const(number, DType.INT32)), DType.FLOAT32)


PRODUCT = adding(add_halves(A, B, TOTAL))
A2, B2 = FACTORS[1][0], FACTORS[2][1]
WIDE = buffer("wide", DType.INT32, (STEPS, WORDS, COLUMNS * 2))
TURNED = buffer("turned", DType.INT32, (STEPS, WORDS, ROWS))
CODES = buffer("sums", DType.INT32, (ROWS, COLUMNS))
DOUBLES = buffer("sums", DType.FLOAT64, (ROWS, COLUMNS))
APART = Buffer("sums", DType.FLOAT32, (ROWS, COLUMNS), (COLUMNS + 16, 1))
UNSIGNED = buffer("unsigned", DType.UINT32, (STEPS, ROWS, WORDS))


def with_sums(sums: Buffer) -> For:
    zeros = For(
        ROW, index(ROWS), (For(COLUMN, index(COLUMNS), (store(sums, (ROW, COLUMN), 0),), LoopKind.VECTOR),)
    )
    total = load(sums, ROW, COLUMN)
    if sums.dtype is not DType.FLOAT32:
        return inside(
            adding(cast(add_halves(A, B, cast(total, DType.FLOAT32)), sums.dtype), sums=sums), zeros=zeros
        )
    return inside(adding(add_halves(A, B, total), sums=sums), zeros=zeros)


def with_zeros(value: float, row: Expr = ROW) -> For:
    filling = (store(SUMS, (row, COLUMN), value),)
    return inside(
        PRODUCT, zeros=For(ROW, index(ROWS), (For(COLUMN, index(COLUMNS), filling, LoopKind.VECTOR),))
    )


OTHERS: dict[str, Callable[[], For]] = {
    # of halves
    "lower halves of another word": lambda: inside(
        adding(Fma(upper(A), upper(B), Fma(lower(A2), lower(B), TOTAL)))
    ),
    "lower halves of another right word": lambda: inside(
        adding(Fma(upper(A), upper(B), Fma(lower(A), lower(B2), TOTAL)))
    ),
    "upper halves twice": lambda: inside(adding(Fma(upper(A), upper(B), Fma(upper(A), upper(B), TOTAL)))),
    "lower halves twice": lambda: inside(adding(Fma(lower(A), lower(B), Fma(lower(A), lower(B), TOTAL)))),
    "halves crosswise": lambda: inside(adding(Fma(upper(A), lower(B), Fma(lower(A), upper(B), TOTAL)))),
    "one product of halves": lambda: inside(adding(Fma(lower(A), lower(B), TOTAL))),
    "a third product": lambda: inside(adding(Fma(upper(A), upper(B), add_halves(A, B, TOTAL)))),
    "another mask": lambda: inside(
        adding(Fma(cut(A, "and", UPPER * 2), upper(B), Fma(lower(A), lower(B), TOTAL)))
    ),
    "another shift": lambda: inside(
        adding(Fma(upper(A), upper(B), Fma(cut(A, "shl", HALF - 1), lower(B), TOTAL)))
    ),
    "a shift down": lambda: inside(
        adding(Fma(upper(A), upper(B), Fma(cut(A, "shr", HALF), lower(B), TOTAL)))
    ),
    "halves of what was computed": lambda: inside(adding(add_halves(A + 1, B, TOTAL))),
    "halves of unsigned words": lambda: inside(
        adding(add_halves(Bitcast(load(UNSIGNED, K, ROW, WORD), DType.INT32), B, TOTAL))
    ),
    # of sums
    "added to other sums": lambda: inside(adding(add_halves(A, B, load(OTHER, ROW, COLUMN)))),
    "added to another column": lambda: inside(adding(add_halves(A, B, load(SUMS, ROW, 31 - COLUMN)))),
    "stored in another row": lambda: inside(adding(add_halves(A, B, TOTAL), at=(19 - ROW, COLUMN))),
    "added to nothing": lambda: inside(adding(add_halves(A, B, Const(0.0, DType.FLOAT32)))),
    "sums of integers": lambda: with_sums(CODES),
    "sums of float64": lambda: with_sums(DOUBLES),
    "rows of sums apart": lambda: with_sums(APART),
    "sums that begin with ones": lambda: with_zeros(1.0),
    "one row of zeros": lambda: with_zeros(0.0, index(0)),
    # of places
    "words that do not lie one behind the other": lambda: inside(
        adding(add_halves(load(LEFT, K, 0, ROW, 5 - WORD), B, TOTAL))
    ),
    "every other word": lambda: inside(
        adding(add_halves(load(LEFT, K, 0, ROW, WORD * 2), B, TOTAL), words=3)
    ),
    "rows one behind the other": lambda: inside(adding(add_halves(load(TURNED, K, WORD, ROW), B, TOTAL))),
    "a left operand for each column": lambda: inside(
        adding(add_halves(load(WIDE, K, WORD, ROW + COLUMN), B, TOTAL))
    ),
    "a right operand for each row": lambda: inside(
        adding(add_halves(A, load(WIDE, K, WORD, ROW + COLUMN), TOTAL))
    ),
    "every other column": lambda: inside(adding(add_halves(A, load(WIDE, K, WORD, COLUMN * 2), TOTAL))),
    "rows in an order of their own": lambda: inside(
        adding(add_halves(load(LEFT, K, 0, ROW * ROW % 20, WORD), B, TOTAL))
    ),
    "a place that sums say": lambda: inside(
        adding(add_halves(load(LEFT, cast(load(SUMS, 0, 0), DType.INT64), 0, ROW, WORD), B, TOTAL))
    ),
    # of statements
    "differing words": lambda: inside(PRODUCT, adding(add_halves(A2, B2, TOTAL), words=WORDS - 1)),
    "a statement between products that reads a sum": lambda: inside(
        PRODUCT, store(OTHER, (index(1), index(2)), load(SUMS, 1, 2)), PRODUCT
    ),
    "a statement behind them that sets a sum": lambda: inside(
        PRODUCT, store(SUMS, (index(1), index(2)), 3.0)
    ),
    "a statement that sets a sum": lambda: inside(store(SUMS, (index(1), index(2)), 3.0), PRODUCT),
    "a statement that reads a sum": lambda: inside(
        store(OTHER, (index(1), index(2)), load(SUMS, 1, 2)), PRODUCT
    ),
    "a loop that sets sums": lambda: inside(
        For(Var("i"), index(4), (store(SUMS, (index(1), Var("i")), 3.0),)), PRODUCT
    ),
    "other tiles before them": lambda: inside(filled(sums=OTHER), PRODUCT),
    "a sum set further out": lambda: For(
        Var("tiles"),
        index(1),
        (
            filled().body[0],
            For(
                Var("j"), index(2), (store(SUMS, (index(0), index(0)), 1.0), For(K, index(STEPS), (PRODUCT,)))
            ),
        ),
        LoopKind.TILES,
    ),
    "fewer rows": lambda: inside(
        For(WORD, index(WORDS), (replace(PRODUCT.body[0], extent=index(ROWS - 1)),))  # type: ignore[type-var]
    ),
    "no statements": inside,
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_forms_are_not_known(name: str) -> None:
    assert sums_in_tiles(OTHERS[name]()) is None


@pytest.mark.parametrize("kind", [kind for kind in LoopKind if kind is not LoopKind.TILES])
def test_loops_of_other_kinds_are_not_known(kind: LoopKind) -> None:
    assert sums_in_tiles(replace(filled(), kind=kind)) is None


def test_a_loop_of_kind_tiles_goes_around_once() -> None:
    assert sums_in_tiles(replace(filled(), extent=index(2))) is None
