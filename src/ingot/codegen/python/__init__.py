"""Python callables as a target."""
