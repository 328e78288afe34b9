"""AMD Zen 4: Genoa, Bergamo, Ryzen 7000."""

from ingot.machines.microarchitecture import Microarchitecture

# Vectors of 64 bytes go through units of 32, and come from L2 in two cycles. Additions have two pipes of their own beside the two
# for FMAs: docs/decisions/two-terms-by-one-product.md has what was measured.
ZEN4 = Microarchitecture(
    name="Zen 4", cpus=("znver4",), l2_bytes=1 << 20, double_pumped_512=True, separate_fadd_pipes=True
)
