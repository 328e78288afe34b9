"""What a pass asks of a graph before it changes something."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from ingot.graph.read.types import domain_of


def constant_of(value: ir.Value | None) -> np.ndarray | None:
    """The content of a value that is known while building."""
    if value is None or value.is_graph_input() or not value.is_initializer() or value.const_value is None:
        return None
    return value.const_value.numpy()


def made_by(value: ir.Value | None, op_type: str) -> ir.Node | None:
    """The node that makes a value, if it is of that operator of ai.onnx."""
    node = None if value is None else value.producer()
    return node if node is not None and node.op_type == op_type and not domain_of(node.domain) else None


def only_reader(value: ir.Value) -> ir.Node | None:
    """The one node that reads a value, if nobody else does and it is of ai.onnx."""
    uses = list(value.uses())
    if len(uses) != 1 or value.is_graph_output() or domain_of(uses[0].node.domain):
        return None
    return uses[0].node


def subgraphs(node: ir.Node) -> Iterator[ir.Graph]:
    """The graphs inside a node: branches, bodies."""
    for attribute in node.attributes.values():
        if attribute.type is ir.AttributeType.GRAPH:
            yield attribute.as_graph()
        elif attribute.type is ir.AttributeType.GRAPHS:
            yield from attribute.as_graphs()


def count_nodes(graph: ir.Graph) -> int:
    """Nodes of a graph and of the graphs inside it."""
    return sum(1 + sum(map(count_nodes, subgraphs(node))) for node in graph)


def reads(node: ir.Node) -> list[ir.Value]:
    """What a node reads: its inputs, and what the graphs inside it take from around them."""
    values = [value for value in node.inputs if value is not None and value.name]
    for graph in subgraphs(node):
        own = {
            *graph.inputs,
            *graph.initializers.values(),
            *(value for nested in graph for value in nested.outputs),
        }
        inner = [value for nested in graph for value in reads(nested)] + list(graph.outputs)
        values += [value for value in inner if value not in own]
    return list(dict.fromkeys(values))
