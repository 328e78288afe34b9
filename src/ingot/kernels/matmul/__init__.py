"""kernels/matmul"""
