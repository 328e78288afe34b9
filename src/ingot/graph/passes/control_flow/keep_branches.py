"""Keeps an `If` that decides while running over much work: both branches are models of their own, of which one runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import onnx_ir as ir

from ingot.graph.passes.control_flow.inside import Inside, is_plain, is_read, read_by
from ingot.graph.passes.control_flow.kept import BODY, DOMAIN, Kept, KeptBranch, KeptLoop
from ingot.graph.passes.tidy.inner_shapes import BRANCHES
from ingot.graph.read.definitions import said_of
from ingot.graph.read.names import name_all
from ingot.graph.read.types import COUNTS, domain_of, static_shape
from ingot.graph.rewrite.add import Names
from ingot.graph.rewrite.look import constant_of, subgraphs
from ingot.graph.rewrite.replace import give_result, remove_whole

# Elements and multiplications of a branch from which on it is worth a decision while running. Some microseconds; a flag, a call
# more, and results that are in memory because nothing is fused across the border of a branch, cost a tenth of that.
WORK_MIN = 1 << 14

Resolve = Callable[[ir.Model], ir.Model]


def keep_branches(model: ir.Model, kept: Kept, resolve: Resolve) -> bool:
    """Makes nodes of `DOMAIN` of those `If`s at the top of the graph whose condition is only known while running, if both
    branches give tensors of the same shapes, and one of them is at least `WORK_MIN` of work. In place; returns whether there
    was one.

    Does not handle: results that are no tensors or whose shapes are not known; branches that count places or have text in them,
    and others of little work. `join_branches` computes both branches of these.

    Args:
        model: what may have branches.
        kept: gets them.
        resolve: makes a model one without functions, branches, loops and sequences, with shapes that are known.
    """
    names: Names | None = None
    done = False
    for node in list(model.graph):
        label = node.name or node.op_type
        if node.op_type != "If" or domain_of(node.domain) or label in kept.refused:
            continue
        read = [at for at, value in enumerate(node.outputs) if is_read(value)]
        operands = _operands(node)
        if operands is None or not read or not all(is_plain(node.outputs[at]) for at in read):
            continue  # shapes may be known later
        names = names or Names(model.graph)
        known = dict(kept.known)
        branch = _branch(model, node, read, operands[1:], names, resolve)
        if branch is None or max(_work_of(inner, kept) for inner in branch.models) < WORK_MIN:
            kept.known = known
            kept.refused.add(label)
            continue
        _put(model, node, read, operands, kept.add(label, branch), names)
        done = True
    if done:
        name_all(model.graph)
    return done


def _operands(node: ir.Node) -> list[ir.Value] | None:
    """The condition, and what the branches read from around them and is no constant; None if it cannot be handed over."""
    condition = node.inputs[0]
    if condition is None or not is_plain(condition) or constant_of(condition) is not None:
        return None
    values: dict[ir.Value, None] = {}
    for name in BRANCHES:
        graph = node.attributes[name].as_graph()
        values |= dict.fromkeys(read_by(list(graph), list(graph.outputs)))
    outside = [value for value in values if constant_of(value) is None]
    return [condition, *outside] if all(map(is_plain, outside)) else None


def _branch(
    model: ir.Model,
    node: ir.Node,
    read: Sequence[int],
    outside: Sequence[ir.Value],
    names: Names,
    resolve: Resolve,
) -> KeptBranch | None:
    """The models of both branches, resolved; None if they do not give what the node does."""
    models = []
    for name in BRANCHES:
        graph = node.attributes[name].as_graph()
        nodes, results = list(graph), [graph.outputs[at] for at in read]
        inside = Inside(node.name or node.op_type, names)
        for value in outside:
            inside.take_in(value)
        constants = inside.missing(nodes, results)
        if any(value.dtype is ir.DataType.STRING for value in constants):
            return None
        for value in constants:
            inside.take_in(value)
        given = list(inside.inputs)
        inner = resolve(inside.model(nodes, results, model))
        if list(inner.graph.inputs) != given or any(map(_is_open, inner.graph)):
            return None
        for result, at in zip(inner.graph.outputs, read, strict=True):
            same = is_plain(result) and static_shape(result) == static_shape(node.outputs[at])
            if not same or result.dtype != node.outputs[at].dtype:
                return None
        models.append(inner)
    return KeptBranch(*models)


def _is_open(node: ir.Node) -> bool:
    """Whether a node counts places while running, or control flow was not resolved."""
    return COUNTS in node.metadata_props or any(True for _ in subgraphs(node))


def _put(
    model: ir.Model, node: ir.Node, read: Sequence[int], inputs: Sequence[ir.Value], body: str, names: Names
) -> None:
    """Puts the node that stays in the place of the `If`."""
    label, graph = node.name or node.op_type, model.graph
    results = [
        ir.Value(
            name=names.free(f"{label}/result{at}"), type=node.outputs[at].type, shape=node.outputs[at].shape
        )
        for at in read
    ]
    graph.opset_imports.setdefault(DOMAIN, 1)
    graph.insert_before(
        node, ir.Node(DOMAIN, "Choice", inputs, [ir.AttrString(BODY, body)], outputs=results, name=label)
    )
    for at, value in zip(read, results, strict=True):
        give_result(graph, node, node.outputs[at], value)
    remove_whole(graph, node)


def _work_of(model: ir.Model, kept: Kept) -> int:
    """About how many elements and multiplications a model takes."""
    return sum(_work(node, kept) for node in model.graph)


def _work(node: ir.Node, kept: Kept) -> int:
    inner = kept.of(node)
    if inner is not None:
        times = inner.count_max if isinstance(inner, KeptLoop) else 1
        return times * max(_work_of(model, kept) for model in inner.models)
    if node.op_type == "Identity":
        return 0
    results = [_size(value) for value in node.outputs]
    if not said_of(node).factors:
        read = [_size(value) for value in node.inputs if constant_of(value) is None]
        return max([*results, *read], default=0)
    # Of a product of matrices this is exactly what it multiplies: the root of (m·k)·(k·n)·(m·n).
    sizes = sorted([*map(_size, node.inputs), *results])
    return math.isqrt(math.prod(sizes[-3:]))


def _size(value: ir.Value | None) -> int:
    shape = None if value is None or not value.name else static_shape(value)
    return 0 if shape is None else math.prod(shape)
