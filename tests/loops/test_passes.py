"""What simplifying, sharing and counting give on kernels as operators make them."""

import time
from dataclasses import replace

import numpy as np
import pytest

from ingot.loops.cost import Cost, cost
from ingot.loops.interpret import run
from ingot.loops.nodes import (
    Alloc,
    Const,
    DType,
    Fma,
    For,
    If,
    Kernel,
    Let,
    LoopKind,
    Select,
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
from ingot.loops.share import bind_shared
from ingot.loops.simplify import affine, bounds, simplify, simplify_kernel
from ingot.loops.text import expr_text, to_text
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


# ─── sharing ───────────────────────────────────────────────────────────────────────────────────────────────────────


def results(made):
    x = np.arange(X.span, dtype=np.float32) / 64
    y = np.zeros(Y.span, np.float32)
    run(made, {"x": x, "y": y})
    return y


def bound(made):
    done = replace(made, body=bind_shared(made.body, ["x", "y"]))
    verify(done)
    np.testing.assert_array_equal(results(done), results(made))
    return to_text(done)


def test_what_is_needed_anyway_is_bound_before_the_statement():
    value = load(X, ROW, COLUMN)
    text = bound(kernel(store(Y, (ROW, COLUMN), value * call("tanh", value))))
    assert "let s0: f32 = x[i, j]" in text
    assert "$" not in text


def test_what_one_branch_shares_stays_in_that_branch():
    value = load(X, ROW - 1, COLUMN)
    text = bound(kernel(store(Y, (ROW, COLUMN), select(compare("gt", ROW, 0), value * value, 0.0))))
    assert "if (i > 0) {" in text
    assert "$" not in text


def test_what_several_branches_share_is_computed_in_bounds():
    value = load(X, ROW - 1, COLUMN)
    first = select(compare("gt", ROW, 0), value, 0.0)
    second = select(compare("gt", ROW, 1), value * 2.0, 1.0)
    text = bound(kernel(store(Y, (ROW, COLUMN), first + second)))
    assert "max(min(" in text
    assert text.count("x[") == 1


def test_a_division_in_several_branches_cannot_fail():
    quotient = Const(100, DType.INT64) // (ROW - 1)
    number = select(compare("gt", ROW, 1), quotient, 0) + select(compare("ne", ROW, 1), quotient + 1, 0)
    value = load(X, 0, minimum(maximum(number, 0), 5))
    bound(kernel(store(Y, (ROW, COLUMN), value)))


def test_new_names_are_not_taken_ones():
    value = load(X, ROW, COLUMN)
    made = kernel(Let(Var("s0", F32), value * value), store(Y, (ROW, COLUMN), Var("s0", F32)))
    assert "let s1" in bound(made)


@pytest.mark.parametrize("form", ["sum", "branches", "conditions"])
def test_an_exponential_tree_becomes_a_short_text(form):
    value = load(X, ROW, COLUMN)
    for number in range(200):
        asked = compare("lt", value, float(number % 3))
        value = {
            "sum": value + value,
            "branches": Select(compare("lt", ROW, number % 5), value * 0.5, value + load(X, ROW, COLUMN)),
            "conditions": Select(asked, value * value, value),
        }[form]
    began = time.process_time()
    with np.errstate(all="ignore"):
        text = bound(kernel(store(Y, (ROW, COLUMN), value)))
    assert "$" not in text
    assert len(text) < 100_000
    assert time.process_time() - began < 20


# ─── cost ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_matrix_product_counts_two_operations_an_element():
    a, b, c = buffer("a", F32, (8, 16)), buffer("b", F32, (16, 4)), buffer("c", F32, (8, 4))
    total = buffer("total", F32, ())
    add = store(total, (), Fma(load(a, ROW, N), load(b, N, COLUMN), load(total)))
    inner = (Alloc(total), store(total, (), 0.0), For(N, index(16), (add,)), store(c, (ROW, COLUMN), load(total)))
    product = Kernel("mm", (a, b), (c,), (For(ROW, index(8), (For(COLUMN, index(4), inner),)),))
    assert cost(product) == Cost(flops=2 * 8 * 4 * 16, bytes_read=4 * (8 * 16 + 16 * 4), bytes_written=4 * 8 * 4)


def test_a_shared_node_counts_once_and_a_select_its_dearer_branch():
    value = load(X, ROW, COLUMN) * 2.0
    chosen = select(compare("lt", ROW, 2), call("exp", value), value)
    assert cost(kernel(store(Y, (ROW, COLUMN), chosen + value))).flops == 4 * 56 * (1 + 10 + 1)


def test_a_loop_to_an_outer_index_counts_its_longest():
    triangle = For(N, ROW + 1, (store(Y, (ROW, COLUMN), load(Y, ROW, COLUMN) + 1.0),))
    assert cost(kernel(triangle)).flops == 4 * 56 * 4
