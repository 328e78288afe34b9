"""codegen/llvm"""
