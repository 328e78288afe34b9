"""NaN, infinities and empty tensors pass through a whole build as IEEE and ONNX say."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import ingot
from tests.support.models import model

NETWORK = """g (float[1,3,6,6] x) => (float[1,4] y, float[1,4,6,6] h)
{
    c = Conv<pads=[1,1,1,1]>(x, w, b)
    n = BatchNormalization(c, scale, bias, mean, var)
    h = Relu(n)
    p = GlobalAveragePool(h)
    f = Flatten(p)
    z = MatMul(f, m)
    y = Sigmoid(z)
}"""
SHAPES = {"w": (4, 3, 3, 3), "b": 4, "scale": 4, "bias": 4, "mean": 4, "var": 4, "m": (4, 4)}
CODEGENS = ["llvm", pytest.param("c", marks=pytest.mark.cc), "interp"]
pytestmark = pytest.mark.cc


def network():
    proto = model(NETWORK)
    rng = np.random.default_rng(3)
    for name, shape in SHAPES.items():
        array = np.abs(rng.standard_normal(shape)).astype(np.float32)
        proto.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return proto


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, np.float32(1e-42), np.float32(3e30)])
@pytest.mark.parametrize("target", CODEGENS)
def test_one_odd_value_reaches_what_it_should_and_nothing_else(target, odd):
    proto = network()
    x = np.linspace(-1, 1, 108, dtype=np.float32).reshape(1, 3, 6, 6)
    x[0, 1, 2, 3] = odd
    with np.errstate(all="ignore"):
        expected = ReferenceEvaluator(proto).run(None, {"x": x})
    got = ingot.build(proto, target, cache=None).load()["g"](ingot.cpu(0)).predict(x=x)
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_array_equal(np.isnan(mine), np.isnan(theirs))
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("target", CODEGENS)
def test_a_model_without_elements_runs(target):
    body = """g (float[0,3] x) => (float[0,2] y, float[2] s)
    <int64[1] axes = {0}, float[3,2] w = {1, 2, 3, 4, 5, 6}> { y = MatMul(x, w) s = ReduceSum<keepdims=0>(y, axes) }"""
    proto = model(body)
    y, s = (
        ingot.build(proto, target, cache=None)
        .load()["g"](ingot.cpu(0))
        .predict(x=np.empty((0, 3), np.float32))
    )
    assert y.shape == (0, 2)
    np.testing.assert_array_equal(s, np.zeros(2, np.float32))


@pytest.mark.parametrize("target", CODEGENS)
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_an_output_that_is_an_input_or_a_constant_keeps_its_name(target, executor):
    body = """g (float[3] x) => (float[3] x, float[3] w, float[3] x_) <float[3] w = {1, 2, 3}> { x_ = Add(x, w) }"""
    library = ingot.build(model(body), target, executor=executor, cache=None).load()
    info = library.models["g"]
    assert [tensor.name for tensor in info.inputs] == ["x"]
    assert [tensor.name for tensor in info.outputs] == ["x", "w", "x_"]
    run = library["g"](ingot.cpu(0))
    run.set_input(x=np.array([4, -5, 6], np.float32))
    run.run()
    assert {name: run.get_output(name).tolist() for name in ("x", "w", "x_")} == {
        "x": [4, -5, 6],
        "w": [1, 2, 3],
        "x_": [5, -3, 9],
    }


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_an_archive_has_test_vectors_for_an_output_that_is_an_input(executor, tmp_path):
    artifacts = ingot.build(
        model("g (float[3] x) => (float[3] x, float[3] y) { y = Neg(x) }"), "c", cache=None
    )
    artifacts.export_model_library_format(tmp_path / "g.tar", executor=executor)
    x, y = ingot.load(tmp_path / "g.tar")["g"](ingot.cpu(0)).predict(x=np.array([1, 2, 3], np.float32))
    assert x.tolist() == [1, 2, 3] and y.tolist() == [-1, -2, -3]


@pytest.mark.parametrize(
    "body",
    [
        "g (float[1,5,4,0] x, float[3,4] w) => (float[1,5,3,0] y) { m = MatMul(w, x) y = Softplus(m) }",
        "g (float[0,0,2,3] x) => (float[0,0,4,4] y) <int64[4] n = {0, 0, 4, 4}> { y = Resize(x, , , n) }",
        "g (float[2,3,0] x, float[0,4] w) => (float[2,3,4] y) { y = MatMul(x, w) }",
    ],
)
@pytest.mark.parametrize("target", CODEGENS)
def test_results_and_sums_of_nothing_are_empty_or_zero(target, body):
    executor = ingot.build(model(body), target, cache=None).load()["g"](ingot.cpu(0))
    result = executor.predict({tensor.name: np.ones(tensor.shape, np.float32) for tensor in executor.inputs})
    assert result.shape == executor.outputs[0].shape and not result.any()


@pytest.mark.parametrize("target", CODEGENS)
def test_lengths_and_diagonals_that_no_tensor_has_read_nothing_else(target):
    low, high = -(2**63), 2**63 - 1
    body = """g (float[3,40] x, int64[3] l, int64 k) => (float[3,40] y, float[3,40] z)
    { y = ReverseSequence<time_axis=1, batch_axis=0>(x, l) z = Trilu(x, k) }"""
    executor = ingot.build(model(body), target, cache=None).load()["g"](ingot.cpu(0))
    x = np.arange(120, dtype=np.float32).reshape(3, 40)
    y, z = executor.predict(x=x, l=np.array([low, 5, high]), k=np.array(high))
    np.testing.assert_array_equal(y, [x[0], [*x[1, 4::-1], *x[1, 5:]], x[2, ::-1]])
    assert not z.any()
    y, z = executor.predict(x=x, l=np.array([low + 7, -1, 1]), k=np.array(low))
    np.testing.assert_array_equal(y, x)
    np.testing.assert_array_equal(z, x)


@pytest.mark.parametrize("target", CODEGENS)
def test_a_product_that_wraps_is_no_multiple_of_its_factor(target):
    body = """g (int64 x) => (int64[1] y, int64[1] z) <int64 three = {3}, int64[1] zero = {0}>
    { a = Mul(x, three) b = Max(a, zero) y = Mod(b, three) z = Div(b, three) }"""
    executor = ingot.build(model(body), target, cache=None).load()["g"](ingot.cpu(0))
    y, z = executor.predict(x=np.array((2**64 + 2) // 3))  # three times that is 2
    assert (y.tolist(), z.tolist()) == ([2], [0])


@pytest.mark.parametrize("target", CODEGENS)
def test_a_constant_half_is_an_exponent_as_one_at_run_time_is(target):
    x = np.array([-np.inf, np.inf, -0.0, 0.0, 4, 2, -1, np.nan] * 5, np.float32)
    body = """g (float[40] x, float[40] h) => (float[40] y, float[40] z) <float half = {0.5}>
    { y = Pow(x, half) z = Pow(x, h) }"""
    executor = ingot.build(model(body), target, cache=None).load()["g"](ingot.cpu(0))
    y, z = executor.predict(x=x, h=np.full(40, 0.5, np.float32))
    np.testing.assert_allclose(y, z, rtol=1e-6)
    np.testing.assert_array_equal(np.signbit(y[:6]), False)
