"""Ways to run a model."""
