"""The code generator `cuda`."""
