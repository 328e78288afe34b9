"""Placement: which target computes which node."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx_ir as ir

from ingot.base.errors import TargetError, nearest
from ingot.graph.read.types import domain_of, to_attribute, to_tensor_type
from ingot.graph.rewrite.look import constant_of
from ingot.plan.placed_node import Look, PlacedNode
from ingot.plan.program import HOST

# From operator types or patterns of node names to target keys, or a function from a node to its key (None: host).
Placement = Mapping[str, str] | Callable[[PlacedNode], str | None]
# An entry of a placement that stands for the nodes which ingot has no definition for.
UNSUPPORTED = "unsupported"


def place(
    model: ir.Model,
    placement: Placement | None,
    keys: Iterable[str],
    free: Collection[str] = (),
    unsupported: Collection[str] = (),
) -> dict[str, str]:
    """The target key of every node that is not on the host, by node name.

    Args:
        model: after the passes: nodes that were folded or fused away are not there any more.
        placement: the first entry whose key is the node's operator type, or a pattern that its name matches (`*` is any text),
            decides.
        keys: the target keys that there are.
        free: those of them that choose nodes themselves: they may get none here.
        unsupported: the names of the nodes for which the entry `unsupported` stands.

    Raises:
        TargetError: a key that is no target's, an entry that matches no node, or a target other than the host that gets no node.
    """
    known = tuple(keys)
    facts = NodeFacts(model.graph)
    nodes = [facts[node] if callable(placement) else _named(node) for node in model.graph]
    chosen: dict[str, str | None]
    if placement is None:
        chosen = {}
    elif callable(placement):
        chosen = {node.name: placement(node) for node in nodes}
    else:
        _require_matches(placement, nodes, unsupported)
        chosen = {
            node.name: next(
                (key for entry, key in placement.items() if _matches(entry, node, unsupported)), None
            )
            for node in nodes
        }
    for name, key in chosen.items():
        if key is not None and key not in known:
            near = nearest(str(key), known)
            raise TargetError(
                f"node {name!r} is placed on {key!r}, which is no target key{near} (known: {', '.join(known)})",
                node=name,
                key=key,
            )
    taken = {HOST, *free, *chosen.values()}
    idle = next((key for key in known if key not in taken), None)
    if idle is not None and nodes:  # of a model without nodes nothing can be placed anywhere
        raise TargetError(
            f"nothing is placed on the target {idle!r}: say which nodes it computes, by operator type or name "
            f"(place={{'*': {idle!r}}} for all), or leave the target out; "
            f"the model has {', '.join(sorted({node.op_type for node in nodes})) or 'no nodes'}",
            key=idle,
        )
    return {name: key for name, key in chosen.items() if key is not None}


def _require_matches(
    placement: Mapping[str, str], nodes: Sequence[PlacedNode], unsupported: Collection[str]
) -> None:
    """Raises TargetError for an entry that matches no node."""
    for entry in placement:
        if entry == UNSUPPORTED and not unsupported:
            raise TargetError(
                f"place={{{entry!r}: …}}: ingot computes every node of the model; leave the entry and its target out",
                entry=entry,
            )
        if not any(_matches(entry, node, unsupported) for node in nodes):
            names = {node.op_type for node in nodes} | {node.name for node in nodes}
            raise TargetError(
                f"place={{{entry!r}: …}} matches no node of the model{nearest(entry, names)}; "
                "give an operator type, a node's name, or a pattern such as 'head/*'",
                entry=entry,
            )


def named_keys(placement: Placement) -> frozenset[str] | None:
    """The target keys that a placement speaks of; None if nobody knows, since it is a function."""
    return None if callable(placement) else frozenset(placement.values())


class NodeFacts:
    """The facts of nodes of a graph, with what is around them; those of one node are one object. What is around is looked up in
    the graph as it is when somebody looks.
    """

    def __init__(self, graph: ir.Graph) -> None:
        self._graph = graph
        self._known: dict[ir.Node, PlacedNode] = {}

    def __getitem__(self, node: ir.Node) -> PlacedNode:
        facts = self._known.get(node)
        if facts is None:
            facts = self._known[node] = placed_node(node, self._look(node))
        return facts

    def _look(self, node: ir.Node) -> Look:
        def constant(number: int) -> np.ndarray | None:
            array = constant_of(node.inputs[number])
            if array is None:
                return None
            array = array.view()  # the model's own memory
            array.flags.writeable = False
            return array

        def producer(number: int) -> PlacedNode | None:
            value = node.inputs[number]
            maker = None if value is None else value.producer()
            return None if maker is None else self[maker]

        def readers(number: int) -> tuple[PlacedNode, ...]:
            uses = (use.node for use in node.outputs[number].uses())
            return tuple(self[reader] for reader in dict.fromkeys(uses) if reader.graph is self._graph)

        return Look(constant, producer, readers)


def placed_node(node: ir.Node, look: Look | None = None) -> PlacedNode:
    """The facts of a node that a function receives which places it, or computes it as a whole."""
    return PlacedNode(
        node.name or "",
        node.op_type,
        domain_of(node.domain),
        MappingProxyType({name: _plain(attribute) for name, attribute in node.attributes.items()}),
        tuple(to_tensor_type(value) if value is not None and value.name else None for value in node.inputs),
        tuple(map(to_tensor_type, node.outputs)),
        look,
    )


def _named(node: ir.Node) -> PlacedNode:
    """As much of a node as a mapping tells apart."""
    return PlacedNode(node.name or "", node.op_type, domain_of(node.domain), {}, (), ())


def _plain(attribute: ir.Attr) -> Any:
    value = to_attribute(attribute)
    if isinstance(value, np.ndarray):
        value = value.view()  # the model's own memory
        value.flags.writeable = False
    return value


def _matches(entry: str, node: PlacedNode, unsupported: Collection[str]) -> bool:
    if entry == UNSUPPORTED and node.name in unsupported:
        return True
    return entry == node.op_type or fnmatch.fnmatchcase(node.name, entry)
