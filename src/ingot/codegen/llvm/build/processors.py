"""Names of processors and their features, as LLVM spells them.

LLVM itself only prints a warning for a name that it does not know, and makes code for something else. Tuning features
are left out, except those that say how wide vectors should be.
"""

# ruff: noqa: SIM905

from __future__ import annotations

from collections.abc import Mapping

# By family: see FAMILIES.
CPUS: Mapping[str, frozenset[str]] = {
    "x86": frozenset(
        """
    alderlake amdfam10 arrowlake arrowlake-s arrowlake_s athlon athlon-4 athlon-fx athlon-mp athlon-tbird athlon-xp athlon64
    athlon64-sse3 atom atom_sse4_2 atom_sse4_2_movbe barcelona bdver1 bdver2 bdver3 bdver4 bonnell broadwell btver1 btver2 c3 c3-2
    cannonlake cascadelake clearwaterforest cooperlake core-avx-i core-avx2 core2 core_2_duo_sse4_1 core_2_duo_ssse3
    core_2nd_gen_avx core_3rd_gen_avx core_4th_gen_avx core_4th_gen_avx_tsx core_5th_gen_avx core_5th_gen_avx_tsx
    core_aes_pclmulqdq core_i7_sse4_2 corei7 corei7-avx diamondrapids emeraldrapids generic geode goldmont goldmont-plus
    goldmont_plus gracemont grandridge graniterapids graniterapids-d graniterapids_d haswell i386 i486 i586 i686 icelake-client
    icelake-server icelake_client icelake_server ivybridge k6 k6-2 k6-3 k8 k8-sse3 knl knm lakemont lunarlake meteorlake
    mic_avx512 nehalem nocona novalake opteron opteron-sse3 pantherlake penryn pentium pentium-m pentium-mmx pentium2 pentium3
    pentium3m pentium4 pentium4m pentium_4 pentium_4_sse3 pentium_ii pentium_iii pentium_iii_no_xmm_regs pentium_m pentium_mmx
    pentium_pro pentiumpro prescott raptorlake rocketlake sandybridge sapphirerapids sierraforest silvermont skx skylake
    skylake-avx512 skylake_avx512 slm tigerlake tremont westmere wildcatlake winchip-c6 winchip2 x86-64 x86-64-v2 x86-64-v3
    x86-64-v4 yonah znver1 znver2 znver3 znver4 znver5
        """.split()
    ),
    "aarch64": frozenset(
        """
    a64fx ampere1 ampere1a ampere1b ampere1c apple-a10 apple-a11 apple-a12 apple-a13 apple-a14 apple-a15 apple-a16 apple-a17
    apple-a18 apple-a19 apple-a7 apple-a8 apple-a9 apple-m1 apple-m2 apple-m3 apple-m4 apple-m5 apple-s10 apple-s4 apple-s5
    apple-s6 apple-s7 apple-s8 apple-s9 c1-nano c1-premium c1-pro c1-ultra carmel cobalt-100 cortex-a320 cortex-a34 cortex-a35
    cortex-a510 cortex-a520 cortex-a520ae cortex-a53 cortex-a55 cortex-a57 cortex-a65 cortex-a65ae cortex-a710 cortex-a715
    cortex-a72 cortex-a720 cortex-a720ae cortex-a725 cortex-a73 cortex-a75 cortex-a76 cortex-a76ae cortex-a77 cortex-a78
    cortex-a78ae cortex-a78c cortex-r82 cortex-r82ae cortex-x1 cortex-x1c cortex-x2 cortex-x3 cortex-x4 cortex-x925 cyclone
    exynos-m3 exynos-m4 exynos-m5 falkor fujitsu-monaka gb10 generic grace kryo neoverse-512tvb neoverse-e1 neoverse-n1
    neoverse-n2 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 neoverse-v3ae olympus oryon-1 saphira thunderx thunderx2t99
    thunderx3t110 thunderxt81 thunderxt83 thunderxt88 tsv110
        """.split()
    ),
    "arm": frozenset(
        """
    arm1020e arm1020t arm1022e arm10e arm10tdmi arm1136j-s arm1136jf-s arm1156t2-s arm1156t2f-s arm1176jz-s arm1176jzf-s arm710t
    arm720t arm7tdmi arm7tdmi-s arm8 arm810 arm9 arm920 arm920t arm922t arm926ej-s arm940t arm946e-s arm966e-s arm968e-s arm9e
    arm9tdmi cortex-a12 cortex-a15 cortex-a17 cortex-a32 cortex-a35 cortex-a5 cortex-a510 cortex-a53 cortex-a55 cortex-a57
    cortex-a7 cortex-a710 cortex-a72 cortex-a73 cortex-a75 cortex-a76 cortex-a76ae cortex-a77 cortex-a78 cortex-a78ae cortex-a78c
    cortex-a8 cortex-a9 cortex-m0 cortex-m0plus cortex-m1 cortex-m23 cortex-m3 cortex-m33 cortex-m35p cortex-m4 cortex-m52
    cortex-m55 cortex-m7 cortex-m85 cortex-r4 cortex-r4f cortex-r5 cortex-r52 cortex-r52plus cortex-r7 cortex-r8 cortex-x1
    cortex-x1c cyclone ep9312 exynos-m3 exynos-m4 exynos-m5 generic iwmmxt krait kryo mpcore mpcorenovfp neoverse-n1 neoverse-n2
    neoverse-v1 sc000 sc300 star-mc1 star-mc3 strongarm strongarm110 strongarm1100 strongarm1110 swift xscale
        """.split()
    ),
    "riscv": frozenset(
        """
    andes-45-series andes-a25 andes-a45 andes-ax25 andes-ax45 andes-ax45mpv andes-n45 andes-nx45 generic generic-ooo generic-rv32
    generic-rv64 mips-p8700 rocket rocket-rv32 rocket-rv64 rp2350-hazard3 sifive-7-series sifive-e20 sifive-e21 sifive-e24
    sifive-e31 sifive-e34 sifive-e76 sifive-p450 sifive-p470 sifive-p550 sifive-p670 sifive-p870 sifive-s21 sifive-s51 sifive-s54
    sifive-s76 sifive-u54 sifive-u74 sifive-x280 sifive-x390 spacemit-x60 syntacore-scr1-base syntacore-scr1-max
    syntacore-scr3-rv32 syntacore-scr3-rv64 syntacore-scr4-rv32 syntacore-scr4-rv64 syntacore-scr5-rv32 syntacore-scr5-rv64
    syntacore-scr7 tt-ascalon-d8 veyron-v1 xiangshan-kunminghu xiangshan-nanhu
        """.split()
    ),
    "wasm": frozenset({"bleeding-edge", "generic", "lime1", "mvp"}),
}

