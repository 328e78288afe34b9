"""Definitions become kernels, in order."""
