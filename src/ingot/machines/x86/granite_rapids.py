"""Intel Granite Rapids."""

from ingot.machines.microarchitecture import Microarchitecture

# Measured on a Granite Rapids: a line of L2 takes 5.6 cycles to write and 1.3 to read. The read takes as long as two and a half
# loads from L1, in whatever order both come. docs/decisions/steps-with-shared-work.md has more.
GRANITE_RAPIDS = Microarchitecture(
    name="Granite Rapids",
    cpus=("graniterapids",),
    l2_bytes=2 << 20,
    amx=True,
    slow_l2_stores=True,
    l2_fills_use_load_ports=True,
)
# Of its L2 nobody said anything yet, so code counts on what it does for any CPU.
GRANITE_RAPIDS_D = Microarchitecture(
    name="Granite Rapids-D",
    cpus=("graniterapids-d",),
    amx=True,
    slow_l2_stores=True,
    l2_fills_use_load_ports=True,
)
