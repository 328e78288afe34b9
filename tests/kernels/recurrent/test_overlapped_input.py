"""A recurrent network that computes the product of its inputs beside its steps, as for AVX-512, on the processor here."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.codegen import registry
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.loops.analyse.ranges import Ranges
from ingot.loops.nodes import For, Let, Load, LoopKind, Prefetch, Store, Var
from ingot.loops.transform.rewrite import expressions, postorder, statements, walk
from ingot.loops.transform.simplify import simplify
from ingot.machines.machine import Machine
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.fuse.recurrent import join_products
from ingot.plan.program import HOST
from ingot.plan.schedule.schedule import schedule
from tests.support.wide_vectors import codegen

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
HIDDEN = 128
BEHIND = {"linear_before_reset": 1}  # the state is multiplied before it is reset, as torch does


def network(operands="XWRB", steps=16, depth=HIDDEN, batch=1, op="LSTM", hidden=HIDDEN, **attributes):
    """A model of one network with some operands: X, W, R, B, lengths (L), initial state (H) and cell (C), peepholes (P)."""
    rng = np.random.default_rng(11)
    gates, directions = GATES[op] * hidden, 2 if attributes.get("direction") == "bidirectional" else 1
    by_batch = (batch, directions, hidden) if attributes.get("layout") else (directions, batch, hidden)
    shapes = {
        "X": (batch, steps, depth) if attributes.get("layout") else (steps, batch, depth),
        "W": (directions, gates, depth),
        "R": (directions, gates, hidden),
        "B": (directions, 2 * gates),
        "L": (batch,),
        "H": by_batch,
        "C": by_batch,
        "P": (directions, 3 * hidden),
    }
    values = {
        name: rng.normal(scale=0.3, size=shape).astype(np.float32)
        for name, shape in shapes.items()
        if name in operands
    }
    if "L" in operands:
        values["L"] = np.full(batch, steps - 1, np.int32)
    used = [name if name in operands else "" for name in shapes][
        : max("XWRBLHCP".index(name) for name in operands) + 1
    ]
    node = helper.make_node(op, used, ["Y", "Y_h"], hidden_size=hidden, **attributes)
    kinds = {"L": TensorProto.INT32}
    given = [
        helper.make_tensor_value_info(name, kinds.get(name, 1), shapes[name])
        for name in "XLHC"
        if name in operands
    ]
    fixed = [numpy_helper.from_array(values[name], name) for name in "WRBP" if name in operands]
    results = [helper.make_tensor_value_info(name, 1, None) for name in ("Y", "Y_h")]
    graph = helper.make_graph([node], "g", given, results, fixed)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    return model, {name: values[name] for name in "XLHC" if name in operands}


WIDE = Machine(vector_bytes=64, vector_registers=32, has_fma=True, l2_bytes=1 << 20)
HALVES = replace(WIDE, double_pumped_512=True)
RAPIDS = Machine(
    vector_bytes=64,
    vector_registers=32,
    has_fma=True,
    l2_bytes=2 << 20,
    prefetch=True,
    l2_fills_use_load_ports=True,
)


def has_product(model, machine=WIDE):
    """Whether the network's own step computes the product."""
    draft = join_products(fuse(to_draft(read_model(model), ALL)), {HOST: machine})
    return "matmul" not in [step.definition.name for step in draft.steps]


@pytest.mark.parametrize(
    "what",
    [
        {},
        {"steps": 19},
        {"steps": 17, "direction": "reverse"},
        {"steps": 32, "direction": "reverse", "operands": "XWR"},
        {"steps": 24, "operands": "XWRBH", "depth": 74},
        {"operands": "XWRBCP", "depth": 2},
        {"hidden": 96, "depth": 96},
        {"op": "GRU", "steps": 32},
        {"op": "GRU"},
        {"op": "GRU", "steps": 17, "direction": "reverse", "operands": "XWR"},
        {"op": "GRU", "steps": 23, "operands": "XWRBH", "depth": 74},
        {"op": "GRU", "steps": 24, "operands": "XWRBH", "clip": 0.7},
        {"steps": 23, "operands": "XWRBHC"},
    ],
    ids=str,
)
def test_results_agree_with_onnxruntime(monkeypatch, what):
    model, feeds = network(**what)
    check(model, feeds, results(monkeypatch, "znver5", model, feeds))


