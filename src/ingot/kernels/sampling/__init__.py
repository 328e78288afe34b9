"""kernels/sampling"""
