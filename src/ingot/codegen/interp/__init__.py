"""codegen/interp"""
