"""Loops whose count is known are written out, and compute what onnxruntime computes; the others are refused by name."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ingot
from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.lower import lower
from ingot.graph.passes.control_flow.unroll import NODES_MAX, Unroller
from ingot.graph.prepare import prepare, to_draft
from ingot.graph.read.read import read_model
from ingot.graph.read.types import WHY
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.schedule.schedule import schedule
from tests.support import machines
from tests.support.draft_eval import evaluate_draft
from tests.support.models import model

RNG = np.random.default_rng(11)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def expected_of(proto, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)


def assert_same(proto, **feeds):
    """What ingot makes of a model computes the same as onnxruntime. Returns the operators that are left."""
    expected = expected_of(proto, feeds)
    prepared = prepare(read_model(proto), ALL)
    left = Counter(
        node.op_type for node in prepared.graph if node.op_type != "Identity"
    )  # which gives an output its name
    for got in (
        expected_of(ir.to_proto(prepared), feeds),
        evaluate_draft(to_draft(read_model(proto), ALL), feeds),
    ):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert one.dtype == other.dtype and one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    return left


def refusal(proto, **kwargs):
    """Why a loop is not written out, where it may not stay one."""
    with pytest.raises(UnsupportedError) as caught:
        lower(prepare(read_model(proto, **kwargs), ALL, skip=("keep-loops",)), ALL)
    return str(caught.value)


# ─── Scan ──────────────────────────────────────────────────────────────────────────────────────────────────────────

RECURRENT = """b (float[2,3] h, float[2,4] x_t) => (float[2,3] next, float[2,3] y_t) {
    a = MatMul(x_t, w) c = MatMul(h, r) d = Add(a, c) next = Tanh(d) y_t = Identity(next)
}"""


def recurrent(attributes, x, y, opset=17):
    body = f"""g (float[2,3] h0, float[{x}] x) => (float[2,3] last, float[{y}] y)
    <float[4,3] w = {{0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, -0.9, 0.15, 0.25, 0.35}},
     float[3,3] r = {{0.3, -0.1, 0.2, 0.5, -0.4, 0.6, 0.2, 0.9, -0.7}}> {{
        last, y = Scan <num_scan_inputs = 1, {attributes} body = {RECURRENT}> (h0, x)
    }}"""
    return model(body, opset=opset)


@pytest.mark.parametrize("opset", [9, 11, 13, 16, 19, 21, 23])
def test_a_recurrent_network_by_scan_is_written_out(opset):
    left = assert_same(recurrent("", "5,2,4", "5,2,3", opset), h0=normal(2, 3), x=normal(5, 2, 4))
    assert left["Scan"] == 0 and left["MatMul"] == 5 + 1  # the inputs of all steps are multiplied together


@pytest.mark.parametrize(
    ("attributes", "x", "y"),
    [
        ("scan_input_axes = [1], scan_output_axes = [1],", (2, 5, 4), (2, 5, 3)),
        ("scan_input_axes = [-1], scan_output_axes = [-1],", (2, 4, 5), (2, 3, 5)),
        ("scan_input_directions = [1],", (5, 2, 4), (5, 2, 3)),
        ("scan_output_directions = [1], scan_output_axes = [-2],", (5, 2, 4), (2, 5, 3)),
        (
            "scan_input_directions = [1], scan_output_directions = [1], scan_input_axes = [2],",
            (2, 4, 1),
            (1, 2, 3),
        ),
    ],
)
def test_a_scan_walks_along_any_axis_in_any_direction(attributes, x, y):
    proto = recurrent(attributes, ",".join(map(str, x)), ",".join(map(str, y)))
    assert assert_same(proto, h0=normal(2, 3), x=normal(*x))["Scan"] == 0


def test_a_scan_has_several_states_inputs_and_outputs():
    body = """g (float[3] p, float[2] q, float[4,3] x, float[2,4] z)
        => (float[3] pn, float[2] qn, float[4,3] u, float[2,4] v, int64[4] n)
    <int64 zero = {0}> {
        pn, qn, k, u, v, n = Scan <num_scan_inputs = 2, scan_input_axes = [0, 1], scan_output_axes = [0, 1, 0], body =
            b (float[3] s, float[2] t, int64 k, float[3] x_t, float[2] z_t)
                => (float[3] s1, float[2] t1, int64 k1, float[3] u_t, float[2] v_t, int64 k2) {
                one = Constant <value = int64 {1}> () k1 = Add(k, one) k2 = Mul(k1, k1)
                s1 = Mul(s, x_t) v_t = Max(t, z_t) t1 = Identity(v_t) u_t = Sub(x_t, s)
            }> (p, q, zero, x, z)
    }"""
    left = assert_same(model(body), p=normal(3), q=normal(2), x=normal(4, 3), z=normal(2, 4))
    assert left["Scan"] == 0


def test_a_scan_of_opset_8_walks_through_each_member_of_a_batch_as_far_as_it_is_long():
    body = """g (float[3,2] h0, float[3,4,2] x) => (float[3,2] last, float[3,4,2] y) <int64[3] lengths = {2, 4, 1}> {
        last, y = Scan <num_scan_inputs = 1, directions = [1], body =
            b (float[2] h, float[2] x_t) => (float[2] next, float[2] y_t) {
                next = Sub(x_t, h) y_t = Identity(next)
            }> (lengths, h0, x)
    }"""
    assert assert_same(model(body, opset=8), h0=normal(3, 2), x=normal(3, 4, 2))["Scan"] == 0
    whole = body.replace("(lengths, h0, x)", "(, h0, x)")
    assert assert_same(model(whole, opset=8), h0=normal(3, 2), x=normal(3, 4, 2))["Sub"] == 12


def test_of_a_scan_through_nothing_the_state_is_left_and_an_empty_output():
    body = """g (float[2] h0, float[0,2] x) => (float[2] last, float[0,2] y) {
        last, y = Scan <num_scan_inputs = 1, body = b (float[2] h, float[2] x_t) => (float[2] next, float[2] y_t) {
            next = Add(h, x_t) y_t = Neg(next)
        }> (h0, x)
    }"""
    h0 = normal(2)
    last, y = evaluate_draft(to_draft(read_model(model(body)), ALL), {"h0": h0, "x": normal(0, 2)})
    assert np.array_equal(last, h0) and y.shape == (0, 2)


@settings(max_examples=25)
@given(
    count=st.integers(1, 5),
    rows=st.integers(1, 3),
    columns=st.integers(1, 5),
    axes=st.tuples(st.integers(-3, 2), st.integers(-3, 2)),
    backward=st.tuples(st.integers(0, 1), st.integers(0, 1)),
)
def test_scans_of_any_shape_axis_and_direction_compute_the_same(count, rows, columns, axes, backward):
    x, y = [rows, columns], [rows, columns]
    x.insert(axes[0] % 3, count)
    y.insert(axes[1] % 3, count)
    body = f"""g (float[{rows},{columns}] h0, float[{",".join(map(str, x))}] x)
        => (float[{rows},{columns}] last, float[{",".join(map(str, y))}] y) {{
        last, y = Scan <num_scan_inputs = 1, scan_input_axes = [{axes[0]}], scan_output_axes = [{axes[1]}],
            scan_input_directions = [{backward[0]}], scan_output_directions = [{backward[1]}], body =
            b (float[{rows},{columns}] h, float[{rows},{columns}] x_t)
                => (float[{rows},{columns}] n, float[{rows},{columns}] o) {{
                two = Constant <value_float = 2.0> () a = Mul(h, two) n = Sub(x_t, a) o = Add(a, x_t)
            }}> (h0, x)
    }}"""
    rng = np.random.default_rng(count)
    feeds = {
        "h0": rng.normal(size=(rows, columns)).astype(np.float32),
        "x": rng.normal(size=x).astype(np.float32),
    }
    assert assert_same(model(body), **feeds)["Scan"] == 0


# ─── Loop ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("opset", [11, 13, 16, 19, 21, 23])
def test_a_loop_of_a_known_count_is_written_out(opset):
    body = """g (float[2,3] x, float[4,2,3] table) => (float[2,3] y, float[4,2,3] all) <bool go = {1}, int64 trips = {4}> {
        y, all = Loop <body = b (int64 i, bool c, float[2,3] s) => (bool c1, float[2,3] s1, float[2,3] o) {
            c1 = Identity(c) row = Gather(table, i) s1 = Add(s, row) o = Relu(s1)
        }> (trips, go, x)
    }"""
    left = assert_same(model(body, opset=opset), x=normal(2, 3), table=normal(4, 2, 3))
    assert left["Loop"] == 0 and left["Add"] == 4


def test_a_count_may_follow_from_a_shape():
    body = """g (float[5,3] x) => (float[5,3] y) <int64 zero = {0}, bool go = {1}, float[3] start = {0, 0, 0}> {
        shape = Shape(x) trips = Gather(shape, zero)
        last, y = Loop <body = b (int64 i, bool c, float[3] s) => (bool c1, float[3] s1, float[3] o) {
            c1 = Constant <value = bool {1}> () row = Gather(x, i) s1 = Add(s, row) o = Identity(s1)
        }> (trips, go, start)
    }"""
    assert assert_same(model(body), x=normal(5, 3))["Loop"] == 0


def test_a_condition_that_follows_from_the_iteration_is_computed_while_building():
    body = """g (float[4] x) => (float[4] y) <int64 most = {9223372036854775807}, bool go = {1}> {
        y = Loop <body = b (int64 i, bool c, float[4] s) => (bool c1, float[4] s1) {
            five = Constant <value_int = 5> () c1 = Less(i, five) s1 = Sin(s)
        }> (most, go, x)
    }"""
    assert assert_same(model(body), x=normal(4)) == {"Sin": 6}


def test_a_while_loop_over_a_counter_of_its_own_has_no_trip_count():
    body = """g (float[8] x) => (float[8] y, int64 n) <bool go = {1}, int64 one = {1}> {
        n, y = Loop <body = b (int64 i, bool c, int64 k, float[8] s) => (bool c1, int64 k2, float[8] s1) {
            k2 = Add(k, k) shape = Shape(x) length = Squeeze(shape) c1 = Less(k2, length) s1 = Sin(s)
        }> (, go, one, x)
    }"""
    assert assert_same(model(body), x=normal(8)) == {"Sin": 3}


@pytest.mark.parametrize(("trips", "go", "count"), [(3, 0, 0), (0, 1, 0), (-2, 1, 0), (3, 1, 3), (1, 1, 1)])
def test_a_loop_that_never_runs_gives_back_its_state_and_an_empty_output(trips, go, count):
    body = f"""g (float[4] x) => (float[4] y, float[n,4] all) <int64 trips = {{{trips}}}, bool go = {{{go}}}> {{
        s, all = Loop <body = b (int64 i, bool c, float[4] s) => (bool c1, float[4] s1, float[4] o) {{
            c1 = Identity(c) s1 = Sin(s) o = Identity(s1)
        }}> (trips, go, x)
        y = Neg(s)
    }}"""
    assert assert_same(model(body), x=normal(4))["Sin"] == count


def test_a_condition_that_is_false_after_the_first_iteration_ends_the_loop():
    body = """g (float[4] x) => (float[4] y) <int64 trips = {7}, bool no = {0}> {
        y = Loop <body = b (int64 i, bool c, float[4] s) => (bool c1, float[4] s1) {
            c1 = Identity(no) s1 = Sin(s)
        }> (trips, , x)
    }"""
    assert assert_same(model(body), x=normal(4)) == {"Sin": 1}


def test_a_state_may_change_its_shape():
    body = """g (float[1,3] x) => (float[4,3] y) <int64 trips = {3}, bool go = {1}> {
        y = Loop <body = b (int64 i, bool c, float[n,3] s) => (bool c1, float[m,3] s1) {
            c1 = Identity(c) t = Sin(x) s1 = Concat<axis = 0>(s, t)
        }> (trips, go, x)
    }"""
    assert assert_same(model(body), x=normal(1, 3)) == {"Sin": 1, "Concat": 3}


def test_inner_loops_may_run_as_often_as_the_outer_iteration_says():
    body = """g (float[3] x) => (float[3] y, float[3,3] all) <int64 trips = {3}, bool go = {1}> {
        y, all = Loop <body = b (int64 i, bool c, float[3] s) => (bool c1, float[3] s1, float[3] o) {
            c1 = Identity(c)
            s1 = Loop <body = inner (int64 j, bool d, float[3] t) => (bool d1, float[3] t1) {
                d1 = Identity(d) k = Add(i, j) f = Cast<to = 1>(k) u = Mul(t, f) t1 = Sub(u, x)
            }> (i, c, s)
            o = Exp(s1)
        }> (trips, go, x)
    }"""
    left = assert_same(model(body), x=normal(3))
    assert left["Loop"] == 0 and left["Exp"] == 3 and left["Sub"] == 3  # 0 + 1 + 2 inner iterations


def test_a_branch_that_the_iteration_decides_is_taken_while_building():
    body = """g (float[3] x) => (float[3] y) <int64 trips = {4}, bool go = {1}> {
        y = Loop <body = b (int64 i, bool c, float[3] s) => (bool c1, float[3] s1) {
            c1 = Identity(c) two = Constant <value_int = 2> () early = Less(i, two)
            s1 = If (early) <then_branch = t () => (float[3] a) { a = Sin(s) }, else_branch = e () => (float[3] b) { b = Cos(s) }>
        }> (trips, go, x)
    }"""
    assert assert_same(model(body), x=normal(3)) == {"Sin": 2, "Cos": 2}


def test_what_does_not_change_is_computed_once_before_the_loop():
    body = """g (float[3] x, float[3,3] m) => (float[3] y) <int64 trips = {6}, bool go = {1}> {
        y = Loop <body = b (int64 i, bool c, float[3] s) => (bool c1, float[3] s1) {
            c1 = Identity(c) t = Transpose(m) e = Exp(t) s1 = MatMul(s, e)
        }> (trips, go, x)
    }"""
    left = assert_same(model(body), x=normal(3), m=normal(3, 3))
    assert left["Exp"] == 1 and left["MatMul"] == 6


def test_random_numbers_are_drawn_anew_in_every_iteration():
    body = """g (float[3] x) => (float[3] y) <int64 trips = {2}, bool go = {1}> {
        y = Loop <body = b (int64 i, bool c, float[3] s) => (bool c1, float[3] s1) {
            c1 = Identity(c) r = RandomNormal<shape = [3]>() s1 = Add(s, r)
        }> (trips, go, x)
    }"""
    assert Counter(node.op_type for node in prepare(read_model(model(body)), ALL).graph)["RandomNormal"] == 2


def test_a_loop_may_hand_its_state_on_unchanged_and_swap_states():
    body = """g (float[3] x, float[3] z) => (float[3] p, float[3] q, float[3] r) <int64 trips = {3}, bool go = {1}> {
        p, q, r = Loop <body = b (int64 i, bool c, float[3] s, float[3] t, float[3] u)
            => (bool c, float[3] t, float[3] s1, float[3] u) {
            s1 = Sub(s, t)
        }> (trips, go, x, z, x)
    }"""
    assert assert_same(model(body), x=normal(3), z=normal(3))["Sub"] == 3


FORMS = {
    "counters, as recurrent networks of TensorFlow are exported": """
        g (float[2,5,3] x) => (float[2,4] h, float[5,2,4] hs)
        <int64 most = {2147483647}, bool go = {1}, int32 zero = {0}, int32 one = {1}, int64 first = {0},
         float[2,4] h0 = {0, 0, 0, 0, 0, 0, 0, 0}, float[3,4] w = {1, 2, 3, 4, 5, 6, -7, -8, -9, 1, 2, 3}> {
            xt = Transpose<perm = [1, 0, 2]>(x) shape = Shape(xt) extent = Gather(shape, first) steps = Cast<to = 6>(extent)
            i, j, h, hs = Loop <body = b (int64 it, bool c, int32 i0, int32 j0, float[2,4] hp)
                => (bool c1, int32 i1, int32 j1, float[2,4] hn, float[2,4] o) {
                i1 = Add(i0, one) j1 = Add(j0, one) l1 = Less(i1, steps) l2 = Less(j1, steps) c1 = And(l1, l2)
                xs = Gather<axis = 0>(xt, j0) a = MatMul(xs, w) s = Add(a, hp) hn = Tanh(s) o = Identity(hn)
            }> (most, go, zero, zero, h0)
        }""",
    "a window that moves": """
        g (float[12] x) => (float[4,3] y) <int64 n = {4}, bool go = {1}, int64 three = {3}, int64[1] axis = {0}> {
            y = Loop <body = b (int64 i, bool c) => (bool c1, float[3] o) {
                c1 = Identity(c) a0 = Mul(i, three) e0 = Add(a0, three) a = Unsqueeze(a0, axis) e = Unsqueeze(e0, axis)
                w = Slice(x, a, e) o = Exp(w)
            }> (n, go)
        }""",
    "a scan in a loop": """
        g (float[3] x, float[4,3] t) => (float[3] y, float[2,4,3] zs) <int64 n = {2}, bool go = {1}> {
            y, zs = Loop <body = b (int64 i, bool c, float[3] s) => (bool c1, float[3] s1, float[4,3] o) {
                c1 = Identity(c)
                s1, o = Scan <num_scan_inputs = 1, body = inner (float[3] a, float[3] e) => (float[3] a1, float[3] f) {
                    a1 = Sub(e, a) q = Mul(a1, s) f = Add(q, x)
                }> (s, t)
            }> (n, go, x)
        }""",
    "a scan without states that gives its input back, last first": """
        g (float[5,3] x) => (float[5,3] y, float[5,3] z) {
            y, z = Scan <num_scan_inputs = 2, scan_output_directions = [1, 0], body = b (float[3] s, float[3] t)
                => (float[3] o, float[3] p) { o = Identity(s) p = Sub(s, t) }> (x, x)
        }""",
    "a trip count of one element, and results that nobody reads": """
        g (float[3] x) => (float[4,3] y) <int64[1] n = {4}, bool go = {1}> {
            a, y, z = Loop <body = b (int64 i, bool c, float[3] s) => (bool c1, float[3] s1, float[3] o, float[3] s) {
                c1 = Identity(c) s1 = Sin(s) o = Cos(s)
            }> (n, go, x)
        }""",
    "loops with the same names inside": """
        g (float[3] x) => (float[3] y) <int64 t = {2}, bool go = {1}> {
            a = Loop <body = b (int64 i, bool c, float[3] s) => (bool c1, float[3] s1) {
                c1 = Identity(c) k = Constant <value = float[3] {3, 2, 1}> () s1 = Mul(s, k) }> (t, go, x)
            y = Loop <body = b (int64 i, bool c, float[3] s) => (bool c1, float[3] s1) {
                c1 = Identity(c) k = Constant <value = float[3] {1, 2, 3}> () s1 = Add(s, k) }> (t, go, a)
        }""",
    "branches in branches": """
        g (float[3] x) => (float[3] y) <int64 t = {6}, bool go = {1}, int64 two = {2}, int64 four = {4}> {
            y = Loop <body = b (int64 i, bool c, float[3] s) => (bool c1, float[3] s1) {
                c1 = Identity(c) p = Less(i, two) q = Less(i, four)
                s1 = If (p) <then_branch = t0 () => (float[3] a) { a = Sin(s) }, else_branch = e0 () => (float[3] d) {
                    d = If (q) <then_branch = t1 () => (float[3] a1) { a1 = Cos(s) }, else_branch = e1 () => (float[3] d1) {
                        k = Constant <value = float[3] {1, 2, 3}> () d1 = Add(s, k) }>
                }>
            }> (t, go, x)
        }""",
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_that_exporters_write_compute_the_same(form):
    proto = model(FORMS[form], opset=13)
    feeds = {
        one.name: normal(*[dim.dim_value for dim in one.type.tensor_type.shape.dim])
        for one in proto.graph.input
    }
    assert not assert_same(proto, **feeds).keys() & {"Loop", "Scan", "If"}


# ─── on all targets ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.cc
@pytest.mark.parametrize("target", ["llvm", "c", "interp"])
def test_what_was_written_out_computes_the_same_on_every_target(target):
    proto = recurrent(
        "scan_input_axes = [1], scan_output_axes = [1], scan_input_directions = [1],", "2,7,4", "2,7,3"
    )
    feeds = {"h0": normal(2, 3), "x": normal(2, 7, 4)}
    got = ingot.build(proto, target=target, cache=None).load()["g"]().predict(**feeds)
    for one, other in zip(got, expected_of(proto, feeds), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_steps_that_are_equal_share_their_kernels():
    """The first differs, since it reads the model's own input, and so may the last."""
    programs = [
        schedule(fuse(to_draft(read_model(recurrent("", f"{n},2,4", f"{n},2,3")), ALL)), machines.SCALARS)
        for n in (6, 12)
    ]
    few, many = programs
    assert len(few.kernel_calls) < len(many.kernel_calls) and len(few.kernels) == len(many.kernels)


