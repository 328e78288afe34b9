"""Operators of onnxruntime's quantiser as ONNX's own.

In its QOperator form it writes `QLinearConv` and `QLinearMatMul`, which are ONNX's, and for all else operators of the domain
`com.microsoft`. Each of them is by definition a float operator between `DequantizeLinear` and `QuantizeLinear`, and becomes
that; `quantized.py` makes integer operators of it.

*Source:* the contrib operators of onnxruntime (ContribOperators.md), version 1 of the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx_ir as ir

from ingot.errors import ModelError
from ingot.graph.passes.copies import Names, add_constant, add_node, give_result, remove_whole
from ingot.graph.types import opset_of, static_shape

DOMAIN = "com.microsoft"
# From these opsets on there are DequantizeLinear at all, its scales by channel, and a Softmax along one axis.
LINEAR_OPSET, CHANNELS_OPSET, SOFTMAX_OPSET = 10, 13, 13


def plain_quantized(model: ir.Model) -> bool:
    """Rewrites as the module says, in place; returns whether it did.

    Does not handle: images with channels last, results without a zero point where the type of codes is not known, a Softmax by
    another opset's definition than the model's. Such nodes stay, and are refused as any of that domain.
    """
    opset = opset_of(model)
    if opset < LINEAR_OPSET:
        return False
    done = False
    names: Names | None = None
    for node in list(model.graph):
        write = _WRITERS.get(node.op_type) if node.domain == DOMAIN else None
        if write is None or len(node.outputs) != 1 or _flag(node, "channels_last"):
            continue
        names = names or Names(model.graph)
        try:
            made = write(_Writer(model.graph, node, names, opset))
        except TypeError as error:  # of onnx_ir, where an attribute is not what it is read as
            raise ModelError(f"node {node.name} ({node.op_type}): {error}", node=node.name) from None
        if made is not None:
            done = True
            give_result(model.graph, node, node.outputs[0], made)
            remove_whole(model.graph, node)
    return done


class _Writer:
    """Writes nodes before one that they are to stand for."""

    def __init__(self, graph: ir.Graph, node: ir.Node, names: Names, opset: int) -> None:
        self.graph, self.node, self.names, self.opset = graph, node, names, opset

    def input(self, number: int) -> ir.Value | None:
        """An input of the node; None if it is left out."""
        value = self.node.inputs[number] if number < len(self.node.inputs) else None
        return None if value is None or not value.name else value

    def op(self, op_type: str, inputs: Sequence[ir.Value | None], attributes: Sequence[ir.Attr] = ()) -> ir.Value:
        given = [value for value in inputs if value is not None]  # only last ones may be left out
        return add_node(self.graph, self.node, op_type, given, self.names.free(f"{self.node.name}/{op_type}"), attributes)

    def kept(self, *wanted: str) -> list[ir.Attr]:
        """Those attributes of the node, as far as it has them."""
        return [attribute for name, attribute in self.node.attributes.items() if name in wanted]

    def real(self, first: int) -> ir.Value | None:
        """The real numbers of codes, scale and zero point that begin at this input; None if they are not all there."""
        codes, scale = self.input(first), self.input(first + 1)
        return None if codes is None or scale is None else self.op("DequantizeLinear", [codes, scale, self.input(first + 2)])

    def codes(self, value: ir.Value, scale: ir.Value | None, zero: ir.Value | None) -> ir.Value | None:
        """The codes of real numbers; without a zero point of the type of the node's first input."""
        like = self.node.inputs[0]
        if scale is None or like is None:
            return None
        if zero is None:
            if like.dtype not in (ir.DataType.INT8, ir.DataType.UINT8):
                return None
            zero = add_constant(self.graph, self.names, f"{self.node.name}/zero", np.zeros((), like.dtype.numpy()))
        return self.op("QuantizeLinear", [value, scale, zero])


def _binary(op_type: str) -> Callable[[_Writer], ir.Value | None]:
    def write(to: _Writer) -> ir.Value | None:
        left, right = to.real(0), to.real(3)
        if left is None or right is None:
            return None
        return to.codes(to.op(op_type, [left, right]), to.input(6), to.input(7))

    return write


def _unary(op_type: str, *attributes: str) -> Callable[[_Writer], ir.Value | None]:
    def write(to: _Writer) -> ir.Value | None:
        value = to.real(0)
        return None if value is None else to.codes(to.op(op_type, [value], to.kept(*attributes)), to.input(3), to.input(4))

    return write


def _softmax(to: _Writer) -> ir.Value | None:
    along_one = _number(to.node, "opset", SOFTMAX_OPSET) >= SOFTMAX_OPSET
    axis = _number(to.node, "axis", -1)
    codes = to.input(0)
    shape = None if codes is None else static_shape(codes)
    is_last = axis == -1 or (shape is not None and axis == len(shape) - 1)
    if along_one != (to.opset >= SOFTMAX_OPSET) and not is_last:
        return None
    value = to.real(0)
    if value is None:
        return None
    return to.codes(to.op("Softmax", [value], [ir.AttrInt64("axis", axis)]), to.input(3), to.input(4))


def _concat(to: _Writer) -> ir.Value | None:
    parts = [to.real(first) for first in range(2, len(to.node.inputs), 3)]
    if not parts or any(part is None for part in parts) or to.input(1) is None:
        return None
    return to.codes(to.op("Concat", parts, to.kept("axis")), to.input(0), to.input(1))


def _where(to: _Writer) -> ir.Value | None:
    condition, one, other = to.input(0), to.real(1), to.real(4)
    if condition is None or one is None or other is None or to.input(8) is None:
        return None
    return to.codes(to.op("Where", [condition, one, other]), to.input(7), to.input(8))


def _gemm(to: _Writer) -> ir.Value | None:
    """`alpha · scales · (A · B + C)`: the bias is in whole steps of the products, and alpha is of it, too."""
    a, b, a_scale, b_scale = to.real(0), to.input(3), to.input(1), to.input(4)
    if a is None or a_scale is None or b is None or b_scale is None:
        return None
    transposed = _flag(to.node, "transB")
    by_column = [] if static_shape(b_scale) in ((), (1,)) else [ir.AttrInt64("axis", 0 if transposed else 1)]
    if by_column and (to.opset < CHANNELS_OPSET or static_shape(b_scale) is None):
        return None
    factors = [a, to.op("DequantizeLinear", [b, b_scale, to.input(5)], by_column)]
    bias = to.input(6)
    if bias is not None:
        whole = to.op("Cast", [bias], [ir.AttrInt64("to", ir.DataType.FLOAT)])
        factors.append(to.op("Mul", [whole, to.op("Mul", [a_scale, b_scale])]))
    alpha = to.kept("alpha")
    beta = [ir.AttrFloat32("beta", attribute.as_float()) for attribute in alpha]
    product = to.op("Gemm", factors, [*to.kept("transA", "transB"), *alpha, *beta])
    return product if to.input(7) is None else to.codes(product, to.input(7), to.input(8))


def _flag(node: ir.Node, name: str) -> bool:
    return bool(_number(node, name, 0))


def _number(node: ir.Node, name: str, default: int) -> int:
    attribute = node.attributes.get(name)
    return default if attribute is None else attribute.as_int()


_WRITERS: dict[str, Callable[[_Writer], ir.Value | None]] = {
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
