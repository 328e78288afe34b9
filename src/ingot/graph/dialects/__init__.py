"""Operators of other domains as ai.onnx's."""
