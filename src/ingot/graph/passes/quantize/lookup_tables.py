"""Turns functions of one quantized value into lookup tables.

What is computed from one dequantised value alone and then quantised is a function of 256 values, however long it is. Its table is
computed here by ONNX's own definitions, so it is exact, and the same for every code generator, whose exponentials and error
functions differ in their last bits.

A function that gives back each value, such as a product whose factor the scale of the result makes up for, is removed.
"""

from __future__ import annotations

import warnings

import numpy as np
import onnx
import onnx_ir as ir

from ingot.graph.evaluate.evaluator import evaluator
from ingot.graph.passes.quantize.quantized import QUANTIZED_TYPES, dequantized, quantized
from ingot.graph.read.definitions import said_of
from ingot.graph.read.names import unused_name
from ingot.graph.read.types import domain_of, static_shape
from ingot.graph.rewrite.add import add_named
from ingot.graph.rewrite.replace import take_over
from ingot.ops.facts import Element

_LONG = 6  # so many cheap operators are worth a table too
_NODES_MAX = 64
_EVALUATOR_OPSET = 21

_Leaves = frozenset[ir.Value]


def make_lookup_tables(model: ir.Model) -> ir.Model:
    """Replaces a QuantizeLinear of a function of one quantized value by a Gather from its table, if the function is not
    cheap, or by that value itself. In place.

    Does not handle: functions of other than 8-bit values, and what ONNX's reference evaluator refuses.
    """
    leaves: dict[ir.Value, _Leaves | None] = {}
    for node in list(model.graph):
        for value in node.outputs:
            leaves[value] = _leaves(node, value, leaves)
    for node in reversed(list(model.graph)):
        quantization, result = quantized(node), node.outputs[0]
        if quantization is None or not (result.uses() or result.is_graph_output()):
            continue
        sources = leaves.get(node.inputs[0]) if node.inputs[0] is not None else None
        if sources is None or len(sources) != 1:
            continue
        (source,) = sources
        between = _between(source, node)
        if static_shape(source) != static_shape(result) or between is None:
            continue
        dear = _is_dear(between)
        may_vanish = source.dtype == result.dtype and not result.is_graph_output()
        table = _table(model, source, between, node) if dear or may_vanish else None
        if table is not None and may_vanish and np.array_equal(table, _every(source)):
            ir.convenience.replace_all_uses_with(result, source)
        elif table is not None and dear:
            _replace_by_table(model.graph, source, table, node)
    return model


def _every(source: ir.Value) -> np.ndarray:
    """All values of the type, the negative ones behind the others: Gather counts negative indices from the end."""
    assert source.dtype is not None
    return np.arange(256, dtype=np.uint8).view(source.dtype.numpy())


def _is_dear(nodes: list[ir.Node]) -> bool:
    costs = [said_of(node).element for node in nodes]
    return Element.COSTLY in costs or costs.count(Element.CHEAP) >= _LONG


def _leaves(node: ir.Node, value: ir.Value, known: dict[ir.Value, _Leaves | None]) -> _Leaves | None:
    """The quantized values that a value is computed from, element by element; None if it depends on something else."""
    if domain_of(node.domain) or len(node.outputs) != 1:
        return None
    if node.op_type == "DequantizeLinear":
        operand = dequantized(value)
        if operand is None or not operand.is_uniform or operand.tensor.dtype not in QUANTIZED_TYPES:
            return None
        if operand.tensor.const_value is not None:
            return frozenset() if operand.tensor.const_value.size == 1 else None
        through = known.get(operand.tensor)
        return through if through is not None and len(through) == 1 else frozenset({operand.tensor})
    if node.op_type == "QuantizeLinear":
        return (
            known.get(node.inputs[0]) if quantized(node) is not None and node.inputs[0] is not None else None
        )
    if said_of(node).element is None:
        return None
    total: _Leaves = frozenset()
    for source in node.inputs:
        if source is None:
            continue
        if source.const_value is not None:
            if source.const_value.size != 1:
                return None
            continue
        inner = known.get(source)
        if inner is None:
            return None
        total |= inner
    return total


def _between(first: ir.Value, last: ir.Node) -> list[ir.Node] | None:
    """The nodes from a quantized value to a QuantizeLinear, in order; None if they are too many."""
    seen: set[ir.Node] = set()
    nodes: list[ir.Node] = []
    waiting: list[tuple[ir.Node, bool]] = [(last, False)]
    while waiting:
        node, is_left = waiting.pop()
        if is_left:
            nodes.append(node)
        elif node not in seen:
            seen.add(node)
            if len(seen) > _NODES_MAX:
                return None
            sources = [
                source.producer() for source in node.inputs if source is not None and source is not first
            ]
            waiting += [
                (node, True),
                *((producer, False) for producer in reversed(sources) if producer is not None),
            ]
    return nodes


def _replace_by_table(graph: ir.Graph, source: ir.Value, values: np.ndarray, last: ir.Node) -> None:
    result = last.outputs[0]
    table = add_named(graph, f"{last.name}.table", values)
    index = ir.Value(
        name=unused_name(graph, f"{last.name}.index"),
        shape=source.shape,
        type=ir.TensorType(ir.DataType.INT32),
    )
    cast = ir.Node(
        "",
        "Cast",
        [source],
        [ir.AttrInt64("to", ir.DataType.INT32)],
        outputs=[index],
        name=f"{last.name}.index",
    )
    output = ir.Value(name=unused_name(graph, f"{last.name}.looked_up"), shape=result.shape, type=result.type)
    gather = ir.Node("", "Gather", [table, index], outputs=[output], name=last.name)
    graph.insert_before(last, [cast, gather])
    take_over(graph, last, output)


def _table(model: ir.Model, source: ir.Value, nodes: list[ir.Node], last: ir.Node) -> np.ndarray | None:
    """The result for every value of the type."""
    assert source.name is not None
    constants = {
        value.name: value.const_value.numpy().reshape(())
        for node in nodes
        for value in node.inputs
        if value is not None and value.const_value is not None and value.name is not None
    }
    kind = ir.DataType.INT8 if source.dtype == ir.DataType.INT8 else ir.DataType.UINT8
    assert last.outputs[0].name is not None
    graph = onnx.helper.make_graph(
        [ir.to_proto(node) for node in nodes],
        "table",
        [onnx.helper.make_tensor_value_info(source.name, int(kind), [256])],
        [onnx.helper.make_empty_tensor_value_info(last.outputs[0].name)],
        [onnx.numpy_helper.from_array(array, name) for name, array in sorted(constants.items())],
    )
    # The evaluator has no DequantizeLinear of opsets below 19; nothing else here has changed since.
    imports = [
        onnx.helper.make_opsetid(
            domain, max(version, _EVALUATOR_OPSET) if domain_of(domain) == "" else version
        )
        for domain, version in model.opset_imports.items()
    ]
    proto = onnx.helper.make_model(graph, opset_imports=imports)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            (results,) = evaluator(proto).run(None, {source.name: _every(source)})
    except Exception:  # of many kinds: then the nodes stay as they are
        return None
    array = np.asarray(results)
    return array if array.shape == (256,) and array.dtype in (np.int8, np.uint8) else None
