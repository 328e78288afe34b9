"""Makes the calls of a model's own functions say all that ONNX's inliner does not look up."""

from __future__ import annotations

from collections.abc import Mapping

import onnx

from ingot.base.errors import UnsupportedError
from ingot.graph.read.check import OPSET_MAX
from ingot.graph.read.check_attributes import all_nodes
from ingot.graph.read.old_opsets import OPSET as OPSET_MIN
from ingot.graph.read.types import domain_of

Key = tuple[str, str, str]
Functions = Mapping[Key, onnx.FunctionProto]


def complete_calls(proto: onnx.ModelProto) -> None:
    """Adds default attributes to every function call that omits them, because the inliner ignores defaults. In place.

    A function may pass one of its attributes on to another function. If the call of the first function omits the attribute, the
    default of the second applies. Such a call then calls a copy of the first function that does not pass the attribute on.
    """
    functions = _functions(proto)
    copies: dict[tuple[Key, frozenset[str]], onnx.FunctionProto] = {}
    seen: set[Key] = set()
    front = [proto.graph.node]
    while front:
        for _, call in all_nodes(front.pop()):
            function = functions.get(_called(call))
            if function is None:
                continue
            given = {attribute.name for attribute in call.attribute}
            call.attribute.extend(
                attribute for attribute in function.attribute_proto if attribute.name not in given
            )
            omitted = frozenset(function.attribute) - given
            if omitted and _hands_on(function, omitted, functions):
                key = _key(function), omitted
                if key not in copies:
                    copies[key] = _without(proto, function, omitted, functions)
                    functions[_key(copies[key])] = copies[key]
                function = copies[key]
                call.op_type = function.name
            if _key(function) not in seen:
                seen.add(_key(function))
                front.append(function.node)


def _hands_on(function: onnx.FunctionProto, omitted: frozenset[str], functions: Functions) -> bool:
    calls = (call for _, call in all_nodes(function.node) if _called(call) in functions)
    return any(attribute.ref_attr_name in omitted for call in calls for attribute in call.attribute)


def _without(
    proto: onnx.ModelProto, function: onnx.FunctionProto, omitted: frozenset[str], functions: Functions
) -> onnx.FunctionProto:
    """A copy of a function whose nodes leave out what would be an attribute that its call leaves out."""
    copy: onnx.FunctionProto = proto.functions.add()
    copy.CopyFrom(function)
    while _key(copy) in functions:
        copy.name += f"_without_{'_'.join(sorted(omitted))}"
    kept = [name for name in function.attribute if name not in omitted]
    del copy.attribute[:]
    copy.attribute.extend(kept)
    for _, node in all_nodes(copy.node):
        for position in reversed(range(len(node.attribute))):
            if node.attribute[position].ref_attr_name in omitted:
                del node.attribute[position]
    return copy


def align_opsets(proto: onnx.ModelProto) -> None:
    """Lets functions import the opsets that the model does, and the model those that only functions do: the inliner leaves calls
    of others alone. In place.

    Raises:
        UnsupportedError: an operator of a function means something else in the model's opset.
    """
    functions = _functions(proto)
    called = _all_called(proto, functions)
    own = {domain_of(entry.domain): entry.version for entry in proto.opset_import}
    others: dict[str, int] = {}
    for function in called:
        for entry in function.opset_import:
            others[domain_of(entry.domain)] = max(entry.version, others.get(domain_of(entry.domain), 0))
    for domain, version in others.items():
        if domain in own:
            continue
        if not domain and not OPSET_MIN <= version <= OPSET_MAX:
            raise UnsupportedError(
                f"model {proto.graph.name!r}: its functions are written in opset {version} of ai.onnx; ingot compiles opsets "
                f"{OPSET_MIN} to {OPSET_MAX}; write them in one of these",
                opset=version,
                nodes=(),
            )
        own[domain] = version
        proto.opset_import.append(onnx.helper.make_opsetid(domain, version))
    for function in called:
        for entry in function.opset_import:
            version = own[domain_of(entry.domain)]
            if entry.version != version:
                _check_meanings(proto.graph.name, function, entry, version, functions)
                entry.version = version


def _check_meanings(
    graph: str,
    function: onnx.FunctionProto,
    stated: onnx.OperatorSetIdProto,
    version: int,
    functions: Functions,
) -> None:
    domain = domain_of(stated.domain)
    for _, node in all_nodes(function.node):
        if domain_of(node.domain) != domain or _called(node) in functions:
            continue
        before, now = _since(node, stated.version), _since(node, version)
        if before is not None and before == now:
            continue
        op, is_known = node.op_type, before is not None and now is not None
        why = (
            f"where {op} means something else"
            if is_known
            else f"and ONNX does not say that {op} means the same there"
        )
        raise UnsupportedError(
            f"model {graph!r}: the function {function.name!r} of the domain {function.domain!r} is written in opset "
            f"{stated.version} of {domain or 'ai.onnx'}, the model in {version}, {why}; write both in one opset, "
            "or give what onnx.inliner.inline_local_functions(model, convert_version=True) makes of the model",
            opset=stated.version,
            nodes=(),
        )


def _since(node: onnx.NodeProto, version: int) -> int | None:
    """The version from which on an operator means what it does in one version of its domain; None if ONNX does not know."""
    domain = domain_of(node.domain)
    if (not domain and version > OPSET_MAX) or not onnx.defs.has(node.op_type, version, domain):
        return None
    return int(onnx.defs.get_schema(node.op_type, version, domain).since_version)


def _all_called(proto: onnx.ModelProto, functions: Functions) -> list[onnx.FunctionProto]:
    """The functions that are called, each once, also by one another."""
    reached: dict[Key, onnx.FunctionProto] = {}
    front = [proto.graph.node]
    while front:
        for key in [_called(node) for _, node in all_nodes(front.pop())]:
            if key in functions and key not in reached:
                reached[key] = functions[key]
                front.append(functions[key].node)
    return list(reached.values())


def _functions(proto: onnx.ModelProto) -> dict[Key, onnx.FunctionProto]:
    return {_key(function): function for function in proto.functions}


def _key(function: onnx.FunctionProto) -> Key:
    return domain_of(function.domain), function.name, function.overload


def _called(node: onnx.NodeProto) -> Key:
    return domain_of(node.domain), node.op_type, node.overload
