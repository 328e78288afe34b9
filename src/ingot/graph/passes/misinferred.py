"""Shapes that ONNX's own inference gets wrong in old opsets, by the definitions of their operators."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import onnx
import onnx.helper

from ingot.graph.types import domain_of

_POOLS = frozenset({"AveragePool", "LpPool", "MaxPool"})


def set_apart(proto: onnx.ModelProto, found: Mapping[str, onnx.TypeProto], every: bool) -> bool:
    """Takes nodes whose outputs inference gets wrong out of a model, and makes inputs with the right types of those outputs.

    Args:
        proto: what inference is asked of. In place.
        found: the types that are known so far.
        every: also nodes whose shape is right in `found`; where inference failed, it may be what the model states.

    Returns:
        Whether there was such a node; what depends on it has to be inferred again.
    """
    version = next((one.version for one in proto.opset_import if not domain_of(one.domain)), 1)
    for node in proto.graph.node:
        shape = _right_shape(node, version, found)
        if shape is None or (not every and shape == _shape(found.get(node.output[0]))):
            continue
        for position, name in enumerate(node.output):
            if not name:
                continue
            element = onnx.TensorProto.INT64 if position else found[node.input[0]].tensor_type.elem_type
            made = onnx.helper.make_tensor_value_info(name, element, shape)
            proto.graph.input.append(made)
            for stated in (*proto.graph.output, *proto.graph.value_info):
                if stated.name == name:
                    stated.CopyFrom(made)
        proto.graph.node.remove(node)
        return True
    return False


def _right_shape(node: onnx.NodeProto, version: int, found: Mapping[str, onnx.TypeProto]) -> list[int] | None:
    """The shape of a node's outputs; None where inference knows it."""
    if domain_of(node.domain) or not node.input:
        return None
    given = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    x = _shape(found.get(node.input[0]))
    if x is None or len(x) < 3:
        return None
    if node.op_type == "ConvTranspose" and "output_shape" in given:
        # Below opset 11 inference forgets the channels, later extents that are smaller than those of the input.
        w = _shape(found.get(node.input[1]))
        wanted = [int(extent) for extent in given["output_shape"]][2 - len(x) :]
        if w is None or len(w) != len(x) or len(wanted) != len(x) - 2:
            return None
        return [x[0], w[1] * int(given.get("group", 1)), *wanted]
    if node.op_type in _POOLS and version < 22 and given.get("ceil_mode") and given.get("auto_pad", b"NOTSET") == b"NOTSET":
        # Inference counts a last window that begins behind the input and the padding before it.
        extents = list(_pooled(x[2:], given))
        return None if len(extents) != len(x) - 2 or any(extent < 1 for extent in extents) else [*x[:2], *extents]
    return None


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


def _shape(type_: onnx.TypeProto | None) -> list[int] | None:
    """The shape, if all of it is known."""
    if type_ is None or not type_.tensor_type.HasField("shape"):
        return None
    dims = list(itertools.takewhile(lambda dim: dim.HasField("dim_value"), type_.tensor_type.shape.dim))
    return [dim.dim_value for dim in dims] if len(dims) == len(type_.tensor_type.shape.dim) else None
