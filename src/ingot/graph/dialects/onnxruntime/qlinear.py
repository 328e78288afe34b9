"""Operators of onnxruntime's static quantiser as ONNX's own.

In its QOperator form it writes `QLinearConv` and `QLinearMatMul`, which are ONNX's, and for all else operators of the domain
`com.microsoft`. Each of them is by definition a float operator between `DequantizeLinear` and `QuantizeLinear`, and becomes
that; `quantized.py` makes integer operators of it.

*Source:* ContribOperators.md of onnxruntime, version 1 of the domain.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from ingot.graph.rewrite.writer import Results, StaysError, Write, Writer

# From this opset on DequantizeLinear has scales by channel, and Softmax is along one axis.
_CHANNELS_OPSET = _SOFTMAX_OPSET = 13


def _real(to: Writer, first: int) -> ir.Value:
    """The dequantized tensor whose values, scale and zero point are the inputs from this one on."""
    return to.op(
        "DequantizeLinear", [to.given(first, "codes"), to.given(first + 1, "scale"), to.input(first + 2)]
    )


def _requantized(to: Writer, value: ir.Value, scale: int, zero: int) -> Results:
    """A result quantized by the inputs at `scale` and `zero`; without a zero point it has the type of the node's first input."""
    point = to.input(zero)
    if point is None:
        dtype = to.dtype(to.given(0, "codes"))
        if dtype not in (ir.DataType.INT8, ir.DataType.UINT8):
            raise StaysError("it does not say to which type its result is quantized")
        point = to.constant(np.zeros((), dtype.numpy()))
    return (to.op("QuantizeLinear", [value, to.given(scale, "scale of the result"), point]),)


def _images(to: Writer) -> None:
    if to.flag("channels_last"):
        raise StaysError("images with channels last are not supported")


def _binary(op_type: str) -> Write:
    return lambda to: _requantized(to, to.op(op_type, [_real(to, 0), _real(to, 3)]), 6, 7)


def _unary(op_type: str, *attributes: str) -> Write:
    def write(to: Writer) -> Results:
        _images(to)
        return _requantized(to, to.op(op_type, [_real(to, 0)], *to.kept(*attributes)), 3, 4)

    return write


def _softmax(to: Writer) -> Results:
    axis, meant = to.number("axis", -1), to.number("opset", _SOFTMAX_OPSET)
    is_last = axis == -1 or axis == len(to.shape(to.given(0, "codes"))) - 1
    if (meant >= _SOFTMAX_OPSET) != (to.opset >= _SOFTMAX_OPSET) and not is_last:
        raise StaysError(f"a Softmax along axis {axis} as in opset {meant} is not one of opset {to.opset}")
    return _requantized(to, to.op("Softmax", [_real(to, 0)], ir.AttrInt64("axis", axis)), 3, 4)


def _concat(to: Writer) -> Results:
    parts = [_real(to, first) for first in range(2, len(to.node.inputs), 3)]
    if not parts:
        raise StaysError("it has nothing to join")
    to.given(1, "zero point of the result")  # which has the type of the result; the first input is a scale
    return _requantized(to, to.op("Concat", parts, *to.kept("axis")), 0, 1)


def _where(to: Writer) -> Results:
    to.given(8, "zero point of the result")  # the first input is a condition
    return _requantized(to, to.op("Where", [to.given(0, "condition"), _real(to, 1), _real(to, 4)]), 7, 8)


def _gemm(to: Writer) -> Results:
    """`alpha · scales · (A · B + C)`: the bias is in whole steps of the products, and alpha is of it, too."""
    a_scale, b, b_scale = to.given(1, "a_scale"), to.given(3, "B"), to.given(4, "b_scale")
    by_column = []
    if to.shape(b_scale) not in ((), (1,)):
        if to.opset < _CHANNELS_OPSET:
            raise StaysError(
                f"scales by column need opset {_CHANNELS_OPSET} of ai.onnx, the model imports {to.opset}"
            )
        by_column = [ir.AttrInt64("axis", 0 if to.flag("transB") else 1)]
    factors = [_real(to, 0), to.op("DequantizeLinear", [b, b_scale, to.input(5)], *by_column)]
    bias = to.input(6)
    if bias is not None:
        factors.append(to.op("Mul", [to.cast(bias, ir.DataType.FLOAT), to.op("Mul", [a_scale, b_scale])]))
    alpha = to.real_number("alpha", 1.0)
    factor = (ir.AttrFloat32("alpha", alpha), ir.AttrFloat32("beta", alpha))
    product = to.op("Gemm", factors, *to.kept("transA", "transB"), *factor)
    return (product,) if to.input(7) is None else _requantized(to, product, 7, 8)


WRITERS: Mapping[str, Write] = {
    "QLinearAdd": _binary("Add"),
    "QLinearMul": _binary("Mul"),
    "QLinearSigmoid": _unary("Sigmoid"),
    "QLinearLeakyRelu": _unary("LeakyRelu", "alpha"),
    "QLinearAveragePool": _unary(
        "AveragePool", "auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"
    ),
    "QLinearGlobalAveragePool": _unary("GlobalAveragePool"),
    "QLinearSoftmax": _softmax,
    "QLinearConcat": _concat,
    "QLinearWhere": _where,
    "QGemm": _gemm,
}
