"""What exporters of classical machine learning write around their operators, as other models have it."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import version_converter

from ingot.errors import ModelError, UnsupportedError
from ingot.graph.types import domain_of

ML_DOMAIN = "ai.onnx.ml"
# What operators of ai.onnx.ml are rewritten with, at least: ReduceSum has its axes as an input from here on, as later ones have.
_OPSET = 13
_OF_MAPS = frozenset({"ZipMap", "CastMap", "DictVectorizer"})
_LABELS = ("classlabels_int64s", "classlabels_strings")


def as_usual(proto: onnx.ModelProto, label: str) -> onnx.ModelProto:
    """The model, in place or a copy, without what only exporters of scikit-learn, LightGBM and XGBoost write.

    - A domain imported twice in one version is imported once (skl2onnx).
    - A model with operators of ai.onnx.ml imports opset 13 of ai.onnx or a later one (LightGBM's has 8 or 9, XGBoost's none).
    - An output that `ZipMap` makes is the tensor that it makes maps of, `[N, classes]`, columns in the order of its labels.

    Does not handle: imports of two versions, and functions of the model's own, which have imports of theirs; both stay.

    Raises:
        ModelError: ONNX's converter cannot bring the model to the later opset.
        UnsupportedError: maps, but those that an output is made of.
    """
    imports: dict[str, int] = {}
    for one in proto.opset_import:
        if imports.setdefault(domain_of(one.domain), one.version) != one.version:
            return proto
    if len(imports) < len(proto.opset_import):
        _import(proto, imports)
    nodes = [node for node in proto.graph.node if node.domain == ML_DOMAIN]
    if not nodes or proto.functions:
        return proto
    for node in nodes:
        if node.op_type in _OF_MAPS:
            _without_map(proto.graph, node, label)
    if imports.get("", _OPSET) >= _OPSET:
        _import(proto, {"": _OPSET} | imports)
        return proto
    try:
        return version_converter.convert_version(proto, _OPSET)
    except Exception as error:  # the converter's errors have no type of their own
        why = f"imports opset {imports['']} of ai.onnx, which ONNX's converter does not bring to {_OPSET}"
        raise ModelError(f"{label}: {why}: {error}") from None


def rows_of_maps(proto: onnx.ModelProto, name: str, maps: list[dict[int | str, float]]) -> np.ndarray:
    """The tensor of maps that `ZipMap` makes for an output."""
    node = next(node for node in proto.graph.node if name in node.output)
    labels = zipped_labels(node)
    return np.array([[row[one] for one in labels] for row in maps], np.float32)


def zipped_labels(node: onnx.NodeProto) -> list[int | str]:
    """The labels of a `ZipMap`, by which its maps are."""
    for one in node.attribute:
        if one.name == _LABELS[0]:
            return list(one.ints)
        if one.name == _LABELS[1]:
            return [text.decode() for text in one.strings]
    return []


def _import(proto: onnx.ModelProto, imports: dict[str, int]) -> None:
    del proto.opset_import[:]
    proto.opset_import.extend(onnx.helper.make_opsetid(domain, version) for domain, version in imports.items())


def _without_map(graph: onnx.GraphProto, node: onnx.NodeProto, label: str) -> None:
    made = node.output[0] if node.output else ""
    output = next((one for one in graph.output if one.name == made), None)
    where = f"{label}: node {node.name or made} ({node.op_type})"
    if node.op_type != "ZipMap":
        why = "its input is a map, which ingot does not have: give the model a tensor"
        raise UnsupportedError(f"{where}: {why}", nodes=(node.name,))
    if output is None or any(made in other.input for other in graph.node) or len(node.input) != 1:
        raise UnsupportedError(f"{where}: a list of maps can only be an output of the model", nodes=(node.name,))
    node.op_type, node.domain = "Identity", ""
    del node.attribute[:]
    output.type.CopyFrom(onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, None))