@pytest.mark.parametrize(
    "what",
    [
        {},
        {"steps": 19, "direction": "reverse", "operands": "XWRBHCP"},
        {"op": "GRU"},
        {"op": "GRU", "steps": 32, "clip": 0.7},
        {"op": "GRU", "steps": 31, "operands": "XWRBH", "clip": 0.7},
        {"op": "GRU", "steps": 33, "direction": "reverse", "operands": "XWR", "clip": 0.7},
        {"op": "GRU", "steps": 53, "operands": "XWRBH", "depth": 74, "clip": 0.7},
    ],
    ids=str,
)
def test_results_agree_where_fills_take_loads(monkeypatch, what):
    model, feeds = network(**what)
    check(model, feeds, results(monkeypatch, "sapphirerapids", model, feeds, RAPIDS))


@pytest.mark.parametrize(
    "what",
    [
        {},
        {"steps": 19, "direction": "reverse", "operands": "XWRBHCP"},
        {"steps": 21, "hidden": 112, "depth": 60, "operands": "XWR"},
        {"op": "GRU", "steps": 32},
        {"op": "GRU", "steps": 31, "operands": "XWRBH", "depth": 76, "clip": 0.7},
        {"op": "GRU", "steps": 17, "direction": "reverse", "operands": "XWR"},
        {"op": "GRU", "steps": 32, **BEHIND},
        {"op": "GRU", "steps": 27, "operands": "XWRBH", "depth": 72, **BEHIND, "clip": 0.7},
        {
            "op": "GRU",
            "steps": 21,
            "direction": "reverse",
            "operands": "XWR",
            "hidden": 112,
            "depth": 8,
            **BEHIND,
        },
    ],
    ids=str,
)
def test_results_agree_where_long_vectors_are_done_in_halves(monkeypatch, what):
    model, feeds = network(**what)
    check(model, feeds, results(monkeypatch, "znver4", model, feeds, HALVES))


def test_threads_share_the_steps_of_a_gru_out_only_where_long_vectors_are_done_in_halves():
    """A step has tiles of 64 weights for each term there: two groups of two and two of one, in two phases."""
    for machine, extents in [(WIDE, []), (HALVES, [2, 2])]:
        (gru,) = loops_of(network(op="GRU", steps=16, operands="XWRBH")[0], machine)
        groups = [one for one in gru if one.kind is LoopKind.PARALLEL and one.var.name.endswith("_group")]
        assert [int(one.extent.value) for one in groups[: len(extents)]] == extents
        assert bool(groups) == bool(extents)


@pytest.mark.parametrize(("machine", "behind"), [(WIDE, False), (RAPIDS, True)], ids=["wide", "rapids"])
def test_one_thread_walks_while_another_computes_the_product_where_fills_take_loads(machine, behind):
    (gru,), (lstm,) = (loops_of(network(op=op, steps=48)[0], machine) for op in ("GRU", "LSTM"))
    tasks = [one for one in gru if one.kind is LoopKind.PARALLEL and one.var.name == "task"]
    assert len(tasks) == behind
    turned = [
        stmt for one in lstm for stmt in one.body if isinstance(stmt, Let) and stmt.var.name == "gate_by"
    ]
    assert bool(turned) == behind


def loops_of(model, machine):
    """The loops of each kernel."""
    draft = join_products(fuse(to_draft(read_model(model), ALL)), {HOST: machine})
    bodies = [call_.kernel.body for call_ in schedule(draft, machine).calls]
    return [[one for one in statements(body) if isinstance(one, For)] for body in bodies]


