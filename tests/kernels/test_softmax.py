"""Softmax along any dimension in any storage, and for numbers at the edges."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType, row_major
from ingot.kernels.softmax import softmax_template
from ingot.kernels.template import Site
from ingot.loops.nodes import Buffer, LoopKind, buffer
from tests.kernels.templates import run_template, strides_of
from tests.support import machines


def expected_softmax(x, axis, logarithm=False):
    wide = x.astype(np.float64)
    shifted = wide - wide.max(axis, keepdims=True)
    result = shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))
    return result if logarithm else np.exp(result)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("logarithm", [False, True])
def test_softmax_does_not_depend_on_how_its_operand_is_stored(order, axis, logarithm):
    x = np.random.default_rng(1).normal(size=(2, 7, 9)).astype(np.float32)
    template = softmax_template(TensorType(DType.FLOAT32, x.shape), axis, logarithm)
    (got,) = run_template(template, x, orders={"in0": order})
    np.testing.assert_allclose(got, expected_softmax(x, axis, logarithm), rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_row_may_be_longer_than_the_stack_allows(axis):
    x = np.random.default_rng(2).normal(size=(2100, 4) if axis == 0 else (2, 2100)).astype(np.float32)
    (got,) = run_template(softmax_template(TensorType(DType.FLOAT32, x.shape), axis, False), x)
    np.testing.assert_allclose(got, expected_softmax(x, axis), rtol=1e-5)


def along(axis, x):
    """Softmax of rows: where they are rows in memory, or where they are columns."""
    given = np.ascontiguousarray(x if axis == 1 else x.T)
    (got,) = run_template(softmax_template(TensorType(DType.FLOAT32, given.shape), axis, False), given)
    return got if axis == 1 else got.T


@pytest.mark.parametrize("axis", [0, 1])
def test_large_numbers_do_not_overflow_and_minus_infinity_gets_nothing(axis):
    x = np.array([[1e4, 1e4 - 1, -np.inf, 0], [3e38, -3e38, 0, 1]], np.float32)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(along(axis, x), expected_softmax(x, 1), rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_nan_or_infinity_makes_its_own_row_nan_and_no_other(bad, axis):
    x = np.zeros((3, 9), np.float32)
    x[1, 4] = bad
    with np.errstate(invalid="ignore"):
        got = along(axis, x)
    assert np.isnan(got[1, 4])
    np.testing.assert_allclose(got[[0, 2]], 1 / 9, rtol=1e-6)


def workspaces(extent: int, logarithm: bool, order: tuple[int, ...] = (0, 1)) -> list[Buffer]:
    type_ = TensorType(DType.FLOAT32, (2, extent))
    x = Buffer("x", type_.dtype, type_.shape, row_major(type_.shape))
    y = Buffer("y", type_.dtype, type_.shape, strides_of(type_, order))
    site = Site(replace(machines.SCALARS, vector_bytes=16), [x], [y], [None])
    softmax_template(type_, 1, logarithm).build(site)
    return site.workspaces


def test_a_long_row_is_kept_where_its_result_goes():
    assert workspaces(5000, logarithm=False) == workspaces(5000, logarithm=True) == []


def test_a_long_row_whose_result_is_scattered_is_kept_apart():
    assert [space.shape for space in workspaces(5000, logarithm=False, order=(1, 0))] == [(2, 5000, 1)]


@pytest.mark.parametrize(
    ("shape", "tasks"), [((3, 8, 40), 6), ((3, 6, 40), 9), ((5, 7, 40), 35), ((3, 8, 400), 24)]
)
def test_short_rows_are_done_four_or_two_at_a_time(shape, tasks):
    x = TensorType(DType.FLOAT32, shape)
    template = softmax_template(x, 2, False)
    machine = replace(machines.SCALARS, vector_bytes=32)
    site = Site(machine, [buffer("x", x.dtype, shape)], [buffer("y", x.dtype, shape)], [None])
    (task,) = template.build(site)
    assert task.kind is LoopKind.PARALLEL and task.extent.value == tasks
    data = np.random.default_rng(8).standard_normal(shape).astype(np.float32)
    (got,) = run_template(template, data, machine=machine)
    np.testing.assert_allclose(got, expected_softmax(data, 2), rtol=2e-6, atol=1e-7)
