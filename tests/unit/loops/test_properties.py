"""Passes over random kernels, judged by the interpreter."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingot.loops.analyse.ranges import Ranges, affine
from ingot.loops.interpret import Interpreter, run
from ingot.loops.nodes import Binary, DType, For, Kernel, Store, Var, buffer, index
from ingot.loops.parse import from_text
from ingot.loops.text import to_text
from ingot.loops.transform.simplify import bounds, simplify, simplify_kernel
from ingot.loops.verify import verify
from tests.property.strategies import arrays_for, index_expressions, kernels

QUICK = settings(max_examples=40, derandomize=True, suppress_health_check=list(HealthCheck))
ROW, COLUMN = Var("i"), Var("j")


def outputs(kernel: Kernel) -> np.ndarray:
    arrays = arrays_for(kernel)
    run(kernel, arrays)
    return arrays["out"]


def tabulate(expr, extents):
    """The value of an index expression for every value of `i` and `j`."""
    table = buffer("table", DType.INT64, extents)
    kernel = Kernel(
        "t",
        (),
        (table,),
        (
            For(
                ROW,
                index(extents[0]),
                (For(COLUMN, index(extents[1]), (Store(table, (ROW, COLUMN), expr),)),),
            ),
        ),
    )
    array = np.zeros(table.span, np.int64)
    Interpreter(kernel).run([array])
    return array.reshape(extents)


@QUICK
@given(kernels())
def test_a_kernel_read_back_prints_the_same_and_computes_the_same(kernel):
    verify(kernel)
    text = to_text(kernel)
    again = from_text(text)
    assert to_text(again) == text
    assert again.comment == kernel.comment
    np.testing.assert_array_equal(outputs(again), outputs(kernel))


@QUICK
@given(kernels())
def test_simplifying_a_kernel_changes_no_result(kernel):
    simpler = simplify_kernel(kernel)
    verify(simpler)
    np.testing.assert_array_equal(outputs(simpler), outputs(kernel))


@settings(QUICK, max_examples=80)
@given(index_expressions((ROW, COLUMN)), st.sampled_from([(1, 1), (3, 5), (8, 7), (2, 12)]))
def test_a_simplified_index_has_the_same_value_everywhere(expr, extents):
    ranges = {ROW: extents[0], COLUMN: extents[1]}
    np.testing.assert_array_equal(tabulate(simplify(expr, ranges), extents), tabulate(expr, extents))


@settings(QUICK, max_examples=80)
@given(index_expressions((ROW, COLUMN)))
def test_every_value_is_within_the_bounds(expr):
    extents = (4, 6)
    table = tabulate(expr, extents)
    found = bounds(expr, {ROW: 4, COLUMN: 6})
    if found is not None:
        assert found[0] <= table.min()
        assert table.max() <= found[1]


@settings(QUICK, max_examples=80)
@given(
    index_expressions((ROW, COLUMN)),
    index_expressions((ROW, COLUMN)),
    st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne"]),
)
def test_refined_ranges_hold_wherever_the_condition_does(left, right, op):
    extents = (4, 6)
    a, b = tabulate(left, extents), tabulate(right, extents)
    holds = {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b, "eq": a == b, "ne": a != b}[op]
    ranges = Ranges({ROW: (0, 3), COLUMN: (0, 5)})
    condition = Binary(op, left, right)
    for taken, where in ((True, holds), (False, ~holds)):
        truth = ranges.truth(condition)
        assert truth is not taken or where.all()
        refined = ranges.refined(condition, taken)
        if refined is None:
            assert not where.any()
            continue
        for var, values in zip((ROW, COLUMN), np.nonzero(where), strict=True):
            low, high = refined.intervals[var]
            assert all(low <= value <= high for value in values)


@settings(QUICK, max_examples=80)
@given(index_expressions((ROW, COLUMN)))
def test_an_affine_form_is_the_expression(expr):
    form = affine(expr)
    if form is not None:
        i, j = np.meshgrid(np.arange(4), np.arange(6), indexing="ij")
        value = form[0] + form[1].get(ROW, 0) * i + form[1].get(COLUMN, 0) * j
        np.testing.assert_array_equal(value, tabulate(expr, (4, 6)))
