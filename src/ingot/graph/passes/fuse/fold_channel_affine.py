"""Moves multiplications and additions by channel constants into the weights before them."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from ingot.graph.read.types import domain_of, static_shape
from ingot.graph.rewrite.add import add_named
from ingot.graph.rewrite.replace import take_over

_FLOATS = (ir.DataType.FLOAT, ir.DataType.DOUBLE)


def fold_scales(model: ir.Model) -> ir.Model:
    """Folds `Mul`, `Div`, `Add` and `Sub` by a constant for each channel into the weights and bias of the Conv, ConvTranspose or
    Gemm that they follow. In place.

    Does not handle: weights that are no constants, results that others read too, float16 and bfloat16, and constants that
    differ along another axis than the channels.
    """
    for node in list(model.graph):
        if (
            domain_of(node.domain)
            or node.op_type not in ("Mul", "Div", "Add", "Sub")
            or len(node.inputs) != 2
        ):
            continue
        for position in (0, 1) if node.op_type in ("Mul", "Add") else (0,):
            source, other = node.inputs[position], node.inputs[1 - position]
            if source is not None and other is not None and _fold(model.graph, node, source, other):
                break
    return model


def _fold(graph: ir.Graph, node: ir.Node, source: ir.Value, other: ir.Value) -> bool:
    producer = source.producer()
    shape = static_shape(source)
    if producer is None or shape is None or other.const_value is None or source.dtype not in _FLOATS:
        return False
    if domain_of(producer.domain) or producer.op_type not in ("Conv", "ConvTranspose", "Gemm"):
        return False
    if len(source.uses()) != 1 or source.is_graph_output() or static_shape(node.outputs[0]) != shape:
        return False
    channel = _per_channel(other.const_value.numpy(), shape)
    weight = producer.inputs[1]
    if channel is None or weight is None or weight.const_value is None:
        return False
    bias = _bias(producer, shape[1])
    if bias is None:
        return False
    values = given = weight.const_value.numpy()
    with np.errstate(all="ignore"):
        match node.op_type:
            case "Mul":
                values, bias = _scaled(producer, values, channel), bias * channel
            case "Div":
                values, bias = _scaled(producer, values, 1 / channel), bias / channel
            case "Add":
                bias = bias + channel
            case "Sub":
                bias = bias - channel
    dtype = values.dtype
    if values is not given and node.op_type in ("Mul", "Div"):
        producer.replace_input_with(1, add_named(graph, f"{producer.name}.weight", values))
    added = add_named(graph, f"{producer.name}.bias", bias.astype(dtype))
    if len(producer.inputs) < 3:
        producer.resize_inputs(3)
    producer.replace_input_with(2, added)
    if producer.op_type == "Gemm":
        producer.attributes["beta"] = ir.AttrFloat32("beta", 1.0)
    take_over(graph, node, source)
    return True


def _per_channel(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """The constant as one number a channel (axis 1), None if it differs along another axis."""
    if array.ndim > len(shape):
        return None
    full = (1,) * (len(shape) - array.ndim) + array.shape
    if any(extent != 1 for axis, extent in enumerate(full) if axis != 1):
        return None
    return (
        np.broadcast_to(array.reshape(-1).astype(np.float64), (shape[1],))
        if math.prod(array.shape) in (1, shape[1])
        else None
    )


def _bias(producer: ir.Node, channels: int) -> np.ndarray | None:
    """The bias as one number a channel, zeros if there is none, None if it is no such constant."""
    bias = producer.inputs[2] if len(producer.inputs) > 2 else None
    if bias is None:
        return np.zeros(channels)
    if bias.const_value is None:
        return None
    array = bias.const_value.numpy()
    if array.size not in (1, channels) or (array.ndim and array.shape[-1] != array.size):
        return None
    beta = producer.attributes.get_float("beta", 1.0) if producer.op_type == "Gemm" else 1.0
    return np.broadcast_to(array.reshape(-1).astype(np.float64) * beta, (channels,))


def _scaled(producer: ir.Node, weight: np.ndarray, channel: np.ndarray) -> np.ndarray:
    """Weights with the factor of each output channel in them."""
    wide = weight.astype(np.float64)
    match producer.op_type:
        case "Conv":  # [M, C/group, …]
            wide *= channel.reshape((-1,) + (1,) * (weight.ndim - 1))
        case "ConvTranspose":  # [C, M/group, …]: the inputs of one group make the outputs of that group
            group = producer.attributes.get_int("group", 1)
            grouped = wide.reshape(group, weight.shape[0] // group, *weight.shape[1:])
            grouped *= channel.reshape((group, 1, -1) + (1,) * (weight.ndim - 2))
            wide = grouped.reshape(weight.shape)
        case _:  # Gemm: [K, N], or [N, K]
            wide *= channel[:, None] if producer.attributes.get_int("transB", 0) else channel
    return wide.astype(weight.dtype)
