"""Arithmetic of quantized values."""
