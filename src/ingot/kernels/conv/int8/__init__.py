"""kernels/conv/int8"""
