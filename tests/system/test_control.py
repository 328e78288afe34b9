"""Loops that stay loops in the program: their bodies are built once, and all executors and targets run them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

import ingot
from ingot.artifact.model_info import ModelInfo
from ingot.cli.main import main
from ingot.runtime.executors.graph import GraphExecutor

HEAD = '<ir_version: 8, opset_import: ["": 17]>'
STEPS = 400


def _recurrent(steps: int) -> onnx.ModelProto:
    """`h = tanh(x W + h R)`, and each `h`."""
    weights = np.random.default_rng(7)
    w, r = (weights.standard_normal(shape).astype(np.float32) * 0.3 for shape in ((3, 4), (4, 4)))
    model = onnx.parser.parse_model(
        f"""{HEAD} recurrent (float[1, 4] h0, float[{steps}, 1, 3] x) => (float[1, 4] hn, float[{steps}, 1, 4] y) {{
        hn, y = Scan <num_scan_inputs = 1, body = step (float[1, 4] h, float[1, 3] t) => (float[1, 4] h1, float[1, 4] y1) {{
            a = MatMul(t, w) b = MatMul(h, r) c = Add(a, b) h1 = Tanh(c) y1 = Identity(h1)
        }}>(h0, x)
    }}"""
    )
    model.graph.initializer.extend(
        [onnx.numpy_helper.from_array(w, "w"), onnx.numpy_helper.from_array(r, "r")]
    )
    return model


def _feeds(steps: int) -> dict[str, np.ndarray]:
    values = np.random.default_rng(3)
    return {
        "h0": values.standard_normal((1, 4)).astype(np.float32),
        "x": values.standard_normal((steps, 1, 3)).astype(np.float32),
    }


def _expected(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    w, r = (onnx.numpy_helper.to_array(weight) for weight in model.graph.initializer)
    h, rows = feeds["h0"], []
    for x in feeds["x"]:
        h = np.tanh(x @ w + h @ r)
        rows.append(h)
    return [h, np.stack(rows)]


def _info(model: onnx.ModelProto) -> ModelInfo:
    return ingot.build(model, "interp").load()[model.graph.name].info


@pytest.mark.parametrize("target", ["interp", "llvm", "llvmjit", "c"])
def test_each_target_and_executor_runs_a_long_scan(target: str) -> None:
    model, feeds = _recurrent(STEPS), _feeds(STEPS)
    library = ingot.build(model, target, executor=["aot", "graph"]).load()
    for kind in ("aot", "graph"):
        results = library["recurrent"](executor=kind).predict(feeds)
        for result, expected in zip(results, _expected(model, feeds), strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_the_program_of_a_scan_does_not_grow_with_its_steps() -> None:
    short, long = (_info(_recurrent(steps)) for steps in (STEPS, 4 * STEPS))
    assert [call.kernel for call in short.calls[1:]] == [call.kernel for call in long.calls[1:]]
    assert [control.count for control in long.controls] == [4 * STEPS]
    # A few steps are written out, and have no more kernels than many.
    few = _info(_recurrent(8))
    assert not few.controls
    assert len({call.kernel for call in few.calls}) <= len({call.kernel for call in long.calls})


def test_the_graph_executor_shows_each_iteration() -> None:
    model, feeds = _recurrent(STEPS), _feeds(STEPS)
    executor = ingot.build(model, "interp", executor="graph").load()["recurrent"]()
    assert isinstance(executor, GraphExecutor)
    executor.predict(feeds)
    _, rows = _expected(model, feeds)
    values = executor.values()
    (carried,) = (array for name, array in values.items() if name.endswith("/h1"))
    np.testing.assert_allclose(carried, rows, rtol=1e-5, atol=1e-6)
    (numbers,) = (array for name, array in values.items() if name.endswith(".number"))
    assert numbers.tolist() == list(range(1, STEPS + 1))  # as the last call of each iteration left it


def test_a_profile_says_how_often_a_call_of_a_loop_was_made() -> None:
    executor = ingot.build(_recurrent(STEPS), "llvmjit").load()["recurrent"]()
    profile = executor.profile(_feeds(STEPS), repeat=1)
    assert {call.times for call in profile} == {1, STEPS}
    assert f"× {STEPS}" in str(profile)
    in_loop = next(call for call in profile if call.times == STEPS and call.flops)
    assert in_loop.flops % STEPS == 0


def _built(model: onnx.ModelProto, written_out_max: int, monkeypatch: pytest.MonkeyPatch) -> ingot.Library:
    """A library of a model of which loops that become at most so many nodes are written out."""
    with monkeypatch.context() as patch:
        patch.setattr("ingot.graph.passes.control_flow.keep_loops.WRITTEN_OUT_MAX", written_out_max)
        return ingot.build(model, "llvmjit", executor=["aot", "graph"], cache=None).load()


SCANS = {
    "from the end, along other axes": f"""{HEAD} g (float[2] a, float[2] b, float[2, 7] x, float[2] k)
        => (float[2] ao, float[2] bo, float[2, 7] y, float[7, 2] z) {{
        ao, bo, ko, y, z = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1],
            scan_output_axes = [-1, 0], scan_output_directions = [1, 0],
            body = step (float[2] p, float[2] q, float[2] kk, float[2] t)
                => (float[2] q1, float[2] p1, float[2] kk, float[2] y1, float[2] z1) {{
            q0 = Mul(q, kk) q1 = Sin(q0) p0 = Add(p, t) p1 = Cos(p0) y1 = Add(p1, k) z1 = Identity(q1)
        }}>(a, b, k, x)
    }}""",
    "carried values change places": f"""{HEAD} g (float[2] a, float[2] b, float[7, 2] x)
        => (float[2] ao, float[2] bo, float[7, 2] y) {{
        ao, bo, y = Scan <num_scan_inputs = 1, body = step (float[2] p, float[2] q, float[2] t)
                => (float[2] q1, float[2] p, float[2] y1) {{
            u = Add(q, t) q1 = Cos(u) y1 = Mul(u, p)
        }}>(a, b, x)
    }}""",
    "a Loop of a known count that reads its number": f"""{HEAD} g (float[2] a) => (float[2] ao, float[9, 2] y)
        <int64 n = {{9}}, bool go = {{1}}> {{
        ao, y = Loop <body = step (int64 i, bool c, float[2] p) => (bool c1, float[2] p1, float[2] y1) {{
            c1 = Identity(c) f = Cast<to = 1>(i) u = Add(p, f) p1 = Sin(u) y1 = Mul(p1, f)
        }}>(n, go, a)
    }}""",
    "loops in a loop": f"""{HEAD} g (float[2] a, float[4, 6, 2] x) => (float[2] ao, float[4, 6, 2] y) {{
        ao, y = Scan <num_scan_inputs = 1, body = outer (float[2] p, float[6, 2] rows) => (float[2] p1, float[6, 2] y1) {{
            p1, y1 = Scan <num_scan_inputs = 1, scan_input_directions = [1],
                    body = inner (float[2] s, float[2] t) => (float[2] s1, float[2] z) {{
                u = Add(s, t) v = Mul(u, p) w = Neg(v) s1 = Sin(w) z = Add(s1, p)
            }}>(p, rows)
        }}>(a, x)
    }}""",
    "one after another": f"""{HEAD} g (float[2] a, float[7, 2] x) => (float[2] ao, float[7] m) {{
        b, y = Scan <num_scan_inputs = 1, body = first (float[2] p, float[2] t) => (float[2] q, float[2] y1) {{
            u = Add(p, t) q = Sin(u) y1 = Mul(q, u)
        }}>(a, x)
        r = Relu(y)
        ao, z = Scan <num_scan_inputs = 1, scan_output_directions = [1],
                body = second (float[2] p, float[2] t) => (float[2] q, float[2] y1) {{
            u = Mul(p, t) q = Cos(u) y1 = Mul(q, u)
        }}>(b, r)
        m = ReduceMax<axes = [1], keepdims = 0>(z)
    }}""",
}


@pytest.mark.parametrize("case", SCANS)
def test_a_loop_computes_what_its_iterations_compute_one_by_one(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = onnx.parser.parse_model(SCANS[case])
    values = np.random.default_rng(11)
    feeds = {
        value.name: values.standard_normal(
            [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        ).astype(np.float32)
        for value in model.graph.input
    }
    library, written_out = (_built(model, nodes, monkeypatch) for nodes in (0, 1 << 16))
    assert library["g"].info.controls
    assert not written_out["g"].info.controls
    expected = written_out["g"]().predict(feeds)
    for kind in ("aot", "graph"):
        for result, wanted in zip(library["g"](executor=kind).predict(feeds), expected, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


def test_products_with_what_a_scan_walks_through_are_computed_at_once() -> None:
    info = _info(_recurrent(STEPS))
    (control,) = info.controls
    products = [at for at, call in enumerate(info.calls) if "matmul" in call.kernel]
    assert len(products) == 2
    assert products[0] < control.first <= products[1] < control.end


def test_a_range_of_a_batch_is_served_along_a_long_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingot.graph.passes.control_flow.keep_loops.WRITTEN_OUT_MAX", 0)
    text = f"""{HEAD} g (float[n, 2] a, float[7, n, 2] x) => (float[n, 2] ao) {{
        ao = Scan <num_scan_inputs = 1, body = step (float[n, 2] p, float[n, 2] t) => (float[n, 2] q) {{
            u = Add(p, t) v = Cos(u) q = Sin(v)
        }}>(a, x)
    }}"""
    executor = ingot.build(onnx.parser.parse_model(text), "llvmjit", dims={"n": range(1, 65)}).load()["g"]()
    values = np.random.default_rng(2)
    a, x = (values.standard_normal(shape).astype(np.float32) for shape in ((5, 2), (7, 5, 2)))
    expected = a
    for row in x:
        expected = np.sin(np.cos(expected + row))
    np.testing.assert_allclose(executor.predict(a=a, x=x), expected, rtol=1e-5, atol=1e-6)


def test_a_classic_graph_cannot_have_a_loop(tmp_path: object) -> None:
    whole = ingot.build(_recurrent(STEPS), "c", executor="graph")
    with pytest.raises(ingot.ArtifactError, match=r"'Scan.*' is a loop or a branch"):
        whole.export_model_library_format(f"{tmp_path}/model.tar")


TRIPS = f"""{HEAD} g (float[4] x, int64 trips) => (float[4] y) <bool go = {{1}}> {{
    y = Loop <body = step (int64 i, bool c, float[4] s) => (bool c1, float[4] s1) {{
        c1 = Identity(c) s1 = Sin(s)
    }}>(trips, go, x)
}}"""
UNTIL = f"""{HEAD} g (float[4] x, float end, bool go) => (float[4] y) {{
    y = Loop <body = step (int64 i, bool c, float[4] s) => (bool c1, float[4] s1) {{
        s1 = Add(s, s) m = ReduceMax<keepdims = 0>(s1) c1 = Less(m, end)
    }}>(, go, x)
}}"""
X = np.array([0, 1, 2, 3], np.float32)


@pytest.mark.parametrize("target", ["interp", "llvmjit", "c"])
def test_a_trip_count_may_be_an_input(target: str) -> None:
    library = ingot.build(onnx.parser.parse_model(TRIPS), target, executor=["aot", "graph"]).load()
    for kind in ("aot", "graph"):
        for trips in (-1, 0, 1, 3, 70):
            expected = X
            for _ in range(trips):
                expected = np.sin(expected)
            result = library["g"](executor=kind).predict(x=X, trips=np.array(trips))
            np.testing.assert_allclose(result, expected, rtol=1e-5)


@pytest.mark.parametrize("target", ["interp", "llvmjit", "c"])
def test_conditions_may_follow_from_inputs(target: str) -> None:
    library = ingot.build(onnx.parser.parse_model(UNTIL), target, executor=["aot", "graph"]).load()
    for kind in ("aot", "graph"):
        executor = library["g"](executor=kind)
        end = np.float32(100)
        np.testing.assert_array_equal(executor.predict(x=X, end=end, go=np.array(True)), X * 64)
        np.testing.assert_array_equal(executor.predict(x=X, end=end, go=np.array(False)), X)


@pytest.mark.parametrize("target", ["interp", "llvmjit", "c"])
def test_a_loop_that_does_not_end_is_named(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for where in ("lower", "passes.control_flow.kept"):
        monkeypatch.setattr(f"ingot.graph.{where}.ITERATIONS_MAX", 1000)
    library = ingot.build(
        onnx.parser.parse_model(UNTIL), target, executor=["aot", "graph"], cache=None
    ).load()
    for kind in ("aot", "graph"):
        executor = library["g"](executor=kind)
        with pytest.raises(
            ingot.InputError, match=r"node 'Loop_0' \(Loop\) does not end, expected at most 1000"
        ):
            executor.predict(x=0 * X, end=np.float32(100), go=np.array(True))
        executor.predict(x=X, end=np.float32(100), go=np.array(True))


def test_a_condition_of_two_elements_is_refused() -> None:
    text = UNTIL.replace("bool go", "bool[2] go")
    with pytest.raises(ingot.ModelError, match=r"Loop_0\): Inferred shape and existing shape differ in rank"):
        ingot.build(onnx.parser.parse_model(text), "interp")


# Both values; a branch that takes long and reads weights around it and of its own, and one that passes on what is around.
BRANCHES = f"""{HEAD} g (bool c, float[16, 64] x, float[16, 64] z) => (float[16, 64] y, float[16, 64] n, float[3] k) {{
    a = Neg(x)
    p, n, k = If (c) <
        then_branch = then () => (float[16, 64] t0, float[16, 64] t1, float[3] t2) <float[3] t2 = {{1, 2, 3}}> {{
            m = MatMul(a, w) t0 = Tanh(m) t1 = Mul(t0, z)
        }},
        else_branch = other () => (float[16, 64] e0, float[16, 64] e1, float[3] e2) <float[3] five = {{5, 5, 5}}> {{
            e0 = Identity(x) e1 = Sub(x, z) e2 = Neg(five)
        }}>
    y = Add(p, x)
}}"""


def _branching() -> onnx.ModelProto:
    model = onnx.parser.parse_model(BRANCHES)
    weights = np.random.default_rng(5).standard_normal((64, 64)).astype(np.float32) / 8
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    return model


def _branch_feeds(c: bool) -> dict[str, np.ndarray]:
    values = np.random.default_rng(6)
    x, z = (values.standard_normal((16, 64)).astype(np.float32) for _ in range(2))
    return {"c": np.array(c), "x": x, "z": z}


@pytest.mark.parametrize("target", ["interp", "llvm", "llvmjit", "c"])
def test_each_target_and_executor_runs_one_branch_of_an_if(target: str) -> None:
    model = _branching()
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    library = ingot.build(model, target, executor=["aot", "graph"]).load()
    assert [control.count for control in library["g"].info.controls] == [0]
    for kind in ("aot", "graph"):
        executor = library["g"](executor=kind)
        for c in (True, False, True):
            feeds = _branch_feeds(c)
            results = executor.predict(feeds)
            for result, expected in zip(results, session.run(None, feeds), strict=True):
                np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


def test_only_the_branch_that_is_taken_runs() -> None:
    model = ingot.build(_branching(), "llvmjit").load()["g"]
    (control,), executor = model.info.controls, model()
    branches = set(range(control.first, control.middle)), set(range(control.middle, control.end))
    for c in (True, False):
        profile = executor.profile(_branch_feeds(c), repeat=1)
        called = {number for number, call in enumerate(profile) if call.times}
        taken, other = branches if c else branches[::-1]
        assert taken <= called
        assert not other & called


def test_the_graph_executor_shows_the_values_of_the_branch_that_is_taken() -> None:
    executor = ingot.build(_branching(), "interp", executor="graph").load()["g"]()
    assert isinstance(executor, GraphExecutor)
    for c in (True, False):
        executor.predict(_branch_feeds(c))
        names = {name.rpartition("/")[2] for name in executor.values()}
        assert ("t0" in names, "e1" in names) == (c, not c)


IN_A_LOOP = f"""{HEAD} g (float[16, 64] a, bool[60, 1] c) => (float[16, 64] y) {{
    y = Scan <num_scan_inputs = 1, body = step (float[16, 64] s, bool[1] go) => (float[16, 64] r) {{
        r = If (go) <
            then_branch = then () => (float[16, 64] t) {{
                m = MatMul(s, w) n = Tanh(m) big = ReduceMax<keepdims = 0>(n) large = Greater(big, limit)
                t = If (large) <
                    then_branch = inner () => (float[16, 64] u) {{ o = MatMul(n, w) u = Sin(o) }},
                    else_branch = inner_other () => (float[16, 64] v) {{ v = Add(n, a) }}>
            }},
            else_branch = other () => (float[16, 64] q) {{ q = Identity(s) }}>
    }}>(a, c)
}}"""


def test_branches_in_branches_of_a_loop_are_taken_in_each_iteration() -> None:
    model = onnx.parser.parse_model(IN_A_LOOP)
    values = np.random.default_rng(8)
    weights = values.standard_normal((64, 64)).astype(np.float32) / 8
    model.graph.initializer.extend(
        [
            onnx.numpy_helper.from_array(weights, "w"),
            onnx.numpy_helper.from_array(np.array(0.95, np.float32), "limit"),
        ]
    )
    feeds = {"a": values.standard_normal((16, 64)).astype(np.float32), "c": values.random((60, 1)) < 0.3}
    expected = feeds["a"]
    inner = []
    for go in feeds["c"]:
        if not go:
            continue
        n = np.tanh(expected @ weights)
        inner.append(n.max() > np.float32(0.95))
        expected = np.sin(n @ weights) if inner[-1] else n + feeds["a"]
    assert {True, False} == set(map(bool, inner))  # both of them are taken
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ingot.graph.passes.control_flow.keep_loops.WRITTEN_OUT_MAX", 0)
        library = ingot.build(model, "llvmjit", executor=["aot", "graph"], cache=None).load()
    assert sorted(control.count for control in library["g"].info.controls) == [0, 0, 60]
    for kind in ("aot", "graph"):
        np.testing.assert_allclose(library["g"](executor=kind).predict(feeds), expected, rtol=1e-3, atol=1e-4)


def test_branches_of_little_work_are_both_computed() -> None:
    text = f"""{HEAD} g (bool c, float[4] x) => (float[4] y) {{
        y = If (c) <then_branch = t () => (float[4] a) {{ a = Sin(x) }}, else_branch = e () => (float[4] b) {{ b = Cos(x) }}>
    }}"""
    info = _info(onnx.parser.parse_model(text))
    assert not info.controls
    assert len(info.calls) == 1


# ─── where they are looked at, and archives ────────────────────────────────────────────────────────────────────────────


def test_a_dump_shows_what_is_inside_of_loops_and_branches() -> None:
    insides = {}
    for model in (_recurrent(STEPS), _branching()):
        dumps: dict[str, bytes | str] = {}
        ingot.build(model, "interp", observer=ingot.Observer(on_dump=dumps.__setitem__))
        content = dumps["prepared.onnx"]
        assert isinstance(content, bytes)
        for node in onnx.load_from_string(content).graph.node:
            graphs = {attribute.name: attribute.g for attribute in node.attribute if attribute.g.node}
            insides |= {
                (node.op_type, name): {inner.op_type for inner in graph.node}
                for name, graph in graphs.items()
            }
    assert insides.keys() == {("Repeat", "inside0"), ("Choice", "inside0"), ("Choice", "inside1")}
    assert "Tanh" in insides["Repeat", "inside0"]


def test_inspect_names_loops_and_branches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model, words in (
        (_recurrent(STEPS), rf"control   Scan_0: calls \d+ to \d+ at most {STEPS} times"),
        (_branching(), r"control   If_\d+: calls \d+ to \d+ or calls \d+ to \d+"),
    ):
        ingot.build(model, "interp").save(tmp_path / "model.ingot")
        with pytest.raises(SystemExit, match="0"):
            main(["inspect", str(tmp_path / "model.ingot")])
        assert re.search(words, capsys.readouterr().out)


@pytest.mark.cc
@pytest.mark.parametrize("kind", ["aot", "graph"])
def test_an_archive_runs_loops_and_branches(kind: str, tmp_path: Path) -> None:
    scan, branching = _recurrent(STEPS), _branching()
    taken = ingot.build(branching, "interp").load()["g"]()
    for model, feeds, expected in (
        (scan, _feeds(STEPS), _expected(scan, _feeds(STEPS))),
        *((branching, _branch_feeds(c), taken.predict(_branch_feeds(c))) for c in (True, False)),
    ):
        path = tmp_path / "model.tar"
        ingot.build(model, "c", executor=["aot", "graph"]).export_model_library_format(path)
        results = ingot.load(path)[model.graph.name](executor=kind).predict(feeds)
        for result, array in zip(_several(results), _several(expected), strict=True):
            np.testing.assert_allclose(result, array, rtol=1e-5, atol=1e-5)


def _several(results: object) -> Sequence[np.ndarray]:
    return results if isinstance(results, (tuple, list)) else [results]
