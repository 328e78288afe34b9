"""Types of results that ONNX's inference refuses to give: of operators that move elements, for types that ONNX does not allow.

Branches and loops that are written out choose, cut and put together by `Where`, `Slice`, `Concat` and the like whatever the loop
carries, and ONNX does not allow these for short floats and for integers of 2 and 4 bits. For a kernel such an operator is the
same for all types.
"""

from __future__ import annotations

from collections.abc import Mapping

import onnx
import onnx.helper
import onnx_ir as ir

from ingot.graph.read.definitions import definitions_of
from ingot.graph.read.names import unused
from ingot.graph.read.types import to_dtype

_SHORT_TYPES = frozenset(
    int(element)
    for element in ir.DataType
    if (dtype := to_dtype(element)) and dtype.is_carried and not dtype.is_complex
)


def stand_in(proto: onnx.ModelProto, types: Mapping[str, onnx.TypeProto]) -> bool:
    """Lets nodes that move elements of such types move floats in their place: a Cast stands before each of these inputs and
    behind each result, so that all types and shapes are inferred. Other nodes stay, and are refused.

    Args:
        proto: what inference is asked of. In place.
        types: the types that are known so far.

    Returns:
        Whether there was such a node.
    """
    nodes: list[onnx.NodeProto] = []
    taken = {value.name for value in (*proto.graph.input, *proto.graph.initializer)}
    taken.update(name for node in proto.graph.node for name in (*node.input, *node.output))
    for node in proto.graph.node:
        kinds = {_element(types, name) for name in node.input} & _SHORT_TYPES
        is_moved = len(kinds) == 1 and any(
            operator.moves for operator in definitions_of(node.domain, node.op_type)
        )
        nodes += (
            _by_floats(node, types, taken, *kinds)
            if is_moved
            else [onnx.NodeProto.FromString(node.SerializeToString())]
        )
    if len(nodes) == len(proto.graph.node):
        return False
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)
    return True


def _by_floats(
    node: onnx.NodeProto, types: Mapping[str, onnx.TypeProto], taken: set[str], kind: int
) -> list[onnx.NodeProto]:
    copy = onnx.NodeProto.FromString(node.SerializeToString())
    before, behind = [], []
    for position, name in enumerate(node.input):
        if _element(types, name) == kind:
            copy.input[position] = unused(f"{name}.{position}.as_float", taken)
            before.append(
                onnx.helper.make_node("Cast", [name], [copy.input[position]], to=onnx.TensorProto.FLOAT)
            )
    for position, name in enumerate(node.output):
        if name and _element(types, name) == kind:
            copy.output[position] = unused(f"{name}.as_float", taken)
            behind.append(onnx.helper.make_node("Cast", [copy.output[position]], [name], to=kind))
    return [*before, copy, *behind]


def _element(types: Mapping[str, onnx.TypeProto], name: str) -> int:
    type_ = types.get(name)
    return 0 if type_ is None else type_.tensor_type.elem_type
