"""What simplifying, sharing and counting give on kernels as operators make them."""

import pytest

from ingot.kernels.matmul.strassen import share
from ingot.loops.analyse.amx_sums import tile_sums
from ingot.loops.analyse.cost import Cost, cost
from ingot.loops.nodes import (
    Alloc,
    DType,
    Fma,
    For,
    If,
    Kernel,
    Let,
    LoopKind,
    Var,
    both,
    buffer,
    call,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)
from ingot.loops.text import expr_text, to_text
from ingot.loops.transform.simplify import affine, bounds, simplify, simplify_kernel
from ingot.loops.verify import verify

F32 = DType.FLOAT32
ROW, COLUMN, N = Var("i"), Var("j"), Var("n")
RANGES = {ROW: 4, COLUMN: 56, N: 3 * 5 * 7}
X, Y = buffer("x", F32, (4, 56)), buffer("y", F32, (4, 56))


def kernel(*body, outputs=(Y,)):
    loops = For(ROW, index(4), (For(COLUMN, index(56), body, LoopKind.SERIAL),))
    return Kernel("k", (X,), outputs, (loops,))


PADDED = both(compare("ge", ROW - 1, 0), compare("lt", ROW - 1, 4))
SIMPLER = [
    ((ROW * 56 + COLUMN) // 56, "i"),
    ((ROW * 56 + COLUMN) % 56, "j"),
    (((ROW * 56 + COLUMN) * 3 + 2) // 3, "((i * 56) + j)"),
    ((N // 35) * 35 + (N // 7) % 5 * 7 + N % 7, "n"),
    (N % 35 // 7, "((n / 7) % 5)"),
    (N // 5 // 7, "(n / 35)"),
    (N % 35 % 7, "(n % 7)"),
    ((ROW * 8 + N % 8) // 4, "((i * 2) + ((n / 4) % 2))"),
    (COLUMN - COLUMN + ROW, "i"),
    (minimum(COLUMN, 56) + maximum(ROW - 9, 0), "j"),
    ((COLUMN - 3) % 5, "((j - 3) % 5)"),
    (select(compare("lt", ROW, 4), ROW, 9), "i"),
    (select(PADDED, load(X, ROW - 1, COLUMN), 0.0), "$0 = (i - 1)\nselect(($0 >= 0), x[$0, j], 0.0:f32)"),
    (select(PADDED, load(X, ROW - 1, COLUMN), 0.0).if_true, "x[(i - 1), j]"),
]


@pytest.mark.parametrize(("expr", "text"), SIMPLER, ids=[text for _, text in SIMPLER])
def test_index_arithmetic_becomes_simple(expr, text):
    assert expr_text(simplify(expr, RANGES)) == text


def test_affine_forms_and_bounds():
    assert affine((ROW + 2) * 3 - COLUMN + 1) == (7, {ROW: 3, COLUMN: -1})
    assert affine(ROW * COLUMN) is None
    assert bounds(ROW * 56 + COLUMN, RANGES) == (0, 223)
    assert bounds(COLUMN % 8 - 3, RANGES) == (-3, 4)
    assert bounds(Var("unknown"), RANGES) is None


def test_padding_that_the_loops_rule_out_vanishes():
    value = select(both(compare("ge", ROW, 0), compare("lt", COLUMN + 1, 57)), load(X, ROW, COLUMN), 0.0)
    simpler = simplify_kernel(kernel(If(compare("lt", ROW, 4), (store(Y, (ROW, COLUMN), value),))))
    assert "select" not in to_text(simpler)
    assert "if" not in to_text(simpler)


def test_simplifying_knows_what_an_if_asks():
    value = select(compare("lt", COLUMN, 9), load(X, ROW, COLUMN), 0.0)
    simpler = simplify_kernel(kernel(If(compare("lt", COLUMN, 8), (store(Y, (ROW, COLUMN), value),))))
    assert "select" not in to_text(simpler)


def test_a_name_of_a_decided_branch_does_not_leak():
    t = Var("t", F32)
    branch = If(compare("lt", ROW, 9), (Let(t, load(X, ROW, COLUMN)), store(Y, (ROW, COLUMN), t)))
    verify(simplify_kernel(kernel(branch, branch)))


# ─── cost ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_matrix_product_counts_two_operations_an_element():
    a, b, c = buffer("a", F32, (8, 16)), buffer("b", F32, (16, 4)), buffer("c", F32, (8, 4))
    total = buffer("total", F32, ())
    add = store(total, (), Fma(load(a, ROW, N), load(b, N, COLUMN), load(total)))
    inner = (
        Alloc(total),
        store(total, (), 0.0),
        For(N, index(16), (add,)),
        store(c, (ROW, COLUMN), load(total)),
    )
    product = Kernel("mm", (a, b), (c,), (For(ROW, index(8), (For(COLUMN, index(4), inner),)),))
    assert cost(product) == Cost(
        flops=2 * 8 * 4 * 16, bytes_read=4 * (8 * 16 + 16 * 4), bytes_written=4 * 8 * 4
    )


def test_a_shared_node_counts_once_and_a_select_its_dearer_branch():
    value = load(X, ROW, COLUMN) * 2.0
    chosen = select(compare("lt", ROW, 2), call("exp", value), value)
    assert cost(kernel(store(Y, (ROW, COLUMN), chosen + value))).flops == 4 * 56 * (1 + 10 + 1)


def test_products_of_parts_count_as_the_one_that_they_are():
    steps, words, rows, columns = 3, 16, 32, 32
    a, b = buffer("a", DType.INT32, (3, rows, words)), buffer("b", DType.INT32, (3, words, columns))
    word, row, column = Var("word"), Var("row"), Var("col")
    factors = [
        (load(a, one, row, word), load(b, other, word, column)) for one, other in ((0, 0), (0, 1), (1, 0))
    ]
    sums = buffer("sums", F32, (rows, columns))
    filled = tile_sums(sums, [(Var("step"), steps)], words, factors, (word, row, column))
    assert (
        cost(Kernel("parts", (a, b), (), (Alloc(sums), filled))).flops
        == 2 * steps * 2 * words * rows * columns
    )


def test_a_loop_to_an_outer_index_counts_its_longest():
    triangle = For(N, ROW + 1, (store(Y, (ROW, COLUMN), load(Y, ROW, COLUMN) + 1.0),))
    assert cost(kernel(triangle)).flops == 4 * 56 * 4


@pytest.mark.parametrize("count", [8, 9, 15, 17])
def test_shares_of_parallel_tasks_count_as_they_are(count):
    x, y = buffer("x", F32, (count,)), buffer("y", F32, (count,))
    part, tasks = Var("part"), 8
    work = share(part, tasks, count, lambda at: (store(y, (at,), load(x, at) + 1.0),))
    assert (
        cost(Kernel("shares", (x,), (y,), (For(part, index(tasks), work, LoopKind.PARALLEL),))).flops == count
    )