# ─── refused ───────────────────────────────────────────────────────────────────────────────────────────────────────

COUNTED = """g (float[4] x, int64 trips, bool go) => (float[4] y) {
    y = Loop <body = b (int64 i, bool c, float[4] s) => (bool c1, float[4] s1) {
        total = ReduceSum<keepdims = 0>(s) zero = Constant <value_float = 0.0> () c1 = CONDITION s1 = Sin(s)
    }> (trips, go, x)
}"""
PLAIN = COUNTED.replace("CONDITION", "Identity(c)")


def test_a_count_that_is_only_known_while_running_is_refused_by_name():
    assert (
        "Loop_0 (Loop, opset 17): how often it runs is 'trips', which is only known while running"
        in refusal(model(PLAIN))
    )


def written_out(proto, feeds, constants=None):
    """What a model computes of which no loop may stay."""
    read = read_model(proto, constants=constants)
    return evaluate_draft(lower(prepare(read, ALL, skip=("keep-loops",)), ALL), feeds)


@pytest.mark.parametrize("go", [True, False])
def test_whether_a_loop_begins_chooses_among_as_many_iterations_as_there_may_be(go):
    x = normal(4)
    result = written_out(model(PLAIN), {"x": x, "go": np.array(go)}, {"trips": np.array(3)})[0]
    np.testing.assert_allclose(result, np.sin(np.sin(np.sin(x))) if go else x, rtol=1e-5)


