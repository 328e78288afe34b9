"""Text and sequences are taken to the ends of a model."""
