"""Sparse weights and sparse constants made dense, as onnxruntime makes them: whatever reads them is a dense operator."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper

from ingot.base.errors import ModelError, UnsupportedError

# What a dense form may hold: a file of some bytes must not take a machine's memory.
DENSE_BYTES_MAX = 1 << 32
_INDEX_TYPES = (onnx.TensorProto.INT8, onnx.TensorProto.INT16, onnx.TensorProto.INT32, onnx.TensorProto.INT64)


def make_dense(proto: onnx.ModelProto, label: str) -> None:
    """Writes sparse initializers, and sparse values of Constant nodes, as dense ones of the same name. In place.

    Does not handle: sparse tensors in attributes of other operators, of which there are none.

    Raises:
        ModelError: indices and values do not fit each other or the shape.
        UnsupportedError: the dense form would have more than DENSE_BYTES_MAX.
    """
    for graph in _graphs(proto):
        for sparse in graph.sparse_initializer:
            name = sparse.values.name
            graph.initializer.append(_dense(sparse, name, f"{label}: sparse initializer {name!r}"))
        del graph.sparse_initializer[:]
        _in_nodes(graph.node, label)
    for function in proto.functions:
        _in_nodes(function.node, label)


def _graphs(proto: onnx.ModelProto) -> Iterator[onnx.GraphProto]:
    """All graphs of a model: its own, and those inside of nodes, also of functions."""
    waiting: list[onnx.GraphProto] = [proto.graph]
    nodes = [node for function in proto.functions for node in function.node]
    while waiting or nodes:
        if waiting:
            graph = waiting.pop()
            yield graph
            nodes.extend(graph.node)
            continue
        for attribute in nodes.pop().attribute:
            waiting.extend(attribute.graphs)
            if attribute.HasField("g"):
                waiting.append(attribute.g)


def _in_nodes(nodes: Iterator[onnx.NodeProto], label: str) -> None:
    for position, node in enumerate(nodes):
        for attribute in node.attribute:
            if attribute.HasField("sparse_tensor") and node.op_type == "Constant":
                where = (
                    f"{label}: node {node.name or f'{node.op_type}_{position}'} (Constant): its sparse_value"
                )
                dense = _dense(attribute.sparse_tensor, attribute.sparse_tensor.values.name, where)
                attribute.CopyFrom(onnx.helper.make_attribute("value", dense))


def _dense(sparse: onnx.SparseTensorProto, name: str, where: str) -> onnx.TensorProto:
    values, indices, shape = sparse.values, sparse.indices, list(sparse.dims)
    kinds = onnx.TensorProto.STRING, onnx.TensorProto.UNDEFINED
    if values.data_type in kinds or indices.data_type not in _INDEX_TYPES or not shape or min(shape) < 0:
        raise ModelError(
            f"{where}: expected numbers, whole numbers as indices and a shape without negative extents, got {shape}"
        )
    try:
        numbers = onnx.numpy_helper.to_array(values)
        places = onnx.numpy_helper.to_array(indices).astype(np.int64)
    except Exception as error:  # a protobuf of too few or too many elements: ONNX raises errors of many types
        raise ModelError(f"{where}: its values or indices cannot be read: {error}") from None
    size = math.prod(shape)
    if size * numbers.dtype.itemsize > DENSE_BYTES_MAX:
        raise UnsupportedError(
            f"{where}: of the shape {shape}, has more than {DENSE_BYTES_MAX} bytes when it is dense", nodes=()
        )
    flat = _flat(places, shape, numbers.shape, where)
    if flat.size and (flat.min() < 0 or flat.max() >= size):
        raise ModelError(f"{where}: an index lies outside the shape {shape}")
    dense = np.zeros(size, numbers.dtype)
    dense[flat] = numbers
    return onnx.numpy_helper.from_array(dense.reshape(shape), name)


def _flat(places: np.ndarray, shape: list[int], count: tuple[int, ...], where: str) -> np.ndarray:
    """Positions in row-major order: as they are, or from one index for each dimension."""
    if len(count) == 1 and places.shape == count:
        return places
    if len(count) != 1 or places.shape != (*count, len(shape)):
        raise ModelError(
            f"{where}: {list(count)} values and indices of the shape {list(places.shape)}; expected as many indices, "
            f"or as many rows of {len(shape)}"
        )
    if ((places < 0) | (places >= np.array(shape))).any():
        raise ModelError(f"{where}: an index lies outside the shape {shape}")
    steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return np.asarray(places @ np.array(steps, np.int64))
