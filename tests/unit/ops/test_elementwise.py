from __future__ import annotations

import numpy as np
import onnx
import pytest

from ingot.base.errors import IngotError
from tests.support.onnx_text import agrees, parse, run

F = np.float32
EDGE = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, 3e38], F)


def binary(op: str, a: str, b: str, out: str, opset: int = 21):
    return parse(f"({a} a, {b} b) => ({out} y)", f"y = {op}(a, b)", opset)


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Div", "Pow"])
def test_arithmetic_treats_infinities_and_nans_as_numpy_does(op: str) -> None:
    a, b = np.repeat(EDGE, len(EDGE)), np.tile(EDGE, len(EDGE))
    agrees(binary(op, "float[64]", "float[64]", "float[64]"), a=a, b=b)


def test_both_operands_broadcast() -> None:
    a, b = np.arange(3, dtype=F).reshape(3, 1), np.arange(8, dtype=F).reshape(2, 1, 4)
    (y,) = agrees(binary("Sub", "float[3,1]", "float[2,1,4]", "float[2,3,4]"), a=a, b=b)
    assert y.shape == (2, 3, 4)


def test_operands_without_dimensions_or_elements_are_operands() -> None:
    (y,) = agrees(binary("Add", "float", "float", "float"), a=np.array(1, F), b=np.array(2, F))
    assert y.shape == ()
    (y,) = agrees(
        binary("Mul", "float[0,3]", "float[3]", "float[0,3]"), a=np.zeros((0, 3), F), b=np.ones(3, F)
    )
    assert y.shape == (0, 3)


def test_shapes_that_do_not_broadcast_are_refused() -> None:
    with pytest.raises(IngotError):
        run(binary("Add", "float[3]", "float[4]", "float[4]"), a=np.zeros(3, F), b=np.zeros(4, F))


@pytest.mark.parametrize("name", ["int8", "int32", "int64"])
def test_signed_division_by_zero_and_minus_one_does_not_trap(name: str) -> None:
    low = np.iinfo(name).min
    a = np.array([7, -7, low, low, 5], name)
    b = np.array([2, 2, -1, 0, 0], name)
    (y,) = run(binary("Div", f"{name}[5]", f"{name}[5]", f"{name}[5]"), a=a, b=b)
    assert y.tolist() == [3, -3, low, 0, 0]
    (y,) = run(binary("Mod", f"{name}[5]", f"{name}[5]", f"{name}[5]"), a=a, b=b)
    assert y.tolist() == [1, 1, 0, 0, 0]


def test_a_constant_divisor_needs_no_guard() -> None:
    model = parse(
        "(int32[4] a) => (int32[4] y)", "b = Constant<value_ints=[3]>() c = Cast<to=6>(b) y = Div(a, c)"
    )
    (y,) = run(model, a=np.array([7, -7, 0, 9], np.int32))
    assert y.tolist() == [2, -2, 0, 3]


@pytest.mark.parametrize("fmod", [0, 1])
def test_mod_of_floats_has_the_sign_that_fmod_says(fmod: int) -> None:
    a = np.array([5.3, -5.3, 5.3, -5.3, 0.0, 4.0], F)
    b = np.array([2.0, 2.0, -2.0, -2.0, -3.0, np.inf], F)
    model = parse(
        "(float[6] a, float[6] b) => (float[6] y)", f"y = Mod<fmod={fmod}>(a, b)", 28 if not fmod else 21
    )
    (y,) = run(model, a=a, b=b)
    expected = np.fmod(a, b) if fmod else np.mod(a, b)
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    assert np.signbit(y[4]) == np.signbit(expected[4])


@pytest.mark.parametrize(
    ("base", "exponent"), [("float", "int64"), ("int32", "float"), ("int64", "int32"), ("float", "double")]
)
def test_pow_takes_mixed_types_and_keeps_that_of_the_base(base: str, exponent: str) -> None:
    types = {"float": F, "double": np.float64, "int32": np.int32, "int64": np.int64}
    a, b = np.array([1, 2, 3, 7], types[base]), np.array([0, 3, 4, 2], types[exponent])
    (y,) = agrees(binary("Pow", f"{base}[4]", f"{exponent}[4]", f"{base}[4]"), a=a, b=b)
    assert y.dtype == types[base]


def test_integer_powers_are_exact_beyond_double_and_truncate_for_negative_exponents() -> None:
    model = binary("Pow", "int64[5]", "int64[5]", "int64[5]")
    (y,) = run(model, a=np.array([3, -1, 1, 2, -1]), b=np.array([39, -3, -5, -1, -2]))
    assert y.tolist() == [3**39, -1, 1, 0, 1]


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0, 4.0, 0.5, -1.0, 7.0])
def test_a_constant_exponent_gives_what_one_at_run_time_gives(exponent: float) -> None:
    model = parse("(float[8] a) => (float[8] y)", f"b = Constant<value_float={exponent}>() y = Pow(a, b)")
    (y,) = run(model, a=EDGE)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(
            y, np.power(EDGE, np.full(8, exponent, F)), rtol=1e-6
        )  # of a scalar half NumPy takes the root


@pytest.mark.parametrize("op", ["Max", "Min"])
def test_the_extremes_pass_on_a_nan_from_either_side(op: str) -> None:
    a, b = np.array([np.nan, 1, 2, np.inf], F), np.array([1, np.nan, 1, -np.inf], F)
    model = parse("(float[4] a, float[4] b, float[1] c) => (float[4] y)", f"y = {op}(a, b, c)")
    (y,) = agrees(model, a=a, b=b, c=np.array([1.5], F))
    assert np.isnan(y[:2]).all() and not np.isnan(y[2:]).any()


@pytest.mark.parametrize(
    ("op", "alpha"), [("PRelu", None), ("LeakyRelu", np.inf), ("Elu", np.nan), ("Celu", np.inf)]
)
def test_a_slope_that_is_no_number_leaves_zeros_alone_known_early_or_late(
    op: str, alpha: float | None
) -> None:
    model = parse("(float[3] x, float[1] a) => (float[3] y)", f"y = {op}(x{', a' if alpha is None else ''})")
    if alpha is not None:
        model.graph.node[0].attribute.append(onnx.helper.make_attribute("alpha", alpha))
    given = {"x": np.array([0, -0.0, 2], F), "a": np.array([np.inf], F)}
    for (y,) in (run(model, **given), run(model, given)):
        np.testing.assert_array_equal(y, given["x"])


@pytest.mark.parametrize("op", ["Max", "Sum", "Mean"])
def test_one_operand_is_its_own_result(op: str) -> None:
    agrees(parse("(float[2] a) => (float[2] y)", f"y = {op}(a)"), a=np.array([1, -2], F))


def test_half_floats_are_summed_in_float32_and_rounded_once() -> None:
    model = parse("(float16[1] a, float16[1] b, float16[1] c) => (float16[1] y)", "y = Sum(a, b, c)")
    half = np.float16
    (y,) = run(model, a=np.array([2048], half), b=np.array([1], half), c=np.array([1], half))
    assert y[0] == 2050


def test_the_slope_of_prelu_broadcasts_to_the_input_only() -> None:
    model = parse("(float[2,3] a, float[3] b) => (float[2,3] y)", "y = PRelu(a, b)")
    agrees(model, a=np.array([[-1, 2, np.nan], [-0.0, -4, 5]], F), b=np.array([0.1, 0.2, 0.3], F))
