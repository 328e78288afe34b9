"""AMD Zen 5: Turin, Ryzen 9000."""

from ingot.machines.microarchitecture import Microarchitecture

# It has separate pipes for additions, but pairwise inner products were not measured there, so `separate_fadd_pipes` stays off.
ZEN5 = Microarchitecture(name="Zen 5", cpus=("znver5",), l2_bytes=1 << 20)
