"""Branches, loops and functions written out."""
