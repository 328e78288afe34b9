"""The domain ai.onnx.ml."""
