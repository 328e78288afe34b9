"""Attributes whose values are a few words or numbers: ONNX's checker looks at their type only.

*Source:* the operators' definitions in ONNX, opset 28.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import onnx

from ingot.base.errors import ModelError, nearest
from ingot.graph.read.types import domain_of

_PADS = frozenset({"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"})
_SCATTERS = frozenset({"none", "add", "mul", "max", "min"})
_LOSSES = frozenset({"none", "sum", "mean"})
_DIRECTIONS = frozenset({"forward", "reverse", "bidirectional"})
_BLOCKS = frozenset({"DCR", "CRD"})
_COORDINATES = frozenset(
    {
        "half_pixel",
        "half_pixel_symmetric",
        "pytorch_half_pixel",
        "align_corners",
        "asymmetric",
        "tf_crop_and_resize",
        "tf_half_pixel_for_nn",
    }
)
WORDS: Mapping[tuple[str, str], frozenset[str]] = {
    ("BitShift", "direction"): frozenset({"LEFT", "RIGHT"}),
    **{(op, "mode"): _BLOCKS for op in ("DepthToSpace", "SpaceToDepth")},
    ("Gelu", "approximate"): frozenset({"none", "tanh"}),
    ("GridSample", "mode"): frozenset({"linear", "bilinear", "nearest", "cubic", "bicubic"}),
    ("GridSample", "padding_mode"): frozenset({"zeros", "border", "reflection"}),
    ("Pad", "mode"): frozenset({"constant", "reflect", "edge", "wrap"}),
    ("Resize", "coordinate_transformation_mode"): _COORDINATES,
    ("Resize", "keep_aspect_ratio_policy"): frozenset({"stretch", "not_larger", "not_smaller"}),
    ("Resize", "mode"): frozenset({"nearest", "linear", "cubic"}),
    ("Resize", "nearest_mode"): frozenset(
        {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"}
    ),
    ("RoiAlign", "coordinate_transformation_mode"): frozenset({"half_pixel", "output_half_pixel"}),
    ("RoiAlign", "mode"): frozenset({"avg", "max"}),
    ("TensorScatter", "mode"): frozenset({"linear", "circular"}),
    ("Upsample", "mode"): frozenset({"nearest", "linear", "bilinear"}),
    **{(op, "direction"): _DIRECTIONS for op in ("RNN", "GRU", "LSTM")},
    **{(op, "reduction"): _SCATTERS for op in ("ScatterElements", "ScatterND")},
    **{(op, "reduction"): _LOSSES for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")},
    **{
        (op, "auto_pad"): _PADS
        for op in [
            "AveragePool",
            "Conv",
            "ConvInteger",
            "ConvTranspose",
            "DeformConv",
            "LpPool",
            "MaxPool",
            "QLinearConv",
        ]
    },
}
"""Operator and attribute: what it may say. Case does not count, as elsewhere."""

_AXES = range(-64, 64)
_FOLDS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
NUMBERS: Mapping[tuple[str, str], range] = {
    ("Attention", "qk_matmul_output_mode"): range(4),
    ("Mod", "fmod"): range(2),
    ("MaxPool", "storage_order"): range(2),
    # What others mean is for each implementation something else.
    ("Attention", "is_causal"): range(2),
    ("BatchNormalization", "training_mode"): range(2),
    ("RotaryEmbedding", "interleaved"): range(2),
    **{(f"Reduce{fold}", "noop_with_empty_axes"): range(2) for fold in _FOLDS},
    **{(op, "ceil_mode"): range(2) for op in ("AveragePool", "LpPool", "MaxPool")},
    # With others ONNX's inference of shapes reads outside of its memory.
    ("GatherND", "batch_dims"): range(64),
    ("LayerNormalization", "axis"): _AXES,
}
"""Operator and attribute: the numbers that it may be."""

_EQUATION = re.compile(r"[A-Za-z.,> -]*")


def check_attribute(node: onnx.NodeProto, attribute: onnx.AttributeProto, where: str) -> None:
    """Checks that an attribute has a value of its own, that texts are texts, and that one of ONNX's own operators with few values
    has one of them.

    Raises:
        ModelError: names the attribute, what it says, and what it may say.
    """
    if attribute.ref_attr_name:
        given = f"is the attribute {attribute.ref_attr_name!r} of a function, and it is in none"
        raise ModelError(f"{where}: its attribute {attribute.name!r} {given}")
    for text in (attribute.s, *attribute.strings):
        try:
            text.decode()
        except UnicodeDecodeError:
            raise ModelError(
                f"{where}: its attribute {attribute.name!r} is no UTF-8 text: {text[:40]!r}"
            ) from None
    if domain_of(node.domain):
        return
    key = (node.op_type, attribute.name)
    words, numbers = WORDS.get(key), NUMBERS.get(key)
    if words is not None and attribute.type == onnx.AttributeProto.STRING:
        text = attribute.s.decode()
        if text.lower() not in {word.lower() for word in words}:
            known = ", ".join(sorted(words))
            raise ModelError(
                f"{where}: its attribute {attribute.name} is {text!r}{nearest(text, words)} (ONNX has {known})"
            )
    if numbers is not None and attribute.type == onnx.AttributeProto.INT and attribute.i not in numbers:
        raise ModelError(
            f"{where}: its attribute {attribute.name} is {attribute.i}, expected {numbers.start} to {numbers.stop - 1}"
        )
    # ONNX's inference of shapes ends the process over other numbers, and does not come back from letters that it does not know.
    if key == ("Split", "num_outputs") and attribute.i != len(node.output):
        raise ModelError(
            f"{where}: its attribute num_outputs is {attribute.i}, and it has {len(node.output)} outputs"
        )
    if key == ("Einsum", "equation") and not _EQUATION.fullmatch(attribute.s.decode()):
        raise ModelError(
            f"{where}: its equation {attribute.s.decode()[:80]!r} has more than letters, '.', ',', '->' and spaces"
        )


def check_calls(proto: onnx.ModelProto, label: str) -> None:
    """Checks the attributes in the model's own functions, those that a call gives with the value that they have there.

    Raises:
        ModelError: as of `check_attribute`, or an attribute is of another type than that of its operator.
    """
    functions = {
        (domain_of(function.domain), function.name, function.overload): function
        for function in proto.functions
    }
    seen: set[tuple[object, ...]] = set()
    calls = [node for _, node in all_nodes(proto.graph.node)] if functions else []
    while calls:
        call = calls.pop()
        key = (domain_of(call.domain), call.op_type, call.overload)
        function = functions.get(key)
        given = sorted((attribute.name, attribute.SerializeToString()) for attribute in call.attribute)
        if function is None or (*key, *given) in seen:
            continue
        seen.add((*key, *given))
        values = {attribute.name: attribute for attribute in (*function.attribute_proto, *call.attribute)}
        for _, node in all_nodes(function.node):
            bound = _bound(node, values)
            where = f"{label}: node {node.name or node.op_type} of the function {function.name!r}"
            kinds = _kinds(node, function)
            for attribute in bound.attribute:
                _check_kind(attribute, kinds.get(attribute.name, attribute.type), where)
                check_attribute(bound, attribute, where)
            calls.append(bound)


def _kinds(node: onnx.NodeProto, function: onnx.FunctionProto) -> dict[str, int]:
    """The types of the attributes that ONNX's operator has in the version that a function imports."""
    domain = domain_of(node.domain)
    version = next((entry.version for entry in function.opset_import if domain_of(entry.domain) == domain), 0)
    if not onnx.defs.has(node.op_type, version, domain):
        return {}
    schema = onnx.defs.get_schema(node.op_type, version, domain)
    # ONNX's type stubs do not say that its enum has values.
    return {name: int(attribute.type.value) for name, attribute in schema.attributes.items()}  # type: ignore[attr-defined]


