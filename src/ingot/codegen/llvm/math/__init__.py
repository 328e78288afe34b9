"""codegen/llvm/math"""
