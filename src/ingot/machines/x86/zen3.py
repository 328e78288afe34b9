"""AMD Zen 3: Milan, Ryzen 5000."""

from ingot.machines.microarchitecture import Microarchitecture

ZEN3 = Microarchitecture(name="Zen 3", cpus=("znver3",), l2_bytes=512 << 10)
