"""Attention of sizes that real models have, compiled, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import ingot
from tests.support.kernel_llvm import BASELINE, needs_cc
from tests.support.models import model

pytestmark = needs_cc


def expected(q: np.ndarray, k: np.ndarray, v: np.ndarray, heads: int) -> np.ndarray:
    def split(x: np.ndarray) -> np.ndarray:
        return np.swapaxes(x.astype(np.float64).reshape(*x.shape[:2], heads, -1), 1, 2)

    scores = split(q) @ np.swapaxes(split(k), -1, -2) / 4
    scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -1e9)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = weights / weights.sum(-1, keepdims=True) @ split(v)
    return np.swapaxes(mixed, 1, 2).reshape(q.shape[0], q.shape[1], -1)


@pytest.mark.parametrize("target", ["llvm -mcpu=native", BASELINE, "c"])
@pytest.mark.parametrize(("length", "heads", "size"), [(128, 2, 32), (37, 3, 20), (300, 1, 16)])
def test_causal_attention_of_heads_is_right(length: int, heads: int, size: int, target: str) -> None:
    hidden = heads * size
    shape = f"float[1,{length},{hidden}]"
    text = f"""g ({shape} x, {shape} z, {shape} u, bool[{length},{length}] seen) => ({shape} y)
<int64[4] split = {{1,{length},{heads},{size}}}, int64[3] merge = {{1,{length},{hidden}}}, float c = {{0.25}},
 float never = {{-1e9}}> {{
  q4 = Reshape(x, split) q = Transpose<perm=[0,2,1,3]>(q4) k4 = Reshape(z, split) k = Transpose<perm=[0,2,3,1]>(k4)
  v4 = Reshape(u, split) v = Transpose<perm=[0,2,1,3]>(v4) s = MatMul(q, k) t = Mul(s, c) m = Where(seen, t, never)
  w = Softmax<axis=-1>(m) o = MatMul(w, v) b = Transpose<perm=[0,2,1,3]>(o) y = Reshape(b, merge) }}"""
    rng = np.random.default_rng(length)
    x, z, u = (rng.standard_normal((1, length, hidden)).astype(np.float32) for _ in range(3))
    library = ingot.build(model(text), target, name="m", cache=None).load()
    executor = library["m"](ingot.cpu(0), threads=2)
    y = executor.predict({"x": x, "z": z, "u": u, "seen": np.tril(np.ones((length, length), bool))})
    np.testing.assert_allclose(y, expected(x, z, u, heads), rtol=1e-4, atol=2e-6)
