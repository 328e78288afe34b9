"""The code generator `interp`."""
