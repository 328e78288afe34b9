from __future__ import annotations

import numpy as np
import pytest

import ingot
from tests.support.kernel_llvm import needs_cc
from tests.support.onnx_text import agrees, parse, run

F = np.float32
EDGE = np.array([0.0, -0.0, 0.3, -0.3, 2.5, -2.5, 100, -100, np.inf, -np.inf, np.nan], F)
FUNCTIONS = [
    "Abs",
    "Neg",
    "Sign",
    "Sqrt",
    "Exp",
    "Log",
    "Floor",
    "Ceil",
    "Round",
    "Sin",
    "Cos",
    "Tan",
    "Asin",
    "Acos",
    "Atan",
    "Sinh",
    "Cosh",
    "Tanh",
    "Asinh",
    "Acosh",
    "Atanh",
    "Relu",
    "Sigmoid",
    "Softplus",
    "Softsign",
    "HardSigmoid",
    "LeakyRelu",
    "Elu",
    "Celu",
    "Selu",
    "ThresholdedRelu",
    "IsNaN",
    "IsInf",
    "Reciprocal",
    "HardSwish",
    "Shrink",
]


@pytest.mark.parametrize("op", FUNCTIONS)
def test_a_function_passes_infinities_and_nans_as_the_reference_does(op: str) -> None:
    out = "bool" if op.startswith("Is") else "float"
    # ONNX's reference has no infinities here: inf * 0.
    x = EDGE[:8] if op in ("Softsign", "HardSwish", "Shrink") else EDGE
    model = parse(f"(float[{len(x)}] x) => ({out}[{len(x)}] y)", f"y = {op}(x)")
    if op in ("Sin", "Cos", "Tan"):
        x = np.where(np.isinf(x), F(1), x)
    agrees(model, x=x)


@pytest.mark.parametrize("op", ["Relu", "Abs", "Neg", "Round", "Sign"])
def test_a_negative_zero_keeps_the_sign_that_ieee_gives_it(op: str) -> None:
    (y,) = run(parse("(float[2] x) => (float[2] y)", f"y = {op}(x)"), x=np.array([-0.0, 0.0], F))
    assert (y == 0).all()
    if op in ("Neg", "Sign"):
        assert np.signbit(y).tolist() == [False, op == "Neg"]


def test_round_takes_halves_to_even() -> None:
    (y,) = run(
        parse("(float[5] x) => (float[5] y)", "y = Round(x)"), x=np.array([0.5, 1.5, 2.5, -0.5, -1.5], F)
    )
    assert y.tolist() == [0, 2, 2, 0, -2]


@pytest.mark.parametrize("name", ["int8", "uint8", "int64"])
def test_integers_have_signs_and_absolute_values(name: str) -> None:
    x = np.array([0, 3, 100], name) if name[0] == "u" else np.array([0, -3, 100], name)
    for op in ("Abs", "Sign"):
        agrees(parse(f"({name}[3] x) => ({name}[3] y)", f"y = {op}(x)"), x=x)


@pytest.mark.parametrize("mode", ["none", "tanh"])
def test_gelu_is_exact_or_approximated(mode: str) -> None:
    agrees(
        parse("(float[7] x) => (float[7] y)", f'y = Gelu<approximate="{mode}">(x)'),
        x=np.linspace(-4, 4, 7, dtype=F),
    )


def test_mish_and_swish_do_not_overflow() -> None:
    x = np.array([-1000, -1, 0, 1, 1000], F)
    (y,) = run(parse("(float[5] x) => (float[5] y)", "y = Mish(x)"), x=x)
    assert np.isfinite(y).all() and y[4] == 1000
    (y,) = run(parse("(float[5] x) => (float[5] y)", "y = Swish<alpha=2.0>(x)", 24), x=x)
    assert np.isfinite(y).all() and y[4] == 1000


@needs_cc
@pytest.mark.parametrize("op", ["Sigmoid", "Elu", "Celu", "Celu <alpha = -0.5>", "Selu"])
def test_exponentials_of_large_numbers_are_not_asked_for_where_they_matter(op: str) -> None:
    x = np.array([-1000, -100, -60, -30, 30, 60, 100, 1000], F)
    built = ingot.build(parse("(float[8] x) => (float[8] y)", f"y = {op} (x)"), target="llvm")
    with np.errstate(over="ignore"):
        (exact,) = run(parse("(float[8] x) => (float[8] y)", f"y = {op} (x)"), x=x)
    np.testing.assert_allclose(built.load()["m"]().predict(x=x), exact, rtol=1e-6, atol=1e-37)


