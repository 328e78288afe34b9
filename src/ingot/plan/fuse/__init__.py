"""A draft with fewer, larger definitions."""
