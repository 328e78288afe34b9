"""Convolutions with one filter for each channel."""
