"""What every GPU can run. Kernels keep to it, so that one source fits all of them; `loops.verify_grid` checks it."""

GROUPS_DEPTH_MAX = 3
"""Loops of groups in one another, as OpenCL and CUDA have them."""
GROUPS_MAX = (2**31 - 1, 65535, 65535)
"""Extents of these, the innermost loop first: what CUDA can launch."""
ITEMS_MAX = 256
"""Items of a group that run together: AMD's compilers count on no more unless told, others have 256 to 1024."""
SHARED_BYTES_MAX = 32768
"""Of memory that a group shares: what OpenCL 1.2 promises; CUDA has 48 KB without asking."""
