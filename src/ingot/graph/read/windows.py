"""Windows that are larger than what they slide over: one rule for convolutions and pools, checked where shapes are known.

ONNX divides by the stride and rounds towards zero, also below zero, so it infers a result for windows that do not fit. What a
convolution computes there is not defined (onnxruntime refuses all of these), so none is compiled. For pools all agree: a window
sees the elements that exist, and where it has no place there are no results. A negative number of results is refused for both.
"""

from __future__ import annotations

from collections.abc import Iterable

import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import static_shape, to_attribute
from ingot.kernels.blocks.window import places
from ingot.ops.facts import WindowSize


def check_windows(nodes: Iterable[ir.Node], label: str) -> None:
    """Refuses windows that are larger than their padded input, if shapes are known.

    Does not handle: attributes of a wrong length, which lowering refuses.

    Raises:
        ModelError: names the node, its window and what it slides over.
    """
    for node in nodes:
        window = said_of(node).window
        if window is not None:
            _check(node, window, label)


def _check(node: ir.Node, window: WindowSize, label: str) -> None:
    attributes = {key: to_attribute(attribute) for key, attribute in node.attributes.items()}
    extents = _spatial(node, 0)
    kernel = attributes.get("kernel_shape") if window.weights is None else _spatial(node, window.weights)
    if not extents or not kernel or attributes.get("auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER"):
        return
    rank = len(extents)
    strides, dilations = attributes.get("strides", (1,) * rank), attributes.get("dilations", (1,) * rank)
    pads = (
        (0,) * (2 * rank)
        if attributes.get("auto_pad") == "VALID"
        else attributes.get("pads", (0,) * (2 * rank))
    )
    if {len(kernel), len(strides), len(dilations), len(pads) / 2} != {rank} or min(strides) < 1:
        return
    padded = [
        extent + begin + end for extent, begin, end in zip(extents, pads[:rank], pads[rank:], strict=True)
    ]
    sizes = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations, strict=True)]
    for extent, room, size, stride in zip(extents, padded, sizes, strides, strict=True):
        number = places(room, size, stride)
        fits = size <= room or window.is_pool or number == extent == 0
        if not fits or number < 0:
            raise ModelError(
                f"{label}: node {node.name} ({node.op_type}): its window of {list(sizes)} (kernel {list(kernel)}, dilations "
                f"{list(dilations)}) is larger than its input of {list(padded)} (with pads {list(pads)}); "
                "give the model larger inputs or the node more pads",
                node=node.name,
            )


def _spatial(node: ir.Node, position: int) -> tuple[int, ...]:
    """The extents behind the first two of an input; () if they are not known."""
    value = node.inputs[position] if position < len(node.inputs) else None
    shape = None if value is None else static_shape(value)
    return () if shape is None else shape[2:]
