"""kernels/blocks"""
