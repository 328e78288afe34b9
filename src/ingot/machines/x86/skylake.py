"""Intel Haswell, Broadwell and Skylake without AVX-512."""

from ingot.machines.microarchitecture import Microarchitecture

SKYLAKE = Microarchitecture(name="Skylake", cpus=("haswell", "broadwell", "skylake"), l2_bytes=256 << 10)
