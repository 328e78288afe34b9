"""Inlines functions: those that the model brings along, and those by which ONNX defines operators that ingot lacks."""

from __future__ import annotations

from collections.abc import Callable

import onnx
import onnx.inliner
import onnx_ir as ir

from ingot.errors import ModelError
from ingot.graph.names import name_all
from ingot.graph.passes.shapes import skeleton
from ingot.graph.types import domain_of


def inline_local_functions(model: ir.Model) -> ir.Model:
    """Puts the bodies of the model's own functions in the place of their calls.

    Raises:
        ModelError: a function calls itself, or its body is damaged.
    """
    if not model.functions:
        return model
    _refuse_recursion(model)
    return _through_proto(model, onnx.inliner.inline_local_functions)


def inline_operator_functions(model: ir.Model, is_native: Callable[[ir.Node], bool]) -> tuple[ir.Model, bool]:
    """Puts ONNX's own definitions in the place of operators that `is_native` says ingot lacks. Returns whether it did something.

    Does not handle: operators whose definition depends on types that are not known yet.
    """
    wanted = {
        (domain_of(node.domain), node.op_type) for node in model.graph if not is_native(node) and has_function(model, node)
    }
    if not wanted:
        return model, False
    before = len(model.graph)

    def inline(proto: onnx.ModelProto) -> onnx.ModelProto:
        return onnx.inliner.inline_selected_functions(proto, sorted(wanted), inline_schema_functions=True)

    result = _through_proto(model, inline)
    return result, len(result.graph) != before


def has_function(model: ir.Model, node: ir.Node) -> bool:
    """Whether ONNX defines this node's operator by a function of other operators."""
    domain = domain_of(node.domain)
    version = {domain_of(name): number for name, number in model.opset_imports.items()}.get(domain, 1)
    if not onnx.defs.has(node.op_type, version, domain):
        return False
    schema = onnx.defs.get_schema(node.op_type, version, domain)
    return bool(schema.has_function or schema.has_context_dependent_function)


def _refuse_recursion(model: ir.Model) -> None:
    calls = {key: {node.op_identifier() for node in function.all_nodes()} for key, function in model.functions.items()}
    for start in calls:
        seen: set[ir.OperatorIdentifier] = set()
        front = set(calls[start])
        while front:
            key = front.pop()
            if key == start:
                raise ModelError(f"model {model.graph.name!r}: function {start[1]!r} of the domain {start[0]!r} calls itself")
            if key in calls and key not in seen:
                seen.add(key)
                front |= calls[key]


def _through_proto(model: ir.Model, change: Callable[[onnx.ModelProto], onnx.ModelProto]) -> ir.Model:
    """Applies a change to the model's protobuf without the content of large weights, which is put back afterwards."""
    weights = {value.name: value.const_value for value in model.graph.initializers.values()}
    inputs = {value.name for value in model.graph.inputs}
    try:
        changed = ir.from_proto(change(skeleton(model)))
    except Exception as error:
        raise ModelError(f"model {model.graph.name!r}: a function cannot be inlined: {' '.join(str(error).split())}") from None
    graph = changed.graph
    for value in [one for one in graph.inputs if one.name not in inputs]:
        graph.inputs.remove(value)
        value.const_value = weights[value.name]
        graph.register_initializer(value)
    name_all(graph)
    return changed
