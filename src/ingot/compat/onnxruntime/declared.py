"""What an ONNX file declares at its ends, read from its protobuf; and the same of a library."""

from __future__ import annotations

from typing import Any

from ingot.artifact.model_info import DimInfo, ModelInfo, Origin
from ingot.compat.onnxruntime.values import Declared, ModelMetadata, NodeArg

# `TensorProto.DataType` of ONNX, by number, in onnxruntime's words.
_ELEMENTS = {
    1: "float",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    8: "string",
    9: "bool",
    10: "float16",
    11: "double",
    12: "uint32",
    13: "uint64",
    14: "complex64",
    15: "complex128",
    16: "bfloat16",
    17: "float8e4m3fn",
    18: "float8e4m3fnuz",
    19: "float8e5m2",
    20: "float8e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4e2m1",
}
_OF_DTYPES = {"float32": "float", "float64": "double", "text": "string"}


def declared_by_file(proto: Any) -> Declared:
    """What the `onnx.ModelProto` of a file declares."""
    graph = proto.graph
    with_value = {tensor.name for tensor in graph.initializer}
    inputs = [_node_arg(value) for value in graph.input]
    meta = ModelMetadata(
        proto.producer_name,
        graph.name,
        proto.domain,
        proto.doc_string,
        graph.doc_string,
        proto.model_version,
        {entry.key: entry.value for entry in proto.metadata_props},
    )
    return Declared(
        [arg for arg in inputs if arg.name not in with_value],
        [arg for arg in inputs if arg.name in with_value],
        [_node_arg(value) for value in graph.output],
        meta,
        frozenset(value.name for value in graph.input if _is_unranked(value.type)),
    )


def declared_by_library(info: ModelInfo) -> Declared:
    """What a library says of a model."""
    if info.border is not None:
        ends = [[_of_port(port) for port in ports] for ports in (info.border.inputs, info.border.outputs)]
    else:
        ends = [
            [
                NodeArg(
                    tensor.name,
                    f"tensor({dtype_words(tensor.dtype.value)})",
                    [_extent(extent) for extent in tensor.extents or tensor.shape],
                )
                for tensor in tensors
            ]
            for tensors in (info.inputs, info.outputs)
        ]
    return Declared(ends[0], [], ends[1], _meta(info.name, info.origin))


def dtype_words(name: str) -> str:
    """`float` for `float32`, as onnxruntime names element types."""
    return _OF_DTYPES.get(name, name)


def element_number(words: str) -> int:
    """ONNX's number of the element type of `tensor(float)`."""
    return next(number for number, name in _ELEMENTS.items() if words == f"tensor({name})")


def _meta(name: str, origin: Origin | None) -> ModelMetadata:
    if origin is None:
        return ModelMetadata(graph_name=name)
    return ModelMetadata(
        origin.producer_name,
        name,
        origin.domain,
        origin.doc_string,
        origin.graph_doc_string,
        origin.model_version,
        dict(origin.metadata),
    )


def _extent(extent: int | DimInfo | str) -> int | str | None:
    """A number, the name of an extent that varies, or None where it has none: such are called `x:0` here."""
    if isinstance(extent, int):
        return extent
    name = extent.name if isinstance(extent, DimInfo) else extent
    return None if ":" in name else name


def _of_port(port: Any) -> NodeArg:
    return NodeArg(
        port.name, _port_words(port), [_port_extent(extent) for extent in port.extents or port.shape]
    )


def _port_extent(extent: Any) -> int | str | None:
    if isinstance(extent, int):
        return None if extent < 0 else extent
    return _extent(extent.shown)


def _port_words(port: Any) -> str:
    match port.kind:
        case "tensor" | "text":
            return f"tensor({dtype_words(port.word)})"
        case "maps":
            key = "string" if port.labels and isinstance(port.labels[0], str) else "int64"
            return f"seq(map({key},tensor({dtype_words(port.parts[0].word)})))"
        case kind:
            inner = ",".join(_port_words(part) for part in port.parts[:1])
            return f"{'seq' if kind == 'sequence' else 'optional'}({inner})"


def _node_arg(value: Any) -> NodeArg:
    kind = value.type
    while kind.WhichOneof("value") == "optional_type":
        kind = kind.optional_type.elem_type
    shape = kind.tensor_type.shape.dim if kind.WhichOneof("value") == "tensor_type" else ()
    return NodeArg(value.name, _type_words(value.type), [_declared_extent(dim) for dim in shape])


def _declared_extent(dim: Any) -> int | str | None:
    """As onnxruntime has it: what exporters write as -1 is open."""
    if dim.WhichOneof("value") == "dim_value":
        return int(dim.dim_value) if dim.dim_value >= 0 else None
    return dim.dim_param or None


def _is_unranked(kind: Any) -> bool:
    return kind.WhichOneof("value") == "tensor_type" and not kind.tensor_type.HasField("shape")


def _type_words(kind: Any) -> str:
    match kind.WhichOneof("value"):
        case "tensor_type":
            return f"tensor({_ELEMENTS.get(kind.tensor_type.elem_type, 'undefined')})"
        case "sequence_type":
            return f"seq({_type_words(kind.sequence_type.elem_type)})"
        case "optional_type":
            return f"optional({_type_words(kind.optional_type.elem_type)})"
        case "map_type":
            key = _ELEMENTS.get(kind.map_type.key_type, "undefined")
            return f"map({key},{_type_words(kind.map_type.value_type)})"
        case _:
            return "undefined"
