"""Builds models of QuantizeLinear and DequantizeLinear around float operators, as quantisers write them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper


class Builder:
    """Collects nodes; every method returns the name of a value."""

    def __init__(self, seed: int = 0, dtype: type = np.uint8) -> None:
        self.random = np.random.default_rng(seed)
        self.dtype = np.dtype(dtype)
        self.nodes: list[object] = []
        self.constants: dict[str, np.ndarray] = {}

    def constant(self, array: object, dtype: type | np.dtype | None = None) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array, dtype)
        return name

    def op(self, op_type: str, *inputs: str, **attributes: object) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(op_type, list(inputs), [name], name=f"{op_type}_{len(self.nodes)}", **attributes)
        )
        return name

    def quantize(self, value: str, scale: float, zero: int) -> str:
        return self.op(
            "QuantizeLinear", value, self.constant(scale, np.float32), self.constant(zero, self.dtype)
        )

    def dequantize(self, value: str, scale: float, zero: int) -> str:
        return self.op(
            "DequantizeLinear", value, self.constant(scale, np.float32), self.constant(zero, self.dtype)
        )

    def steps(self, value: str, scale: float, zero: int) -> str:
        """A real number kept to the steps of its codes."""
        return self.dequantize(self.quantize(value, scale, zero), scale, zero)

    def weights(self, *shape: int, axis: int | None = None, scale: float = 0.01) -> str:
        codes = self.random.integers(-127, 128, shape).astype(np.int8)
        if axis is None:
            return self.op(
                "DequantizeLinear",
                self.constant(codes),
                self.constant(scale, np.float32),
                self.constant(0, np.int8),
            )
        scales = self.random.uniform(scale / 2, scale, shape[axis]).astype(np.float32)
        zeros = np.zeros(shape[axis], np.int8)
        return self.op(
            "DequantizeLinear", self.constant(codes), self.constant(scales), self.constant(zeros), axis=axis
        )

    def bias(self, outputs: int, scale: object) -> str:
        codes = self.random.integers(-5000, 5000, outputs).astype(np.int32)
        return self.op("DequantizeLinear", self.constant(codes), self.constant(scale, np.float32), axis=0)

    def model(self, inputs: dict[str, tuple[int, tuple[int, ...]]], outputs: Sequence[str]) -> ModelProto:
        graph = helper.make_graph(
            self.nodes,
            "quantized",
            [helper.make_tensor_value_info(name, dtype, shape) for name, (dtype, shape) in inputs.items()],
            [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in outputs],
            [numpy_helper.from_array(array, name) for name, array in self.constants.items()],
        )
        for output in graph.output:
            output.ClearField("type")
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def network(dtype: type = np.uint8) -> ModelProto:
    """A residual network in small: convolutions of every kind, a sum, pools, a concatenation, a matrix product with bias."""
    of = Builder(3, dtype)
    low = int(np.iinfo(dtype).min)
    x = of.steps("x", 0.04, low + 120)
    x = of.op(
        "Relu",
        of.op("Conv", x, of.weights(12, 3, 3, 3, axis=0), of.bias(12, 0.0004), pads=[1] * 4, strides=[2, 2]),
    )
    x = of.steps(x, 0.03, low)
    y = of.steps(
        of.op("Conv", x, of.weights(12, 1, 3, 3, axis=0), of.bias(12, 0.0003), pads=[1] * 4, group=12),
        0.05,
        low + 99,
    )
    y = of.op(
        "Clip",
        of.op("Conv", y, of.weights(12, 12, 1, 1)),
        of.constant(-3, np.float32),
        of.constant(4, np.float32),
    )
    y = of.steps(y, 0.04, low + 130)
    x = of.steps(of.op("Relu", of.op("Add", x, y)), 0.05, low)
    z = of.steps(of.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), 0.05, low)
    w = of.steps(of.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2]), 0.04, low + 3)
    x = of.steps(of.op("Concat", z, w, axis=1), 0.05, low)
    x = of.steps(of.op("Sigmoid", of.steps(of.op("GlobalAveragePool", x), 0.02, low)), 1 / 256, low)
    x = of.op("Reshape", x, of.constant([1, 24], np.int64))
    x = of.op("Add", of.op("MatMul", x, of.weights(24, 10, axis=1)), of.bias(10, 0.01 / 256))
    return of.model({"x": (TensorProto.FLOAT, (1, 3, 11, 13))}, [of.quantize(x, 0.02, low + 128)])
