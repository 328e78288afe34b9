"""Functions of one code are tables, exact for every code."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from onnx import ModelProto, TensorProto
from onnx.reference import ReferenceEvaluator

import ingot
from ingot.graph.prepare import prepare
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.quantized import Builder

KIND = {np.uint8: TensorProto.UINT8, np.int8: TensorProto.INT8}


def kinds(model: ModelProto) -> Counter[str]:
    return Counter(node.op_type for node in prepare(read_model(model), ALL).graph)


def of_all_codes(make, dtype: type) -> tuple[ModelProto, np.ndarray]:  # type: ignore[no-untyped-def]
    of = Builder(dtype=dtype)
    zero = int(np.iinfo(dtype).min) + 100
    result = make(of, of.dequantize("x", 0.03, zero), zero)
    model = of.model({"x": (KIND[dtype], (2, 128))}, [of.quantize(result, 0.02, zero)])
    return model, np.arange(256, dtype=np.uint8).view(dtype).reshape(2, 128)


def _gelu(of: Builder, x: str, zero: int) -> str:
    """As quantisers write it: codes between all operators."""
    erf = of.steps(
        of.op("Erf", of.steps(of.op("Div", x, of.constant(1.4142135, np.float32)), 0.02, zero)), 0.01, zero
    )
    one = of.steps(of.op("Add", erf, of.constant([1.0], np.float32)), 0.01, zero)
    return of.op("Mul", of.op("Mul", x, one), of.constant(0.5, np.float32))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize(
    "make",
    [
        lambda of, x, _: of.op("Sigmoid", x),
        lambda of, x, _: of.op("Mul", x, of.op("Tanh", of.op("Exp", x))),
        _gelu,
    ],
)
def test_a_function_of_one_code_is_a_table(make, dtype: type) -> None:  # type: ignore[no-untyped-def]
    model, x = of_all_codes(make, dtype)
    assert kinds(model) == {"Cast": 1, "Gather": 1}
    answer = ingot.build(model, "interp", name="m").load()["m"](ingot.cpu(0)).predict({"x": x})
    np.testing.assert_array_equal(answer, ReferenceEvaluator(model).run(None, {"x": x})[0])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize(("operator", "at_zero"), [("Reciprocal", "max"), ("Log", "min")])
def test_an_infinity_in_a_table_is_the_last_code_on_its_side(
    operator: str, at_zero: str, dtype: type
) -> None:
    model, x = of_all_codes(lambda of, x, _: of.op(operator, x), dtype)
    assert kinds(model) == {"Cast": 1, "Gather": 1}
    answer = ingot.build(model, "interp", name="m").load()["m"](ingot.cpu(0)).predict({"x": x})
    zero = int(np.iinfo(dtype).min) + 100
    assert answer[x == zero] == getattr(np.iinfo(dtype), at_zero)
    if operator == "Log":
        assert (answer[x < zero] == np.iinfo(dtype).min).all()  # as a kernel has what is no number


@pytest.mark.parametrize(
    "make",
    [
        lambda of, x, _: of.op("Relu", of.op("Mul", x, of.constant(2.0, np.float32))),
        lambda of, x, _: of.op("Sigmoid", of.op("Add", x, of.constant(np.linspace(-2, 2, 128), np.float32))),
        lambda of, x, _: of.op("Softmax", x),
    ],
    ids=["cheap", "of the position too", "of the neighbours too"],
)
def test_other_functions_are_computed(make) -> None:  # type: ignore[no-untyped-def]
    model, x = of_all_codes(make, np.uint8)
    assert "Gather" not in kinds(model)
    answer = ingot.build(model, "interp", name="m").load()["m"](ingot.cpu(0)).predict({"x": x})
    assert np.abs(answer.astype(int) - ReferenceEvaluator(model).run(None, {"x": x})[0]).max() <= 1


@pytest.mark.parametrize(("factor", "vanishes"), [(2 / 3, True), (0.6, False)])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_a_scale_that_the_steps_of_the_result_follow_is_nothing(
    dtype: type, factor: float, vanishes: bool
) -> None:
    def scaled(of: Builder, x: str, zero: int) -> str:
        return of.op("Softmax", of.steps(of.op("Mul", x, of.constant(factor, np.float32)), 0.02, zero))

    model, x = of_all_codes(scaled, dtype)
    assert ("Mul" not in kinds(model)) == vanishes
    answer = ingot.build(model, "interp", name="m").load()["m"](ingot.cpu(0)).predict({"x": x})
    assert np.abs(answer.astype(int) - ReferenceEvaluator(model).run(None, {"x": x})[0]).max() <= 1


def test_an_output_of_the_model_keeps_its_function() -> None:
    model, x = of_all_codes(lambda of, x, _: of.op("Mul", x, of.constant(2 / 3, np.float32)), np.uint8)
    answer = ingot.build(model, "interp", name="m").load()["m"](ingot.cpu(0)).predict({"x": x})
    np.testing.assert_array_equal(answer, x)


def test_a_function_of_two_codes_is_computed() -> None:
    of = Builder()
    y = of.op("Sigmoid", of.op("Add", of.dequantize("x", 0.03, 100), of.dequantize("z", 0.02, 100)))
    shape = (TensorProto.UINT8, (4,))
    assert "Gather" not in kinds(of.model({"x": shape, "z": shape}, [of.quantize(y, 0.01, 0)]))


@pytest.mark.parametrize("opset", [13, 21])
def test_constants_between_codes_are_folded_in_every_opset(opset: int) -> None:
    of = Builder()
    weights = of.steps(of.constant(np.linspace(-1, 3, 5), np.float32), 0.02, 30)
    model = of.model({"x": (TensorProto.FLOAT, (4, 5))}, [of.op("Mul", "x", weights)])
    model.opset_import[0].version = opset
    assert kinds(model) == {"Mul": 1}
    x = np.ones((4, 5), np.float32)
    model.opset_import[0].version = 21
    expected = ReferenceEvaluator(model).run(None, {"x": x})[0]
    model.opset_import[0].version = opset
    answer = ingot.build(model, "interp", name="m").load()["m"](ingot.cpu(0)).predict({"x": x})
    np.testing.assert_array_equal(answer, expected)
