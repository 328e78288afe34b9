"""Convolutions of 8-bit quantized values."""
