"""Intel Tiger Lake and Alder Lake: client cores with 1.25 MB of L2."""

from ingot.machines.microarchitecture import Microarchitecture

ALDERLAKE = Microarchitecture(name="Alder Lake", cpus=("tigerlake", "alderlake"), l2_bytes=1280 << 10)
