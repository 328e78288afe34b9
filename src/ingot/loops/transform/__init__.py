"""Passes over kernels, statements in, statements out."""