@pytest.mark.parametrize(("positive", "negative"), [(1, 1), (1, 0), (0, 1), (0, 0)])
def test_isinf_looks_for_the_signs_it_is_asked_for(positive: int, negative: int) -> None:
    nodes = f"y = IsInf<detect_positive={positive}, detect_negative={negative}>(x)"
    (y,) = run(parse("(float[4] x) => (bool[4] y)", nodes), x=np.array([np.inf, -np.inf, np.nan, 1], F))
    assert y.tolist() == [bool(positive), bool(negative), False, False]


class TestClip:
    X = np.array([-5, -1, 0, 1, 5, np.nan, np.inf, -np.inf], F)

    @pytest.mark.parametrize("bound", ["lo", "hi"])
    def test_a_bound_that_is_no_number_is_the_result_early_and_late(self, bound: str) -> None:
        model = parse("(float[8] x, float lo, float hi) => (float[8] y)", "y = Clip(x, lo, hi)")
        limits = {"lo": np.array(-1, F), "hi": np.array(1, F), bound: np.array(np.nan, F)}
        assert np.isnan(agrees(model, x=self.X, **limits)).all()
        assert np.isnan(agrees(model, limits, x=self.X)).all()

    def test_bounds_may_be_attributes(self) -> None:
        (y,) = run(parse("(float[8] x) => (float[8] y)", "y = Clip<min=-1.0, max=1.0>(x)", 10), x=self.X)
        np.testing.assert_array_equal(y, np.clip(self.X, -1, 1))

    def test_bounds_may_be_inputs_known_late(self) -> None:
        model = parse("(float[8] x, float lo, float hi) => (float[8] y)", "y = Clip(x, lo, hi)")
        (y,) = run(model, x=self.X, lo=np.array(-2, F), hi=np.array(2, F))
        np.testing.assert_array_equal(y, np.clip(self.X, -2, 2))

    def test_either_bound_may_be_left_out(self) -> None:
        (y,) = run(
            parse("(float[8] x, float hi) => (float[8] y)", "y = Clip(x, , hi)"), x=self.X, hi=np.array(0, F)
        )
        np.testing.assert_array_equal(y, np.minimum(self.X, 0))
        (y,) = run(
            parse("(float[8] x, float lo) => (float[8] y)", "y = Clip(x, lo)"), x=self.X, lo=np.array(0, F)
        )
        np.testing.assert_array_equal(y, np.maximum(self.X, 0))
        (y,) = run(parse("(float[8] x) => (float[8] y)", "y = Clip(x)"), x=self.X)
        np.testing.assert_array_equal(y, self.X)

    @pytest.mark.parametrize("attributes", ["", "<min = -1.0>"])
    def test_before_opset_11_a_bound_that_is_left_out_is_the_largest_number(self, attributes):
        x = np.array([np.inf, -np.inf, 0.5, np.nan], F)
        (y,) = run(parse("(float[4] x) => (float[4] y)", f"y = Clip{attributes}(x)", 10), x=x)
        largest = np.finfo(F).max
        np.testing.assert_array_equal(y, [largest, -1 if attributes else -largest, 0.5, np.nan])

    def test_from_opset_11_on_a_bound_that_is_left_out_bounds_nothing(self):
        (y,) = run(parse("(float[2] x) => (float[2] y)", "y = Clip(x)", 11), x=np.array([np.inf, -np.inf], F))
        np.testing.assert_array_equal(y, [np.inf, -np.inf])

    def test_the_upper_bound_wins_where_the_bounds_cross(self) -> None:
        model = parse("(float[8] x, float lo, float hi) => (float[8] y)", "y = Clip(x, lo, hi)")
        (y,) = run(model, x=self.X, lo=np.array(3, F), hi=np.array(-3, F))
        assert (y[~np.isnan(self.X)] == -3).all() and np.isnan(y[5])

    def test_integers_are_bounded_too(self) -> None:
        model = parse("(int8[3] x, int8 lo, int8 hi) => (int8[3] y)", "y = Clip(x, lo, hi)")
        (y,) = run(
            model, x=np.array([-128, 0, 127], np.int8), lo=np.array(-1, np.int8), hi=np.array(1, np.int8)
        )
        assert y.tolist() == [-1, 0, 1]


def test_softplus_of_a_large_negative_number_is_not_rounded_away() -> None:
    x = np.linspace(-80, 20, 1001, dtype=F)
    expected = np.logaddexp(0, x.astype(np.float64))
    (softplus,) = run(parse("(float[1001] x) => (float[1001] y)", "y = Softplus(x)"), x=x)
    np.testing.assert_allclose(softplus, expected, rtol=1e-6)
    (mish,) = run(parse("(float[1001] x) => (float[1001] y)", "y = Mish(x)"), x=x)
    np.testing.assert_allclose(mish, x * np.tanh(expected), rtol=2e-6)
