"""Arm Neoverse N2: Cobalt 100, Yitian 710."""

from ingot.machines.microarchitecture import Microarchitecture

NEOVERSE_N2 = Microarchitecture(name="Neoverse N2", cpus=("neoverse-n2", "cobalt-100"), l2_bytes=1 << 20)
