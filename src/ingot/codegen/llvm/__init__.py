"""The code generator `llvm`."""
