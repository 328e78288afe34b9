"""Replaces an `If`: by the branch that it takes where that is known, else by both of them and a choice between their results."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.graph.passes.tidy.shapes import complete_node
from ingot.graph.read.deciders import how_to_bind
from ingot.graph.read.ends import CONTROL
from ingot.graph.read.names import name_all
from ingot.graph.read.types import CHOICE, UNSURE, WHY, domain_of, opset_of, static_shape
from ingot.graph.rewrite.add import Names, add_constant, add_node
from ingot.graph.rewrite.replace import give_result, remove_whole

# From this opset on there is a Where to choose with.
WHERE_OPSET = 9


def inline_branches(model: ir.Model) -> bool:
    """Puts the nodes of the branch taken in the place of each `If` with a constant condition. In place; returns whether it did.

    Does not handle: conditions that are only known while running.
    """
    done = False
    names: Names | None = None
    for node in list(model.graph):
        condition = _condition(node)
        if condition is not None:
            _check_condition(model, node, condition)
        if condition is None or condition.const_value is None:
            continue
        done = True
        names = names or Names(model.graph, deep=False)
        taken = node.attributes[
            "then_branch" if condition.const_value.numpy().item() else "else_branch"
        ].as_graph()
        for old, new in zip(
            tuple(node.outputs), _splice(model.graph, node, taken, names, opset_of(model)), strict=True
        ):
            give_result(model.graph, node, old, new)
        remove_whole(model.graph, node)
    if done:
        name_all(model.graph)
    return done


def join_branches(model: ir.Model) -> bool:
    """Computes both branches of each `If` whose condition is only known while running, and chooses between their results by
    `Where`. In place; returns whether it did. An `If` that stays has the reason in its metadata, under `WHY`.

    For when nothing else can find out which branch is taken: both cost time from then on.

    Does not handle: tensors whose shapes are not known or not the same in both branches.
    """
    version = opset_of(model)
    names: Names | None = None
    for node in list(model.graph):
        condition = _condition(node)
        if condition is None:
            continue
        why = _why_separate(node, version)
        if why is not None:
            node.metadata_props[WHY] = why
            continue
        names = names or Names(model.graph, deep=False)
        _join(model.graph, node, condition, names, version)
    if names is not None:
        name_all(model.graph)
    return names is not None


def _condition(node: ir.Node) -> ir.Value | None:
    return node.inputs[0] if node.op_type == "If" and not domain_of(node.domain) and node.inputs else None


def _check_condition(model: ir.Model, node: ir.Node, condition: ir.Value) -> None:
    shape = static_shape(condition)
    if shape is not None and math.prod(shape) != 1:
        raise ModelError(
            f"model {model.graph.name!r}: node {node.name} (If): its condition {condition.name!r} has the shape {list(shape)}, "
            "expected one element",
            node=node.name,
        )


def _is_read(value: ir.Value) -> bool:
    return bool(value.uses()) or value.is_graph_output()


def _why_separate(node: ir.Node, version: int) -> str | None:
    """Why the branches of an `If` cannot both be computed; None if they can."""
    for value in node.outputs:
        if _is_read(value) and not is_grouped(value) and static_shape(value) is None:
            return (
                f"which branch it takes is only known while running, and the shape of its output {value.name!r} is not known, or "
                "not the same in both" + how_to_bind(node.inputs[0])
            )
    if version < WHERE_OPSET:
        why = f"which branch it takes is only known while running, and opset {version} has no Where to choose with"
        return why + how_to_bind(node.inputs[0])
    return None


def _join(graph: ir.Graph, node: ir.Node, condition: ir.Value, names: Names, version: int) -> None:
    label = node.name or "If"
    if static_shape(condition) != ():
        # A single element of any rank; results may have a lower one.
        scalar = add_constant(graph, names, f"{label}/scalar", np.zeros(0, np.int64))
        condition = add_node(graph, node, "Reshape", [condition, scalar], names.free(f"{label}/condition"))
    inner = [node.attributes[branch].as_graph() for branch in ("then_branch", "else_branch")]
    for moved in (moved for branch in inner for moved in branch):
        moved.metadata_props[UNSURE] = label
    then, other = (_splice(graph, node, branch, names, version) for branch in inner)
    for old, first, second in zip(tuple(node.outputs), then, other, strict=True):
        if not _is_read(old):
            continue
        for result in (first, second):
            if (
                result.shape is None and old.shape is not None
            ):  # inference knew it in the branch, and may not know it here
                result.type, result.shape = old.type, ir.Shape(old.shape)
        wish = names.free(f"{label}/{old.name}")
        chosen = chosen_value(graph, node, (condition, first, second), old, wish)
        if is_grouped(old):
            give_group(old, chosen)
        else:
            give_result(graph, node, old, chosen)
    remove_whole(graph, node)


def chosen_value(
    graph: ir.Graph,
    node: ir.Node,
    operands: tuple[ir.Value, ir.Value, ir.Value],
    like: ir.Value,
    name: str,
) -> ir.Value:
    """The second of three values if the first, a scalar, is true, else the third, for a node that it is put before; of the type
    of `like`.
    """
    if is_grouped(like):
        chosen = ir.Value(name=name, type=like.type)
        graph.opset_imports.setdefault(CONTROL, 1)
        graph.insert_before(node, ir.Node(CONTROL, "Choose", operands, outputs=[chosen], name=name))
        return chosen
    chosen = add_node(graph, node, "Where", operands, name)
    producer = chosen.producer()
    assert producer is not None
    producer.metadata_props[CHOICE] = node.name or node.op_type
    return chosen


def give_group(old: ir.Value, new: ir.Value) -> None:
    """Lets who reads a sequence or optional read another one, which no other output is, and which takes over its name: before
    opset 14 there is no Identity of them.
    """
    new.name, old.name = old.name, None
    ir.convenience.replace_all_uses_with(old, new, replace_graph_outputs=True)


def is_grouped(value: ir.Value) -> bool:
    """Whether it is a sequence or an optional."""
    return isinstance(value.type, ir.SequenceType | ir.OptionalType)


def _splice(graph: ir.Graph, node: ir.Node, branch: ir.Graph, names: Names, version: int) -> list[ir.Value]:
    """Moves the nodes of a branch before its `If`, with the types that follow from their inputs. Returns its results."""
    results = list(branch.outputs)
    branch.outputs.clear()  # first: a weight that is a result would still belong to the branch
    for value in list(branch.initializers.values()):
        branch.initializers.pop(value.name or "")
        value.name = names.free(value.name or "weight")
        graph.register_initializer(value)
    inner = list(branch)
    branch.remove(inner)
    for moved in inner:
        for value in moved.outputs:
            if value.name:
                value.name = names.free(value.name)
        moved.name = f"{node.name}/{moved.name or moved.op_type}"
        graph.insert_before(node, moved)
        complete_node(moved, version)
    return results
