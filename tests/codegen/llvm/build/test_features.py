"""The CPU features that are recorded are those of the instructions, not those of the target."""

from __future__ import annotations

import pytest

from ingot.base.tensor import DType
from ingot.codegen.llvm.build import features
from ingot.codegen.llvm.build.features import cpu_features
from ingot.link.processor import X86_64
from ingot.loops.nodes import Call, Cast, Expr, Fma, For, Kernel, LoopKind, Var, buffer, index, load, store
from tests.support.kernel_llvm import assembly

V = Var("v")
X86 = "x86_64-unknown-linux-gnu"


def kernel(dtype: DType, value: object, result: DType | None = None, lanes: int = 16) -> Kernel:
    x, y = buffer("x", dtype, (lanes,)), buffer("y", result or dtype, (lanes,))
    made: Expr = value(load(x, V))  # type: ignore[operator]
    return Kernel("k", (x,), (y,), (For(V, index(lanes), (store(y, (V,), made),), LoopKind.VECTOR),))


def of(kernel_: Kernel, cpu: str) -> set[str]:
    return set(cpu_features(assembly(kernel_, f"llvm -mtriple={X86} -mcpu={cpu}"), X86))


def fused(x: Expr) -> Expr:
    return Fma(x, x, x)


def test_baseline_code_needs_nothing() -> None:
    for value in (fused, lambda x: Call("exp", (x,)), lambda x: x * x):
        assert of(kernel(DType.FLOAT32, value), "x86-64") == set()
    assert of(kernel(DType.INT32, lambda x: x * x), "x86-64") == set()


@pytest.mark.parametrize("cpu", ["znver3", "haswell", "x86-64-v3"])
def test_avx2_code_says_what_it_uses_and_no_more(cpu: str) -> None:
    assert of(kernel(DType.FLOAT32, lambda x: x * x), cpu) == {"avx"}
    assert of(kernel(DType.FLOAT32, fused), cpu) == {"avx", "fma"}
    assert of(kernel(DType.INT32, lambda x: x * x), cpu) == {"avx", "avx2"}
    assert of(kernel(DType.FLOAT32, lambda x: x * 2.5), cpu) == {"avx"}
    assert of(kernel(DType.FLOAT32, lambda x: Cast(x, DType.FLOAT16), DType.FLOAT16), cpu) == {"avx", "f16c"}


def test_avx512_code_says_so() -> None:
    found = of(kernel(DType.FLOAT32, fused), "skylake-avx512")
    assert "avx512f" in found
    assert {"avx512f", "avx512bw"} <= of(kernel(DType.INT16, lambda x: x * x, lanes=64), "skylake-avx512")
    assert not {name for name in found if name.startswith("avx512")} - {
        "avx512f",
        "avx512vl",
        "avx512dq",
        "avx512bw",
    }


def test_sse4_is_found() -> None:
    assert "sse4_1" in of(kernel(DType.FLOAT32, lambda x: Call("floor", (x,))), "x86-64-v2")
    assert "sse4_1" in of(kernel(DType.INT32, lambda x: x * x), "x86-64-v2")


OF_WORDS = [
    "vpalignr\t$1, %zmm0, %zmm1, %zmm2",
    "vpsadbw\t%zmm0, %zmm1, %zmm2",
    "vpshufhw\t$1, %zmm0, %zmm1",
    "vptestmb\t%zmm0, %zmm1, %k1",
    "vptestnmw\t%ymm0, %ymm1, %k1",
    "vpcmpltub\t%zmm0, %zmm1, %k1",
    "vpcmpnleuw\t%zmm0, %zmm1, %k1",
    "vpextrb\t$1, %xmm20, %eax",
]
# Of float16 in registers; F16C only converts, from and to float32.
OF_HALVES = [
    "vcvtph2psx\t%ymm0, %zmm1",
    "vcvtps2phx\t%zmm0, %ymm1",
    "vcvtps2phxy\t(%rdi), %xmm1",
    "vcvttph2dq\t%ymm0, %zmm1",
    "vcvtqq2phz\t(%rdi), %xmm1",
    "vcvttsh2si\t(%rdi), %eax",
    "vcvtusi2shl\t(%rdi), %xmm0, %xmm1",
    "vcvtsh2ss\t(%rdi), %xmm0, %xmm1",
    "vmovw\t%xmm0, %eax",
]


