"""codegen/math"""
