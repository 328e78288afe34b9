"""codegen/python"""
