"""codegen/c"""
