"""Nodes in an order in which they can be computed. ONNX wants it; some exporters write another, which onnxruntime runs."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import onnx

from ingot.graph.read.declared import Declarations, graphs_inside


def sort_nodes(proto: onnx.ModelProto, declarations: Declarations) -> None:
    """Puts each node behind those that compute what it reads, and otherwise leaves the order as it is. In place.

    Does not handle: circles, and values that are written twice, whose graphs stay as they are.
    """
    outer = [proto.graph, *proto.functions]
    inner = graphs_inside(node for owner in outer for node in owner.node)
    for owner in reversed([*outer, *inner]):  # the innermost first, since sorting copies nodes
        order = _order(owner.node)
        if order is not None:
            declarations.say(
                f"the nodes of {owner.name!r} are not in the order in which they can be computed; they are sorted"
            )
            nodes = [onnx.NodeProto.FromString(owner.node[at].SerializeToString()) for at in order]
            del owner.node[:]
            owner.node.extend(nodes)


def _order(nodes: Sequence[onnx.NodeProto]) -> list[int] | None:
    """The positions of the nodes in order; None if they are in order, or cannot be."""
    writers = {name: at for at, node in enumerate(nodes) for name in node.output if name}
    needed = [{writers[name] for name in _reads(node) if name in writers} for node in nodes]
    if all(writer < at for at, ones in enumerate(needed) for writer in ones):
        return None
    readers: list[list[int]] = [[] for _ in nodes]
    for at, ones in enumerate(needed):
        for writer in ones:
            readers[writer].append(at)
    order = _by_readiness([len(ones) for ones in needed], readers)
    return order if len(order) == len(nodes) else None


def _by_readiness(missing: list[int], readers: list[list[int]]) -> list[int]:
    """The nodes that can be computed, the first one that is ready first. `missing`: how many nodes each one waits for."""
    order: list[int] = []
    ready = [at for at, count in enumerate(missing) if not count]
    while ready:
        order.append(heapq.heappop(ready))
        for reader in readers[order[-1]]:
            missing[reader] -= 1
            if not missing[reader]:
                heapq.heappush(ready, reader)
    return order


def _reads(node: onnx.NodeProto) -> set[str]:
    """What a node reads, in the graphs inside of it, too, as far as these do not compute it themselves."""
    names = set(node.input)
    for attribute in node.attribute:
        for graph in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
            own = {value.name for value in (*graph.input, *graph.initializer)}
            own.update(name for inner in graph.node for name in inner.output)
            names |= {name for inner in graph.node for name in _reads(inner)} - own
    return names
