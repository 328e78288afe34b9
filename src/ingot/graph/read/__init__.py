"""Models are read, checked and bound."""