FEATURES: Mapping[str, frozenset[str]] = {
    "x86": frozenset(
        """
    adx aes amx-avx512 amx-bf16 amx-complex amx-fp16 amx-fp8 amx-int8 amx-movrs amx-tf32 amx-tile avx avx10.1 avx2
    avx512bf16 avx512bitalg avx512bw avx512cd avx512dq avx512f avx512fp16 avx512ifma avx512vbmi avx512vbmi2 avx512vl avx512vnni
    avx512vp2intersect avx512vpopcntdq avxifma avxneconvert avxvnni avxvnniint16 avxvnniint8 bmi bmi2 cmov crc32 cx16 cx8 f16c fma
    fma4 fxsr gfni lzcnt mmx movbe pclmul popcnt sha sha512 sse sse2 sse3 sse4.1 sse4.2 sse4a ssse3 tbm vaes vpclmulqdq xop
    prefer-128-bit prefer-256-bit prefer-no-gather fast-gather soft-float x87
        """.split()
    ),
    "aarch64": frozenset(
        """
    aes bf16 bti complxnum crc crypto dotprod f32mm f64mm fp-armv8 fp16fml fullfp16 i8mm jsconv lse lse2 neon outline-atomics
    pauth rcpc rdm sha2 sha3 sm4 sme sme2 sve sve2 sve2p1 strict-align
        """.split()
    ),
    "arm": frozenset(
        """
    32bit 8msecext aclass acquire-release aes bf16 cdecp0 crc crypto d32 db dotprod dsp fp-armv8 fp-armv8d16 fp-armv8d16sp
    fp-armv8sp fp16 fp16fml fp64 fpregs fullfp16 hwdiv hwdiv-arm i8mm lob mclass mve mve.fp mp neon noarm ras rclass reserve-r9 sb
    sha2 soft-float strict-align thumb-mode thumb2 v7 v8 v8m v8m.main v8.1m.main vfp2 vfp2sp vfp3 vfp3d16 vfp3d16sp vfp3sp vfp4
    vfp4d16 vfp4d16sp vfp4sp virtualization
        """.split()
    ),
    "riscv": frozenset(
        """
    32bit 64bit a b c d e f h i m q relax save-restore unaligned-scalar-mem unaligned-vector-mem v zba zbb zbc zbs zca zcb zfh
    zfhmin zicond zicsr zifencei zmmul zve32f zve32x zve64d zve64f zve64x zvfh zvfhmin zvl128b zvl256b zvl512b
        """.split()
    ),
    "wasm": frozenset(
        "atomics bulk-memory exception-handling extended-const fp16 multivalue mutable-globals nontrapping-fptoint "
        "reference-types relaxed-simd sign-ext simd128 tail-call".split()
    ),
}

# LLVM ends the process over these: of x86-64 SSE2 is a part, and a triple has one number of bits.
IMPOSSIBLE: Mapping[str, frozenset[str]] = {
    "x86_64": frozenset({"-sse", "-sse2", "+soft-float"}),
    "riscv64": frozenset({"+32bit", "-64bit"}),
    "riscv32": frozenset({"+64bit", "-32bit"}),
    **{name: frozenset({"-x87", "+soft-float"}) for name in ("i386", "i486", "i586", "i686")},
    "arm": frozenset({"+noarm", "-v8m"}),
}

