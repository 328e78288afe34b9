"""Arm Neoverse V2: Graviton 4, Grace."""

from ingot.machines.microarchitecture import Microarchitecture

NEOVERSE_V2 = Microarchitecture(name="Neoverse V2", cpus=("neoverse-v2",), l2_bytes=2 << 20)
# The same core with half of the L2.
GRACE = Microarchitecture(name="Grace", cpus=("grace",), l2_bytes=1 << 20)
