"""kernels/conv"""
