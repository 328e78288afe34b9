"""Shapes that follow from those of results: a model states the shapes of its outputs, and arguments that are known only while
running may stand before.
"""

from __future__ import annotations

import onnx_ir as ir

from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import static_shape


def infer_same_shapes(graph: ir.Graph) -> None:
    """Gives the input of a node whose result has the same shape that of the result, where only that is known. In place."""
    for node in reversed(graph):
        source = node.inputs[0] if _keeps_shape(node) else None
        extents = None if source is None or source.producer() is None else static_shape(node.outputs[0])
        if source is not None and extents is not None and static_shape(source) is None:
            source.shape = ir.Shape(extents)


def infer_unbroadcast(model: ir.Model) -> bool:
    """Gives operands of elementwise nodes, of which nothing but the rank is known, the stated extents of the result. In place.

    An operand could have the extent 1 there, which is broadcast. Whoever makes it of arguments that are known only while running
    checks the shape that it was given, so that this ends a run with an error.

    Returns:
        Whether an operand got extents.
    """
    is_changed = False
    for node in reversed(model.graph):
        extents = static_shape(node.outputs[0]) if said_of(node).element is not None else None
        if extents is None:
            continue
        for source in filter(None, node.inputs):
            is_changed |= _take(source, extents)
    return is_changed


def _take(source: ir.Value, extents: tuple[int, ...]) -> bool:
    shape = source.shape
    if source.producer() is None or shape is None or static_shape(source) is not None:
        return False
    if len(shape) != len(extents):
        return False
    source.shape = ir.Shape(
        [known if isinstance(known, int) else extent for known, extent in zip(shape, extents, strict=True)]
    )
    return True


def _keeps_shape(node: ir.Node) -> bool:
    operator = said_of(node)
    return operator.same_shape or (operator.element is not None and len(node.inputs) == 1)
