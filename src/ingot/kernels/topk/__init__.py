"""kernels/topk"""
