"""Replaces an `If` whose condition is known by the branch that it takes."""

from __future__ import annotations

import onnx_ir as ir

from ingot.graph.names import name_all
from ingot.graph.passes.copies import Names, give_result, remove_whole


def inline_branches(model: ir.Model) -> bool:
    """Puts the nodes of the branch taken in the place of each `If` with a constant condition. In place; returns whether it did.

    Does not handle: conditions that are only known while running.
    """
    done = False
    names: Names | None = None
    for node in list(model.graph):
        condition = node.inputs[0].const_value if node.op_type == "If" and node.inputs and node.inputs[0] is not None else None
        if condition is None:
            continue
        done = True
        names = names or Names(model.graph, deep=False)
        taken = node.attributes["then_branch" if condition.numpy().item() else "else_branch"].as_graph()
        _splice(model.graph, node, taken, names)
    if done:
        name_all(model.graph)
    return done


def _splice(graph: ir.Graph, node: ir.Node, branch: ir.Graph, names: Names) -> None:
    for value in list(branch.initializers.values()):
        branch.initializers.pop(value.name or "")
        value.name = names.free(value.name or "weight")
        graph.register_initializer(value)
    results = list(branch.outputs)
    branch.outputs.clear()
    inner = list(branch)
    branch.remove(inner)
    for one in inner:
        for value in one.outputs:
            if value.name:
                value.name = names.free(value.name)
        one.name = f"{node.name}/{one.name or one.op_type}"
        graph.insert_before(node, one)
    for old, new in zip(tuple(node.outputs), results, strict=True):
        give_result(graph, node, old, new)
    remove_whole(graph, node)
