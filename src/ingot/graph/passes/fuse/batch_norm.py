"""Turns batch normalisation with known statistics into a multiplication and an addition."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ingot.graph.read.names import unused_name
from ingot.graph.read.types import domain_of, static_shape
from ingot.graph.rewrite.add import add_named
from ingot.graph.rewrite.replace import take_over


def split_batch_norm(model: ir.Model) -> ir.Model:
    """Replaces `BatchNormalization(x)` by `x * a + b` with `a = scale / sqrt(var + epsilon)` and `b = bias - mean * a`, which
    `fold_scales` then moves into the weights before it, where there are any. In place.

    Does not handle: training mode, float16 and bfloat16 (whose rounding would change), statistics that are no constants, the
    `spatial=0` of opset 7, and inputs of one dimension.
    """
    for node in list(model.graph):
        if node.op_type != "BatchNormalization" or domain_of(node.domain):
            continue
        source = node.inputs[0]
        params = [value.const_value for value in node.inputs[1:5] if value is not None]
        shape = None if source is None else static_shape(source)
        if (
            source is None
            or shape is None
            or source.dtype not in (ir.DataType.FLOAT, ir.DataType.DOUBLE)
            or not _is_inference(node)
        ):
            continue
        arrays = [tensor.numpy().astype(np.float64) for tensor in params if tensor is not None]
        if len(arrays) != 4 or len(shape) < 2 or any(array.shape != (shape[1],) for array in arrays):
            continue
        scale, bias, mean, var = arrays
        with np.errstate(all="ignore"):
            a = scale / np.sqrt(var + node.attributes.get_float("epsilon", 1e-5))
            b = bias - mean * a
        channel = (shape[1],) + (1,) * (len(shape) - 2)
        dtype = source.dtype.numpy()
        factor = add_named(model.graph, f"{node.name}.scale", a.reshape(channel).astype(dtype))
        offset = add_named(model.graph, f"{node.name}.bias", b.reshape(channel).astype(dtype))
        middle = ir.Value(
            name=unused_name(model.graph, f"{node.name}.scaled"), shape=ir.Shape(shape), type=source.type
        )
        result = ir.Value(shape=ir.Shape(shape), type=source.type)
        multiply = ir.Node("", "Mul", [source, factor], outputs=[middle], name=f"{node.name}/scale")
        add = ir.Node("", "Add", [middle, offset], outputs=[result], name=node.name)
        model.graph.insert_before(node, [multiply, add])
        take_over(model.graph, node, result)
    return model


def _is_inference(node: ir.Node) -> bool:
    if node.attributes.get_int("training_mode", 0) or not node.attributes.get_int("spatial", 1):
        return False
    return not any(value.uses() or value.is_graph_output() for value in node.outputs[1:])
