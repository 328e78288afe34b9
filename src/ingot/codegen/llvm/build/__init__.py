"""codegen/llvm/build"""
