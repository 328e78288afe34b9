"""What exporters of classical machine learning write around their operators, as other models have it."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import version_converter

from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.read.map_inputs import DOMAIN, READERS, tensors_of_maps
from ingot.graph.read.types import domain_of

ML_DOMAIN = DOMAIN
# What operators of ai.onnx.ml are rewritten with, at least: ReduceSum has its axes as an input from here on, as later ones have.
_OPSET = 13
TOKENIZER = ("com.microsoft", "Tokenizer")
OF_MAPS = frozenset({"ZipMap", *READERS})
LABELS = ("classlabels_int64s", "classlabels_strings")  # of `ZipMap` and of classifiers by trees


def as_usual(proto: onnx.ModelProto, label: str) -> dict[str, list[int | str]]:
    """Takes out, in place, what only exporters of scikit-learn, LightGBM and XGBoost write.

    - A domain imported twice in one version is imported once (skl2onnx).
    - A model of nothing but operators of ai.onnx.ml, which imports no other, imports ai.onnx (XGBoost).
    - What onnxruntime's `Tokenizer` makes is declared to be text: ONNX does not know that operator.
    - An input that is a map is a tensor with a column for each key.
    - An output that `ZipMap` makes is the tensor that it makes maps of, `[N, classes]`, columns in the order of its labels.

    Does not handle: imports of two versions, which stay.

    Returns:
        The labels of each input and output that was maps.

    Raises:
        UnsupportedError: maps, but those that an output is made of, and those that `tensors_of_maps` takes.
    """
    imports: dict[str, int] = {}
    for entry in proto.opset_import:
        if imports.setdefault(domain_of(entry.domain), entry.version) != entry.version:
            return {}
    _declare_tokens(proto.graph)
    nodes = [node for node in proto.graph.node if node.domain == ML_DOMAIN]
    if len(imports) < len(proto.opset_import) or (nodes and "" not in imports):
        imports = ({"": _OPSET} if nodes else {}) | imports
        del proto.opset_import[:]
        proto.opset_import.extend(
            onnx.helper.make_opsetid(domain, version) for domain, version in imports.items()
        )
    of_inputs = tensors_of_maps(proto.graph, label)
    nodes = [node for node in nodes if node.domain == ML_DOMAIN and node.op_type in OF_MAPS]
    return {**of_inputs, **{node.output[0]: _without_map(proto.graph, node, label) for node in nodes}}


def with_later_opset(proto: onnx.ModelProto, label: str) -> onnx.ModelProto:
    """The model, or, if it has operators of ai.onnx.ml and imports an opset of ai.onnx before 13 (LightGBM: 8 or 9), it by ONNX's
    converter: operators of ai.onnx.ml are rewritten with later ones.

    Does not handle: models with functions of their own, which have imports of theirs.

    Raises:
        ModelError: the converter refuses it.
    """
    version = next((entry.version for entry in proto.opset_import if not domain_of(entry.domain)), _OPSET)
    if version >= _OPSET or proto.functions or all(node.domain != ML_DOMAIN for node in proto.graph.node):
        return proto
    try:
        return version_converter.convert_version(proto, _OPSET)
    except Exception as error:  # the converter's errors have no type of their own
        why = str(error).rpartition("failed: ")[2]
        raise ModelError(
            f"{label}: imports opset {version} of ai.onnx, which ONNX's converter does not bring to {_OPSET}: {why}"
        ) from None


def rows_of_maps(node: onnx.NodeProto, maps: list[dict[int | str, float]]) -> np.ndarray:
    """The tensor of maps that a `ZipMap` makes."""
    labels = _labels(node)
    return np.array([[row[label] for label in labels] for row in maps], np.float32)


def _labels(node: onnx.NodeProto) -> list[int | str]:
    """The labels of a `ZipMap`, by which its maps are."""
    for attribute in node.attribute:
        if attribute.name == LABELS[0]:
            return list(attribute.ints)
        if attribute.name == LABELS[1]:
            return [text.decode() for text in attribute.strings]
    return []


def _declare_tokens(graph: onnx.GraphProto) -> None:
    stated = {value.name for value in (*graph.output, *graph.value_info)}
    for node in graph.node:
        if (node.domain, node.op_type) == TOKENIZER and node.output and node.output[0] not in stated:
            graph.value_info.append(
                onnx.helper.make_tensor_value_info(node.output[0], onnx.TensorProto.STRING, None)
            )


def _without_map(graph: onnx.GraphProto, node: onnx.NodeProto, label: str) -> list[int | str]:
    """Lets the tensor be the output, in place; returns the labels."""
    name = node.output[0] if node.output else ""
    output = next((value for value in graph.output if value.name == name), None)
    where = f"{label}: node {node.name or name} ({node.op_type})"
    if node.op_type != "ZipMap":
        why = "its input is a map that is no input of the model: give the model a tensor"
        raise UnsupportedError(f"{where}: {why}", nodes=(node.name,))
    labels = _labels(node)
    if not labels:
        raise UnsupportedError(f"{where}: it has no labels", nodes=(node.name,))
    if output is None or any(name in other.input for other in graph.node) or len(node.input) != 1:
        raise UnsupportedError(
            f"{where}: a list of maps can only be an output of the model", nodes=(node.name,)
        )
    node.op_type, node.domain = "Identity", ""
    del node.attribute[:]
    output.type.CopyFrom(onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, None))
    return labels
