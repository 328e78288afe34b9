"""Nodes that are not in order."""

from __future__ import annotations

import itertools
import time

import numpy as np
import onnx
import pytest

import ingot
from ingot.base.errors import ModelError
from ingot.graph.read.declared import Declarations
from ingot.graph.read.order import sort_nodes
from tests.support.models import model

BODY = "{ c = Add (b, x)  d = Neg (c)  b = Mul (x, x)  y = Abs (d) }"
IN_ORDER = "{ b = Mul (x, x)  c = Add (b, x)  d = Neg (c)  y = Abs (d) }"
INSIDE = """{ y = If (k) <then_branch = t () => (float[3] p) { p = Neg (q)  q = Add (b, x) },
    else_branch = e () => (float[3] r) { r = Abs (b) }>  b = Mul (x, x) }"""


def test_nodes_are_sorted_with_a_warning() -> None:
    with pytest.warns(ingot.ModelWarning, match="'g' are not in the order in which they can be computed"):
        artifacts = ingot.build(model(f"g (float[3] x) => (float[3] y) {BODY}"), "interp", cache=None)
    x = np.array([-3, 1, 2], np.float32)
    assert artifacts.load()["g"]().predict(x=x).tolist() == [6, 2, 6]
    with pytest.raises(ModelError, match="not in the order"):
        ingot.build(model(f"g (float[3] x) => (float[3] y) {BODY}"), "interp", cache=None, strict=True)


def test_what_a_branch_reads_comes_before_the_node_with_the_branch() -> None:
    with pytest.warns(ingot.ModelWarning):
        executor = ingot.build(
            model(f"g (float[3] x, bool k) => (float[3] y) {INSIDE}"), "interp", cache=None
        ).load()["g"]()
    x = np.array([-3, 1, 2], np.float32)
    assert executor.predict(x=x, k=np.array(True)).tolist() == [-6, -2, -6]
    assert executor.predict(x=x, k=np.array(False)).tolist() == [9, 1, 4]


def test_a_name_of_a_branch_is_not_that_of_a_later_node() -> None:
    body = "{ a = If (k) <then_branch = t () => (float[3] b) { b = Neg (x) }, else_branch = e () => (float[3] b) { b = Abs (x) }>"
    proto = model(f"g (float[3] x, bool k) => (float[3] y) {body}  z = Add (a, x)  y = Mul (z, x) }}")
    proto.graph.node[1].output[0] = proto.graph.node[2].input[0] = "b"
    assert ingot.build(proto, "interp", cache=None).load()["g"]().predict(
        x=np.array([1, 2, 3], np.float32), k=np.array(False)
    ).tolist() == [2, 8, 18]


def test_a_circle_is_refused() -> None:
    with pytest.raises(ModelError, match="reads 'c' before it is computed: its nodes form a cycle"):
        ingot.build(
            model("g (float[3] x) => (float[3] y) { b = Add (c, x)  c = Neg (b)  y = Abs (c) }"),
            "interp",
            cache=None,
        )


def test_ten_thousand_nodes_written_backwards_are_sorted_in_a_second() -> None:
    proto = model(f"g (float[3] x) => (float[3] y) {IN_ORDER}")
    del proto.graph.node[:]
    names = [f"v{number}" for number in range(10_001)]
    for before, after in reversed([*itertools.pairwise(names)]):
        proto.graph.node.append(onnx.helper.make_node("Identity", [before], [after]))
    begun = time.process_time()
    sort_nodes(proto, Declarations())
    assert [node.output[0] for node in proto.graph.node] == names[1:]
    assert time.process_time() - begun < 1
