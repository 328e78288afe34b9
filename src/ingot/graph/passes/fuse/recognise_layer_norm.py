"""Normalisations that are written out, as the operators that they are.

Before opset 17 ONNX had no `LayerNormalization`, and before 23 no `RMSNormalization`: exporters write means, squares and roots,
each of which would be a kernel that reads the whole tensor once more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ingot.graph.dialects.onnxruntime.norms import layer_norm, rms_norm
from ingot.graph.read.names import name_all
from ingot.graph.read.types import domain_of, opset_of, static_shape
from ingot.graph.rewrite.add import Names
from ingot.graph.rewrite.look import constant_of, made_by, only_reader
from ingot.graph.rewrite.replace import give_result
from ingot.graph.rewrite.writer import Writer


def join_norms(model: ir.Model) -> bool:
    """Puts one operator for `(x - mean(x)) / sqrt(mean((x - mean(x))²) + ε)`, and one for `x / sqrt(mean(x²) + ε)`, along the
    last axis, with the factor and the summand behind it if these have one number for each place there. In place; returns whether
    it did.

    Does not handle: other axes; other types than float32 (half floats would be rounded elsewhere, float64 to float32); parts
    that others read, too.
    """
    names: Names | None = None
    for node in list(model.graph):
        norm = _norm(node)
        if norm is None:
            continue
        names = names or Names(model.graph)
        _join(model.graph, names, opset_of(model), node, norm)
    if names is not None:
        name_all(model.graph)
    return names is not None


@dataclass(frozen=True, slots=True)
class _Norm:
    """What a division by a root of a mean is: of `x`, from which its mean is subtracted first if it is `centred`."""

    x: ir.Value
    centred: bool
    epsilon: float


def _norm(node: ir.Node) -> _Norm | None:
    """What the last node of a normalisation gives, before factor and summand; None of other nodes, and where a constant of one
    element has more dimensions than `x`, so that the result has them, too.
    """
    for x, root in _quotients(node):
        under = made_by(root, "Sqrt")
        total = None if under is None else made_by(under.inputs[0], "Add")
        for mean, epsilon in () if total is None else _with_number(total):
            squares = _mean_of(mean)
            base = None if squares is None else _square_of(squares)
            shape = static_shape(x)
            if (
                base is None
                or x.dtype != ir.DataType.FLOAT
                or shape is None
                or static_shape(node.outputs[0]) != shape
            ):
                continue
            whole = _centred(x)
            if whole is not None and _centred(base) is whole and _is_apart(whole, node):
                return _Norm(whole, True, epsilon)
            if base is x and _is_apart(x, node):
                return _Norm(x, False, epsilon)
    return None


def _quotients(node: ir.Node) -> list[tuple[ir.Value, ir.Value]]:
    """Dividend and divisor, if a node divides, or multiplies by a reciprocal."""
    if domain_of(node.domain) or len(node.inputs) != 2 or None in node.inputs:
        return []
    left, right = node.inputs
    if left is None or right is None:
        return []
    if node.op_type == "Div":
        return [(left, right)]
    if node.op_type != "Mul":
        return []
    return [
        (x, divisor)
        for x, factor in ((left, right), (right, left))
        if (divisor := _inverted(factor)) is not None
    ]


def _inverted(value: ir.Value) -> ir.Value | None:
    """What a value is the reciprocal of."""
    reciprocal = made_by(value, "Reciprocal")
    if reciprocal is not None:
        return reciprocal.inputs[0]
    quotient = made_by(value, "Div")
    if quotient is None:
        return None
    above = constant_of(quotient.inputs[0])
    return quotient.inputs[1] if above is not None and above.size == 1 and above.item() == 1 else None


def _with_number(total: ir.Node) -> list[tuple[ir.Value, float]]:
    """The two operands of a sum, if one is a number."""
    pairs = []
    for value, other in (total.inputs, total.inputs[::-1]):
        number = constant_of(other)
        if value is not None and number is not None and number.size == 1:
            pairs.append((value, float(number.item())))
    return pairs


def _mean_of(value: ir.Value) -> ir.Value | None:
    """What a value is the mean of along the last axis, which stays as one of extent 1."""
    node = made_by(value, "ReduceMean")
    of = None if node is None else node.inputs[0]
    shape = None if of is None else static_shape(of)
    if node is None or of is None or not shape:
        return None
    if "axes" in node.attributes:
        axes = list(node.attributes["axes"].as_ints())
    else:
        given = constant_of(node.inputs[1]) if len(node.inputs) > 1 else None
        axes = [] if given is None else given.ravel().tolist()
    is_last = axes in ([-1], [len(shape) - 1])
    return of if is_last and node.attributes.get_int("keepdims", 1) == 1 else None


def _square_of(value: ir.Value) -> ir.Value | None:
    power = made_by(value, "Pow")
    if power is not None:
        exponent = constant_of(power.inputs[1])
        return (
            power.inputs[0] if exponent is not None and exponent.size == 1 and exponent.item() == 2 else None
        )
    product = made_by(value, "Mul")
    return product.inputs[0] if product is not None and product.inputs[0] is product.inputs[1] else None


def _centred(value: ir.Value) -> ir.Value | None:
    """What a value is without its mean."""
    node = made_by(value, "Sub")
    if node is None or node.inputs[1] is None:
        return None
    return node.inputs[0] if _mean_of(node.inputs[1]) is node.inputs[0] else None


def _is_apart(first: ir.Value, last: ir.Node) -> bool:
    """Whether nobody else reads what is computed between a value and a node."""
    nodes, to_see = {last}, [last]
    while to_see:
        for value in to_see.pop().inputs:
            node = None if value is None or value is first else value.producer()
            if node is not None and node not in nodes:
                nodes.add(node)
                to_see.append(node)
    return all(
        not value.is_graph_output() and all(use.node in nodes for use in value.uses())
        for node in nodes - {last}
        for value in node.outputs
    )


def _join(graph: ir.Graph, names: Names, opset: int, node: ir.Node, norm: _Norm) -> None:
    shape = static_shape(norm.x)
    assert shape is not None
    scale = bias = None
    last, behind = node, only_reader(node.outputs[0])
    if behind is not None and behind.op_type == "Mul":
        scale = _along_last(behind, last.outputs[0], shape)
        if scale is not None:
            last, behind = behind, only_reader(behind.outputs[0])
    if norm.centred and behind is not None and behind.op_type == "Add":
        bias = _along_last(behind, last.outputs[0], shape)
        last = last if bias is None else behind
    to = Writer(graph, last, names, opset)
    if scale is None:
        scale = to.constant(np.ones(shape[-1], np.float32))
    normed = (
        layer_norm(to, norm.x, scale, bias, norm.epsilon)[0]
        if norm.centred
        else rms_norm(to, norm.x, scale, norm.epsilon)
    )
    assert normed is not None
    give_result(graph, last, last.outputs[0], normed)
    graph.remove(last, safe=True)


def _along_last(node: ir.Node, value: ir.Value, shape: tuple[int, ...]) -> ir.Value | None:
    """The other operand of a node, if it has one number for each place of the last axis."""
    other = next((operand for operand in node.inputs if operand is not value), None)
    return (
        other
        if other is not None and static_shape(other) == shape[-1:] and other.dtype == value.dtype
        else None
    )
