"""Shapes that ONNX's own inference gets wrong, by the definitions of their operators."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, MutableSequence, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper

from ingot.base.errors import UnsupportedError
from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import domain_of
from ingot.kernels.blocks.window import places
from ingot.ops.einsum import named_extents, parse_equation


def set_apart(proto: onnx.ModelProto, types: Mapping[str, onnx.TypeProto], every: bool) -> bool:
    """Takes nodes whose outputs inference gets wrong out of a model, and makes inputs with the right types of those outputs.

    Args:
        proto: what inference is asked of. In place.
        types: the types that are known so far.
        every: also nodes whose shape is right in `types`; where inference failed, it may be what the model states.

    Returns:
        Whether there was such a node; what depends on it has to be inferred again.
    """
    for node in proto.graph.node:
        shape = _right_shape(node, types)
        if shape is None or (not every and shape == _shape(types.get(node.output[0]))):
            continue
        for position, name in enumerate(node.output):
            if not name:
                continue
            element = onnx.TensorProto.INT64 if position else types[node.input[0]].tensor_type.elem_type
            stand_in = onnx.helper.make_tensor_value_info(name, element, shape)
            proto.graph.input.append(stand_in)
            for stated in (*proto.graph.output, *proto.graph.value_info):
                if stated.name == name:
                    stated.CopyFrom(stand_in)
        proto.graph.node.remove(node)
        return True
    return False


def say_plainly(proto: onnx.ModelProto) -> None:
    """Writes what ONNX's inference misunderstands in another way, with the same meaning, also in functions and in graphs inside
    nodes. In place.

    It takes an STFT that does not say so for two-sided, where the operator's default is one-sided; and reads the axes of a Pad as
    int64 also where they are int32. Some normalisations inside of nodes are written as `Identity`, which has the same type: by
    themselves they are looked at where they come to be in the graph itself, of which nodes can be `set_apart`.
    """
    _say_plainly(proto.graph.node, {weight.name: weight for weight in proto.graph.initializer})
    for function in proto.functions:
        _say_plainly(function.node, {})
        _as_inputs(function.node)


def _as_inputs(nodes: Sequence[onnx.NodeProto]) -> None:
    for node in nodes:
        # Inference follows the functions of these: it loses the shape on the way, or finds float32.
        if said_of(node).typed_as_input and node.input:
            del node.attribute[:], node.input[1:]
            node.op_type = "Identity"


def _say_plainly(nodes: MutableSequence[onnx.NodeProto], weights: Mapping[str, onnx.TensorProto]) -> None:
    """Does so for the nodes of one graph. `weights`: the constants that they see, by name. A Pad gets a Constant of its axes."""
    known = dict(weights)
    added = []
    for position, node in enumerate(nodes):
        for attribute in node.attribute:
            for inner in (*attribute.graphs, *((attribute.g,) if attribute.HasField("g") else ())):
                _say_plainly(inner.node, known | {weight.name: weight for weight in inner.initializer})
                _as_inputs(inner.node)
        if domain_of(node.domain):
            continue
        if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
            known[node.output[0]] = node.attribute[0].t
        if node.op_type == "STFT" and all(stated.name != "onesided" for stated in node.attribute):
            node.attribute.append(onnx.helper.make_attribute("onesided", 1))
        axes = known.get(node.input[3]) if node.op_type == "Pad" and len(node.input) > 3 else None
        if axes is not None and axes.data_type == onnx.TensorProto.INT32:
            name = f"{node.output[0]}/axes as int64"
            value = onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(axes).astype(np.int64), name)
            added.append((position, onnx.helper.make_node("Constant", [], [name], value=value)))
            node.input[3] = name
    for position, node in reversed(added):
        nodes.insert(position, node)


def _right_shape(node: onnx.NodeProto, types: Mapping[str, onnx.TypeProto]) -> list[int] | None:
    """The shape of a node's outputs; None where inference knows it."""
    if domain_of(node.domain) or not node.input:
        return None
    given = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
    x = _shape(types.get(node.input[0]))
    if node.op_type == "MeanVarianceNormalization":
        return x  # inference follows its function, whose constants are float32
    if node.op_type == "Einsum":
        equation = given.get("equation")
        shapes = [_shape(types.get(name)) for name in node.input]
        return (
            _einsum_shape(equation.decode(errors="replace"), shapes) if isinstance(equation, bytes) else None
        )
    if x is None or len(x) < 3:
        return None
    if node.op_type == "ConvTranspose" and "output_shape" in given:
        # Below opset 11 inference forgets the channels, later extents that are smaller than those of the input.
        w = _shape(types.get(node.input[1]))
        wanted = [int(extent) for extent in given["output_shape"]][2 - len(x) :]
        if w is None or len(w) != len(x) or len(wanted) != len(x) - 2:
            return None
        return [x[0], w[1] * int(given.get("group", 1)), *wanted]
    padding = given.get("auto_pad", b"NOTSET")
    window = said_of(node).window
    if window is not None and window.is_pool and given.get("ceil_mode") and padding in (b"VALID", b"NOTSET"):
        # Inference counts a last window that begins behind the input and the padding before it (until opset 22), or, where no
        # window fits, one; with VALID, one that ends there.
        extents = list(_whole(x[2:], given) if padding == b"VALID" else _pooled(x[2:], given))
        return (
            None
            if len(extents) != len(x) - 2 or any(extent < 0 for extent in extents)
            else [*x[:2], *extents]
        )
    return None


