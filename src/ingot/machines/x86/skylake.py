"""Intel Haswell, Broadwell and Skylake without AVX-512."""

from ingot.machines.microarchitecture import Microarchitecture

# LLVM has two names more for each generation, with TSX and without.
SKYLAKE = Microarchitecture(
    name="Skylake",
    cpus=(
        "haswell",
        "core-avx2",
        "core_4th_gen_avx",
        "core_4th_gen_avx_tsx",
        "broadwell",
        "core_5th_gen_avx",
        "core_5th_gen_avx_tsx",
        "skylake",
    ),
    l2_bytes=256 << 10,
)
