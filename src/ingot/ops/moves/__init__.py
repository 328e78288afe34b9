"""Operators whose results are elements of their inputs."""
