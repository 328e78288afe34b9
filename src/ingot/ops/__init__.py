"""Operators: how an output element is made from input elements."""
