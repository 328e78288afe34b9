"""Formats of the classic runtime."""
