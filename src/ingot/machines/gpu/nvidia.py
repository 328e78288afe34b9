"""GPUs of NVIDIA, of any compute capability that PTX is made for."""

from ingot.machines.machine import Machine

# No vectors: the threads of a block are the lanes.
NVIDIA = Machine(has_fma=True, l2_bytes=0, grid=True)
