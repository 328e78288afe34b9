"""Models in opsets 1 to 6 of ai.onnx, written as opset 7 has them.

Where a form of an operator says the same in other words, the node is changed here. Where what it means depends on shapes, or
on what constants hold, it goes into a domain of ingot's own, and `passes.old_forms` writes it anew once these are known.

*Source:* Changelog.md of ONNX, versions 1 to 6 of the operators; Changelog of IR version 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import onnx

from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.read.check_attributes import all_nodes
from ingot.graph.read.types import domain_of

OPSET = 7
"""What a model in an older opset becomes one of."""

DOMAIN = "ingot.before7"
"""Where nodes wait whose older form depends on shapes or contents."""

# `axis` says to which dimensions of the left operand those of the right one belong.
OLD_BINARY = frozenset({"Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "Pow", "Sub", "Xor"})
# The opset before which a node of an operator waits for shapes or contents.
_WAITS_BEFORE: Mapping[str, int] = {
    "BatchNormalization": 7,
    "Dropout": 7,
    "PRelu": 7,
    "Reshape": 5,
    "Split": 2,
    "Tile": 6,
}
# What the first version of an operator has by default, and the opset of the next one.
_OLD_DEFAULTS: Mapping[str, tuple[int, Mapping[str, float]]] = {
    "Clip": (6, {"min": float("-inf"), "max": float("inf")}),
    "Concat": (4, {"axis": 1}),
    "Selu": (6, {"alpha": 1.6732, "gamma": 1.0507}),
}


def as_opset_seven(proto: onnx.ModelProto, label: str) -> None:
    """Writes a model of opset 1 to 6 as one of opset 7, in place; others stay as they are.

    Does not handle: functions, which came with opset 10; operators that ONNX took back before its opset 7.

    Raises:
        ModelError: an attribute says what its operator does not have.
        UnsupportedError: the model has functions, or a pooling that takes a root which is no whole number.
    """
    entry = next((entry for entry in proto.opset_import if not domain_of(entry.domain)), None)
    if entry is None or entry.version >= OPSET:
        return
    if proto.functions:
        why = f"has functions, and is written in opset {entry.version} of ai.onnx; write it in opset {OPSET} or a later one"
        raise UnsupportedError(f"{label}: {why}", opset=entry.version, nodes=())
    waits = False
    for position, node in all_nodes(proto.graph.node):
        if not domain_of(node.domain):
            waits |= _renew(
                node,
                entry.version,
                f"{label}: node {node.name or f'{node.op_type}_{position}'} ({node.op_type})",
            )
    entry.version = OPSET
    if waits:
        proto.opset_import.append(onnx.helper.make_opsetid(DOMAIN, 1))


def _renew(node: onnx.NodeProto, version: int, where: str) -> bool:
    """Writes one node as opset 7 has it; returns whether it waits for shapes or contents."""
    _drop(node, "consumed_inputs", "output_sequence")
    until, defaults = _OLD_DEFAULTS.get(node.op_type, (0, {}))
    for name, value in defaults.items() if version < until else ():
        if not _has(node, name):
            _set(node, name, value)
    second, change = _OLD_FORMS.get(node.op_type, (0, _as_it_is))
    if version < second:
        change(node, where)
    waits = version < _WAITS_BEFORE.get(node.op_type, 0)
    if node.op_type in OLD_BINARY:
        waits = _has(node, "axis") and _number(node, "broadcast") != 0
        _drop(node, *(() if waits else ("axis",)))
    _drop(node, "broadcast")
    if waits:
        node.domain = DOMAIN
    return waits


def _as_it_is(node: onnx.NodeProto, where: str) -> None:
    """Nothing to change."""


def _number(node: onnx.NodeProto, name: str) -> int:
    return next((attribute.i for attribute in node.attribute if attribute.name == name), 0)


def _has(node: onnx.NodeProto, name: str) -> bool:
    return any(attribute.name == name for attribute in node.attribute)


def _drop(node: onnx.NodeProto, *names: str) -> None:
    kept = [attribute for attribute in node.attribute if attribute.name not in names]
    if len(kept) < len(node.attribute):
        del node.attribute[:]
        node.attribute.extend(kept)


def _set(node: onnx.NodeProto, name: str, value: object) -> None:
    _drop(node, name)
    node.attribute.append(onnx.helper.make_attribute(name, value))


def _of(node: onnx.NodeProto, name: str) -> onnx.AttributeProto:
    """An attribute that the checker has seen."""
    stated: onnx.AttributeProto = next(attribute for attribute in node.attribute if attribute.name == name)
    return stated


# ─── what version 1 of an operator has in other words ──────────────────────────────────────────────────────────────


def _cast(node: onnx.NodeProto, where: str) -> None:
    """The type was the name of a member of `TensorProto.DataType`."""
    attribute = _of(node, "to")
    name = attribute.s.decode().upper() if attribute.type == onnx.AttributeProto.STRING else str(attribute.i)
    if name not in onnx.TensorProto.DataType.keys() or name == "UNDEFINED":  # noqa: SIM118 — protobuf's enum is no mapping
        raise ModelError(
            f"{where}: its attribute to is {name!r:.80}, expected the name of an element type", node=node.name
        )
    _set(node, "to", onnx.TensorProto.DataType.Value(name))


def _pad(node: onnx.NodeProto, where: str) -> None:  # noqa: ARG001
    pads = list(_of(node, "paddings").ints)
    _drop(node, "paddings")
    _set(node, "pads", pads)


def _norm_of_pool(node: onnx.NodeProto, where: str) -> None:
    """The norm was a float."""
    p = next((attribute.f for attribute in node.attribute if attribute.name == "p"), 2.0)
    if not float(p).is_integer():
        raise UnsupportedError(f"{where}: the norm p={p:g} is no whole number", nodes=(node.name,))
    _set(node, "p", int(p))


def _upsample(node: onnx.NodeProto, where: str) -> None:  # noqa: ARG001
    scales = [1.0, 1.0, _of(node, "height_scale").f, _of(node, "width_scale").f]
    mode = next((attribute.s for attribute in node.attribute if attribute.name == "mode"), b"nearest")
    _drop(node, "height_scale", "width_scale")
    _set(node, "scales", scales)
    _set(node, "mode", "linear" if mode == b"bilinear" else mode.decode())


# The opset from which on an operator has its later words, and how a node gets them.
_OLD_FORMS: Mapping[str, tuple[int, Callable[[onnx.NodeProto, str], None]]] = {
    "Cast": (6, _cast),
    "GlobalLpPool": (2, _norm_of_pool),
    "LpPool": (2, _norm_of_pool),
    "Pad": (2, _pad),
    "Upsample": (7, _upsample),
}
