"""Products of the slices of one tensor with the same weights, as one product of the whole tensor."""

from __future__ import annotations

import onnx_ir as ir

from ingot.graph.read.names import name_all
from ingot.graph.read.types import domain_of, static_shape
from ingot.graph.rewrite.add import Names, add_node
from ingot.graph.rewrite.look import constant_of
from ingot.graph.rewrite.replace import give_result

Key = tuple[ir.Value, int, ir.Value]  # the tensor, the axis along which it is sliced, the weights


def join_products(model: ir.Model) -> bool:
    """Multiplies a tensor once where its slices `x[t]` were multiplied with the same matrix one by one, as steps of recurrent
    networks do that were written out: the weights are then read once and not for each step. In place; returns whether it did
    something.

    Does not handle: slices along the axis that is summed over; fewer slices than half of the tensor; `Gemm`.
    """
    groups: dict[Key, list[tuple[ir.Node, int]]] = {}
    for node in model.graph:
        slice_ = _slice_of(node)
        if slice_ is not None:
            key, place = slice_
            groups.setdefault(key, []).append((node, place))
    done = False
    names: Names | None = None
    for (whole, axis, weights), products in groups.items():
        extents = static_shape(whole)
        if len(products) < 2 or extents is None or 2 * len({place for _, place in products}) < extents[axis]:
            continue
        names = names or Names(model.graph)
        _join(model.graph, names, whole, axis, weights, products)
        done = True
    if done:
        name_all(model.graph)
    return done


def _slice_of(node: ir.Node) -> tuple[Key, int] | None:
    """Of which tensor, along which axis and at which place a product multiplies a slice with a matrix; None of other nodes."""
    if node.op_type != "MatMul" or domain_of(node.domain) or len(node.inputs) != 2:
        return None
    part, weights = node.inputs
    source = part.producer() if part is not None else None
    if weights is None or source is None or source.op_type != "Gather" or domain_of(source.domain):
        return None
    whole, place, matrix = source.inputs[0], constant_of(source.inputs[1]), static_shape(weights)
    extents = None if whole is None else static_shape(whole)
    if whole is None or extents is None or place is None or place.ndim or matrix is None or len(matrix) != 2:
        return None
    axis = source.attributes.get_int("axis", 0)
    axis += len(extents) if axis < 0 else 0
    if not 0 <= axis < len(extents) - 1 or not -extents[axis] <= place.item() < extents[axis]:
        return None
    return (whole, axis, weights), int(place.item()) % extents[axis]


def _join(
    graph: ir.Graph,
    names: Names,
    whole: ir.Value,
    axis: int,
    weights: ir.Value,
    products: list[tuple[ir.Node, int]],
) -> None:
    first, _ = products[0]
    joined = add_node(graph, first, "MatMul", [whole, weights], names.free(f"{first.name}/whole"))
    for node, _ in products:
        source = node.inputs[0]
        slice_ = source.producer() if source is not None else None
        assert slice_ is not None and slice_.inputs[1] is not None
        where = ir.AttrInt64("axis", axis)
        part = add_node(
            graph, node, "Gather", [joined, slice_.inputs[1]], names.free(f"{node.name}/part"), [where]
        )
        give_result(graph, node, node.outputs[0], part)
        graph.remove(node, safe=True)
