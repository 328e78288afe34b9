"""What a pass puts in the place of a node, and how the node goes."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ingot.graph.read.names import unused_name
from ingot.graph.rewrite.look import subgraphs


def give_result(graph: ir.Graph, node: ir.Node, old: ir.Value, new: ir.Value) -> None:
    """Lets who reads a node's result read another value. A graph output keeps its name by an Identity before the node."""
    name = old.name
    old.name = None
    if any(output is old for output in graph.outputs):
        kept = ir.Value(name=name, shape=old.shape, type=old.type)
        graph.insert_before(node, ir.Node("", "Identity", [new], outputs=[kept], name=f"{node.name}/{name}"))
        new = kept
    ir.convenience.replace_all_uses_with(old, new, replace_graph_outputs=True)


def take_over(graph: ir.Graph, node: ir.Node, new: ir.Value) -> None:
    """Lets who reads a node's first result read a value that takes over its name, and removes the node. The value is no graph
    output yet, and its own name is lost.
    """
    result = node.outputs[0]
    name, result.name = result.name, None
    new.name = name
    ir.convenience.replace_all_uses_with(result, new, replace_graph_outputs=True)
    graph.remove(node, safe=True)


def replace_by_constant(model: ir.Model, node: ir.Node, value: ir.Value, array: np.ndarray) -> str:
    """Puts a constant in the place of a node's result, and returns its name. A graph output keeps its own by an Identity."""
    graph, name = model.graph, value.name
    assert name is not None
    tensor = _tensor(array, name)
    kept = name
    if value.is_graph_output():
        kept = unused_name(graph, f"{name}.constant")
    else:
        value.name = None
    constant = ir.Value(
        name=kept, const_value=tensor, shape=ir.Shape(array.shape), type=ir.TensorType(tensor.dtype)
    )
    graph.register_initializer(constant)
    if kept != name:
        output = ir.Value(name=name, shape=constant.shape, type=constant.type)
        value.name = None
        for position, known in enumerate(graph.outputs):
            if known is value:
                graph.outputs[position] = output
        graph.insert_before(node, ir.Node("", "Identity", [constant], outputs=[output], name=node.name))
    ir.convenience.replace_all_uses_with(value, constant)
    return kept


def _tensor(array: np.ndarray, name: str) -> ir.TensorProtocol:
    if array.dtype.kind not in "OSU":
        return ir.Tensor(array, name=name)
    texts = [text.encode() if isinstance(text, str) else text for text in array.ravel().tolist()]
    return ir.StringTensor(texts, shape=ir.Shape(array.shape), name=name)


def is_named_constant(node: ir.Node) -> bool:
    """Whether this node only gives a constant the name of a graph output, as `replace_by_constant` leaves it."""
    return node.op_type == "Identity" and node.outputs[0].is_graph_output()


def remove_whole(graph: ir.Graph, node: ir.Node) -> None:
    """Removes a node whose results nobody reads, and lets the graphs inside it read nothing any longer: what only they read is
    dead now.
    """
    _forget(node)
    graph.remove(node, safe=True)


def _forget(node: ir.Node) -> None:
    for graph in subgraphs(node):
        for inner in graph:
            _forget(inner)
            for position in range(len(inner.inputs)):
                inner.replace_input_with(position, None)
