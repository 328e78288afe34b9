"""Inlines functions: those that the model brings along, and those by which ONNX defines operators that ingot lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import onnx
import onnx.inliner
import onnx_ir as ir

from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.passes.control_flow.complete_function_calls import align_opsets, complete_calls
from ingot.graph.passes.tidy.shapes import skeleton
from ingot.graph.read.names import name_all
from ingot.graph.read.types import domain_of, opset_of


def inline_local_functions(model: ir.Model) -> ir.Model:
    """Puts the bodies of the model's own functions in the place of their calls.

    Does not handle: functions that call themselves, and how much is written out: `check_call_sizes` does.

    Raises:
        ModelError: the body of a function is damaged.
        UnsupportedError: a function is written in another opset than the model, where its operators mean something else.
    """
    if not model.functions:
        return model

    def inline(proto: onnx.ModelProto) -> onnx.ModelProto:
        complete_calls(proto)
        align_opsets(proto)
        return onnx.inliner.inline_local_functions(proto)

    return _through_proto(model, inline)


def inline_operator_functions(model: ir.Model, is_native: Callable[[ir.Node], bool]) -> tuple[ir.Model, bool]:
    """Puts ONNX's own definitions in the place of operators that `is_native` says ingot lacks. Returns whether it did something.

    Does not handle: operators whose definition depends on types that are not known yet.
    """
    wanted = {
        (domain_of(node.domain), node.op_type)
        for node in model.graph
        if not is_native(node) and has_function(model, node)
    }
    if not wanted:
        return model, False
    done = False

    def inline(proto: onnx.ModelProto) -> onnx.ModelProto:
        nonlocal done
        types = {
            value.name: value.type
            for value in (*proto.graph.value_info, *proto.graph.input, *proto.graph.output)
        }
        types |= {
            weight.name: onnx.helper.make_tensor_type_proto(weight.data_type, weight.dims)
            for weight in proto.graph.initializer
        }
        for position, node in enumerate(proto.graph.node):
            if (domain_of(node.domain), node.op_type) not in wanted:
                continue
            function = _definition(proto, node, types)
            if function is None:
                continue
            done = True
            function.domain, function.name = _DOMAIN, f"{node.op_type}_{position}"
            del function.opset_import[:]
            function.opset_import.extend(proto.opset_import)
            proto.functions.append(function)
            # What the definition does not name was used up while it was made.
            kept = [attribute for attribute in node.attribute if attribute.name in _parameters(function)]
            del node.attribute[:]
            node.attribute.extend(kept)
            node.domain, node.op_type = _DOMAIN, function.name
        if not done:
            return proto
        proto.opset_import.append(onnx.helper.make_opsetid(_DOMAIN, 1))
        inlined = onnx.inliner.inline_local_functions(proto)
        imports = [entry for entry in inlined.opset_import if entry.domain != _DOMAIN]
        del inlined.opset_import[:]
        inlined.opset_import.extend(imports)
        return inlined

    result = _through_proto(model, inline)
    return (result, True) if done else (model, False)


_DOMAIN = "ingot.inlined"  # of the functions that stand for operators, only while they are inlined


def _definition(
    proto: onnx.ModelProto, node: onnx.NodeProto, types: Mapping[str, onnx.TypeProto]
) -> onnx.FunctionProto | None:
    """ONNX's definition of a node's operator at the model's opset; None if it cannot be made with the types that are known."""
    version = {domain_of(entry.domain): entry.version for entry in proto.opset_import}.get(
        domain_of(node.domain), 1
    )
    schema: Any = onnx.defs.get_schema(node.op_type, version, domain_of(node.domain))
    fitting = [number for number in schema.function_opset_versions if number <= version]
    if fitting:
        content = schema.get_function_with_opset_version(max(fitting))
    else:
        fitting = [number for number in schema.context_dependent_function_opset_versions if number <= version]
        if not fitting or any(name and name not in types for name in node.input):
            return None
        given = [types[name].SerializeToString() if name else b"" for name in node.input]
        try:
            content = schema.get_context_dependent_function_with_opset_version(
                max(fitting), node.SerializeToString(), given
            )
        except RuntimeError:
            return None
    if not content:
        return None
    function = onnx.FunctionProto()
    function.ParseFromString(content if isinstance(content, bytes) else content.SerializeToString())
    return function


def _parameters(function: onnx.FunctionProto) -> set[str]:
    return {*function.attribute, *(attribute.name for attribute in function.attribute_proto)}


def has_function(model: ir.Model, node: ir.Node) -> bool:
    """Whether ONNX defines this node's operator by a function of other operators."""
    domain = domain_of(node.domain)
    version = opset_of(model, domain)
    if not onnx.defs.has(node.op_type, version, domain):
        return False
    schema: Any = onnx.defs.get_schema(node.op_type, version, domain)
    return bool(schema.has_function or schema.has_context_dependent_function)


def _through_proto(model: ir.Model, change: Callable[[onnx.ModelProto], onnx.ModelProto]) -> ir.Model:
    """Applies a change to the model's protobuf without the content of large weights, which is put back afterwards."""
    weights = {value.name: value.const_value for value in model.graph.initializers.values()}
    inputs = {value.name for value in model.graph.inputs}
    try:
        changed = ir.from_proto(change(skeleton(model)))
    except UnsupportedError:
        raise
    except Exception as error:
        raise ModelError(
            f"model {model.graph.name!r}: a function cannot be inlined: {' '.join(str(error).split())}"
        ) from None
    graph = changed.graph
    for value in [candidate for candidate in graph.inputs if candidate.name not in inputs]:
        graph.inputs.remove(value)
        value.const_value = weights[value.name]
        graph.register_initializer(value)
    name_all(graph)
    return changed
