"""Intel Skylake-SP and its successors of the same core: Cascade Lake, Cooper Lake."""

from ingot.machines.microarchitecture import Microarchitecture

SKYLAKE_AVX512 = Microarchitecture(
    name="Skylake-SP",
    cpus=("skylake-avx512", "skylake_avx512", "skx", "cascadelake", "cooperlake"),
    l2_bytes=1 << 20,
)
