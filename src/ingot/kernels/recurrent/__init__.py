"""kernels/recurrent"""
