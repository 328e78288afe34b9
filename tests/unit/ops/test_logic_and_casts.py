from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.support.onnx_text import agrees, parse, run

F = np.float32
NAMES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float",
    "double",
]


@pytest.mark.parametrize("op", ["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"])
def test_every_comparison_with_a_nan_is_false(op: str) -> None:
    a, b = np.array([np.nan, 1, np.nan, 0.0], F), np.array([1, np.nan, np.nan, -0.0], F)
    (y,) = agrees(parse("(float[4] a, float[4] b) => (bool[4] y)", f"y = {op}(a, b)"), a=a, b=b)
    assert not y[:3].any()


def test_unsigned_numbers_are_compared_as_such() -> None:
    a, b = np.array([2**63, 255], np.uint64), np.array([1, 2**64 - 1], np.uint64)
    (y,) = run(parse("(uint64[2] a, uint64[2] b) => (bool[2] y)", "y = Greater(a, b)"), a=a, b=b)
    assert y.tolist() == [True, False]


@pytest.mark.parametrize("op", ["And", "Or", "Xor"])
def test_logic_broadcasts(op: str) -> None:
    a, b = np.array([[True], [False]]), np.array([True, False])
    agrees(parse("(bool[2,1] a, bool[2] b) => (bool[2,2] y)", f"y = {op}(a, b)"), a=a, b=b)


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_a_shift_by_the_width_or_more_leaves_nothing(direction: str) -> None:
    model = parse("(uint8[4] a, uint8[4] b) => (uint8[4] y)", f'y = BitShift<direction="{direction}">(a, b)')
    (y,) = run(model, a=np.array([255, 255, 255, 129], np.uint8), b=np.array([8, 200, 7, 1], np.uint8))
    assert y.tolist() == ([0, 0, 128, 2] if direction == "LEFT" else [0, 0, 1, 64])


def test_a_signed_shift_to_the_right_keeps_the_sign_whatever_the_count() -> None:
    model = parse("(int8[4] a, int8[4] b) => (int8[4] y)", 'y = BitShift<direction="RIGHT">(a, b)', 28)
    (y,) = run(model, a=np.array([-128, -1, 64, -5], np.int8), b=np.array([3, 100, 100, -1], np.int8))
    assert y.tolist() == [-16, -1, 0, -1]


def test_where_broadcasts_all_three() -> None:
    model = parse("(bool[2,1] c, float[3] x, float y) => (float[2,3] z)", "z = Where(c, x, y)")
    agrees(model, c=np.array([[True], [False]]), x=np.array([1, np.nan, 3], F), y=np.array(-1, F))


@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("target", NAMES)
def test_every_number_type_becomes_every_other(source: str, target: str) -> None:
    types = dict.fromkeys(NAMES, 0) | {
        "float": 1,
        "uint8": 2,
        "int8": 3,
        "uint16": 4,
        "int16": 5,
        "int32": 6,
        "int64": 7,
        "bool": 9,
    }
    types |= {"float16": 10, "double": 11, "uint32": 12, "uint64": 13}
    numpy = {"float": F, "double": np.float64}.get(source, source)
    x = np.array([0, 1, 5, 100], numpy)
    agrees(parse(f"({source}[4] x) => ({target}[4] y)", f"y = Cast<to={types[target]}>(x)"), x=x)


def test_floats_are_cut_off_toward_zero_and_nan_is_true() -> None:
    (y,) = run(
        parse("(float[4] x) => (int32[4] y)", "y = Cast<to=6>(x)"), x=np.array([1.9, -1.9, 0.5, -0.0], F)
    )
    assert y.tolist() == [1, -1, 0, 0]
    (y,) = run(parse("(float[3] x) => (bool[3] y)", "y = Cast<to=9>(x)"), x=np.array([np.nan, -0.0, 0.1], F))
    assert y.tolist() == [True, False, True]


def test_bfloat16_is_rounded_to_nearest_even() -> None:
    x = np.array([1.00390625, 1.01171875, -3.14159, np.inf], F)
    (y,) = run(parse("(float[4] x) => (bfloat16[4] y)", "y = Cast<to=16>(x)"), x=x)
    np.testing.assert_array_equal(y, x.astype(ml_dtypes.bfloat16))


def test_bitcast_keeps_the_bits() -> None:
    x = np.array([1.0, -0.0, np.inf], F)
    (y,) = run(parse("(float[3] x) => (int32[3] y)", "y = BitCast<to=6>(x)", 26), x=x)
    np.testing.assert_array_equal(y, x.view(np.int32))
