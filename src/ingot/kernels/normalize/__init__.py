"""kernels/normalize"""
