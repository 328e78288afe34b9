"""codegen/cuda"""
