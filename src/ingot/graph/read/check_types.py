"""Checks that types are known where ONNX's inference of shapes would read them without looking whether they are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import onnx

from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.read.check_attributes import all_nodes
from ingot.graph.read.types import domain_of

# Operators whose inference ends the process over an input without a type, or of one that is no tensor: those of ai.onnx.ml,
# and these.
_READ_BLINDLY = frozenset({"RegexFullMatch"})


def check_types(proto: onnx.ModelProto, label: str) -> None:
    """Refuses inputs of the model without a type; and inputs of some operators whose type nothing tells.

    Raises:
        ModelError: names the input, and the node that reads it.
        UnsupportedError: an input of the model is a sparse tensor, or of an opaque type.
    """
    for value in proto.graph.input:
        if value.type.WhichOneof("value") is None:
            raise ModelError(f"{label}: input {value.name!r} has no type", value=value.name)
        kind = value.type.WhichOneof("value")
        if kind in ("sparse_tensor_type", "opaque_type"):
            raise UnsupportedError(
                f"{label}: input {value.name!r} is a {kind.removesuffix('_type')}, which ingot does not support",
                nodes=(),
            )
        if value.type.HasField("tensor_type") and not value.type.tensor_type.elem_type:
            raise ModelError(f"{label}: input {value.name!r} has no element type", value=value.name)
    functions = [node for function in proto.functions for _, node in all_nodes(function.node)]
    if any(_is_blind(node) for _, node in all_nodes(proto.graph.node)) or any(map(_is_blind, functions)):
        calls = (
            {(domain_of(function.domain), function.name) for function in proto.functions}
            if any(map(_is_blind, functions))
            else set()
        )
        _check_graph(proto.graph, frozenset(), calls, label)


def _is_blind(node: onnx.NodeProto) -> bool:
    return node.domain == "ai.onnx.ml" or (node.op_type in _READ_BLINDLY and not domain_of(node.domain))


def _check_graph(
    graph: onnx.GraphProto, outer: frozenset[str], calls: set[tuple[str, str]], label: str
) -> None:
    typed = (
        set(outer)
        | {tensor.name for tensor in graph.initializer}
        | {tensor.values.name for tensor in graph.sparse_initializer}
    )
    typed |= set(_stated((*graph.input, *graph.value_info, *graph.output)))
    for node in graph.node:
        unknown = next((name for name in node.input if name and name not in typed), None)
        if unknown is not None and (_is_blind(node) or (domain_of(node.domain), node.op_type) in calls):
            raise ModelError(
                f"{label}: node {node.name or node.op_type} ({node.op_type}): the type of its input {unknown!r} is not known; "
                "state it in the model (value_info)",
                node=node.name,
            )
        for attribute in node.attribute:
            for inner in (*attribute.graphs, *((attribute.g,) if attribute.HasField("g") else ())):
                _check_graph(inner, frozenset(typed), calls, label)
        is_known = (domain_of(node.domain), node.op_type) in calls or onnx.defs.has(
            node.op_type, domain_of(node.domain)
        )
        if unknown is None and is_known:
            typed.update(node.output)


def _stated(values: Iterable[onnx.ValueInfoProto]) -> Iterator[str]:
    return (
        value.name for value in values if value.type.HasField("map_type") or value.type.tensor_type.elem_type
    )
