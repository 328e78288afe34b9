"""Graph passes keep what a model computes, and leave less of it."""

from __future__ import annotations

from collections import Counter

import ml_dtypes
import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import pytest
from onnx.reference import ReferenceEvaluator

from ingot.base.errors import ModelError
from ingot.graph.evaluate.evaluator import evaluator
from ingot.graph.passes.tidy import fold, lists
from ingot.graph.passes.tidy.shapes import infer_shapes
from ingot.graph.prepare import prepare
from ingot.graph.read.declared import Declarations
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.models import model
from tests.support.onnx_text import parse, run


def ops_after(proto, **kwargs):
    return Counter(node.op_type for node in prepare(read_model(proto, **kwargs), ALL).graph)


def _run(proto, feeds):
    # Not ONNX's reference evaluator, which gets a ConvTranspose with groups wrong.
    return onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"]).run(
        None, feeds
    )


def assert_same(proto, **feeds):
    """The model computes the same before and after the passes. Returns the operators that are left."""
    prepared = prepare(read_model(proto), ALL)
    expected, got = _run(proto, feeds), _run(ir.to_proto(prepared), feeds)
    for one, other in zip(got, expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    return Counter(node.op_type for node in prepared.graph)


def with_weights(proto, **weights):
    for name, array in weights.items():
        proto.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(array), name))
    return proto


RNG = np.random.default_rng(7)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def test_what_depends_on_constants_only_is_computed_while_building():
    body = """g (float[2,3] x) => (float[?,?] y) <int64[1] one = {-1}> {
        s = Shape(x) r = ReduceProd<keepdims = 1>(s) t = Concat<axis = 0>(r, one) y = Reshape(x, t)
    }"""
    assert assert_same(model(body), x=normal(2, 3)) == {"Reshape": 1}


def test_shapes_that_each_layer_computes_need_few_inferences_of_the_whole_model(monkeypatch):
    """As exporters write windows and heads: each Reshape is by the shape of what the one before it gave."""
    layers = 12
    steps = " ".join(
        f"s{n} = Shape(x{n}) n{n} = Gather(s{n}, zero) m{n} = Gather(s{n}, one) t{n} = Concat<axis = 0>(m{n}, n{n}) "
        f"r{n} = Reshape(x{n}, t{n}) x{n + 1} = Exp(r{n})"
        for n in range(layers)
    )
    body = f"g (float[2,3] x0) => (float[?,?] x{layers}) <int64[1] zero = {{0}}, int64[1] one = {{1}}> {{ {steps} }}"
    seen = []
    monkeypatch.setattr(fold, "infer_shapes", lambda one: (seen.append(one), infer_shapes(one))[1])
    assert assert_same(model(body), x0=normal(2, 3) / 8) == {"Reshape": layers, "Exp": layers}
    assert len(seen) < layers / 2


