"""Reductions, positions of extremes, running sums."""
