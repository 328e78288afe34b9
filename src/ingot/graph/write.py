"""Models as ONNX files again: every stage of the graph room can be opened by other tools."""

from __future__ import annotations

import onnx
import onnx.printer
import onnx_ir as ir

from ingot.graph.types import stored_bytes

# A protobuf message has at most 2 GiB.
MAX_WEIGHTS_BYTES = 1 << 30
# Weights of more bytes are not spelled out in the text form.
_MAX_TEXT_BYTES = 64


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
    proto = ir.to_proto(model)
    content: bytes = proto.SerializeToString(deterministic=True)
    at = 0
    for tensor in proto.graph.initializer:
        raw = tensor.raw_data
        if len(raw) <= _MAX_TEXT_BYTES:
            continue
        at = _place(content, raw, at)  # initializers are written in their order
        places = {"location": f"{stem}.onnx", "offset": str(at), "length": str(len(raw))}
        at += len(raw)
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in places.items():
            tensor.external_data.add(key=key, value=value)
    text = onnx.printer.to_text(proto)
    return {f"{stem}.onnx": content, f"{stem}.onnx.txt": text.encode("utf-8", "backslashreplace") + b"\n"}


def _place(content: bytes, part: bytes, start: int) -> int:
    """Where the part is. Looking for its beginning is quick, looking for a long part is not."""
    at = content.index(part[:_MAX_TEXT_BYTES], start)
    while not content.startswith(part, at):
        at = content.index(part[:_MAX_TEXT_BYTES], at + 1)
    return at
