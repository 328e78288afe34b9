"""kernels/reduce"""
