"""ONNX in: reading, checking, passes, lowering. The only room that imports onnx and onnx_ir."""