def test_a_count_that_is_no_single_number_is_refused():
    proto = model(PLAIN.replace("int64 trips", "int64[0] trips"))
    said = refusal(proto, constants={"trips": np.zeros(0, np.int64), "go": np.array(True)})
    assert "'trips' has the shape [0]; expected one element" in said


def test_inputs_that_are_bound_make_a_count_known():
    bound = {"trips": np.array(3), "go": np.array(True)}
    draft = to_draft(read_model(model(PLAIN), constants=bound), ALL)
    x = normal(4)
    np.testing.assert_allclose(evaluate_draft(draft, {"x": x})[0], np.sin(np.sin(np.sin(x))), rtol=1e-5)


@pytest.mark.parametrize(("sign", "runs"), [(1, 3), (-1, 1)])
def test_a_condition_that_follows_from_inputs_chooses_among_as_many_iterations(sign, runs):
    x = sign * np.array([0.5, 1, 0.25, 2], np.float32)
    constants = {"trips": np.array(3), "go": np.array(True)}
    result = written_out(model(COUNTED.replace("CONDITION", "Less(zero, total)")), {"x": x}, constants)[0]
    expected = x
    for _ in range(runs):
        expected = np.sin(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_a_loop_that_nothing_ends_is_refused():
    proto = model(PLAIN.replace("int64 trips, ", "").replace("(trips, go, x)", "(, go, x)"))
    assert "nothing ever ends it" in refusal(proto, constants={"go": np.array(True)})


@pytest.mark.parametrize("condition", ["Identity(c)", "Less(i, i)"])
def test_loops_that_would_become_too_much_code_are_refused_with_the_limit(condition):
    count = NODES_MAX + 1
    proto = model(COUNTED.replace("CONDITION", condition).replace("Less(i, i)", "LessOrEqual(i, i)"))
    said = refusal(proto, constants={"trips": np.array(count), "go": np.array(True)})
    assert (
        f"more than {NODES_MAX} iterations of 1 nodes each" in said and f"at most {NODES_MAX} nodes" in said
    )
    scan = recurrent("", f"{count},2,4", f"{count},2,3")
    assert f"{count} iterations of 7 nodes each would be too much code" in refusal(scan)


def test_the_limit_is_one_for_all_loops_of_a_model():
    loop = "Loop <body = b (int64 i, bool c, float[4] s) => (bool c1, float[4] s1) { c1 = Identity(c) t = Sin(s) s1 = Cos(t) }>"
    body = f"""g (float[4] x) => (float[4] y) <int64 trips = {{5}}, bool go = {{1}}> {{
        z = {loop}(trips, go, x) y = {loop}(trips, go, z)
    }}"""
    read = read_model(model(body))
    assert Unroller(nodes_max=19).unroll(read)
    left = [node for node in read.graph if node.op_type == "Loop"]
    assert len(left) == 1 and "more than 4 iterations of 2 nodes each" in left[0].metadata_props[WHY]
    assert "at most 19 nodes, of which 10 are used" in left[0].metadata_props[WHY]
    read = read_model(model(body))
    assert Unroller(nodes_max=20).unroll(read)
    assert not any(node.op_type == "Loop" for node in read.graph)


def test_a_body_that_does_not_fit_its_scan_is_an_error_of_the_model():
    proto = recurrent("scan_input_axes = [0, 0],", "5,2,4", "5,2,3")
    with pytest.raises(ModelError, match="scan input axes"):
        to_draft(read_model(proto), ALL)


def test_a_result_that_a_body_takes_from_around_it_is_an_error_of_the_model():
    body = """g (float[3] x) => (float[3] y) <int64 trips = {3}, bool go = {1}> {
        y = Loop <body = b (int64 i, bool c, float[3] s) => (bool c, float[3] x) { t = Sin(s) }> (trips, go, x)
    }"""
    with pytest.raises(
        ModelError, match=r"Loop_0 \(Loop\): the output 'x' of the graph inside it is not computed there"
    ):
        read_model(model(body))