@pytest.mark.parametrize(
    ("line", "feature"),
    [
        ("\tvaddps\t%zmm0, %zmm1, %zmm2", "avx512f"),
        ("\tvscalefps\t%xmm0, %xmm1, %xmm2", "avx512vl"),
        ("\tvpermi2b\t%zmm0, %zmm1, %zmm2", "avx512vbmi"),
        ("\tvaddps\t%ymm16, %ymm1, %ymm2", "avx512vl"),
        ("\tkmovw\t%eax, %k1", "avx512f"),
        ("\tvmovdqu8\t(%rdi), %zmm0", "avx512bw"),
        ("\tvpmullq\t%zmm0, %zmm1, %zmm2", "avx512dq"),
        ("\tvpdpbusd\t%zmm0, %zmm1, %zmm2", "avx512_vnni"),
        ("\tvbroadcastss\t%xmm0, %ymm0", "avx2"),
        ("\tvbroadcastss\t(%rdi), %ymm0", "avx"),
        ("\tvpaddd\t%xmm0, %xmm1, %xmm2", "avx"),
        ("\tvpaddd\t%ymm0, %ymm1, %ymm2", "avx2"),
        ("\tvpermilps\t$1, %ymm1, %ymm2", "avx"),
        ("\tshlxq\t%rax, %rcx, %rdx", "bmi2"),
        ("\tlzcntq\t%rax, %rcx", "abm"),
        ("\tpopcntl\t%eax, %ecx", "popcnt"),
        ("\tpshufb\t%xmm0, %xmm1", "ssse3"),
        ("\tinsertq\t$16, $32, %xmm6, %xmm2", "sse4a"),
        ("\tvfmaddps\t%xmm0, %xmm1, %xmm2, %xmm3", "fma4"),
        ("\tvpshld\t%xmm0, %xmm1, %xmm2", "xop"),
        ("\tvpcomeqb\t%xmm0, %xmm1, %xmm2", "xop"),
        ("\tvphaddubw\t%xmm0, %xmm1", "xop"),
        ("\tvpshldd\t$16, %xmm0, %xmm1, %xmm2", "avx512_vbmi2"),
        ("\tvpshldd\t$16, %xmm0, %xmm1, %xmm2", "avx512vl"),
        ("\tvpopcntd\t%zmm0, %zmm1", "avx512_vpopcntdq"),
        ("\tvpopcntb\t%zmm0, %zmm1", "avx512_bitalg"),
        ("\tvplzcntd\t%ymm0, %ymm1", "avx512cd"),
        ("\tvpmovdw\t%ymm0, %xmm1", "avx512vl"),
        ("\tvmovdqu64\t(%rdi), %ymm1", "avx512vl"),
        ("\tvpord\t%xmm0, %xmm1, %xmm2", "avx512vl"),
        ("\tvpdpbusd\t%ymm0, %ymm1, %ymm2", "avx512_vnni"),
        ("\tvpdpbusd\t%ymm0, %ymm1, %ymm2", "avx512vl"),
        ("\t{vex}\tvpdpbusd\t%ymm0, %ymm1, %ymm2", "avx_vnni"),
        ("\tvpermw\t%ymm0, %ymm1, %ymm2", "avx512bw"),
        ("\tvdbpsadbw\t$1, %ymm0, %ymm1, %ymm2", "avx512bw"),
        ("\tvpslldq\t$1, (%rdi), %ymm1", "avx512bw"),
        ("\tvcvttps2qq\t%xmm0, %ymm1", "avx512dq"),
        ("\tvbroadcastf64x2\t(%rdi), %ymm1", "avx512dq"),
        ("\tvcvtneps2bf16\t%ymm0, %xmm1", "avx512vl"),
        ("\tvpermb\t%ymm0, %ymm1, %ymm2", "avx512vl"),
        ("\tvbroadcastss\t%xmm17, %ymm26", "avx512vl"),
        ("\tvpermpd\t%ymm0, %ymm1, %ymm2", "avx512vl"),
        ("\tvpermq\t(%rdi), %ymm1, %ymm2", "avx512vl"),
        ("\tvpmadd52luq\t%zmm0, %zmm1, %zmm2", "avx512ifma"),
        ("\t{vex}\tvpmadd52luq\t%ymm0, %ymm1, %ymm2", "avx_ifma"),
        ("\tvpmultishiftqb\t%zmm0, %zmm1, %zmm2", "avx512vbmi"),
        ("\tvcvtneps2bf16y\t(%rdi), %xmm1", "avx512_bf16"),
        *((f"\t{one}", "avx512bw") for one in OF_WORDS),
        *(
            (f"\t{one}", "avx512dq")
            for one in ("kaddw\t%k0, %k1, %k2", "ktestw\t%k0, %k1", "vpextrd\t$1, %xmm20, %eax")
        ),
        *((f"\t{one}", "avx512_fp16") for one in OF_HALVES),
    ],
)
def test_an_instruction_is_known_by_its_name_and_registers(line: str, feature: str) -> None:
    assert feature in cpu_features(line, X86)
    if feature == "avx":
        assert cpu_features(line, X86) == ("avx",)


