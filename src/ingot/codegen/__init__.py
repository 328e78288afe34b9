"""Code generators: a program with its memory in, artifacts out."""
