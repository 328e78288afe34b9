"""Shape inference: gives every value the type that ONNX's own rules derive for it."""

from __future__ import annotations

import re

import onnx
import onnx.helper
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.graph.passes.tidy.backwards import infer_same_shapes
from ingot.graph.passes.tidy.lists import lists_are_short
from ingot.graph.passes.tidy.shape_fixes import say_plainly, set_apart
from ingot.graph.passes.tidy.stand_ins import stand_in
from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import domain_of, static_shape, stored_bytes

# Tensors above this size cannot be a shape or a list of axes; inference runs without their content.
SMALL_BYTES = 1024
# Of a constant that says a shape: a file of graphs that all read one does not grow by more than this for each.
_LIST_BYTES = 128

# What ONNX raises over a model that is not right: errors of its own, and those of C++ that Python's bindings have words for.
_REFUSALS = (
    onnx.shape_inference.InferenceError,
    onnx.checker.ValidationError,
    RuntimeError,
    ValueError,
    IndexError,
    OverflowError,
    MemoryError,
)


def infer_shapes(model: ir.Model) -> ir.Model:
    """Infers the type and shape of every value by ONNX's shape inference (strict, with data propagation where
    `lists_are_short`). In place.

    Does not handle: operators that ONNX has no definition of, whose outputs keep the type that the model states.

    Raises:
        ModelError: the model contradicts itself; the message has the node and both shapes.
    """
    proto = skeleton(model)
    say_plainly(proto)
    contents = lists_are_short(proto) or lists_are_short(_without_contents(proto))
    refused = ""
    while True:
        try:
            types = _inferred(proto, strict=True, contents=contents)
        except _REFUSALS as error:
            types = _as_far_as_known(proto, contents)
            if set_apart(proto, types, every=True) or stand_in(proto, types):
                continue
            if not _fits_together(proto):
                if not refused:
                    refused = str(error)
                    _show_inside(proto.graph)
                    continue
                raise ModelError(
                    f"model {model.graph.name or 'model'!r}: its shapes or types contradict each other: {_one_line(refused)}",
                    reason=refused,
                ) from None
        if not set_apart(proto, types, every=False):
            break
    for node in model.graph:
        for value in node.outputs:
            if value.name in types:
                _merge(value, types[value.name])
    infer_same_shapes(model.graph)
    return model


def _inferred(proto: onnx.ModelProto, strict: bool, contents: bool) -> dict[str, onnx.TypeProto]:
    """The type of every value by its name; with `contents` also by what is known of the elements of shapes."""
    done = onnx.shape_inference.infer_shapes(
        proto, check_type=strict, strict_mode=strict, data_prop=contents
    ).graph
    weights = {
        weight.name: onnx.helper.make_tensor_type_proto(weight.data_type, weight.dims)
        for weight in done.initializer
    }
    return weights | {value.name: value.type for value in (*done.input, *done.value_info, *done.output)}


