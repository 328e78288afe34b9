"""The code generator `c`."""