@pytest.mark.parametrize(
    "what", [{}, {"op": "GRU"}, {"op": "GRU", **BEHIND}, {"hidden": 96, "depth": 60}], ids=str
)
def test_no_line_of_the_product_that_a_thread_touches_has_another_thread_beside_it(what):
    """What groups of one number read and write lies in one piece for each pass over the weights."""
    (loops,) = loops_of(network(steps=24, operands="XWRBH", **what)[0], HALVES)
    pieces = {}
    for group in (one for one in loops if one.var.name.endswith("_group")):
        for number in range(int(group.extent.value)):
            places = touched(group, {group.var: number, Var("step"): 3, Var("late"): 2})
            pieces.setdefault((group.var.name, number), []).append((min(places), max(places)))
    ranges = sorted(
        (min(first for first, _ in found), max(last for _, last in found)) for found in pieces.values()
    )
    assert len(ranges) >= 2
    assert all(last < first for (_, last), (first, _) in pairwise(ranges))


def touched(group, known):
    """The first places of vectors of the product that an iteration reads or writes."""
    found = set()
    tiles = [one for one in statements(group.body) if isinstance(one, For) and one.var.name.endswith("_tile")]
    extent = int(tiles[0].extent.value) if tiles else 1
    for tile in range(extent):
        values = {**known, Var("now"): known[Var("step")] % 2, **({tiles[0].var: tile} if tiles else {})}
        for stmt in statements(group.body):
            nodes = [*postorder(*expressions(stmt)), *([stmt] if isinstance(stmt, Store) else [])]
            for node in nodes:
                if isinstance(node, Load | Store) and node.buffer.name == "product":
                    found.add(value_of(node.index[0], values))
    return found


def value_of(expr, values):
    """An index with variables of these values; those of vectors and of terms are 0."""
    known = Ranges({})
    for variable in (node for node in walk(expr) if isinstance(node, Var)):
        known = known.with_(variable, (values.get(variable, 0),) * 2)
    return int(simplify(expr, known).value)


@pytest.mark.parametrize(("machine", "what"), [
    (HALVES, {}),
    (HALVES, {"op": "GRU"}),
    (HALVES, {"op": "GRU", **BEHIND}),
    (HALVES, {"hidden": 112, "depth": 60}),  # seven tiles: four are shared out together, and three
    (HALVES, {"hidden": 112, "depth": 56, "op": "GRU", **BEHIND}),
    (WIDE, {"hidden": 96, "depth": 60}),
    (RAPIDS, {"hidden": 160, "depth": 60}),
    (replace(WIDE, l2_bytes=2 << 20), {"hidden": 192, "depth": 120}),
], ids=str)  # fmt: skip
def test_lanes_of_the_product_lie_side_by_side_in_every_step(machine, what):
    """Else each of them would be loaded by itself."""
    model = network(steps=21, **what)[0]
    draft = join_products(fuse(to_draft(read_model(model), ALL)), {HOST: machine})
    (called,) = schedule(draft, machine).calls
    lanes = [
        one for one in statements(called.kernel.body) if isinstance(one, For) and one.kind is LoopKind.VECTOR
    ]
    seen = 0
    for loop in lanes:
        for node in (
            node for stmt in statements(loop.body) for node in [stmt, *postorder(*expressions(stmt))]
        ):
            if isinstance(node, Load | Store) and node.buffer.name == "product":
                seen += 1
                terms = Ranges({}).linear(node.index[0]).terms
                assert terms[loop.var] == 1 and all(
                    loop.var not in walk(atom) for atom in terms if atom != loop.var
                )
    assert seen > 0


