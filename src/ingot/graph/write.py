"""Models as ONNX files again: every stage of the graph room can be opened by other tools."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
import onnx
import onnx.printer
import onnx_ir as ir
from google.protobuf.message import Message  # type: ignore[import-untyped]

from ingot.graph.read.types import stored_bytes

# A protobuf message has at most 2 GiB.
MAX_WEIGHTS_BYTES = 1 << 30
# Weights of more bytes are not spelled out in the text form.
_MAX_TEXT_BYTES = 64
# Initializers of so many bytes are written without a copy.
LARGE_BYTES = 1 << 20
# Numbers of fields in onnx.proto.
_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9


def model_bytes(model: ir.Model) -> bytes:
    """The model as the bytes of an `.onnx` file, weights included."""
    content: bytes = ir.to_proto(model).SerializeToString(deterministic=True)
    return content


def model_files(model: ir.Model, stem: str) -> dict[str, bytes]:
    """The model as `<stem>.onnx`, and as ONNX text in `<stem>.onnx.txt`, whose larger weights are places in the first.

    Nothing for a model with weights of more than 1 GiB, which one file cannot hold.
    """
    tensors = [value.const_value for value in model.graph.initializers.values() if value.const_value is not None]
    if sum(map(stored_bytes, tensors)) > MAX_WEIGHTS_BYTES:
        return {}
    proto, large = _without_large(model)
    content, large_at = _written(proto, large)
    at = 0
    for tensor in proto.graph.initializer:
        raw = tensor.raw_data
        if tensor.name in large:
            at, length = large_at[tensor.name], large[tensor.name].nbytes
        elif len(raw) > _MAX_TEXT_BYTES:
            at, length = _place(content, raw, at), len(raw)  # initializers are written in their order
        else:
            continue
        places = {"location": f"{stem}.onnx", "offset": str(at), "length": str(length)}
        at += length
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in places.items():
            tensor.external_data.add(key=key, value=value)
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
    for one in proto.graph.initializer:
        if one.name in large:
            tensor = large[one.name]
            one.ClearField("dims")
            one.dims.extend(tensor.shape.numpy())
            one.data_type = int(tensor.dtype)
            one.ClearField("raw_data")
    return proto, large


def _written(proto: onnx.ModelProto, large: Mapping[str, ir.TensorProtocol]) -> tuple[bytes, dict[str, int]]:
    """The bytes of the model, as protobuf writes them, with the content of large initializers, and where each of these begins."""
    heads: list[tuple[bytes, ir.TensorProtocol | None, bytes]] = []
    for one in proto.graph.initializer:
        tensor = large.get(one.name)
        before, behind = _apart(one, _RAW_DATA) if tensor is not None else (one.SerializeToString(deterministic=True), b"")
        size = len(before) + len(behind)
        if tensor is not None:
            before += _head(_RAW_DATA, tensor.nbytes)
            size = len(before) + tensor.nbytes + len(behind)
        heads.append((_head(_INITIALIZER, size) + before, tensor, behind))
    above, below = _apart(proto.graph, _INITIALIZER)
    contents = sum(len(head) + len(rest) + (tensor.nbytes if tensor is not None else 0) for head, tensor, rest in heads)
    first, last = _apart(proto, _GRAPH)
    out, places = io.BytesIO(), {}
    out.write(first + _head(_GRAPH, len(above) + contents + len(below)) + above)
    for one, (head, tensor, rest) in zip(proto.graph.initializer, heads, strict=True):
        out.write(head)
        if tensor is not None:
            places[one.name] = out.tell()
            array = np.ascontiguousarray(tensor.numpy())
            out.write(array.astype(array.dtype.newbyteorder("<"), copy=False).reshape(-1).view(np.uint8).data)
        out.write(rest)
    out.write(below + last)
    return out.getvalue(), places


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


def _head(number: int, size: int) -> bytes:
    """What stands before the content of a field of bytes: its number, and how many they are."""
    return _varint(number << 3 | 2) + _varint(size)


def _varint(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*made, number))


def _place(content: bytes, part: bytes, start: int) -> int:
    """Where the part is. Looking for its beginning is quick, looking for a long part is not."""
    at = content.index(part[:_MAX_TEXT_BYTES], start)
    while not content.startswith(part, at):
        at = content.index(part[:_MAX_TEXT_BYTES], at + 1)
    return at
