"""Folding, shapes, and nodes that do nothing."""
