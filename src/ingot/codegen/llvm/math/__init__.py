"""Functions of numbers as LLVM text."""
