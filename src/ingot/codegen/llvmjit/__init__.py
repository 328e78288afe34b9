"""codegen/llvmjit"""
