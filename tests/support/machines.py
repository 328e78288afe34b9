"""The machines of the tests: each is one kind of processor that kernels are written for.

A test that is about one field takes the nearest of these with that field replaced.
"""

from __future__ import annotations

from dataclasses import replace

from ingot.loops.transform.to_grid import gpu_shape
from ingot.machines.machine import Machine

SCALARS = Machine()
VECTORS = Machine(vector_bytes=16, has_fma=True)  # the shortest vectors: small arrays fill several
FEW_REGISTERS = replace(VECTORS, vector_registers=8)  # a register block soon needs more
NEON = Machine(vector_bytes=16, vector_registers=32, has_fma=True, fma_by_element=True)
AVX2 = Machine(vector_bytes=32, vector_registers=16, has_fma=True)
AVX512 = Machine(vector_bytes=64, vector_registers=32, has_fma=True)
SERVER = replace(AVX512, l2_bytes=1 << 20)
DOUBLE_PUMPED = replace(AVX512, double_pumped_512=True)
AMX = replace(AVX512, amx_int8=True, amx_bf16=True, l2_bytes=1 << 21)
GPU = Machine(l2_bytes=0, grid=True)
GPU_SHAPE = gpu_shape(GPU.tuning.grid)  # of loops as groups of items
