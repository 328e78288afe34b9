"""Inference of shapes in graphs inside of nodes."""

from __future__ import annotations

import numpy as np
import pytest

import ingot
from tests.support.models import model

BRANCH = """g (float[1,2,4,4] x, float[1,2,6,6] w, bool c) => (float[1,2,6,6] y)
    <int64[4] sizes = {1, 2, 6, 6}, float[0] none = {}> {
    y = If (c) <then_branch = t () => (float[a,b,d,e] p) { p = Resize <mode = "nearest"> (x, none, none, sizes) },
        else_branch = e () => (float[1,2,6,6] q) { q = Identity (w) }>
}"""
BODY = """g (float[2,2,4,4] x) => (float[a,2,6,6] y)
    <int64 n = {2}, int64[2] sizes = {6, 6}, float[0] none = {}, int64[1] s = {0}, int64[1] e = {2},
     int64[1] one = {1}, bool yes = {1}> {
    y = Loop (n, yes) <body = t (int64 i, bool go) => (bool more, float[a,b,d,e] p) {
        more = Identity (go)  v = Unsqueeze (i, s)  f = Add (v, one)  u = Slice (x, v, f, s)  h = Shape (u)  g = Slice (h, s, e)
        z = Concat <axis = 0> (g, sizes)  r = Resize <mode = "nearest"> (u, none, none, z)  p = Squeeze (r, s) }>
}"""


@pytest.mark.parametrize("text", [BRANCH, BODY], ids=["branch", "body"])
def test_a_graph_inside_a_node_knows_the_constants_around_it(text):
    """Those of tf2onnx: a Resize without scales has a list of none, which ONNX's inference must see."""
    executor = ingot.build(model(text, opset=13), "interp", cache=None).load()["g"]()
    feeds = {one.name: np.ones(one.shape, one.dtype.numpy) for one in executor.inputs}
    assert executor.predict(**feeds).tolist() == np.ones((*executor.outputs[0].shape,)).tolist()
    assert executor.outputs[0].shape[1:] == (2, 6, 6)
