"""codegen/llvm/parallel"""
