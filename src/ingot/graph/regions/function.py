"""A region as an ONNX function, and as a model of its own; and the call that stands for it in the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from ingot.graph.read.types import domain_of
from ingot.graph.rewrite.look import reads
from ingot.graph.write import model_bytes


@dataclass(frozen=True, slots=True)
class Ends:
    """What the nodes of a region read from around them, in the order of use; the constants that they read; what others read."""

    inputs: tuple[ir.Value, ...]
    constants: tuple[ir.Value, ...]
    outputs: tuple[ir.Value, ...]


def ends_of(nodes: Sequence[ir.Node]) -> Ends:
    """The ends of a region that consists of these nodes."""
    own = set(nodes)
    read = dict.fromkeys(value for node in nodes for value in reads(node) if value.producer() not in own)
    constants = tuple(value for value in read if is_constant(value))
    outputs = tuple(
        value
        for node in nodes
        for value in node.outputs
        if value.name and (value.is_graph_output() or any(use.node not in own for use in value.uses()))
    )
    return Ends(tuple(value for value in read if not is_constant(value)), constants, outputs)


def is_constant(value: ir.Value) -> bool:
    """Whether the content is known while building."""
    return value.is_initializer() and not value.is_graph_input() and value.const_value is not None


def body_model(model: ir.Model, nodes: Sequence[ir.Node], ends: Ends, name: str) -> bytes:
    """The nodes of a region as a model of their own: constants are initializers, every value has its type."""
    known = {value: _typed(value) for value in (*ends.inputs, *ends.constants)}
    for value in ends.constants:
        known[value].const_value = value.const_value
    copies = _copies(nodes, known)
    graph = ir.Graph(
        [known[value] for value in ends.inputs],
        [known[value] for value in ends.outputs],
        nodes=copies,
        initializers=[known[value] for value in ends.constants],
        opset_imports=_imports(model, nodes),
        name=name,
    )
    return model_bytes(ir.Model(graph, ir_version=model.ir_version, producer_name="ingot"))


def replace_by_call(
    model: ir.Model, nodes: Sequence[ir.Node], ends: Ends, domain: str, operator: str, name: str
) -> ir.Node:
    """Makes a function of the nodes and puts a call of it in their place; the graph has to be sorted afterwards. Gives the call.
    Constants that only these nodes read go into the function.
    """
    graph = model.graph
    model.functions[domain, operator, ""] = _function(model, nodes, ends, domain, operator)
    model.opset_imports[domain] = 1
    outputs = [ir.Value(name=value.name, type=value.type, shape=value.shape) for value in ends.outputs]
    call = ir.Node(domain, operator, list(ends.inputs), outputs=outputs, name=name)
    graph.insert_before(nodes[0], call)
    for old, new in zip(ends.outputs, outputs, strict=True):
        old.name = None
        ir.convenience.replace_all_uses_with(old, new, replace_graph_outputs=True)
    for node in reversed(nodes):
        graph.remove(node, safe=True)
    for value in ends.constants:
        if not value.uses() and not value.is_graph_output():
            graph.initializers.pop(value.name or "")
    return call


def _function(
    model: ir.Model, nodes: Sequence[ir.Node], ends: Ends, domain: str, operator: str
) -> ir.Function:
    known = {value: _typed(value) for value in ends.inputs}
    constants = []
    for value in ends.constants:
        known[value] = _typed(value)
        content = ir.AttrTensor("value", value.const_value) if value.const_value is not None else None
        attributes = [] if content is None else [content]
        constants.append(ir.Node("", "Constant", [], attributes, outputs=[known[value]], name=value.name))
    graph = ir.Graph(
        [known[value] for value in ends.inputs],
        [],
        nodes=[*constants, *_copies(nodes, known)],
        opset_imports={"": model.opset_imports.get("", 1), **_imports(model, nodes)},
        name=operator,
    )
    graph.outputs.extend(known[value] for value in ends.outputs)
    return ir.Function(domain, operator, graph=graph, attributes=[])


def _copies(nodes: Sequence[ir.Node], known: dict[ir.Value, ir.Value]) -> list[ir.Node]:
    """Copies of nodes with their names; `known` is what stands for values outside, and gets those inside."""
    copies = []
    for node in nodes:
        outputs = [_typed(value) for value in node.outputs]
        inputs = [None if value is None or not value.name else known[value] for value in node.inputs]
        known.update(zip(node.outputs, outputs, strict=True))
        copies.append(
            ir.Node(
                node.domain,
                node.op_type,
                inputs,
                list(node.attributes.values()),
                overload=node.overload,
                outputs=outputs,
                name=node.name,
            )
        )
    return copies


def _typed(value: ir.Value) -> ir.Value:
    return ir.Value(name=value.name, type=value.type, shape=value.shape)


def _imports(model: ir.Model, nodes: Sequence[ir.Node]) -> dict[str, int]:
    """The opsets of the nodes' domains."""
    imports = {domain_of(domain): version for domain, version in model.opset_imports.items()}
    domains = dict.fromkeys(domain_of(node.domain) for node in nodes)
    return {domain: imports[domain] for domain in domains if domain in imports}
