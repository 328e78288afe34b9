"""Arm Neoverse N1: Graviton 2, Altra."""

from ingot.machines.microarchitecture import Microarchitecture

NEOVERSE_N1 = Microarchitecture(name="Neoverse N1", cpus=("neoverse-n1",), l2_bytes=1 << 20)
