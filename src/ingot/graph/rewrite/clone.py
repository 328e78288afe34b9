"""Copies of nodes under other names: what unrolling a loop and taking a branch have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import onnx
import onnx_ir as ir

from ingot.graph.read.types import domain_of

GRAPHS = (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS)


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
    found = [value for value in node.inputs if value is not None and value.name]
    for graph in subgraphs(node):
        own = {
            *graph.inputs,
            *graph.initializers.values(),
            *(value for one in graph for value in one.outputs),
        }
        inner = [value for one in graph for value in reads(one)] + list(graph.outputs)
        found += [value for value in inner if value not in own]
    return list(dict.fromkeys(found))


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
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted


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
    made = []
    for node in nodes:
        attributes = [_copied(attribute, known, prefix, names) for attribute in node.attributes.values()]
        inputs = [None if value is None else known.get(value, value) for value in node.inputs]
        # ONNX infers them anew: in a loop they are what the exporter saw in one iteration.
        keep = not onnx.defs.has(node.op_type, domain=domain_of(node.domain))
        outputs = [_value(value, prefix, names, keep) for value in node.outputs]
        known.update(zip(node.outputs, outputs, strict=True))
        made.append(
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
    return made


def _value(value: ir.Value, prefix: str, names: Names, keep_shape: bool) -> ir.Value:
    name = names.free(prefix + value.name) if value.name else value.name
    return ir.Value(name=name, type=value.type, shape=value.shape if keep_shape else None)


def _copied(attribute: ir.Attr, known: dict[ir.Value, ir.Value], prefix: str, names: Names) -> ir.Attr:
    if attribute.type is ir.AttributeType.GRAPH:
        return ir.AttrGraph(attribute.name, _copied_graph(attribute.as_graph(), known, prefix, names))
    if attribute.type is ir.AttributeType.GRAPHS:
        return ir.AttrGraphs(
            attribute.name, [_copied_graph(one, known, prefix, names) for one in attribute.as_graphs()]
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


def give_result(graph: ir.Graph, node: ir.Node, old: ir.Value, new: ir.Value) -> None:
    """Lets who reads a node's result read another value. A graph output keeps its name by an Identity before the node."""
    name = old.name
    old.name = None
    if any(output is old for output in graph.outputs):
        kept = ir.Value(name=name, shape=old.shape, type=old.type)
        graph.insert_before(node, ir.Node("", "Identity", [new], outputs=[kept], name=f"{node.name}/{name}"))
        new = kept
    ir.convenience.replace_all_uses_with(old, new, replace_graph_outputs=True)


def remove_whole(graph: ir.Graph, node: ir.Node) -> None:
    """Removes a node whose results nobody reads, and lets the graphs inside it read nothing any longer: what only they read is
    dead now.
    """
    _forget(node)
    graph.remove(node, safe=True)


def _forget(node: ir.Node) -> None:
    for graph in subgraphs(node):
        for one in graph:
            _forget(one)
            for position in range(len(one.inputs)):
                one.replace_input_with(position, None)
