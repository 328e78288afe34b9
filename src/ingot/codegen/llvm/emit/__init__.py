"""codegen/llvm/emit"""
