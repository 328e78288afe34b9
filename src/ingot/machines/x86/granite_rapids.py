"""Intel Granite Rapids and Granite Rapids-D."""

from ingot.machines.microarchitecture import Microarchitecture
from ingot.machines.tuning import Tuning, Winograd

# Measured on a Granite Rapids: a line of L2 takes 5.6 cycles to write and 1.3 to read. The read takes as long as two and a half
# loads from L1, in whatever order both come. docs/decisions/steps-with-shared-work.md has more.
GOLDEN_COVE_512 = Tuning(
    winograd=Winograd(
        # MLPerf Tiny's ResNet, 32 channels of 16×16: 13.8 µs on one thread and 19 on two by F(4×4), 15 and 12 by
        # F(2×2), which has blocks to share out. 2026-11-21.
        unshared_penalty=1.6,
        box_line_cycles=36.0,  # 2026-11-24
    )
)
GRANITE_RAPIDS = Microarchitecture(
    name="Granite Rapids",
    cpus=("graniterapids", "graniterapids-d", "graniterapids_d"),  # D: the same cores in a smaller package
    l2_bytes=2 << 20,
    amx=True,
    slow_l2_stores=True,
    l2_fills_use_load_ports=True,
    tuning_512=GOLDEN_COVE_512,
)