# As GNU's assembler has them: refused with AVX2 and its like, taken with AVX-512.
ONLY_AVX512 = """
vpsllvw 0,1,2; vpsravw 0,1,2; vprolvd 0,1,2; vprorvq 0,1,2; vprold $1,0,1; vprorq $1,0,1; vpsraq $1,0,1; vpdpwssds 0,1,2
valignd $1,0,1,2; valignq $1,0,1,2; vpmadd52luq 0,1,2; vpmultishiftqb 0,1,2; vdpbf16ps 0,1,2; vfixupimmps $1,0,1,2
vblendmps 0,1,2; vpblendmd 0,1,2; vpandd 0,1,2; vpmaxsq 0,1,2; vpternlogd $1,0,1,2; vpshldvd 0,1,2; vpermi2d 0,1,2
vshuff32x4 $1,0,1,2; vrangeps $1,0,1,2; vreduceps $1,0,1; vrndscaleps $1,0,1; vgetmantps $1,0,1; vgetexppd 0,1; vrcp14ps 0,1
vrsqrt14ps 0,1; vcvtudq2ps 0,1; vcvttps2udq 0,1; vcvtqq2pd 0,1; vcvttpd2uqq 0,1; vexpandps 0,1; vcompressps 0,1; vpopcntd 0,1
vpabsq 0,1; vcvttss2usi %xmm0,%eax; vcvttsd2usi %xmm0,%rax; vcvtusi2ssl %eax,%xmm1,%xmm2; vcvtusi2sdq (%rdi),%xmm1,%xmm2
vrcp14ss %xmm0,%xmm1,%xmm2; vpbroadcastd %eax,%ymm1; vpbroadcastq %rax,%xmm1; vpsrlw $1,(%rdi),%ymm1
vextractf32x4 $1,%ymm0,%xmm1; vpmovqd %ymm0,%xmm1
"""
AVX2_TOO = """
vpmaxsd 0,1,2; vpand 0,1,2; vpsllvd 0,1,2; vpsrlvq 0,1,2; vpermd 0,1,2; vpermps 0,1,2; vblendps $1,0,1,2; vpblendw $1,0,1,2
vpshufb 0,1,2; vpalignr $1,0,1,2; vshufps $1,0,1,2; vroundps $1,0,1; vrcpps 0,1; vrsqrtps 0,1; vcvtdq2ps 0,1; vcvttps2dq 0,1
vpabsd 0,1; vpsrlw $1,0,1; vpslldq $1,0,1; vextractf128 $1,%ymm0,%xmm1; vextracti128 $1,%ymm0,%xmm1; vcvttss2si %xmm0,%rax
vpermq $1,0,1; vpermpd $1,(%rdi),%ymm1; vcvttpd2dqy (%rdi),%xmm1; vcvtpd2psx (%rdi),%xmm1; vcvtpd2ps %ymm0,%xmm1
vcvtsi2ssq %rax,%xmm1,%xmm2; vpbroadcastd %xmm0,%ymm1; vpbroadcastd (%rdi),%ymm1; vpshufd $1,(%rdi),%ymm1
vbroadcastf128 (%rdi),%ymm1; vpmovsxbd %xmm0,%ymm1; vpackusdw 0,1,2; vmovdqu 0,1; vmovdqa 0,1; vpmovmskb %ymm0,%eax
vpmaskmovd 0,1,(%rdi); vpcmpgtq 0,1,2; vcvtps2ph $1,%ymm0,%xmm1
"""


def lines(of: str) -> list[str]:
    """Instructions as LLVM writes them; a number alone is a register of 256 bits."""
    split = [one.strip().split(" ") for one in of.strip().replace("\n", ";").split(";")]
    return [
        f"\t{name}\t{', '.join(f'%ymm{each}' if each.isdigit() else each for each in rest.split(','))}"
        for name, rest in split
    ]


