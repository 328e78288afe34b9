"""Arm Neoverse V1: Graviton 3."""

from ingot.machines.microarchitecture import Microarchitecture

NEOVERSE_V1 = Microarchitecture(name="Neoverse V1", cpus=("neoverse-v1",), l2_bytes=1 << 20)
