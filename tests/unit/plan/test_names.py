"""A model's own values may have any names, also those that the plan would give to values of its own."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ingot
from tests.support.models import model

SOURCES = {
    "part of a concatenation": """g (float[2,3] a, float[2,3] b) => (float[2,6] y, float[2,3] z)
        { "y.part1" = Exp (a)  "y.part0" = Neg (b)  y = Concat <axis = 1> ("y.part1", "y.part0")
          z = Add ("y.part0", "y.part1") }""",
    "what a reshape is seen as": """g (float[2,3,4] a, float[2,3] b) => (float[8,3] y, float[2,3] z)
        <int64[2] s = {8, 3}>
        { "y.seen4x2x3" = Exp (b)  t = Transpose <perm = [2, 0, 1]> (a)  y = Reshape (t, s)  z = Neg ("y.seen4x2x3") }""",
    "a view of a slice": """g (float[4,8] a, float[5,3] b) => (float[1,8] y, float[5,3] z) <int64[1] i = {1}>
        { "a.from1x0.1x8" = Softmax <axis = 0> (b)  t = Gather (a, i)  y = Exp (t)  z = Neg ("a.from1x0.1x8") }""",
    "what goes before a reshape": """g (float[2,3,4] a, float[2,12] b) => (float[2,12] y, float[2,12] z) <int64[2] s = {2, 12}>
        { "y.as2x3x4" = Softmax <axis = 0> (b)  t = Softmax <axis = 1> (a)  f = Reshape (t, s)  y = Exp (f)
          z = Neg ("y.as2x3x4") }""",
    "a workspace": """g (float[1,2,16,8] a, float[8,64] b) => (float[1,2,16,8] y, float r, float[8,64] z) <int64 axis = {1}>
        { t = Transpose <perm = [0, 1, 3, 2]> (a)  m = MatMul (a, t)  p = Softmax (m)  "y.keys" = Exp (b)
          r = ReduceSum <keepdims = 0> ("y.keys")  y = MatMul (p, a)  w = ReduceMax <keepdims = 0> (y)
          c = CumSum ("y.keys", axis)  z = Mul (c, w) }""",
}


def plainly(text: str) -> str:
    """The same model, whose names nobody else gives."""
    return re.sub(r'"([^"]+)"', lambda found: found[1].replace(".", "_"), text)


@pytest.mark.process
@pytest.mark.parametrize("text", list(SOURCES.values()), ids=list(SOURCES))
def test_names_of_values_change_nothing(text: str) -> None:
    random = np.random.default_rng(3)
    answers = []
    for source in (text, plainly(text)):
        executor = ingot.build(model(source), "llvmjit", cache=None).load()["g"](ingot.cpu(0))
        if not answers:
            feeds = {
                one.name: random.standard_normal(one.shape).astype(np.float32) for one in executor.inputs
            }
        answers.append(executor.predict(feeds))
    for mine, plain in zip(*answers, strict=True):
        np.testing.assert_array_equal(mine, plain)


@pytest.mark.process
def test_names_of_packed_weights_may_be_a_values_own() -> None:
    weights = ", ".join(map(str, np.random.default_rng(4).standard_normal(16 * 24).astype(np.float32)))
    text = f"""g (float[7,16] a, float[16,24] b) => (float[7,24] y, float[16,24] z) <float[16,24] w = {{{weights}}}>
        {{ "spare" = Softmax (b)  y = MatMul (a, w)  z = Neg ("spare") }}"""
    plain = ingot.build(model(text), "llvm", executor=("aot", "graph"), cache=None)
    values = [one.name for one in plain.models()["g"].values]
    (packed,) = [name for name in values if name.startswith("w.")]
    odd = ingot.build(model(text.replace("spare", packed)), "llvmjit", cache=None).load()["g"](ingot.cpu(0))
    feeds = {
        one.name: np.random.default_rng(5).standard_normal(one.shape).astype(np.float32) for one in odd.inputs
    }
    for mine, wanted in zip(odd.predict(feeds), plain.load()["g"](ingot.cpu(0)).predict(feeds), strict=True):
        np.testing.assert_array_equal(mine, wanted)
