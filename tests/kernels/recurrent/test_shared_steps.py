"""Recurrent networks whose steps are shared out to threads, as written for AVX-512, on the processor here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.codegen import registry
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.loops.nodes import For, Let, LoopKind, Prefetch
from ingot.loops.transform.rewrite import statements
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.schedule.schedule import schedule
from tests.support import machines
from tests.support.wide_vectors import codegen

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
HIDDEN = 128
RESET_AFTER = {"linear_before_reset": 1}  # the state is multiplied before it is reset, as torch does


def network(operands="XWRB", steps=16, depth=HIDDEN, batch=1, op="LSTM", hidden=HIDDEN, **attributes):
    """A model of one network with some operands: X, W, R, B, initial state (H) and cell (C), peepholes (P)."""
    rng = np.random.default_rng(11)
    gates = GATES[op] * hidden
    shapes = {
        "X": (steps, batch, depth),
        "W": (1, gates, depth),
        "R": (1, gates, hidden),
        "B": (1, 2 * gates),
        "L": (batch,),
        "H": (1, batch, hidden),
        "C": (1, batch, hidden),
        "P": (1, 3 * hidden),
    }
    values = {
        name: rng.normal(scale=0.3, size=shape).astype(np.float32)
        for name, shape in shapes.items()
        if name in operands
    }
    used = [name if name in operands else "" for name in shapes][
        : max("XWRBLHCP".index(name) for name in operands) + 1
    ]
    node = helper.make_node(op, used, ["Y", "Y_h"], hidden_size=hidden, **attributes)
    given = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name])
        for name in "XHC"
        if name in operands
    ]
    fixed = [numpy_helper.from_array(values[name], name) for name in "WRBP" if name in operands]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("Y", "Y_h")]
    graph = helper.make_graph([node], "g", given, results, fixed)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    return model, {name: values[name] for name in "XHC" if name in operands}


FETCHING = replace(machines.SERVER, prefetch=True)
RAPIDS = replace(machines.AVX512, l2_bytes=2 << 20, prefetch=True, l2_fills_use_load_ports=True)


@pytest.mark.parametrize(
    "what",
    [
        {},
        {"steps": 19, "direction": "reverse", "operands": "XWRBHCP"},
        {"steps": 21, "hidden": 112, "depth": 60, "operands": "XWR"},
        {"op": "GRU", "steps": 31, "operands": "XWRBH", "depth": 74, "clip": 0.7},
        {"op": "GRU", "steps": 17, "direction": "reverse", "operands": "XWR", **RESET_AFTER},
        {"hidden": 192, "steps": 5, "clip": 0.7, "activations": ["Sigmoid", "Softsign", "Relu"]},
        {"op": "RNN", "hidden": 256, "steps": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize("cpu", ["znver5", "znver4", "sapphirerapids"])
def test_results_agree_with_onnxruntime_and_are_the_same_on_two_threads(monkeypatch, cpu, what):
    model, feeds = network(**what)
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)
    for actual, other in zip(results(monkeypatch, cpu, model, feeds), expected, strict=True):
        np.testing.assert_allclose(actual, other, rtol=1e-4, atol=1e-5)


def test_what_is_no_number_makes_no_numbers_from_its_step_on(monkeypatch):
    model, feeds = network(steps=20)
    feeds["X"][13, 0, 5] = np.nan
    every, _ = results(monkeypatch, "znver5", model, feeds)
    assert np.isfinite(every[:13]).all() and np.isnan(every[13:]).all()


@pytest.mark.parametrize(
    ("machine", "reversed_"), [(machines.SERVER, False), (RAPIDS, True)], ids=["wide", "rapids"]
)
def test_odd_steps_read_terms_backwards_where_fills_take_load_ports(machine, reversed_):
    loops = [loop for loops in loops_of(network(steps=48)[0], machine) for loop in loops]
    strides = [
        stmt for loop in loops for stmt in loop.body if isinstance(stmt, Let) and stmt.var.name == "gate_by"
    ]
    assert bool(strides) == reversed_


@pytest.mark.parametrize(("machine", "what", "lines"), [
    (FETCHING, {}, HIDDEN // 16),
    (machines.SERVER, {}, 0),
    (FETCHING, {"batch": 2, "hidden": 384}, 0),
    (FETCHING, {"hidden": 512, "depth": 64}, 512 // 16),
    (FETCHING, {"hidden": 528, "depth": 64}, 0),
], ids=str)  # fmt: skip
def test_a_group_prefetches_the_whole_state_before_its_terms(machine, what, lines):
    loops = [loop for loops in loops_of(network(steps=24, **what)[0], machine) for loop in loops]
    groups = [loop for loop in loops if loop.var.name == "gate_group"]
    assert groups
    for group in groups:
        assert group.kind is LoopKind.PARALLEL
        prefetched = [stmt for stmt in group.body if isinstance(stmt, Prefetch)]
        assert [stmt.buffer.name for stmt in prefetched] == ["state"] * lines


def loops_of(model, machine):
    """The loops of each kernel."""
    calls = schedule(fuse(to_draft(read_model(model), ALL)), machine).calls
    return [[stmt for stmt in statements(call.kernel.body) if isinstance(stmt, For)] for call in calls]


def results(monkeypatch, cpu, model, feeds):
    """The outputs of kernels written for this processor, the same on one thread and on two."""
    monkeypatch.setattr(registry, "ALL", (*registry.ALL, codegen("wide", cpu)))
    library = ingot.build(model, "wide", name="g", cache=None).load()
    alone, shared = (library["g"](ingot.cpu(0), threads=threads).predict(feeds) for threads in (1, 2))
    for one, other in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(one, other)
    return alone
