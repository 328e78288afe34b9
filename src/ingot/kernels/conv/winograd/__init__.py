"""kernels/conv/winograd"""