def _check_kind(attribute: onnx.AttributeProto, wanted: int, where: str) -> None:
    if attribute.type != wanted:
        got, expected = map(onnx.AttributeProto.AttributeType.Name, (attribute.type, wanted))
        raise ModelError(f"{where}: its attribute {attribute.name} is of the type {got}, expected {expected}")


def _bound(node: onnx.NodeProto, values: Mapping[str, onnx.AttributeProto]) -> onnx.NodeProto:
    """The node with the attributes of its function's call; those that the call does not give are left out."""
    if not any(attribute.ref_attr_name for attribute in node.attribute):
        return node
    bound = onnx.NodeProto()
    bound.CopyFrom(node)
    del bound.attribute[:]
    for attribute in node.attribute:
        value = values.get(attribute.ref_attr_name) if attribute.ref_attr_name else attribute
        if value is not None:
            bound.attribute.append(value)
            bound.attribute[-1].name = attribute.name
    return bound


def all_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[tuple[int, onnx.NodeProto]]:
    """Every node with its position in its graph, also those of graphs inside nodes."""
    for position, node in enumerate(nodes):
        yield position, node
        for attribute in node.attribute:
            for inner in (*attribute.graphs, *((attribute.g,) if attribute.HasField("g") else ())):
                yield from all_nodes(inner.node)
