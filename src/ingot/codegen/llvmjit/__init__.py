"""The code generator `llvmjit`."""
