"""Artifacts: generated files as plain data, sets of them, and what describes a model."""
