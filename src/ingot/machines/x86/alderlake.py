"""Intel's client processors by the L2 of their large cores, which is all that is known of them: nobody measured one."""

from ingot.machines.microarchitecture import Microarchitecture

ALDERLAKE = Microarchitecture(name="Alder Lake", cpus=("tigerlake", "alderlake"), l2_bytes=1280 << 10)
# Raptor Cove is Golden Cove with a larger L2.
RAPTORLAKE = Microarchitecture(name="Raptor Lake", cpus=("raptorlake",), l2_bytes=2 << 20)
METEORLAKE = Microarchitecture(name="Meteor Lake", cpus=("meteorlake",), l2_bytes=2 << 20)  # Redwood Cove
# Lion Cove, in two sizes.
ARROWLAKE = Microarchitecture(
    name="Arrow Lake", cpus=("arrowlake", "arrowlake-s", "arrowlake_s"), l2_bytes=3 << 20
)
LUNARLAKE = Microarchitecture(name="Lunar Lake", cpus=("lunarlake",), l2_bytes=2560 << 10)
