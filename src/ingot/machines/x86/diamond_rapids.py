"""Intel Diamond Rapids."""

from ingot.machines.microarchitecture import Microarchitecture

# Nobody measured one, so it has none of the flags of its predecessors.
DIAMOND_RAPIDS = Microarchitecture(name="Diamond Rapids", cpus=("diamondrapids",), amx=True)
