"""Models as ONNX files again: every stage of the graph room can be opened by other tools."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
import onnx.printer
import onnx_ir as ir
from google.protobuf.message import Message  # type: ignore[import-untyped]

from ingot.base.scratch import Scratch
from ingot.graph.passes.control_flow.kept import kept_of
from ingot.graph.read.apart import GRAPH, INITIALIZER, RAW_DATA, head
from ingot.graph.read.types import stored_bytes

# A protobuf message has at most 2 GiB.
MAX_WEIGHTS_BYTES = 1 << 30
# Weights of more bytes are not spelled out in the text form.
_MAX_TEXT_BYTES = 64
# Initializers of this size and more are written without a copy.
LARGE_BYTES = 1 << 20


def model_bytes(model: ir.Model) -> bytes:
    """The model as the bytes of an `.onnx` file, weights included. Loops and branches that stay have what is inside of them as
    graphs `inside0` and `inside1`.
    """
    content: bytes = _whole(model).SerializeToString(deterministic=True)
    return content


def _whole(model: ir.Model) -> onnx.ModelProto:
    proto, kept = ir.to_proto(model), kept_of(model)
    for node, written in zip(model.graph, proto.graph.node, strict=True):
        inside = kept.of(node)
        for at, body in enumerate(() if inside is None else inside.models):
            graph = _whole(body).graph
            written.attribute.add(name=f"inside{at}", type=onnx.AttributeProto.GRAPH, g=graph)
    return proto


def model_files(model: ir.Model, stem: str) -> dict[str, bytes | memoryview]:
    """The model as `<stem>.onnx`, and as ONNX text in `<stem>.onnx.txt`, whose larger weights are places in the first.

    Nothing for a model with weights of more than 1 GiB, which one file cannot hold.
    """
    tensors = [
        value.const_value for value in model.graph.initializers.values() if value.const_value is not None
    ]
    if sum(map(stored_bytes, tensors)) > MAX_WEIGHTS_BYTES:
        return {}
    proto, large = _without_large(model)
    content, places = _written(proto, large)
    for tensor in proto.graph.initializer:
        length = large[tensor.name].nbytes if tensor.name in large else len(tensor.raw_data)
        if length <= _MAX_TEXT_BYTES:
            continue
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, entry in (
            ("location", f"{stem}.onnx"),
            ("offset", str(places[tensor.name])),
            ("length", str(length)),
        ):
            tensor.external_data.add(key=key, value=entry)
    text = onnx.printer.to_text(proto)
    return {f"{stem}.onnx": content, f"{stem}.onnx.txt": text.encode("utf-8", "backslashreplace") + b"\n"}


def _without_large(model: ir.Model) -> tuple[onnx.ModelProto, dict[str, ir.TensorProtocol]]:
    """The model as protobuf without the content of large initializers, and these by their names: protobuf would have each three
    times, in the message, in what it writes and in the bytes that it gives.
    """
    large: dict[str, ir.TensorProtocol] = {}
    for name, value in model.graph.initializers.items():
        tensor = value.const_value
        if tensor is not None and tensor.nbytes >= LARGE_BYTES and tensor.dtype.bitwidth % 8 == 0:
            large[name] = tensor
            value.const_value = ir.Tensor(np.zeros(0, np.uint8), name=name, doc_string=tensor.doc_string)
    try:
        proto = ir.to_proto(model)
    finally:
        for name, tensor in large.items():
            model.graph.initializers[name].const_value = tensor
    for weight in proto.graph.initializer:
        if weight.name in large:
            tensor = large[weight.name]
            weight.ClearField("dims")
            weight.dims.extend(tensor.shape.numpy())
            weight.data_type = int(tensor.dtype)
            weight.ClearField("raw_data")
    return proto, large


def _written(
    proto: onnx.ModelProto, large: Mapping[str, ir.TensorProtocol]
) -> tuple[memoryview, dict[str, int]]:
    """The bytes of the model, as protobuf writes them, with the content of large initializers, and where that of each begins
    which is not spelled out in the text form.
    """
    heads: list[tuple[bytes, ir.TensorProtocol | None, bytes]] = []
    for weight in proto.graph.initializer:
        tensor = large.get(weight.name)
        before, behind = (
            _apart(weight, RAW_DATA)
            if tensor is not None
            else (weight.SerializeToString(deterministic=True), b"")
        )
        size = len(before) + len(behind)
        if tensor is not None:
            before += head(RAW_DATA, tensor.nbytes)
            size = len(before) + tensor.nbytes + len(behind)
        heads.append((head(INITIALIZER, size) + before, tensor, behind))
    above, below = _apart(proto.graph, INITIALIZER)
    contents = sum(
        len(begin) + len(rest) + (tensor.nbytes if tensor is not None else 0) for begin, tensor, rest in heads
    )
    first, last = _apart(proto, GRAPH)
    begin = first + head(GRAPH, len(above) + contents + len(below)) + above
    out, at, places = Scratch(len(begin) + contents + len(below) + len(last)), 0, {}

    def put(content: bytes | memoryview) -> None:
        nonlocal at
        out.write(at, content)
        at += len(content)

    put(begin)
    for weight, (begin, tensor, rest) in zip(proto.graph.initializer, heads, strict=True):
        if tensor is None and len(weight.raw_data) > _MAX_TEXT_BYTES:
            places[weight.name] = at + begin.index(weight.raw_data)
        put(begin)
        if tensor is not None:
            places[weight.name] = at
            array = np.ascontiguousarray(tensor.numpy())
            put(array.astype(array.dtype.newbyteorder("<"), copy=False).reshape(-1).view(np.uint8).data)
        put(rest)
    put(below + last)
    return out.content, places


def _apart(message: Message, number: int) -> tuple[bytes, bytes]:
    """The fields of a message before and behind one of a number, which is left out, as protobuf writes them."""
    parts = type(message)(), type(message)()
    for part, is_wanted in zip(parts, (number.__gt__, number.__lt__), strict=True):
        part.CopyFrom(message)
        for field, _ in message.ListFields():
            if not is_wanted(field.number):
                part.ClearField(field.name)
    before, behind = (part.SerializeToString(deterministic=True) for part in parts)
    return before, behind
