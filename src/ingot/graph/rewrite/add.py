"""What a pass adds to a graph: names that are free, constants, nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ingot.graph.read.names import unused, unused_name
from ingot.graph.rewrite.look import subgraphs


class Names:
    """Names of values that are still free in a graph and in all graphs inside it, where none may hide another; not `deep`: of
    the graph alone, for values that come out of one inside it.
    """

    def __init__(self, graph: ir.Graph, deep: bool = True) -> None:
        self._taken: set[str] = set()
        self._take(graph, deep)

    def _take(self, graph: ir.Graph, deep: bool) -> None:
        self._taken.update(
            value.name for value in (*graph.inputs, *graph.initializers.values()) if value.name
        )
        for node in graph:
            self._taken.update(value.name for value in node.outputs if value.name)
            for inner in subgraphs(node) if deep else ():
                self._take(inner, deep)

    def free(self, wanted: str) -> str:
        """The name, with underscores behind it if it is taken. It is taken from now on."""
        return unused(wanted, self._taken)


def add_constant(graph: ir.Graph, names: Names, wanted: str, array: np.ndarray) -> ir.Value:
    """A new initializer."""
    return add_tensor(graph, names, wanted, ir.Tensor(array))


def add_tensor(graph: ir.Graph, names: Names, wanted: str, tensor: ir.TensorProtocol) -> ir.Value:
    """A new initializer with a content that exists."""
    shape = ir.Shape(tensor.shape.numpy())
    value = ir.Value(
        name=names.free(wanted), const_value=tensor, shape=shape, type=ir.TensorType(tensor.dtype)
    )
    graph.register_initializer(value)
    return value


def add_named(graph: ir.Graph, name: str, array: np.ndarray) -> ir.Value:
    """A new initializer, for one who adds few: what names are free is looked up each time."""
    tensor = ir.Tensor(np.ascontiguousarray(array).reshape(array.shape))
    value = ir.Value(
        name=unused_name(graph, name),
        shape=ir.Shape(array.shape),
        type=ir.TensorType(tensor.dtype),
        const_value=tensor,
    )
    graph.register_initializer(value)
    return value


def add_node(
    graph: ir.Graph,
    before: ir.Node,
    op_type: str,
    inputs: Sequence[ir.Value],
    name: str,
    attributes: Sequence[ir.Attr] = (),
) -> ir.Value:
    """Puts a new node of ONNX's own operators, with one output of the node's own name, before another one."""
    output = ir.Value(name=name)
    graph.insert_before(before, ir.Node("", op_type, inputs, attributes, outputs=[output], name=name))
    return output
