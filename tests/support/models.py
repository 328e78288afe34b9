"""Models for tests, written in ONNX's text form."""

from __future__ import annotations

import onnx
import onnx.parser


def model(body: str, *, opset: int = 17, ir_version: int = 8, imports: str = "") -> onnx.ModelProto:
    """A model from the text of its graph: `g (float[2] x) => (float[2] y) { y = Relu(x) }`."""
    return onnx.parser.parse_model(f'<ir_version: {ir_version}, opset_import: ["": {opset}{imports}]> {body}')