@pytest.mark.parametrize(
    "shape", [[5000], [50, 100], [50]], ids=["a long list", "a map that becomes one", "a short list"]
)
def test_long_lists_are_not_followed_element_by_element(monkeypatch, shape):
    """ONNX takes a second, and 280 MB, for two million elements that are added to others."""
    infer, followed = onnx.shape_inference.infer_shapes, []

    def seen(proto, data_prop, **kwargs):
        followed.append(data_prop)
        return infer(proto, data_prop=data_prop, **kwargs)

    monkeypatch.setattr(lists, "LIST_MAX", 1000)
    monkeypatch.setattr(onnx.shape_inference, "infer_shapes", seen)
    body = f"""g (float{shape} x) => (float[?,?] y) <int64[1] all = {{-1}}, int64[1] two = {{2}}> {{
        a = Reshape(x, all)  b = Add(a, a)  s = Shape(b)  h = Div(s, two)  t = Concat<axis = 0>(h, all)  y = Reshape(b, t)
    }}"""
    (y,) = prepare(read_model(model(body)), ALL).graph.outputs
    size = int(np.prod(shape))
    assert y.shape == ir.Shape([size // 2, 2])
    assert any(followed) == (size < 1000)


@pytest.mark.parametrize("stated", ["float[4,?]", "float[3,3]", "float[?,2,1]", "double[3,2]"])
def test_what_a_model_states_of_a_computed_shape_does_not_count_but_its_type_does(stated):
    body = f"""g (float[2,3] x) => ({stated} y) <int64[1] zero = {{0}}, int64[1] one = {{1}}> {{
        s = Shape(x) n = Gather(s, zero) m = Gather(s, one) t = Concat<axis = 0>(m, n) a = Reshape(x, t)
        s2 = Shape(a) n2 = Gather(s2, zero) m2 = Gather(s2, one) t2 = Concat<axis = 0>(m2, n2) b = Reshape(a, t2)
        s3 = Shape(b) n3 = Gather(s3, zero) m3 = Gather(s3, one) t3 = Concat<axis = 0>(m3, n3) y = Reshape(b, t3)
    }}"""
    declared = Declarations()
    if stated.startswith("double"):
        with pytest.raises(ModelError):
            prepare(read_model(model(body), declarations=declared), ALL, declared)
        return
    prepared = prepare(read_model(model(body), declarations=declared), ALL, declared)
    assert prepared.graph.outputs[0].shape == (3, 2)
    assert "is computed as [3, 2]" in declared.sentences[0]


def test_weights_of_any_size_are_standardised_while_building():
    """As networks without normalisation export them: more elements than ONNX's evaluator may get of most operators."""
    body = """g (float[1,2,30,30] x) => (float[1,600,1,1] y) <int64[3] flat = {1, 600, 1800}> {
        seen = Reshape(w, flat) mean = ReduceMean<axes = [0, 2], keepdims = 0>(seen)
        middle = ReduceMean<axes = [0, 2]>(seen) centred = Sub(seen, middle) squares = Mul(centred, centred)
        variance = ReduceMean<axes = [0, 2], keepdims = 0>(squares)
        standard = BatchNormalization(seen, scale, offset, mean, variance)
        shape = Shape(w) kernel = Reshape(standard, shape) y = Conv(x, kernel)
    }"""
    weights = {"w": normal(600, 2, 30, 30), "scale": normal(600), "offset": normal(600)}
    assert assert_same(with_weights(model(body), **weights), x=normal(1, 2, 30, 30)) == {"Conv": 1}


def test_weights_of_any_size_that_are_stored_in_half_are_widened_while_building():
    body = "g (float[1,1024] x) => (float[1,1100] y) { wide = Cast<to = 1>(w) y = MatMul(x, wide) }"
    weights = {"w": normal(1024, 1100).astype(np.float16)}
    assert assert_same(with_weights(model(body), **weights), x=normal(1, 1024)) == {"MatMul": 1}


@pytest.mark.parametrize(
    ("shape", "node"),
    [
        ((), "Transpose(x)"),  # here NumPy's ascontiguousarray is: it makes one dimension
        ((1, 1, 3), "GlobalMaxPool(x)"),
        ((1, 2, 2, 3, 4), "GlobalMaxPool(x)"),
        ((1, 7, 2, 3), "LRN <size = 3, alpha = 0.9> (x)"),
        ((1, 2, 5), "MaxPool <kernel_shape = [2], pads = [0, 1]> (x)"),
        ((1, 2, 1, 1), "MaxPool <kernel_shape = [2, 3], pads = [1, 0, 0, 2], strides = [2, 2]> (x)"),
        ((1, 2, 5), "AveragePool <kernel_shape = [3], pads = [2, 0], strides = [2]> (x)"),
        ((2, 5), "LpNormalization <p = 1> (x)"),
        ((1, 4, 3, 2), "ConvTranspose <group = 2> (x, w)"),
        ((1, 4, 3, 2), "ConvTranspose <group = 4, strides = [2, 1]> (x, w)"),
    ],
)
def test_what_is_folded_is_what_the_operator_gives(shape, node):
    # ONNX's reference evaluator, which folds, is wrong in each of these.
    made = parse(f"(float[{', '.join(map(str, shape))}] x) => (y)", f"a = {node} y = Neg(a)")
    if "w" in node:
        made.graph.initializer.append(onnx.numpy_helper.from_array(normal(4, 2, 2, 2), "w"))
    x = normal(*shape)
    (folded,) = run(made, {"x": x})
    (expected,) = _run(made, {"x": x})
    assert folded.shape == expected.shape
    np.testing.assert_allclose(folded, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("opset", [8, 9, 11, 12, 13, 14])
@pytest.mark.parametrize(
    "node",
    [
        "Softmax(x)",
        "Softmax<axis = 0>(x)",
        "LogSoftmax(x)",
        "Hardmax(x)",
        "Hardmax<axis = 2>(x)",
        "BatchNormalization(x, w, w, w, w)",
    ],
)
def test_each_version_of_an_operator_is_folded_as_it_is(node, opset):
    made = parse("(float[2,3,4] x) => (y)", f"a = {node} y = Neg(a)", opset)
    made.ir_version = 8
    if "w" in node:
        made.graph.initializer.append(onnx.numpy_helper.from_array(np.array([1, 2, 3], np.float32), "w"))
    x = normal(2, 3, 4)
    np.testing.assert_allclose(run(made, {"x": x})[0], _run(made, {"x": x})[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_a_softmax_behind_the_last_axis_is_folded_as_the_operator_has_it(op):
    made = parse(
        "(float[3] x) => (y)", f"y = {op}(x)", 9
    )  # its axis is 1 unless given: each element is a row
    x = normal(3)
    np.testing.assert_array_equal(run(made, {"x": x})[0], run(made, x=x)[0])
    empty = parse("(float[0,3] x) => (float[0,3] y)", f"y = {op}(x)", 9)
    assert evaluator(empty).run(None, {"x": np.zeros((0, 3), np.float32)})[0].shape == (0, 3)


@pytest.mark.parametrize(
    ("node", "odd", "expected"),
    [
        ("LogSoftmax(x)", 200, [-200, -200, 0]),  # not -inf: exp(-200) is 0 in float32, and has a logarithm
        ("ReduceLogSumExp <keepdims = 0> (x)", np.inf, np.inf),
        ('Resize <mode = "nearest"> (x,, s)', np.inf, [0, 0, 0, 0, np.inf, np.inf]),
        ("PRelu(x, m)", np.inf, [0, 0, np.inf]),
    ],
)
def test_what_is_large_is_folded_as_the_operator_has_it(node, odd, expected):
    made = parse("(float[3] x) => (y)", f"s = Constant<value_floats = [2.0]>() m = ReduceMax(x) y = {node}")
    x = np.array([0, 0, odd], np.float32)
    for (got,) in (run(made, {"x": x}), run(made, x=x)):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("node", ["LeakyRelu(x)", "PRelu(x, x)", "Elu(x)", "Celu(x)"])
def test_an_activation_of_finite_constants_is_folded(node):
    body = f"g (float[6,4] a) => (y) <float[2] x = {{4, 6}}> {{ s = {node} t = Cast<to = 7>(s) y = Reshape(a, t) }}"
    assert prepare(read_model(model(body)), ALL).graph.outputs[0].shape == (4, 6)


@pytest.mark.parametrize(
    "node",
    [
        "LpNormalization<p = 1>(x)",
        "LpNormalization(x)",
        "LogSoftmax(x)",
        "ReduceLogSumExp(x)",
        "PRelu(x, x)",
        "LeakyRelu(x)",
    ],
)
@pytest.mark.parametrize("last", [2, np.inf])
def test_constants_are_folded_as_the_operators_have_them(node, last):
    made = parse("(float[3] a) => (y)", f"s = {node} y = Add(a, s)")
    x = np.array([0, -1, last], np.float32)
    (expected,) = run(
        parse("(float[3] x, float[3] a) => (y)", f"s = {node} y = Add(a, s)"), x=x, a=np.ones(3, np.float32)
    )
    made.graph.initializer.append(onnx.numpy_helper.from_array(x, "x"))
    assert ops_after(made) == {"Add": 1}
    (got,) = run(made, a=np.ones(3, np.float32))
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_a_scatter_with_a_nan_is_folded_as_the_operator_has_it(reduction):
    node = f'y = ScatterElements <axis = -1, reduction = "{reduction}"> (x, i, u)'
    made = parse("(float[2,4] x, int64[2,4] i, float[2,4] u) => (y)", node, 18)
    feeds = {
        "x": np.array([[1, np.nan, 3, 4], [5, 6, 7, 8]], np.float32),
        "i": np.array([[1, 0, 2, 3], [3, 2, -3, 0]]),
        "u": np.array([[2, np.nan, 2, 9], [np.nan, 9, 2, 2]], np.float32),
    }
    assert ops_after(made, constants=feeds) == {"Identity": 1}
    np.testing.assert_array_equal(run(made, feeds)[0], run(made, **feeds)[0])


def test_a_bfloat16_that_is_infinite_is_not_taken_for_finite():
    finite = [fold._is_finite(np.array([0, last], ml_dtypes.bfloat16)) for last in (1, np.inf)]
    assert finite == [True, False]


def test_what_would_make_a_library_larger_is_not_folded():
    body = """g (int64[1] which) => (float[1,1024,1024] y) {
        wide = Gather<axis = 1>(table, places) y = Gather(wide, which)
    }"""
    weights = {"table": normal(4, 1, 1024), "places": np.zeros(1024, np.int64)}
    assert ops_after(with_weights(model(body), **weights)) == {"Gather": 2}


def test_folding_finds_shapes_that_inference_alone_does_not():
    body = """g (float[2,3] x) => (y) <int64[2] p = {3, 2}> {
        c = Sqrt(x) s = Shape(x) f = Cast<to = 1>(s) h = Sqrt(f) q = Mul(h, h) i = Round(q) t = Cast<to = 7>(i)
        u = Expand(c, t) v = Shape(u) y = Reshape(u, v)
    }"""
    prepared = prepare(read_model(model(body)), ALL)
    assert prepared.graph.outputs[0].shape == (2, 3)


def test_weights_made_by_constant_of_shape_are_filled_while_building():
    body = "g (float[1] x) => (float[1024,4096] y) <int64[2] s = {1024, 4096}> { z = ConstantOfShape(s) y = Add(x, z) }"
    assert ops_after(model(body)) == {"Add": 1}


def test_random_operators_are_not_folded():
    body = "g (float[2] x) => (float[2] y) { z = RandomNormal<shape = [2]>() y = Add(x, z) }"
    assert "RandomNormal" in Counter(node.op_type for node in prepare(read_model(model(body)), ALL).graph)


def test_nodes_that_nobody_reads_and_their_weights_are_removed():
    prepared = prepare(
        read_model(
            model("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { z = Add(x, w) y = Relu(x) }")
        ),
        ALL,
    )
    assert [node.op_type for node in prepared.graph] == ["Relu"] and not prepared.graph.initializers


def test_nodes_that_change_nothing_are_removed():
    body = """g (float[2,3] x) => (float[2,3] y) <int64[2] s = {2, 3}> {
        a = Identity(x) b = Dropout(a) c = Cast<to = 1>(b) d = Reshape(c, s) e = Transpose<perm = [0, 1]>(d)
        f = Concat<axis = 0>(e) h = Expand(f, s) y = Relu(h)
    }"""
    assert assert_same(model(body), x=normal(2, 3)) == {"Relu": 1}


def test_nodes_that_change_something_stay():
    body = "g (float[3,3] x) => (float[3,3] y) { a = Transpose(x) y = Relu(a) }"
    assert assert_same(model(body), x=normal(3, 3)) == {"Transpose": 1, "Relu": 1}


@pytest.mark.parametrize(
    ("producer", "weight", "x"),
    [
        ("Conv<group = 2>(x, w, c)", normal(6, 2, 3, 3), normal(1, 4, 5, 5)),
        ("Conv(x, w)", normal(6, 4, 1, 1), normal(2, 4, 5, 5)),
        ("ConvTranspose<group = 2>(x, w, c)", normal(4, 3, 3, 3), normal(1, 4, 5, 5)),
        ("Gemm<alpha = 0.5, beta = 2.0>(x, w, c)", normal(4, 6), normal(3, 4)),
        ("Gemm<transB = 1>(x, w)", normal(6, 4), normal(3, 4)),
    ],
)
def test_batch_norm_goes_into_the_weights_before_it(producer, weight, x):
    shape = ",".join(map(str, x.shape))
    body = f"g (float[{shape}] x) => (y) {{ z = {producer} y = BatchNormalization<epsilon = 0.1>(z, s, b, m, v) }}"
    proto = with_weights(
        model(body), w=weight, c=normal(6), s=normal(6), b=normal(6), m=normal(6), v=np.abs(normal(6))
    )
    left = assert_same(proto, x=x)
    assert left == {producer.partition("(")[0].partition("<")[0]: 1}


def test_batch_norm_alone_becomes_a_product_and_a_sum():
    body = "g (float[2,3,4] x) => (y) { y = BatchNormalization(x, s, b, m, v) }"
    proto = with_weights(model(body), s=normal(3), b=normal(3), m=normal(3), v=np.abs(normal(3)))
    assert assert_same(proto, x=normal(2, 3, 4)) == {"Mul": 1, "Add": 1}


@pytest.mark.parametrize(
    ("op", "const"),
    [("Mul", normal(6, 1, 1)), ("Add", normal(1, 6, 1, 1)), ("Sub", normal(1)), ("Div", normal(6, 1, 1))],
)
def test_channel_constants_go_into_the_weights_before_them(op, const):
    proto = with_weights(
        model(f"g (float[1,4,5,5] x) => (y) {{ z = Conv(x, w) y = {op}(z, k) }}"),
        w=normal(6, 4, 3, 3),
        k=const,
    )
    assert assert_same(proto, x=normal(1, 4, 5, 5)) == {"Conv": 1}


@pytest.mark.parametrize("const", [normal(3), normal(3, 1), normal(2, 6, 3, 3)])
def test_constants_along_other_axes_stay(const):
    proto = with_weights(
        model("g (float[1,4,5,5] x) => (y) { z = Conv(x, w) y = Mul(z, k) }"), w=normal(6, 4, 3, 3), k=const
    )
    assert assert_same(proto, x=normal(1, 4, 5, 5)) == {"Conv": 1, "Mul": 1}


def test_a_result_that_others_read_too_keeps_its_weights():
    proto = with_weights(
        model("g (float[1,4,5,5] x) => (y, z) { z = Conv(x, w) y = Mul(z, k) }"),
        w=normal(6, 4, 3, 3),
        k=normal(6, 1, 1),
    )
    assert assert_same(proto, x=normal(1, 4, 5, 5)) == {"Conv": 1, "Mul": 1}


@pytest.mark.parametrize("condition", [0, 1])
def test_a_known_branch_takes_the_place_of_its_if(condition):
    body = f"""g (float[2] x) => (float[2] y) {{
        c = Constant<value = bool {{{condition}}}>()
        y = If(c) <then_branch = a () => (float[2] t) {{ t = Relu(x) }}, else_branch = b () => (float[2] e) {{ e = Exp(x) }}>
    }}"""
    left = assert_same(model(body), x=np.array([-1, 1], np.float32))
    assert left["Relu" if condition else "Exp"] == 1 and "If" not in left


@pytest.mark.parametrize("shape", ["", "[1]", "[1,1]"])
@pytest.mark.parametrize("condition", [False, True])
def test_both_branches_of_an_unknown_condition_are_computed(shape, condition):
    """Also where one of them, with its constants, reads what the other would make of an empty place, and where Ifs are nested."""
    body = f"""g (bool{shape} c, float[3] x) => (float[3] y, int64[2] n, float z) {{
        y, n, z = If(c) <
            then_branch = a () => (float[3] t, int64[2] k, float s) <int64[2] three = {{3, 4}}> {{ k = Identity(three)
                positive = Greater(x, zero) any = ReduceMax<keepdims = 0>(x) large = Greater(any, zero)
                t = If(large) <
                    then_branch = aa () => (float[3] w) {{ w = Sqrt(x) }}, else_branch = ab () => (float[3] v) {{ v = Neg(x) }}
                > s = ReduceSum<keepdims = 0>(x) }},
            else_branch = b () => (float[3] t, int64[2] k, float s) <int64[2] seven = {{7, 8}}> {{ k = Identity(seven)
                t = Div(x, zero) s = Identity(zero) }}
        >
    }}"""
    proto = with_weights(model(body), zero=np.array(0, np.float32))
    for x in (np.array([1, 2, 3], np.float32), np.array([-1, -2, -3], np.float32)):
        left = assert_same(proto, c=np.full({"": (), "[1]": 1, "[1,1]": (1, 1)}[shape], condition), x=x)
        assert "If" not in left and left["Where"] == 4 and left["Sqrt"] == left["Neg"] == left["Div"] == 1


@pytest.mark.parametrize("known", [False, True])
def test_a_weight_may_be_the_result_of_a_branch(known):
    body = """g (bool c) => (float[2] y) {
        y = If(c) <
            then_branch = a () => (float[2] t) <float[2] t = {1, 2}> { },
            else_branch = b () => (float[2] e) <float[2] e = {3, 4}> { }>
    }"""
    for c in (np.array(True), np.array(False)):
        (y,) = run(model(body), {"c": c}) if known else run(model(body), c=c)
        assert y.tolist() == ([1, 2] if c else [3, 4])


def test_a_branch_is_left_out_once_inlining_tells_which_is_taken():
    """Not joined before a loop is written out, whose number the condition asks for."""
    body = """g (float[2] x) => (float[2] y) <int64 trips = {3}, bool go = {1}> {
        y = Loop <body = b (int64 i, bool c, float[2] s) => (bool c1, float[2] s1) {
            c1 = Identity(c) one = Constant<value = int64 {1}>() first = Less(i, one)
            s1 = If(first) <then_branch = t () => (float[2] a) { a = Exp(s) }, else_branch = e () => (float[2] a) { a = Sin(s) }>
        }>(trips, go, x)
    }"""
    left = assert_same(model(body), x=normal(2))
    assert left["Exp"] == 1 and left["Sin"] == 2 and "Where" not in left


def test_many_branches_each_of_which_waits_for_the_shape_of_the_one_before():
    """What `squeeze` becomes where exporters do not know a shape."""
    nodes = [
        f"""s{n} = Shape(v{n})  d{n} = Gather(s{n}, last)  is{n} = Equal(d{n}, one)
        v{n + 1} = If(is{n}) <then_branch = a () => (t{n}) {{ t{n} = Squeeze(v{n}, axes) }},
                              else_branch = b () => (e{n}) {{ e{n} = Neg(v{n}) }}>"""
        for n in range(40)
    ]
    weights = "int64 last = {-1}, int64 one = {1}, int64[1] axes = {-1}"
    proto = model(f"g (float[2, 3] v0) => (float[2, 3] y) <{weights}> {{ {'  '.join(nodes)}  y = Exp(v40) }}")
    assert ops_after(proto) == {"Neg": 40, "Exp": 1}


def test_functions_of_the_model_are_inlined():
    text = """<ir_version: 8, opset_import: ["": 17, "my": 1]>
    g (float[2] x) => (float[2] y) { z = my.twice(x) y = my.twice(z) }
    <domain: "my", opset_import: ["": 17]> twice (a) => (b) { b = Add(a, a) }"""
    assert assert_same(onnx.parser.parse_model(text), x=normal(2)) == {"Add": 2}


def test_a_function_that_calls_itself_is_refused():
    text = """<ir_version: 8, opset_import: ["": 17, "my": 1]>
    g (float[2] x) => (float[2] y) { y = my.f(x) }
    <domain: "my", opset_import: ["": 17, "my": 1]> f (a) => (b) { c = my.f(a) b = Relu(c) }"""
    with pytest.raises(ModelError):
        prepare(read_model(onnx.parser.parse_model(text)), ALL)


def test_an_operator_that_ingot_lacks_is_replaced_by_its_definition():
    operators = tuple(one for one in ALL if one.name not in ("LayerNormalization", "Gelu"))
    proto = with_weights(
        model("g (float[2,3] x) => (float[2,3] y) { z = LayerNormalization(x, s) y = Gelu(z) }", opset=20),
        s=normal(3),
    )
    prepared = prepare(read_model(proto), operators)
    x = normal(2, 3)
    got = ReferenceEvaluator(ir.to_proto(prepared)).run(None, {"x": x})[0]
    assert not {"LayerNormalization", "Gelu"} & {node.op_type for node in prepared.graph}
    np.testing.assert_allclose(got, ReferenceEvaluator(proto).run(None, {"x": x})[0], rtol=1e-4, atol=1e-5)