# RISC-V's processors that have vectors, of which a length may be said.
WITH_VECTORS = frozenset(
    """
    andes-ax45mpv sifive-p470 sifive-p670 sifive-p870 sifive-x280 sifive-x390 spacemit-x60 syntacore-scr7 tt-ascalon-d8
    xiangshan-kunminghu
    """.split()
)

# APX and AVX10.2. No code is made of them, also not for processors that have them: a library could not ask for them, since
# /proc/cpuinfo does not name them, and whether the system saves r16 to r31 is said nowhere else that a loader reads.
UNASKED = ("avx10.2", "ccmp", "cf", "egpr", "ndd", "nf", "ppx", "push2pop2", "zu")
WITH_UNASKED = frozenset({"diamondrapids", "novalake"})

# Families of processors that have no 32 or 64 bits of their own, only in another's name.
_EITHER = frozenset({"andes-45-series", "generic-ooo", "rocket", "sifive-7-series"})
# Of which no such code can be made: LLVM ends the process when it is asked.
UNFIT: Mapping[str, frozenset[str]] = {
    "x86_64": frozenset(
        """
        athlon athlon-4 athlon-mp athlon-tbird athlon-xp c3 c3-2 geode i386 i486 i586 i686 k6 k6-2 k6-3 lakemont pentium
        pentium-m pentium-mmx pentium2 pentium3 pentium3m pentium4 pentium4m pentium_4 pentium_4_sse3 pentium_ii pentium_iii
        pentium_iii_no_xmm_regs pentium_m pentium_mmx pentium_pro pentiumpro prescott winchip-c6 winchip2 yonah
        """.split()
    ),
    "riscv64": _EITHER
    | frozenset(
        """
        andes-a25 andes-a45 andes-n45 generic-rv32 rocket-rv32 rp2350-hazard3 sifive-e20 sifive-e21 sifive-e24 sifive-e31
        sifive-e34 sifive-e76 syntacore-scr1-base syntacore-scr1-max syntacore-scr3-rv32 syntacore-scr4-rv32
        syntacore-scr5-rv32
        """.split()
    ),
    "riscv32": _EITHER
    | frozenset(
        """
        andes-ax25 andes-ax45 andes-ax45mpv andes-nx45 generic-rv64 mips-p8700 rocket-rv64 sifive-p450 sifive-p470 sifive-p550
        sifive-p670 sifive-p870 sifive-s21 sifive-s51 sifive-s54 sifive-s76 sifive-u54 sifive-u74 sifive-x280 sifive-x390
        spacemit-x60 syntacore-scr3-rv64 syntacore-scr4-rv64 syntacore-scr5-rv64 syntacore-scr7 tt-ascalon-d8 veyron-v1
        xiangshan-kunminghu xiangshan-nanhu
        """.split()
    ),
}

# For these LLVM 22 makes instructions that it then ends the process over: it is told another CPU, or features. Oryon's table
# lacks loads of pairs of vectors; it is Armv8.6 with cryptography and arithmetic of 16-bit floats. With Andes' own address
# arithmetic it takes Zba for granted where vectors are spilled.
STAND_INS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "andes-ax45mpv": ("andes-ax45mpv", ("-xandesperf",)),
    "oryon-1": ("generic", ("+v8.6a", "+aes", "+sha2", "+sha3", "+sm4", "+fullfp16", "+fp16fml")),
}

# The first part of a triple, without what follows the name of the instruction set → family.
FAMILIES: Mapping[str, str] = {
    "x86_64": "x86",
    "i386": "x86",
    "i486": "x86",
    "i586": "x86",
    "i686": "x86",
    "aarch64": "aarch64",
    "arm64": "aarch64",
    "arm": "arm",
    "thumb": "arm",
    "riscv32": "riscv",
    "riscv64": "riscv",
    "wasm32": "wasm",
    "wasm64": "wasm",
}
WIDE = frozenset(
    {"x86_64", "aarch64", "arm64", "riscv64", "wasm64"}
)  # of these, those with addresses of 64 bits

# Where no CPU is named.
BASELINES: Mapping[str, str] = {
    "x86_64": "x86-64",
    "i386": "pentium4",
    "i486": "pentium4",
    "i586": "pentium4",
    "i686": "pentium4",
    "riscv32": "generic-rv32",
    "riscv64": "generic-rv64",
}
# What every Linux distribution counts on where the baseline's name promises less: RV64GC, and the Arm of their `armhf`, and of
# Raspbian's for a triple of ARMv6.
LINUX_FEATURES: Mapping[str, tuple[str, ...]] = {
    "arm-hf": ("+v7", "+vfp3d16"),
    "armv6-hf": ("+vfp2",),
    "riscv64": ("+a", "+c", "+d", "+f", "+m"),
}
