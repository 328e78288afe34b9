"""Placement: which target computes which node."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx_ir as ir

from ingot.base.errors import TargetError, nearest
from ingot.graph.read.types import domain_of, to_attribute, to_tensor_type
from ingot.plan.program import HOST, PlacedNode

# From operator types or patterns of node names to target keys, or a function from a node to its key (None: host).
Placement = Mapping[str, str] | Callable[[PlacedNode], str | None]


def place(model: ir.Model, placement: Placement | None, keys: Iterable[str]) -> dict[str, str]:
    """The target key of every node that is not on the host, by node name.

    Args:
        model: after the passes: nodes that were folded or fused away are not there any more.
        placement: the first entry whose key is the node's operator type, or a pattern that its name matches (`*` is any text),
            decides.
        keys: the target keys that there are.

    Raises:
        TargetError: a key that is no target's, an entry that matches no node, or a target other than the host that gets no node.
    """
    known = tuple(keys)
    nodes = [(placed_node if callable(placement) else _named)(node) for node in model.graph]
    chosen: dict[str, str | None]
    if placement is None:
        chosen = {}
    elif callable(placement):
        chosen = {node.name: placement(node) for node in nodes}
    else:
        for entry in placement:
            if not any(_matches(entry, node) for node in nodes):
                names = {node.op_type for node in nodes} | {node.name for node in nodes}
                raise TargetError(
                    f"place={{{entry!r}: …}} matches no node of the model{nearest(entry, names)}; "
                    "give an operator type, a node's name, or a pattern such as 'head/*'",
                    entry=entry,
                )
        chosen = {
            node.name: next((key for entry, key in placement.items() if _matches(entry, node)), None)
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
    idle = next((key for key in known if key != HOST and key not in chosen.values()), None)
    if idle is not None and nodes:  # of a model without nodes nothing can be placed anywhere
        raise TargetError(
            f"nothing is placed on the target {idle!r}: say which nodes it computes, by operator type or name "
            f"(place={{'*': {idle!r}}} for all), or leave the target out; "
            f"the model has {', '.join(sorted({node.op_type for node in nodes})) or 'no nodes'}",
            key=idle,
        )
    return {name: key for name, key in chosen.items() if key is not None}


def placed_node(node: ir.Node) -> PlacedNode:
    """The facts of a node that a function receives which places it, or computes it as a whole."""
    return PlacedNode(
        node.name or "",
        node.op_type,
        domain_of(node.domain),
        MappingProxyType({name: _plain(attribute) for name, attribute in node.attributes.items()}),
        tuple(to_tensor_type(value) if value is not None and value.name else None for value in node.inputs),
        tuple(map(to_tensor_type, node.outputs)),
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


def _matches(entry: str, node: PlacedNode) -> bool:
    return entry == node.op_type or fnmatch.fnmatchcase(node.name, entry)
