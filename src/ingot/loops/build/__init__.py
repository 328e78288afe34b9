"""Builders of loops that kernels share."""
