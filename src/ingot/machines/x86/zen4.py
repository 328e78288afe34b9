"""AMD Zen 4: Genoa, Bergamo, Ryzen 7000."""

from ingot.machines.microarchitecture import Microarchitecture
from ingot.machines.tuning import Threads, Tuning

# Vectors of 64 bytes go through units of 32, and come from L2 in two cycles. Additions have two pipes of their own beside the two
# for FMAs: docs/decisions/pairwise-inner-product.md has what was measured.
ZEN4 = Microarchitecture(
    name="Zen 4",
    cpus=("znver4",),
    l2_bytes=1 << 20,
    double_pumped_512=True,
    separate_fadd_pipes=True,
    tuning_512=Tuning(
        threads=Threads(
            # Kernels come nearer to what is counted: loops of 1.6 µs were taken for half as long, and
            # `vww_fp32` took 82 µs on two threads, 84.5 before. 2026-11-23.
            task_cycles=2_000,
            wide_step_task_cycles=1_200,  # L2 delivers as many bytes in a cycle as with vectors of 32 bytes
        )
    ),
)
