"""The functions that code without a C library brings along, held to the C library over all exponents."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from ingot.base.tensor import DType
from ingot.codegen.math.f64 import WRITTEN
from ingot.loops.interpret import run as interpret
from ingot.loops.nodes import (
    FUNCTIONS,
    PREDICATES,
    ROUNDING,
    For,
    Kernel,
    Let,
    Var,
    buffer,
    index,
    load,
    store,
)
from ingot.loops.verify import verify
from tests.support.kernel_llvm import compile_kernel, needs_cc

F64 = DType.FLOAT64
REFERENCES: dict[str, Callable[..., np.ndarray]] = {
    "exp": np.exp,
    "exp_flushed": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
    "pow": np.power,
    "rem": np.fmod,
}
# Units in the last place, where the C library's own half of one is not counted.
ULP = {"exp": 1, "exp_flushed": 1, "log": 1, "sin": 1, "cos": 1, "erf": 8, "pow": 8, "rem": 0}
COUNT = 4000
ENDS = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 5e-324, 1e-310, 2.0**53, 1e300]
)


def kernel(name: str, count: int) -> Kernel:
    """The function, applied to each element."""
    written, i = WRITTEN[name], Var("i")
    params = [buffer(f"{param.name}_in", F64, (count,)) for param in written.params]
    result = buffer("result", F64, (count,))
    lets = tuple(Let(name_, load(param, i)) for name_, param in zip(written.params, params, strict=True))
    body = (*lets, *written.body, store(result, (i,), written.result))
    made = Kernel(name, tuple(params), (result,), (For(i, index(count), body),))
    verify(made)
    return made


def compiled(name: str, *arrays: np.ndarray) -> np.ndarray:
    result = np.zeros(arrays[0].size)
    compile_kernel(kernel(name, arrays[0].size))(*arrays, result)
    return result


def numbers(seed: int, low: int, high: int) -> np.ndarray:
    """Numbers of all exponents between two powers of two, of both signs, and the ends of the number line."""
    rng = np.random.default_rng(seed)
    values = np.ldexp(rng.uniform(1, 2, COUNT), rng.integers(low, high, COUNT)) * rng.choice([-1, 1], COUNT)
    return np.concatenate([values, ENDS])


def arguments(name: str, low: int, high: int) -> tuple[np.ndarray, ...]:
    if len(WRITTEN[name].params) == 1:
        return (numbers(1, low, high),)
    first, second = numbers(1, low, high), numbers(2, max(low, -20), min(high, 20))
    return (
        np.concatenate([first, np.repeat(ENDS, len(ENDS))]),
        np.concatenate([second, np.tile(ENDS, len(ENDS))]),
    )


def test_every_function_of_the_c_library_has_one_of_ours() -> None:
    assert set(WRITTEN) == (FUNCTIONS - PREDICATES - ROUNDING - {"abs", "sqrt"}) | {"rem"}


@pytest.mark.cc
@needs_cc
@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize(("low", "high"), [(-1074, 1023), (-8, 9)], ids=["all exponents", "near one"])
def test_a_function_is_as_near_as_its_page_says(name: str, low: int, high: int) -> None:
    args = arguments(name, low, high)
    with np.errstate(all="ignore"):
        expected = REFERENCES[name](*args)
    found = compiled(name, *args)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(expected))
    np.testing.assert_array_equal(np.signbit(found[~np.isnan(found)]), np.signbit(expected[~np.isnan(found)]))
    finite = np.isfinite(expected)
    error = np.abs(found[finite] - expected[finite]) / np.spacing(np.abs(expected[finite]))
    worst = int(np.argmax(error))
    assert error[worst] <= ULP.get(name, 4), [arg[finite][worst] for arg in args]


@pytest.mark.cc
@needs_cc
def test_powers_that_are_whole_numbers_come_out_whole() -> None:
    pairs = [(base, power) for base in range(2, 60) for power in range(1, 53) if base**power < 2**53]
    found = compiled("pow", *(np.array(column, np.float64) for column in zip(*pairs, strict=True)))
    assert found.tolist() == [float(base**power) for base, power in pairs]


@pytest.mark.parametrize("name", WRITTEN)
def test_the_interpreter_says_the_same(name: str) -> None:
    given = [
        np.array([0.3, -0.7, 1.0, 40.0, 3e9, np.inf, np.nan]),
        np.array([2.0, 3.0, -1.0, 0.25, 7.0, -2.0, 1.0]),
    ]
    arrays = given[: len(WRITTEN[name].params)]
    result = np.zeros(7)
    made = kernel(name, 7)
    interpret(made, dict(zip((param.name for param in made.params), (*arrays, result), strict=True)))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(result, REFERENCES[name](*arrays), rtol=1e-14)
