"""Operators of quantized numbers and small floats."""
