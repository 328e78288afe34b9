"""What becomes an integer operator, what stays float, and that both mean what the model says."""

from __future__ import annotations

import platform
from collections import Counter

import numpy as np
import onnx_ir as ir
import pytest
from onnx import ModelProto, TensorProto
from onnx.reference import ReferenceEvaluator

import ingot
from ingot.graph.prepare import prepare
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.kernel_llvm import BASELINE
from tests.support.quantized import Builder, network

FLOAT = TensorProto.FLOAT
WITHOUT_DOTS = ["llvm -mcpu=native -mattr=-avx512vnni,-avxvnni"] if platform.machine() == "x86_64" else []
IMAGE = {"x": (FLOAT, (1, 8, 6, 5))}


def prepared(model: ModelProto) -> ir.Model:
    return prepare(read_model(model), ALL)


def kinds(model: ModelProto) -> Counter[str]:
    return Counter(node.op_type for node in prepared(model).graph)


def answer(model: ModelProto, x: np.ndarray, target: str = "interp") -> np.ndarray:
    library = ingot.build(model, target, name="q").load()
    return np.asarray(library["q"](ingot.cpu(0)).predict({"x": x}))


def normal(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(5).standard_normal(shape).astype(np.float32)


def within_a_step(model: ModelProto, x: np.ndarray) -> None:
    expected = ReferenceEvaluator(model).run(None, {"x": x})[0]
    steps = answer(model, x).astype(np.int64) - expected.astype(np.int64)
    assert np.abs(steps).max() <= 1 and np.count_nonzero(steps) <= max(1, steps.size // 100)


def convolution(of: Builder, *, bias: str | None = None, activation: str = "", scale: float = 0.02) -> str:
    x = of.steps("x", scale, 7)
    y = of.op("Conv", x, of.weights(6, 8, 3, 3, axis=0), *([bias] if bias else []), pads=[1] * 4)
    return of.quantize(of.op(activation, y) if activation else y, 0.05, 100)


def test_a_convolution_between_codes_is_one_operator() -> None:
    of = Builder()
    model = of.model(IMAGE, [convolution(of, bias=of.bias(6, 0.0002))])
    assert kinds(model) == {"QuantizeLinear": 1, "QLinearConv": 1}
    within_a_step(model, normal((1, 8, 6, 5)))


def test_an_activation_becomes_bounds_of_the_codes() -> None:
    of = Builder()
    model = of.model(IMAGE, [convolution(of, activation="Relu")])
    (clip,) = [node for node in prepared(model).graph if node.op_type == "Clip"]
    assert [value.const_value.numpy().item() for value in clip.inputs[1:]] == [100, 255]
    within_a_step(model, normal((1, 8, 6, 5)))
    assert answer(model, normal((1, 8, 6, 5))).min() == 100


def test_a_bound_that_all_codes_keep_vanishes() -> None:
    of = Builder()
    y = of.op("Conv", of.steps("x", 0.02, 7), of.weights(6, 8, 3, 3))
    model = of.model(IMAGE, [of.quantize(of.op("Relu", y), 0.05, 0)])
    assert kinds(model) == {"QuantizeLinear": 1, "QLinearConv": 1}


def test_a_result_that_stays_real_is_computed_from_exact_sums() -> None:
    of = Builder()
    bias = of.constant(of.random.standard_normal(6), np.float32)
    y = of.op("Conv", of.steps("x", 0.02, 7), of.weights(6, 8, 3, 3, axis=0), bias, pads=[1] * 4)
    model = of.model(IMAGE, [of.op("Tanh", y)])
    assert kinds(model)["ConvInteger"] == 1 and "Conv" not in kinds(model)
    x = normal((1, 8, 6, 5))
    np.testing.assert_allclose(
        answer(model, x), ReferenceEvaluator(model).run(None, {"x": x})[0], rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("transposed", [False, True])
def test_a_matrix_product_takes_its_bias_into_the_sums(transposed: bool) -> None:
    of = Builder()
    weights = of.weights(*((9, 7) if transposed else (7, 9)), axis=0 if transposed else 1)
    y = of.op("Gemm", of.steps("x", 0.02, 7), weights, of.bias(9, 0.0002), transB=int(transposed))
    model = of.model({"x": (FLOAT, (3, 7))}, [of.quantize(y, 0.05, 100)])
    assert kinds(model)["MatMulInteger"] == 1 and "Gemm" not in kinds(model)
    within_a_step(model, normal((3, 7)))


def test_the_prepared_model_is_onnx_and_means_the_same() -> None:
    model = network()
    x = normal((1, 3, 11, 13))
    expected = ReferenceEvaluator(model).run(None, {"x": x})[0].astype(np.int64)
    got = ReferenceEvaluator(ir.to_proto(prepared(model))).run(None, {"x": x})[0].astype(np.int64)
    assert np.abs(got - expected).max() <= 1


def test_movement_is_done_on_codes() -> None:
    of = Builder()
    y = of.op("MaxPool", of.op("Transpose", of.steps("x", 0.02, 7), perm=[0, 1, 3, 2]), kernel_shape=[2, 2])
    model = of.model(IMAGE, [of.quantize(y, 0.02, 7)])
    prepared_model = prepared(model)
    pool = next(node for node in prepared_model.graph if node.op_type == "MaxPool")
    assert pool.outputs[0].dtype == ir.DataType.UINT8
    within_a_step(model, normal((1, 8, 6, 5)))


def _product(of: Builder, x: str = "x") -> str:
    return of.op("MatMul", of.steps(x, 0.02, 7), of.op("Transpose", of.steps(x, 0.03, 90), perm=[1, 0]))


def test_a_product_of_two_activations_is_one_operator_if_it_is_quantised() -> None:
    of = Builder()
    model = of.model({"x": (FLOAT, (5, 6))}, [of.quantize(_product(of), 0.05, 100)])
    assert kinds(model)["QLinearMatMul"] == 1
    assert kinds(model)["MatMul"] == 0
    within_a_step(model, normal((5, 6)))


def test_a_product_whose_sums_may_leave_32_bits_stays_float() -> None:
    for depth, integer in ((33025, 1), (33026, 0)):  # 33026 * 255 * 255 > 2^31
        of = Builder()
        model = of.model({"x": (FLOAT, (1, depth))}, [of.quantize(_product(of), 0.05, 100)])
        assert kinds(model)["QLinearMatMul"] == integer
        of = Builder()
        weights = of.dequantize(of.constant(np.full((depth, 1), 255), np.uint8), 0.01, 0)
        model = of.model(
            {"x": (FLOAT, (1, depth))},
            [of.quantize(of.op("MatMul", of.steps("x", 0.02, 7), weights), 0.05, 100)],
        )
        assert kinds(model)["QLinearMatMul"] == integer


@pytest.mark.parametrize(("scale", "of_result"), [(1e20, 1e38), (1e-21, 1e-38), (1.0, 1e-39), (1e-15, 0.05)])
@pytest.mark.parametrize("constant", [False, True])
def test_a_product_stays_float_whose_scales_make_no_float_of_full_precision(
    scale: float, of_result: float, constant: bool
) -> None:
    of = Builder()
    x = of.steps("x", scale, 7)
    y = of.op("MatMul", x, of.weights(5, 5, scale=scale) if constant else of.op("Transpose", x, perm=[1, 0]))
    model = of.model({"x": (FLOAT, (5, 5))}, [of.quantize(y, of_result, 100)])
    assert ("QLinearMatMul" in kinds(model)) == (scale == 1e-15)
    np.testing.assert_array_equal(answer(model, np.zeros((5, 5), np.float32)), np.full((5, 5), 100))


def attention(dtype: type) -> ModelProto:
    """Two heads of 9 rows and 6 elements, codes between all operators."""
    of = Builder(dtype=dtype)
    zero = int(np.iinfo(dtype).min)
    q, k, v = (
        of.steps("x", 0.02, zero + 120),
        of.steps("x", 0.03, zero + 90),
        of.steps("x", 0.025, zero + 140),
    )
    scores = of.steps(of.op("MatMul", q, of.op("Transpose", k, perm=[0, 2, 1])), 0.05, zero + 100)
    scaled = of.steps(of.op("Mul", scores, of.constant(0.4, np.float32)), 0.02, zero + 100)
    weights = of.steps(of.op("Softmax", scaled), 1 / 255, zero)
    return of.model({"x": (FLOAT, (2, 9, 6))}, [of.quantize(of.op("MatMul", weights, v), 0.02, zero + 130)])


@pytest.mark.cc
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_attention_between_codes_multiplies_codes_and_gives_the_same_bytes_everywhere(dtype: type) -> None:
    model, x = attention(dtype), normal((2, 9, 6))
    assert kinds(model)["QLinearMatMul"] == 2
    expected = answer(model, x)
    assert len(np.unique(expected)) > 20
    reference = ReferenceEvaluator(model).run(None, {"x": x})[0].astype(np.int64)
    assert np.abs(expected.astype(np.int64) - reference).max() <= 1
    for target in ("c", "llvm", BASELINE, *WITHOUT_DOTS):
        np.testing.assert_array_equal(answer(model, x, target), expected, err_msg=target)


def _real_product(of: Builder) -> str:
    return of.op("Softmax", of.op("MatMul", of.steps("x", 0.02, 7), of.steps("x", 0.02, 7)))


def _scales_of_columns(of: Builder) -> str:
    columns = of.constant(np.linspace(0.01, 0.03, 5), np.float32), of.constant(np.full(5, 7), np.uint8)
    codes = of.op("QuantizeLinear", "x", *columns, axis=1)
    return of.op("MatMul", of.steps("x", 0.02, 7), of.op("DequantizeLinear", codes, *columns, axis=1))


def _weights_of_another_axis(of: Builder) -> str:
    return of.op("MatMul", of.steps("x", 0.02, 7), of.weights(5, 5, axis=0))


def _large_bias(of: Builder) -> str:
    bias = of.op("DequantizeLinear", of.constant([2**31 - 1] * 5, np.int32), of.constant(0.0002, np.float32))
    return of.op("Add", of.op("MatMul", of.steps("x", 0.02, 7), of.weights(5, 5)), bias)


def _words_of_16_bits(of: Builder) -> str:
    of.dtype = np.dtype(np.uint16)
    codes = of.steps("x", 0.02, 7)
    of.dtype = np.dtype(np.uint8)
    return of.op("MatMul", codes, of.weights(5, 5))


@pytest.mark.parametrize(
    "make", [_real_product, _scales_of_columns, _weights_of_another_axis, _large_bias, _words_of_16_bits]
)
def test_what_is_not_handled_stays_float_and_right(make) -> None:  # type: ignore[no-untyped-def]
    of = Builder()
    model = of.model({"x": (FLOAT, (5, 5))}, [of.quantize(make(of), 0.05, 100)])
    assert kinds(model)["MatMul"] == 1
    within_a_step(model, normal((5, 5)))


def test_codes_whose_numbers_are_infinite_are_not_given_back() -> None:
    """Codes further than one step from the zero point are infinite numbers, which are the first or the last code."""
    of = Builder()
    model = of.model(
        {"x": (TensorProto.UINT8, (4,))},
        [of.op("Identity", of.quantize(of.dequantize("x", 3e38, 10), 3e38, 10))],
    )
    assert answer(model, np.array([0, 9, 11, 12], np.uint8)).tolist() == [0, 9, 11, 255]


def test_a_product_without_a_bias_that_rounds_well_stays_float() -> None:
    of = Builder()
    y = of.op(
        "Conv",
        of.steps("x", 0.02, 7),
        of.weights(6, 8, 3, 3, scale=0.9),
        of.constant(np.full(6, 0.01), np.float32),
    )
    model = of.model(IMAGE, [of.quantize(y, 0.05, 100)])
    assert kinds(model)["Conv"] == 1


@pytest.mark.parametrize("opset", [10, 11, 12])
def test_operators_that_take_no_codes_in_an_old_opset_get_none(opset: int) -> None:
    of = Builder()
    y = of.op("Relu", of.op("Conv", of.steps("x", 0.02, 7), of.weights(6, 8, 3, 3)))
    y = of.op("MaxPool", of.steps(y, 0.05, 100), kernel_shape=[2, 2])
    model = of.model(IMAGE, [of.quantize(y, 0.05, 100)])
    x = normal((1, 8, 6, 5))
    expected = ReferenceEvaluator(model).run(None, {"x": x})[0].astype(np.int64)
    model.opset_import[0].version = opset
    assert ("QLinearConv" in kinds(model)) == (opset >= 12)
    assert np.abs(answer(model, x) - expected).max() <= 1


@pytest.mark.cc
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_every_code_generator_gives_the_same_bytes(dtype: type) -> None:
    model, x = network(dtype), normal((1, 3, 11, 13))
    expected = answer(model, x)
    assert len(np.unique(expected)) > 3
    for target in ("c", "llvm", BASELINE, *WITHOUT_DOTS):
        np.testing.assert_array_equal(answer(model, x, target), expected, err_msg=target)