def _einsum_shape(equation: str, shapes: Sequence[list[int] | None]) -> list[int] | None:
    """Where an operand is stretched: inference takes the extent of the operand that comes first."""
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    try:
        operands, result = parse_equation(equation, [len(shape) for shape in known])
        extents = named_extents(operands, known)
    except UnsupportedError:  # which its lowering says of the node
        return None
    return [extents[name] for name in result] if all(name in extents for name in result) else None


def _pooled(spatial: list[int], given: Mapping[str, Any]) -> Iterator[int]:
    """The extents of a pool's output; none if its attributes contradict its rank or each other, which inference says better."""
    rank = len(spatial)
    kernel, pads = given.get("kernel_shape", ()), given.get("pads", (0,) * (2 * rank))
    strides, dilations = given.get("strides", (1,) * rank), given.get("dilations", (1,) * rank)
    if {len(kernel), len(strides), len(dilations), len(pads) / 2} != {rank} or min(strides) < 1:
        return
    for size, before, behind, taps, stride, dilation in zip(
        spatial, pads[:rank], pads[rank:], kernel, strides, dilations, strict=True
    ):
        span = size + before + behind - (taps - 1) * dilation - 1
        count = -(-span // stride) + 1
        yield count - 1 if (count - 1) * stride >= size + before else count


def _whole(spatial: list[int], given: Mapping[str, Any]) -> Iterator[int]:
    """The extents of a pool's output where only whole windows count; none if its attributes contradict its rank."""
    rank = len(spatial)
    kernel = given.get("kernel_shape", ())
    strides, dilations = given.get("strides", (1,) * rank), given.get("dilations", (1,) * rank)
    if {len(kernel), len(strides), len(dilations)} != {rank} or min(strides) < 1:
        return
    for size, taps, stride, dilation in zip(spatial, kernel, strides, dilations, strict=True):
        yield places(size, (taps - 1) * dilation + 1, stride)


def _shape(type_: onnx.TypeProto | None) -> list[int] | None:
    """The shape, if all of it is known."""
    if type_ is None or not type_.tensor_type.HasField("shape"):
        return None
    dims = list(itertools.takewhile(lambda dim: dim.HasField("dim_value"), type_.tensor_type.shape.dim))
    return [dim.dim_value for dim in dims] if len(dims) == len(type_.tensor_type.shape.dim) else None
