"""Dead code elimination."""

from __future__ import annotations

import onnx_ir as ir

from ingot.graph.read.types import CHECKS, COUNTS


def remove_dead(model: ir.Model) -> ir.Model:
    """Removes nodes whose results nobody reads, and weights that no node reads. In place.

    Does not handle: inputs, which stay even when nothing reads them, since they are part of the model's interface; nodes that
    count places while running, of which numbers follow that are constants here; nodes that end a run.
    """
    graph = model.graph
    for node in reversed(list(graph)):
        is_read = any(value.uses() or value.is_graph_output() for value in node.outputs)
        if not is_read and not {COUNTS, CHECKS} & node.metadata_props.keys():
            graph.remove(node, safe=True)
    for name, value in list(graph.initializers.items()):
        if not value.uses() and not value.is_graph_output():
            graph.initializers.pop(name)
    return model
