"""Dead code elimination."""

from __future__ import annotations

import onnx_ir as ir


def remove_dead(model: ir.Model) -> ir.Model:
    """Removes nodes whose results nobody reads, and weights that no node reads. In place.

    Does not handle: inputs, which stay even when nothing reads them, since they are part of the model's interface.
    """
    graph = model.graph
    for node in reversed(list(graph)):
        if not any(value.uses() or value.is_graph_output() for value in node.outputs):
            graph.remove(node, safe=True)
    for name, value in list(graph.initializers.items()):
        if not value.uses() and not value.is_graph_output():
            graph.initializers.pop(name)
    return model
