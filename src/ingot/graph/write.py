"""Models as ONNX files again: every stage of the graph room can be opened by other tools."""

from __future__ import annotations

import onnx_ir as ir


def model_bytes(model: ir.Model) -> bytes:
    """The model as the bytes of an `.onnx` file, weights included."""
    content: bytes = ir.to_proto(model).SerializeToString(deterministic=True)
    return content
