"""Whether the results of ONNX's data propagation stay small, which is checked before it runs on a model."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

import onnx

from ingot.graph.read.types import domain_of

# ONNX follows the elements of every tensor of one dimension, known or not, through the operators that shapes are computed by: ten
# million take it 5 s and 1.4 GB for each sum. Where there are more than this in all, none are followed, and folding constants
# finds the shapes that they tell.
LIST_MAX = 1 << 20


def lists_are_short(proto: onnx.ModelProto) -> bool:
    """Whether the lists that data propagation makes have at most LIST_MAX elements together, which must be certain.

    In a model with functions of its own nothing is: nobody knows the shapes in them.
    """
    versions = {domain_of(entry.domain): entry.version for entry in proto.opset_import}
    return not proto.functions and _elements(proto.graph, (), versions.get("", 1)) <= LIST_MAX


def _elements(graph: onnx.GraphProto, outer: tuple[Mapping[str, int], ...], version: int) -> int:
    """The elements of all lists of a graph and of those inside it; more than LIST_MAX where one is of unknown length."""
    followed = [
        node for node in graph.node if not domain_of(node.domain) and _is_followed(node.op_type, version)
    ]
    inside = [(node, inner) for node in graph.node for inner in _graphs(node)]
    if not followed and not inside:
        return 0
    names = None if inside else {name for node in followed for name in (*node.input, *node.output)}
    scopes = (_lengths(graph, names), *outer)
    total = 0
    for node in followed:
        for name in filter(None, (*node.input, *node.output)):
            total += next((scope[name] for scope in scopes if name in scope), LIST_MAX + 1)
    for _, inner in inside:
        total += _elements(inner, scopes, version)
    return total


def _graphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for attribute in node.attribute:
        yield from attribute.graphs
        if attribute.HasField("g"):
            yield attribute.g


def _lengths(graph: onnx.GraphProto, names: set[str] | None) -> dict[str, int]:
    """How many elements the list of each value has, of these values or all: 1 where it has none. Without those not known."""
    lengths = {}
    for value in (*graph.input, *graph.value_info, *graph.output):
        if (names is not None and value.name not in names) or not value.type.tensor_type.HasField("shape"):
            continue
        dims = value.type.tensor_type.shape.dim
        if len(dims) != 1:
            lengths[value.name] = 1
        elif dims[0].HasField("dim_value"):
            lengths[value.name] = dims[0].dim_value
    for tensor in graph.initializer:
        lengths[tensor.name] = tensor.dims[0] if len(tensor.dims) == 1 else 1
    return lengths


@functools.cache
def _is_followed(op_type: str, version: int) -> bool:
    return onnx.defs.has(op_type, version) and bool(
        onnx.defs.get_schema(op_type, version).has_data_propagation_function
    )
