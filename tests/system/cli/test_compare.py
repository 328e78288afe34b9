"""How two answers to the same question differ."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from ingot.base.tensor import DType
from ingot.cli.compare import difference, differences, values


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_equal_arrays_agree_exactly() -> None:
    found = difference("y", f32(1, 2), f32(1, 2))
    assert (found.max_abs, found.max_rel, found.agrees) == (0, 0, True)


def test_the_largest_errors_are_reported() -> None:
    found = difference("y", f32(1.5, 10.0), f32(1.0, 8.0))
    assert found.max_abs == 2 and found.max_rel == 0.5 and not found.agrees
    assert found.note == "2 of 2 elements"


@pytest.mark.parametrize(("value", "agrees"), [(1.00009, True), (1.0003, False)])
def test_the_tolerance_is_relative(value: float, agrees: bool) -> None:
    assert difference("y", f32(value), f32(1.0)).agrees is agrees


@pytest.mark.parametrize(("value", "agrees"), [(9e-6, True), (2e-5, False)])
def test_near_zero_the_tolerance_is_absolute(value: float, agrees: bool) -> None:
    assert difference("y", f32(value), f32(0.0)).agrees is agrees


def test_nan_agrees_with_nan_and_infinity_with_itself() -> None:
    special = f32(np.nan, np.inf, -np.inf)
    assert difference("y", special, special).agrees
    assert not difference("y", f32(np.inf), f32(-np.inf)).agrees
    assert not difference("y", f32(0.0), f32(np.nan)).agrees
    assert difference("y", f32(np.inf), f32(1.0)).max_abs is None


def test_integers_must_be_equal() -> None:
    large = np.array([2**53 + 1], np.int64)
    assert difference("y", large, large).agrees
    assert not difference("y", large - 1, large).agrees


def test_tolerances_can_be_given_and_of_whole_numbers_only_the_absolute_one_counts() -> None:
    assert difference("y", f32(1.0003), f32(1.0), rtol=1e-3).agrees
    assert not difference("y", f32(1.00009), f32(1.0), rtol=0, atol=0).agrees
    codes = np.array([200, 7], np.uint8)
    assert difference("y", codes + 1, codes, atol=1).agrees
    assert not difference("y", codes + 2, codes, rtol=0.5, atol=1).agrees


def test_other_shapes_never_agree() -> None:
    found = difference("y", f32(1), f32(1, 1))
    assert not found.agrees and found.note == "shape [1], expected [2]"


def test_empty_arrays_agree() -> None:
    assert difference("y", f32(), f32()).agrees


def test_bfloat16_is_compared_by_value() -> None:
    theirs = np.array([1.0, -2.5], ml_dtypes.bfloat16)
    ours = values(DType.BFLOAT16, theirs.view(np.uint16))
    assert difference("y", ours, theirs, rtol=0, atol=0).agrees
    assert not difference("y", ours[::-1], theirs).agrees


def test_neighbours_among_bfloat16_agree_unless_told_otherwise() -> None:
    codes = np.array([0x3F80, 0x40FF, 0xC100], np.uint16)  # 1, 7.96875, -8
    ours, theirs = values(DType.BFLOAT16, codes + 1), codes.view(ml_dtypes.bfloat16)
    assert difference("y", ours, theirs).agrees and difference("y", ours, theirs).rtol == 2**-7
    assert not difference("y", values(DType.BFLOAT16, codes + 2), theirs).agrees
    assert not difference("y", ours, theirs, rtol=1e-4).agrees


@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 2)])
def test_values_of_bfloat16_are_exact_and_others_are_as_they_are(shape: tuple[int, ...]) -> None:
    exact = np.random.default_rng(0).standard_normal(shape).astype(ml_dtypes.bfloat16)
    found = values(DType.BFLOAT16, exact.view(np.uint16))
    assert found.dtype == np.float32 and found.shape == shape
    np.testing.assert_array_equal(found, exact.astype(np.float32))
    codes = np.ones(shape, np.uint16)
    assert values(DType.UINT16, codes) is codes


def test_a_missing_output_never_agrees() -> None:
    assert not differences({"y": f32(1)}, {"z": f32(1)})[0].agrees
