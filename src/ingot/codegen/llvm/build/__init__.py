"""LLVM text becomes objects: processors, compile workers, engines."""