@pytest.mark.parametrize(("machine", "what", "lines"), [
    (replace(HALVES, prefetch=True), {}, HIDDEN // 16),
    (HALVES, {}, 0),
    (replace(HALVES, prefetch=True), {"batch": 2, "hidden": 384}, 0),
    (replace(HALVES, prefetch=True), {"hidden": 512, "depth": 64}, 512 // 16),
    (replace(HALVES, prefetch=True), {"hidden": 528, "depth": 64}, 0),
], ids=str)  # fmt: skip
def test_a_group_asks_for_the_whole_state_before_its_terms(machine, what, lines):
    loops = [one for found in loops_of(network(steps=24, **what)[0], machine) for one in found]
    groups = [one for one in loops if one.var.name == "gate_group"]
    assert groups
    for group in groups:
        asked = [stmt for stmt in group.body if isinstance(stmt, Prefetch)]
        assert [stmt.buffer.name for stmt in asked] == ["state"] * lines


def test_nothing_of_the_state_is_asked_for_where_one_thread_does_all_of_a_step():
    (gru,) = loops_of(network(op="GRU", steps=24, operands="XWRBH")[0], replace(WIDE, prefetch=True))
    asked = [stmt for one in gru for stmt in one.body if isinstance(stmt, Prefetch)]
    assert "state" not in {stmt.buffer.name for stmt in asked}


def test_three_groups_of_tiles_in_a_larger_cache_agree_with_onnxruntime(monkeypatch):
    how = {"direction": "reverse", "clip": 0.7, "activations": ["Sigmoid", "Softsign", "Relu"]}
    model, feeds = network(hidden=192, depth=120, steps=21, **how)
    assert not has_product(model)
    check(model, feeds, results(monkeypatch, "sapphirerapids", model, feeds, replace(WIDE, l2_bytes=2 << 20)))


def test_what_is_no_number_makes_no_numbers_from_its_step_on(monkeypatch):
    model, feeds = network(steps=20)
    feeds["X"][13, 0, 5] = np.nan
    every, _ = results(monkeypatch, "znver5", model, feeds)
    assert np.isfinite(every[:13]).all() and np.isnan(every[13:]).all()


def results(monkeypatch, cpu, model, feeds, machine=WIDE):
    """What a network that computes its product itself for this processor gives, the same on one thread and on two."""
    monkeypatch.setattr(registry, "ALL", (*registry.ALL, codegen("wide", cpu)))
    assert has_product(model, machine)
    library = ingot.build(model, "wide", name="g", cache=None).load()
    alone, shared = (library["g"](ingot.cpu(0), threads=threads).predict(feeds) for threads in (1, 2))
    for one, two in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(one, two)
    return alone


def check(model, feeds, found):
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "what",
    [
        {"steps": 15},
        {"depth": 130},
        {"depth": 3},
        {"batch": 2},
        {"operands": "XWRBL"},
        {"op": "GRU", **BEHIND},
        {"op": "GRU", "hidden": 192},
        {"op": "RNN"},
        {"direction": "bidirectional"},
        {"layout": 1},
    ],
    ids=str,
)
def test_other_networks_read_a_product_that_was_computed_before(what):
    assert not has_product(network(**what)[0])


@pytest.mark.parametrize(
    "other", [{"l2_bytes": 1 << 19}, {"vector_bytes": 32}, {"vector_registers": 16}, {"grid": True}], ids=str
)
def test_other_processors_compute_the_product_before(other):
    fields = {"vector_bytes": 64, "vector_registers": 32, "has_fma": True, "l2_bytes": 1 << 20}
    assert not has_product(network()[0], Machine(**fields | other))


def test_terms_that_are_no_whole_parts_are_computed_before():
    model, _ = network(depth=74)
    assert has_product(model, WIDE)
    assert not has_product(model, HALVES)
    assert not has_product(network(op="GRU", **BEHIND, depth=76)[0], HALVES)


def test_three_gates_in_one_pass_have_the_product_beside_them_only_where_that_was_measured():
    model, _ = network(op="GRU", **BEHIND)
    assert has_product(model, HALVES)
    assert not has_product(model, WIDE)
    assert not has_product(model, RAPIDS)
