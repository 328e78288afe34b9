"""The code generator `opencl`."""
