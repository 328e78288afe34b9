"""Weights of 2 and 4 bits, and weights with a scale for each block, as ONNX writes them: `DequantizeLinear` of a constant.

A product with such a matrix becomes `MatMulNBits`, an operator of onnxruntime that ingot has as it is: weights stay quantized.
All other quantized constants of 2 and 4 bits are widened to 8 bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ingot.graph.read.types import domain_of, static_shape
from ingot.graph.rewrite.add import Names, add_constant
from ingot.graph.rewrite.look import constant_of
from ingot.graph.rewrite.replace import give_result
from ingot.graph.rewrite.writer import DOMAIN

_SIGNED = {ir.DataType.INT2: 2, ir.DataType.INT4: 4, ir.DataType.INT8: 8}
_BITS = {**_SIGNED, ir.DataType.UINT2: 2, ir.DataType.UINT4: 4, ir.DataType.UINT8: 8}
_WIDE = {
    ir.DataType.INT2: np.int8,
    ir.DataType.INT4: np.int8,
    ir.DataType.UINT2: np.uint8,
    ir.DataType.UINT4: np.uint8,
}
_STEP = 16  # blocks are multiples of this
_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.BFLOAT16)


def recognise_matmul_nbits(model: ir.Model) -> bool:
    """Rewrites as the module says, in place; returns whether it did.

    Does not handle: weights that are computed or come in as inputs; blocks whose size is no multiple of 16, matrices with one
    scale or one for each column if they have 8 bits (the pass after this one takes those).
    """
    names: Names | None = None
    done = False
    for node in list(model.graph):
        if (
            node.op_type != "DequantizeLinear"
            or domain_of(node.domain)
            or not node.inputs
            or node.inputs[0] is None
        ):
            continue
        if node.inputs[0].dtype not in _BITS:
            continue
        names = names or Names(model.graph)
        matrix = _matrix(node)
        if matrix is not None:
            for product, is_transposed in list(_products(model.graph, node)):
                _replace(model, product, matrix.transposed() if is_transposed else matrix, names)
                done = True
        done |= _widen(model.graph, node, names)
    return done


@dataclass(frozen=True, slots=True)
class _Matrix:
    """Unsigned quantized values and zero points `[K, N]`, and scales `[blocks, N]`; with `axis` 1 `[K, blocks]`."""

    quantized: np.ndarray
    scales: np.ndarray
    zeros: np.ndarray
    bits: int
    block: int
    axis: int

    def transposed(self) -> _Matrix:
        return _Matrix(self.quantized.T, self.scales.T, self.zeros.T, self.bits, self.block, 1 - self.axis)


def _matrix(node: ir.Node) -> _Matrix | None:
    """The matrix that a DequantizeLinear gives, with its scales as blocks along one axis; None of others."""
    data, scales = node.inputs[0], node.inputs[1]
    zeros = node.inputs[2] if len(node.inputs) > 2 else None
    quantized, scale = constant_of(data), constant_of(scales)
    if data is None or quantized is None or scale is None or data.dtype is None or scales is None:
        return None
    if quantized.ndim != 2 or not quantized.size:
        return None
    if scales.dtype not in _FLOATS or node.attributes.get_int("output_dtype", 0) not in (
        0,
        int(scales.dtype),
    ):
        return None
    bits, signed = _BITS[data.dtype], data.dtype in _SIGNED
    axis, block = node.attributes.get_int("axis", 1), node.attributes.get_int("block_size", 0)
    zero = np.zeros(scale.shape, np.int32) if zeros is None else constant_of(zeros)
    if zero is None or (bits == 8 and not block) or not -2 <= axis < 2:
        return None
    axis %= 2
    if not block:  # one scale, or one for each place of `axis`: one block along the other one
        axis, block = 1 - axis if scale.size > 1 else 0, quantized.shape[1 - axis if scale.size > 1 else 0]
        shape = (1, quantized.shape[1]) if axis == 0 else (quantized.shape[0], 1)
        if scale.size not in (1, math.prod(shape)) or zero.size != scale.size:
            return None  # a contradiction, which the operator's own definition judges
        scale, zero = (
            np.broadcast_to(array.reshape(shape) if array.size > 1 else array.reshape(1, 1), shape)
            for array in (scale, zero)
        )
    expected = [*quantized.shape]
    expected[axis] = -(-quantized.shape[axis] // block)
    if block % _STEP or list(scale.shape) != expected or list(zero.shape) != expected:
        return None
    moved = 2 ** (bits - 1) if signed else 0
    return _Matrix(_unsigned(quantized, moved), scale, _unsigned(zero, moved), bits, block, axis)


def _unsigned(quantized: np.ndarray, moved: int) -> np.ndarray:
    return np.asarray(quantized.astype(np.int32) + moved, np.uint8)


def _products(graph: ir.Graph, node: ir.Node) -> Iterator[tuple[ir.Node, bool]]:
    """Products of the graph itself whose right operand a node gives, and whether it is transposed first."""
    for use in node.outputs[0].uses():
        reader = use.node
        if domain_of(reader.domain) or reader.graph is not graph:
            continue
        if reader.op_type == "MatMul" and use.idx == 1:
            yield reader, False
        if reader.op_type == "Transpose":
            for other in reader.outputs[0].uses():
                if other.node.op_type == "MatMul" and other.idx == 1 and other.node.graph is graph:
                    yield other.node, True


def _replace(model: ir.Model, product: ir.Node, matrix: _Matrix, names: Names) -> None:
    left = product.inputs[0]
    if matrix.axis != 0 or left is None or static_shape(left) is None or len(static_shape(left) or ()) < 1:
        return
    depth, columns = matrix.quantized.shape
    blocks, each = -(-depth // matrix.block), 8 // matrix.bits
    padded = np.zeros((columns, blocks * matrix.block), np.uint8)
    padded[:, :depth] = matrix.quantized.T
    zeros = np.zeros((columns, -(-blocks // each) * each), np.uint8)
    zeros[:, :blocks] = matrix.zeros.T
    packed = [_packed(array, matrix.bits) for array in (padded, zeros)]
    arrays = [packed[0].reshape(columns, blocks, -1), np.ascontiguousarray(matrix.scales.T), packed[1]]
    values = [
        add_constant(model.graph, names, f"{product.name}/{role}", array)
        for role, array in zip(("codes", "scales", "zeros"), arrays, strict=True)
    ]
    result = product.outputs[0]
    output = ir.Value(name=names.free(f"{product.name}/product"), shape=result.shape, type=result.type)
    numbers = {"K": depth, "N": columns, "bits": matrix.bits, "block_size": matrix.block}
    attributes = [ir.AttrInt64(name, number) for name, number in numbers.items()]
    node = ir.Node(
        DOMAIN, "MatMulNBits", [left, *values], attributes, outputs=[output], name=f"{product.name}/bits"
    )
    model.graph.insert_before(product, node)
    give_result(model.graph, product, result, output)
    model.graph.remove(product, safe=True)
    model.opset_imports.setdefault(DOMAIN, 1)


def _packed(quantized: np.ndarray, bits: int) -> np.ndarray:
    """Packs values into bytes, neighbours of the last dimension in one, the first in its lowest bits."""
    each = quantized.reshape(*quantized.shape[:-1], -1, 8 // bits) << np.arange(0, 8, bits, dtype=np.uint8)
    return np.asarray(np.bitwise_or.reduce(each, axis=-1), np.uint8)


def _widen(graph: ir.Graph, node: ir.Node, names: Names) -> bool:
    """Lets a node read constants of 8 bits in the place of those of 2 and 4."""
    if constant_of(node.inputs[0]) is None:  # a zero point of 8 bits would contradict them
        return False
    done = False
    for position in (0, 2):
        value = node.inputs[position] if position < len(node.inputs) else None
        array = constant_of(value)
        if value is None or array is None or value.dtype not in _WIDE:
            continue
        wide = add_constant(graph, names, f"{value.name}/wide", array.astype(_WIDE[value.dtype]))
        node.replace_input_with(position, wide)
        done = True
    return done
