"""The shapes of values inside branches. ONNX's inference follows no constants that a branch reads from around it."""

from __future__ import annotations

import onnx_ir as ir

from ingot.graph.passes.tidy.shapes import complete_node, infer_node
from ingot.graph.read.declared import believe_inside
from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import domain_of, opset_of, static_shape

BRANCHES = ("then_branch", "else_branch")


def complete_branches(model: ir.Model) -> bool:
    """Finds the shapes of what each `If` gives whose own are not known, from those inside of its branches: by the nodes there,
    with all constants that they read, and where nodes do not tell by what the branch declares. In place.

    Does not handle: results that have not the same shape in both branches; what is inside of loops.

    Returns:
        Whether there was one.
    """
    completed = [_complete_if(model, node) for node in model.graph if _is_if(node)]
    return any(completed)


def _is_if(node: ir.Node) -> bool:
    return node.op_type == "If" and not domain_of(node.domain)


def _complete_if(model: ir.Model, node: ir.Node) -> bool:
    open_ = [place for place, value in enumerate(node.outputs) if value.name and static_shape(value) is None]
    branches = [node.attributes[name].as_graph() for name in BRANCHES if name in node.attributes]
    if not open_ or len(branches) < len(BRANCHES):
        return False
    for branch in branches:
        for inner in branch:
            _complete_inside(model, inner)
    done = False
    for place in open_:
        then, other = (branch.outputs[place] for branch in branches)
        shape = static_shape(then)
        if shape is None or shape != static_shape(other) or then.type is None or then.type != other.type:
            continue
        node.outputs[place].type, node.outputs[place].shape = then.type, ir.Shape(shape)
        done = True
    return done


def _complete_inside(model: ir.Model, node: ir.Node) -> None:
    if all(static_shape(value) is not None for value in node.outputs if value.name):
        return
    if _is_if(node):
        _complete_if(model, node)
    else:
        complete_node(node, opset_of(model))
        if not said_of(node).misinferred:
            infer_node(
                node, opset_of(model, node.domain)
            )  # a rank, or some extents, which what is declared has to fit to
    for value in node.outputs:
        believe_inside(value)
