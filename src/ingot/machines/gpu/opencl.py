"""Devices of OpenCL by their kinds: a source is fast on one, and right on any."""

from ingot.machines.machine import Machine

# No vectors: neighbouring work items are the lanes. Whether the device has FMA is not known while building.
OPENCL_GPU = Machine(l2_bytes=0, grid=True)
# Accumulators in vectors of 16 bytes: drivers for CPUs vectorise the inner loops. With PoCL, products of matrices in
# vectors are 20 times as fast as tiles that work items share.
OPENCL_CPU = Machine(vector_bytes=16, vector_registers=16, math="exact")
