"""Kernels as LLVM text."""
