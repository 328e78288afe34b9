"""Regions of a model: which nodes a code generator takes, and the ONNX function that they become."""
