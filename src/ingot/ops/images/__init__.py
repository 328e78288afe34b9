"""Operators that resample images or move windows over them."""
