"""kernels/conv/depthwise"""
