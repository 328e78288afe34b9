"""Moves what does not change from one iteration of a loop to the next in front of the loop."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from ingot.graph.passes.tidy.fold import is_random
from ingot.graph.rewrite.add import Names
from ingot.graph.rewrite.look import reads, subgraphs


def lift(loops: Sequence[ir.Node], around: ir.Graph, names: Names) -> bool:
    """Moves what is the same in all iterations in front of each loop. In place; returns whether there was something: what is
    known now has to be found out before a loop is looked at, since it may be a count.
    """
    moved = [_lift(node, around, names) for node in loops]
    return any(moved)


def _lift(node: ir.Node, around: ir.Graph, names: Names) -> bool:
    """Moves what does not change from one iteration to the next out of the graphs inside a node; of branches only constants,
    since the rest may not be computed at all.
    """
    done = False
    for body in subgraphs(node):
        for inner in list(body):
            done = _lift(inner, body, names) or done
        for value in [
            weight
            for weight in body.initializers.values()
            if not weight.is_graph_input() and not weight.is_graph_output()
        ]:
            body.initializers.pop(value.name or "")
            value.name = names.free(f"{node.name or node.op_type}/{value.name}")
            around.register_initializer(value)
            done = True
        inside = set(body.inputs) | set(body.initializers.values())
        for candidate in list(body):
            is_movable = candidate.op_type == "Constant" or (
                node.op_type in ("Loop", "Scan") and not _is_random(candidate)
            )
            if (
                not is_movable
                or not inside.isdisjoint(reads(candidate))
                or any(value.is_graph_output() for value in candidate.outputs)
            ):
                inside.update(candidate.outputs)
                continue
            body.remove(candidate)
            for value in candidate.outputs:
                value.shape = None
                if value.name:
                    value.name = names.free(f"{node.name or node.op_type}/{value.name}")
            candidate.name = f"{node.name or node.op_type}/{candidate.name or candidate.op_type}"
            around.insert_before(node, candidate)
            done = True
    return done


def _is_random(node: ir.Node) -> bool:
    return is_random(node) or any(_is_random(inner) for graph in subgraphs(node) for inner in graph)
