"""Copies of nodes under other names: what unrolling a loop and taking a branch have in common."""

from __future__ import annotations

from collections.abc import Iterable

import onnx
import onnx_ir as ir

from ingot.graph.read.types import domain_of
from ingot.graph.rewrite.add import Names

GRAPHS = (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS)


def copy_nodes(
    nodes: Iterable[ir.Node], known: dict[ir.Value, ir.Value], prefix: str, names: Names
) -> list[ir.Node]:
    """Copies of nodes, every value and node with the prefix before its name.

    Args:
        nodes: in order.
        known: what stands for values that the nodes read; one that is not in it stands for itself. The copies' outputs are added.
        prefix: of the copies' names.
        names: those that are free.
    """
    copies = []
    for node in nodes:
        attributes = [_copied(attribute, known, prefix, names) for attribute in node.attributes.values()]
        inputs = [None if value is None else known.get(value, value) for value in node.inputs]
        # ONNX infers them anew: in a loop they are what the exporter saw in one iteration.
        keep = not onnx.defs.has(node.op_type, domain=domain_of(node.domain))
        outputs = [_value(value, prefix, names, keep) for value in node.outputs]
        known.update(zip(node.outputs, outputs, strict=True))
        copies.append(
            ir.Node(
                node.domain,
                node.op_type,
                inputs,
                attributes,
                overload=node.overload,
                outputs=outputs,
                name=f"{prefix}{node.name or node.op_type}",
                metadata_props=dict(node.metadata_props),
            )
        )
    return copies


def _value(value: ir.Value, prefix: str, names: Names, keep_shape: bool) -> ir.Value:
    name = names.free(prefix + value.name) if value.name else value.name
    return ir.Value(name=name, type=value.type, shape=value.shape if keep_shape else None)


def _copied(attribute: ir.Attr, known: dict[ir.Value, ir.Value], prefix: str, names: Names) -> ir.Attr:
    if attribute.type is ir.AttributeType.GRAPH:
        return ir.AttrGraph(attribute.name, _copied_graph(attribute.as_graph(), known, prefix, names))
    if attribute.type is ir.AttributeType.GRAPHS:
        return ir.AttrGraphs(
            attribute.name, [_copied_graph(graph, known, prefix, names) for graph in attribute.as_graphs()]
        )
    return attribute


def _copied_graph(graph: ir.Graph, known: dict[ir.Value, ir.Value], prefix: str, names: Names) -> ir.Graph:
    inputs = [_value(value, prefix, names, True) for value in graph.inputs]
    known.update(zip(graph.inputs, inputs, strict=True))
    weights = []
    for value in graph.initializers.values():
        weight = _value(value, prefix, names, True)
        weight.const_value = value.const_value
        known[value] = weight
        weights.append(weight)
    nodes = copy_nodes(graph, known, prefix, names)
    outputs = [known.get(value, value) for value in graph.outputs]
    return ir.Graph(inputs, outputs, nodes=nodes, initializers=weights, name=graph.name)
