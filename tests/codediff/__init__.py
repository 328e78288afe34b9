"""Compares what two commits generate: `python -m tests.codediff --base COMMIT`, or `make codediff BASE=COMMIT`."""
