"""Strassen's algorithm gives what the definition of a matrix product gives, within a stated error, and only where it may."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llvmlite import binding as llvm

import ingot
from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.register_block import Tile
from ingot.kernels.matmul.matmul import matmul_template
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.matmul.strassen import STRASSEN, build_strassen
from ingot.kernels.template import Site
from ingot.loops.interpret import run
from ingot.loops.nodes import Kernel, buffer
from ingot.loops.verify import verify
from tests.kernels.algorithms import pays
from tests.support import machines
from tests.support.models import model

VECTORS = replace(machines.VECTORS, prefetch=True, math="normwise")
# Tiles are faster where there are some, and pairs of terms where sums cost nothing beside multiply-adds.
NATIVE = (
    "llvm -mcpu=x86-64-v3"
    if llvm.get_host_cpu_features().get("avx2")
    else "llvm -mcpu=native -mattr=-amx-bf16"
)


def types(rows, depth, columns, lead=()):
    a, y = ((*lead, rows, columns_) for columns_ in (depth, columns))
    return tuple(TensorType(DType.FLOAT32, shape) for shape in (a, (depth, columns), y))


def site_of(shapes, weights, machine=VECTORS, strides=None):
    a, b, y = shapes
    inputs = [buffer("a", DType.FLOAT32, a.shape, strides), buffer("b", DType.FLOAT32, b.shape)]
    return Site(machine, inputs, [buffer("y", DType.FLOAT32, y.shape)], [None, weights])


def interpreted(site, body, a):
    """The output of a kernel that packed its weights, in the interpreter; memory it did not write is NaN."""
    packed, array = site.packed[1]
    inputs, outputs = (site.input(0), packed), site.outputs
    kernel = Kernel("tested", inputs, outputs, tuple(body), tuple(site.workspaces))
    verify(kernel)
    memory = {packed.name: array.ravel(), "a": a}
    for each in (*outputs, *site.workspaces):
        memory[each.name] = np.full(each.span, np.nan, np.float32)
    run(kernel, memory)
    return memory["y"].reshape(outputs[0].shape)


def normal(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@settings(max_examples=12)
@given(
    st.integers(1, 23),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from([Tile(1, 1, 4), Tile(2, 2, 4), Tile(3, 1, 4)]),
    st.sampled_from([(), (1,), (1, 1)]),
    st.booleans(),
)
def test_seven_products_give_what_eight_give(half, depths, pairs, tile, lead, by_columns):
    rows, depth, columns = 2 * half, 8 * depths, 2 * pairs * tile.columns
    shapes = types(rows, depth, columns, lead)
    a, w = normal(rows, depth), normal(depth, columns)
    strides = (*(0 for _ in lead), 1, rows) if by_columns else None
    site = site_of(shapes, w, strides=strides)
    body = build_strassen(site, MatMul(*shapes), tile)
    result = interpreted(site, body, (a.T if by_columns else a).copy().ravel())
    expected = (a.astype(np.float64) @ w).reshape(result.shape)
    np.testing.assert_allclose(result, expected, rtol=0, atol=2e-5)


SHAPE = (128, 512, 512)


def test_it_is_chosen_for_many_rows_and_the_template_then_computes_with_it():
    shapes = types(*SHAPE)
    site = site_of(shapes, normal(512, 512))
    matmul_template(*shapes).build(site)
    assert site.chosen["matmul"] == "strassen"
    assert [made.name for made in site.workspaces] == ["sums", "factors", "partial"]


@pytest.mark.parametrize(
    ("shape", "machine", "constant"),
    [
        pytest.param(SHAPE, replace(VECTORS, math="exact"), True, id="exact math is asked for"),
        pytest.param(SHAPE, replace(VECTORS, math="fast"), True, id="nothing is asked for"),
        pytest.param(SHAPE, replace(machines.SCALARS, math="normwise"), True, id="no vectors"),
        pytest.param(SHAPE, replace(VECTORS, l2_bytes=0), True, id="no cache"),
        pytest.param(
            SHAPE, replace(VECTORS, l2_bytes=8 << 10), True, id="a left operand larger than the caches"
        ),
        pytest.param(SHAPE, VECTORS, False, id="weights are not constant"),
        pytest.param((127, 512, 512), VECTORS, True, id="an odd row"),
        pytest.param((128, 508, 512), VECTORS, True, id="a depth that is no multiple of eight"),
        pytest.param((128, 512, 511), VECTORS, True, id="an odd column"),
        pytest.param((128, 512, 502), VECTORS, True, id="halves that are no whole vectors"),
        pytest.param((16, 512, 512), VECTORS, True, id="few rows"),
        pytest.param((128, 16, 512), VECTORS, True, id="short sums"),
        pytest.param((0, 512, 512), VECTORS, True, id="nothing"),
    ],
)
def test_the_definition_is_computed_where(shape, machine, constant):
    shapes = types(*shape)
    weights = normal(*shape[1:]) if constant else None
    assert not pays(STRASSEN, site_of(shapes, weights, machine), MatMul(*shapes))


def test_doubles_are_summed_by_definition():
    shapes = tuple(TensorType(DType.FLOAT64, one.shape) for one in types(*SHAPE))
    assert not pays(STRASSEN, site_of(shapes, normal(512, 512).astype(np.float64)), MatMul(*shapes))


def network():
    """A product, with a bias, a function that takes long and a residual behind it."""
    proto = model(
        """g (float[128,512] x, float[128,512] r) => (float[128,512] y)
        { p = MatMul(x, w) b = Add(p, c) e = Erf(b) y = Add(e, r) }"""
    )
    w, c = normal(512, 512) / 16, normal(512)
    proto.graph.initializer.extend(
        [onnx.numpy_helper.from_array(w, "w"), onnx.numpy_helper.from_array(c, "c")]
    )
    return proto


def test_the_error_is_at_most_a_few_times_that_of_the_definition_and_threads_change_nothing():
    proto = model("g (float[128,512] x) => (float[128,512] y) { p = MatMul(x, w) y = Add(p, c) }")
    w, c = normal(512, 512), normal(512)
    proto.graph.initializer.extend(
        [onnx.numpy_helper.from_array(w, "w"), onnx.numpy_helper.from_array(c, "c")]
    )
    x = np.random.default_rng(3).standard_normal((128, 512)).astype(np.float32)
    expected = x.astype(np.float64) @ w + c
    scale = np.sqrt((expected**2).mean())
    error, results = {}, {}
    for math in ("normwise", "exact"):
        factory = ingot.build(proto, NATIVE, cache=None, math=math).load()["g"]
        results[math] = factory(ingot.cpu(0), threads=1).predict(x=x)
        assert np.array_equal(results[math], factory(ingot.cpu(0), threads=2).predict(x=x))
        error[math] = np.abs(results[math] - expected).max() / scale
    assert not np.array_equal(results["normwise"], results["exact"])
    assert error["exact"] < 5e-6
    assert error["normwise"] < 1.5e-5


def test_by_default_an_element_of_a_row_takes_no_digits_of_another():
    """Trained language models have single elements thousands of times larger than the rest."""
    random = np.random.default_rng(4)
    w, x = (0.3 * random.standard_normal(shape).astype(np.float32) for shape in ((512, 512), (128, 512)))
    x[0, 5] = 3000
    proto = model("g (float[128,512] x) => (float[128,512] y) { y = MatMul(x, w) }")
    proto.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    expected = x.astype(np.float64) @ w
    off = {}
    for math in ("fast", "normwise"):
        y = ingot.build(proto, NATIVE, cache=None, math=math).load()["g"](ingot.cpu(0)).predict(x=x)
        off[math] = (np.abs(y - expected) / (1e-5 + 1e-4 * np.abs(expected)))[1:].max()
    assert off["fast"] <= 1
    assert off["normwise"] > 1  # what its documentation warns of


def test_what_is_fused_behind_a_product_is_done_once_for_each_result():
    proto = network()
    feeds = {"x": normal(128, 512), "r": normal(512, 128).T.copy()}
    quick, exact = (
        ingot.build(proto, NATIVE, cache=None, math=math).load()["g"](ingot.cpu(0)).predict(**feeds)
        for math in ("normwise", "exact")
    )
    assert not np.array_equal(quick, exact)
    np.testing.assert_allclose(quick, exact, rtol=0, atol=5e-5)
