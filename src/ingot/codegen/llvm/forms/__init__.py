"""codegen/llvm/forms"""
