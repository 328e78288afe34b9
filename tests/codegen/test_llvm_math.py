"""The expansions of float32 functions against float64, over all exponents and densely where they bend."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ingot.loops.nodes import For, Kernel, LoopKind, Var, buffer, call, index, load, store
from ingot.tensor import DType
from tests.support.kernel_llvm import BASELINE, compile_kernel, needs_cc

F = DType.FLOAT32
COUNT = 1 << 15
J, V = Var("i"), Var("v")
TARGETS = (BASELINE, "llvm -mcpu=native")
EXACT = {
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
}
ULP = {"exp": 1.0, "log": 0.8, "tanh": 2.5, "erf": 1.5, "sin": 1.5, "cos": 1.5}
pytestmark = needs_cc


def kernel(name: str, width: int) -> Kernel:
    x, y = buffer("x", F, (COUNT,)), buffer("y", F, (COUNT,))
    at = J * width + V
    lanes = For(V, index(width), (store(y, (at,), call(name, load(x, at))),), LoopKind.VECTOR)
    return Kernel(name, (x,), (y,), (For(J, index(COUNT // width), (lanes,)),))


def sweep(part: int) -> np.ndarray:
    rng = np.random.default_rng(part)
    if part == 0:
        return rng.integers(0, 2**32, COUNT, dtype=np.uint32).view(np.float32)
    return (rng.uniform(-1, 1, COUNT) * (0.5, 2, 9, 110)[part - 1]).astype(np.float32)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EXACT)
def test_errors_stay_below_what_is_promised(name: str, target: str) -> None:
    run = compile_kernel(kernel(name, 16), target)
    for part in range(5):
        x, y = sweep(part), np.empty(COUNT, np.float32)
        run(x, y)
        with np.errstate(all="ignore"):
            exact = EXACT[name](x.astype(np.float64))
            rounded = exact.astype(np.float32)
        np.testing.assert_array_equal(np.isnan(y), np.isnan(rounded))
        np.testing.assert_array_equal(y[np.isinf(rounded)], rounded[np.isinf(rounded)])
        finite = np.isfinite(rounded)
        ulps = np.abs(y[finite] - exact[finite]) / np.spacing(np.abs(rounded[finite]))
        assert ulps.max(initial=0) <= ULP[name], (x[finite][ulps.argmax()], ulps.max())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EXACT)
def test_every_lane_and_a_scalar_give_the_same_bits(name: str, target: str) -> None:
    x = np.concatenate([sweep(part)[: COUNT // 4] for part in range(4)])
    results = []
    for width in (1, 8, 16):
        y = np.empty(COUNT, np.float32)
        compile_kernel(kernel(name, width), target)(x, y)
        results.append(y.view(np.uint32) & np.where(np.isnan(y), 0x7F800000, 0xFFFFFFFF).astype(np.uint32))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize("name", ["tanh", "erf", "sin"])
def test_odd_functions_keep_the_sign_of_zero(name: str) -> None:
    x, y = np.full(COUNT, -0.0, np.float32), np.zeros(COUNT, np.float32)
    compile_kernel(kernel(name, 8))(x, y)
    assert np.signbit(y).all() and not y.any()
