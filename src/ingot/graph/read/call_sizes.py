"""How many nodes the calls of a model's own functions stand for: counted, not written out, before anything follows the calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx

from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.read.check_attributes import all_nodes
from ingot.graph.read.types import domain_of

# Nodes that a model may become beyond those that its file has, by function calls and by loops together: code and calls grow with
# them, and the time to build.
NODES_MAX = 1 << 16

_Key = tuple[str, str, str]


def check_call_sizes(proto: onnx.ModelProto, label: str) -> None:
    """Refuses functions that call themselves, and calls that stand for too many nodes.

    Raises:
        ModelError: names a function that calls itself.
        UnsupportedError: the calls stand for more than NODES_MAX nodes.
    """
    functions = {
        (domain_of(function.domain), function.name, function.overload): function
        for function in proto.functions
    }
    if not functions:
        return
    called = {key: _called(function.node) for key, function in functions.items()}
    sizes: dict[_Key, int] = {}
    for key in functions:
        _measure(key, called, sizes, label)
    total = sum(sizes.get(key, 0) for key in _called(proto.graph.node))
    if total > NODES_MAX:
        raise UnsupportedError(
            f"{label}: the calls of its functions stand for {total if total < 1 << 64 else 'more than 2^64'} nodes, "
            f"ingot writes calls and loops of a model out into at most {NODES_MAX}",
            nodes=(),
        )


def _called(nodes: Iterable[onnx.NodeProto]) -> list[_Key]:
    return [(domain_of(node.domain), node.op_type, node.overload) for _, node in all_nodes(nodes)]


def _measure(start: _Key, called: Mapping[_Key, list[_Key]], sizes: dict[_Key, int], label: str) -> None:
    """Adds the nodes that a call of `start` stands for, and of all that it calls. Chains of calls may be long: no recursion."""
    path: dict[_Key, None] = {}
    front = [start]
    while front:
        key = front[-1]
        if key in sizes:
            front.pop()
            continue
        path[key] = None
        open_ = [callee for callee in dict.fromkeys(called[key]) if callee in called and callee not in sizes]
        for callee in open_:
            if callee in path:
                raise ModelError(f"{label}: function {callee[1]!r} of the domain {callee[0]!r} calls itself")
        front += open_
        if not open_:
            sizes[key] = min(sum(sizes.get(callee, 1) for callee in called[key]), 1 << 64)
            path.pop(key)