@pytest.mark.parametrize("line", lines(ONLY_AVX512))
def test_what_only_avx512_has_is_of_avx512_in_any_register(line: str) -> None:
    assert "avx512f" in cpu_features(line, X86)


@pytest.mark.parametrize("line", lines(AVX2_TOO))
def test_what_avx2_has_is_not_of_avx512(line: str) -> None:
    assert not [name for name in cpu_features(line, X86) if name.startswith("avx512")]


@pytest.mark.parametrize(
    "name", ["vfmadd213ps", "vpcompressd", "vpshldd", "vphaddw", "vphaddsw", "vpermilps", "vprold"]
)
def test_what_is_named_alike_is_not_of_amd(name: str) -> None:
    assert not {"fma4", "xop", "tbm"} & set(cpu_features(f"\t{name}\t%xmm0, %xmm1, %xmm2", X86))


def test_a_field_at_a_known_place_is_not_of_bmi() -> None:
    assert cpu_features("\tbextrq\t$2056, %rax, %rcx", X86) == ("tbm",)
    assert cpu_features("\tbextrq\t%rdx, %rax, %rcx", X86) == ("bmi1",)


def test_other_processors_have_no_list() -> None:
    assert cpu_features("\tfmla\tv0.4s, v1.4s, v2.4s", "aarch64-linux-gnu") == ()


def test_c_code_can_ask_for_every_feature_that_is_ever_named() -> None:
    assert X86_64.keys() >= features.NAMES


@pytest.mark.parametrize(
    "line", ["vcvtph2ps\t%xmm0, %ymm1", "vcvtps2ph\t$4, %zmm0, %ymm1", "vpsllw\t%xmm0, %xmm1, %xmm2"]
)
def test_what_converts_halves_without_their_arithmetic_is_not_of_it(line: str) -> None:
    assert "avx512_fp16" not in cpu_features(f"\t{line}", X86)


@pytest.mark.parametrize("line", ["vcvttss2si\t(%rdi), %eax", "vzeroupper"])
def test_an_instruction_of_avx_needs_no_vector_among_its_operands(line: str) -> None:
    assert cpu_features(f"\t{line}", X86) == ("avx",)


@pytest.mark.parametrize(
    "line", ["vmovd\t%xmm20, (%rdi)", "vcvttss2si\t%xmm26, %rax", "vcvtsi2sdq\t(%rdi), %xmm1, %xmm27"]
)
def test_a_number_alone_in_a_register_of_avx512_is_no_vector(line: str) -> None:
    assert cpu_features(f"\t{line}", X86) == ("avx512f",)


@pytest.mark.parametrize("line", ["vmpsadbw\t$1, %ymm0, %ymm1, %ymm2", "vmovntdqa\t(%rdi), %ymm1"])
def test_integers_of_256_bits_are_of_avx2_whatever_their_letter(line: str) -> None:
    assert "avx2" in cpu_features(f"\t{line}", X86)


@pytest.mark.parametrize("lanes", [1, 40])
@pytest.mark.parametrize(
    ("given", "made"),
    [(DType.FLOAT16, DType.INT32), (DType.FLOAT16, DType.FLOAT32), (DType.INT64, DType.FLOAT16)],
)
def test_conversions_of_halves_ask_for_processors_that_have_them(
    given: DType, made: DType, lanes: int
) -> None:
    assert "avx512_fp16" in of(kernel(given, lambda x: Cast(x, made), made, lanes), "sapphirerapids")


@pytest.mark.parametrize(
    "line", ["vcvtpd2ps\t(%rdi), %ymm1", "vcvttpd2dq\t64(%rdi,%rax,8), %ymm1", "vcvtpd2udq\t(%rdi), %ymm1"]
)
def test_64_bytes_of_memory_that_become_half_as_many_are_of_avx512(line: str) -> None:
    assert cpu_features(f"\t{line}", X86) == ("avx512f",)


@pytest.mark.parametrize("cpu", ["skylake-avx512", "knl"])
def test_doubles_that_become_floats_ask_for_the_vectors_that_they_are_read_with(cpu: str) -> None:
    assert "avx512f" in of(kernel(DType.FLOAT64, lambda x: Cast(x, DType.FLOAT32), DType.FLOAT32, 8), cpu)