def _without_contents(proto: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the types that are known without following any elements; those that it states, if it contradicts itself."""
    try:
        return onnx.shape_inference.infer_shapes(proto, data_prop=False)
    except _REFUSALS:
        return proto


def _as_far_as_known(proto: onnx.ModelProto, contents: bool) -> dict[str, onnx.TypeProto]:
    try:
        return _inferred(proto, strict=False, contents=contents)
    except _REFUSALS:
        return {}


def _fits_together(proto: onnx.ModelProto) -> bool:
    """Whether nothing contradicts itself but contents of shapes. ONNX follows these as if every tensor had one dimension: the sum
    of two rows, one upon the other, and a third has lists of different lengths for it.
    """
    try:
        _inferred(proto, strict=True, contents=False)
    except _REFUSALS:
        return False
    return True


def _merge(value: ir.Value, proto: onnx.TypeProto) -> None:
    """Takes over what inference found out; what is known already is never forgotten."""
    type_ = ir.serde.deserialize_type_proto_for_type(proto)
    if type_ is not None:
        value.type = type_
    shape = ir.serde.deserialize_type_proto_for_shape(proto)
    if shape is not None:
        extents = [extent if isinstance(extent, int) else None for extent in shape]
        before = (
            [None] * len(extents)
            if value.shape is None or len(value.shape) != len(extents)
            else list(value.shape)
        )
        value.shape = ir.Shape(
            [extent if extent is not None else known for extent, known in zip(extents, before, strict=True)]
        )


def skeleton(model: ir.Model) -> onnx.ModelProto:
    """The model as ONNX's protobuf without the content of large weights, which become graph inputs."""
    graph = model.graph
    weights = list(graph.initializers.values())
    inputs = list(graph.inputs)
    large = [
        value
        for value in weights
        if value.const_value is not None and stored_bytes(value.const_value) > SMALL_BYTES
    ]
    for value in weights:
        assert value.const_value is not None
        value.shape = ir.Shape(value.const_value.shape.numpy())
        value.dtype = value.const_value.dtype
    try:
        for value in large:
            assert value.name is not None
            graph.initializers.pop(value.name)
            if not value.is_graph_input():
                graph.inputs.append(value)
        return ir.to_proto(model)
    finally:
        graph.inputs.clear()
        graph.inputs.extend(inputs)
        # In the order that the model had, so that a pass does not depend on what ran before it.
        graph.initializers.clear()
        for value in weights:
            graph.register_initializer(value)


def _show_inside(graph: onnx.GraphProto) -> None:
    """Gives graphs inside of nodes the small constants that they read from around them, whose content inference sees only in the
    graph that has them. In place.

    Where inference goes well it goes without: of a branch that is never taken, which may contradict itself, it then knows less.
    """
    waiting = [(graph, _lists(graph))]
    while waiting:
        outer, known = waiting.pop()
        for attribute in (attribute for node in outer.node for attribute in node.attribute):
            for inner in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
                own = {weight.name for weight in inner.initializer}
                read = {name for node in inner.node for name in node.input} - own
                inner.initializer.extend(known[name] for name in sorted(read & known.keys()))
                waiting.append((inner, {**known, **_lists(inner)}))


def _lists(graph: onnx.GraphProto) -> dict[str, onnx.TensorProto]:
    """The constants of a graph that may say a shape, by name."""
    return {
        weight.name: weight
        for weight in graph.initializer
        if weight.ByteSize() <= _LIST_BYTES + len(weight.name)
    }


def _one_line(error: Exception | str) -> str:
    """ONNX's messages are of several lines and begin with the names of C++ functions."""
    text = re.sub(r"\s+", " ", str(error)).strip()
    return re.sub(r"\[(ShapeInferenceError|TypeInferenceError)\]\s*", "", text)


def infer_node(node: ir.Node, opset: int) -> str | None:
    """Gives the outputs of one node of ONNX's own the types that follow from those of its inputs, where all of these are known.

    Does not handle: what follows from the content of inputs other than small constants; nodes with graphs inside them.

    Returns:
        What ONNX has against the node; None if it has nothing, or if too little is known.
    """
    types = inferred_types(node, opset)
    if not isinstance(types, dict):
        return types
    for value in node.outputs:
        if value.name in types:
            _merge(value, types[value.name])
    return None


def inferred_types(node: ir.Node, opset: int) -> dict[str, onnx.TypeProto] | str | None:
    """The types that ONNX infers for the outputs of a node, by name; what it has against it, or None, as of `infer_node`."""
    if not onnx.defs.has(node.op_type, opset, domain_of(node.domain)) or any(
        attribute.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS)
        for attribute in node.attributes.values()
    ):
        return None
    given = [value for value in node.inputs if value is not None and value.name]
    if any(value.type is None or value.shape is None for value in given):
        return None
    types = {str(value.name): ir.to_proto(value).type for value in given}
    data = {
        str(value.name): ir.to_proto(value.const_value)
        for value in given
        if value.const_value is not None and stored_bytes(value.const_value) <= SMALL_BYTES
    }
    schema = onnx.defs.get_schema(node.op_type, opset, domain_of(node.domain))
    imports = [onnx.helper.make_opsetid(domain_of(node.domain), opset)]
    try:
        return dict(
            onnx.shape_inference.infer_node_outputs(
                schema, ir.to_proto(node), types, data, opset_imports=imports
            )
        )
    except _REFUSALS as error:
        return _one_line(error)


def complete_node(node: ir.Node, opset: int) -> None:
    """Gives the outputs of one node of ONNX's own whose extents are not all known those that follow from the extents of its
    inputs and from small constants. What contradicts the model is left as it is, for `infer_shapes` to judge.
    """
    open_ = [value for value in node.outputs if value.name and static_shape(value) is None]
    if not open_ or domain_of(node.domain) or said_of(node).misinferred:
        return
    if any(value is not None and value.name and static_shape(value) is None for value in node.inputs):
        return
    stated = [(value, value.type, value.shape) for value in node.outputs]
    if infer_node(node, opset) is None and all(_agrees(*before) for before in stated):
        return
    for value, type_, shape in stated:
        value.type, value.shape = type_, shape


def _agrees(value: ir.Value, type_: ir.TypeProtocol | None, shape: ir.Shape | None) -> bool:
    """Whether what was found of a value is all of its extents, and what was stated before is part of that."""
    extents = static_shape(value)
    if not value.name:
        return True
    if extents is None or (type_ is not None and type_ != value.type):
        return False
    if shape is None:
        return True
    pairs = zip(shape, extents, strict=False)
    return len(shape) == len(extents) and all(
        stated == inferred or not isinstance(stated, int) for stated, inferred in pairs
    )
