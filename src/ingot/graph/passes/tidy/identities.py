"""Removes nodes that give back their input."""

from __future__ import annotations

import onnx_ir as ir

from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import domain_of, static_shape
from ingot.ops.facts import Identity


def remove_identities(model: ir.Model) -> ir.Model:
    """Lets the readers of an Identity, an inference Dropout, or a Cast, Reshape, Expand, Transpose or Concat that changes nothing
    read its input instead. Where such a node names a graph output it becomes an Identity. In place.

    Does not handle: a Dropout in training mode or with a mask that is read; pairs of nodes that undo each other.
    """
    for node in list(model.graph):
        if domain_of(node.domain) or not node.inputs or node.inputs[0] is None or not _is_identity(node):
            continue
        source, result = node.inputs[0], node.outputs[0]
        if result.is_graph_output():
            if node.op_type != "Identity":
                kept = ir.Value(name=result.name, shape=result.shape, type=result.type)
                result.name = None
                model.graph.insert_before(
                    node, ir.Node("", "Identity", [source], outputs=[kept], name=node.name)
                )
                ir.convenience.replace_all_uses_with(result, kept, replace_graph_outputs=True)
                model.graph.remove(node, safe=True)
            continue
        ir.convenience.replace_all_uses_with(result, source)
        model.graph.remove(node, safe=True)
    return model


def _is_identity(node: ir.Node) -> bool:
    source, result = node.inputs[0], node.outputs[0]
    assert source is not None
    shape = static_shape(source)
    match node.op_type:
        case "Identity":
            return True
        case "Dropout":
            return _is_inference(node)
        case "Cast":
            return source.dtype is not None and source.dtype == node.attributes.get_int("to", 0)
        case "Transpose":
            permutation = node.attributes.get("perm")
            axes = (
                list(permutation.as_ints())
                if permutation is not None
                else list(reversed(range(len(shape or ()))))
            )
            return shape is not None and axes == sorted(axes)
    match said_of(node).identity:
        case Identity.SAME_SHAPE:
            return shape is not None and static_shape(result) == shape
        case Identity.ONE_INPUT:
            return len(node.inputs) == 1
    return False


def _is_inference(node: ir.Node) -> bool:
    if any(value.uses() or value.is_graph_output() for value in node.outputs[1:]):
        return False
    mode = node.inputs[2] if len(node.inputs) > 2 else None
    return mode is None or (mode.const_value is not None and not mode.const_value.numpy().item())
