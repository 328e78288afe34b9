"""kernels/pooling"""
