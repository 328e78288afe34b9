"""The CPU features that are recorded are those of the instructions, not those of the target."""

from __future__ import annotations

import pytest

from ingot.codegen import llvm_features
from ingot.codegen.llvm_features import cpu_features
from ingot.link.processor import X86_64
from ingot.loops.nodes import Call, Cast, Expr, Fma, For, Kernel, LoopKind, Var, buffer, index, load, store
from ingot.tensor import DType
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
    assert not {name for name in found if name.startswith("avx512")} - {"avx512f", "avx512vl", "avx512dq", "avx512bw"}


def test_sse4_is_found() -> None:
    assert "sse4_1" in of(kernel(DType.FLOAT32, lambda x: Call("floor", (x,))), "x86-64-v2")
    assert "sse4_1" in of(kernel(DType.INT32, lambda x: x * x), "x86-64-v2")


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
    ],
)
def test_an_instruction_is_known_by_its_name_and_registers(line: str, feature: str) -> None:
    assert feature in cpu_features(line, X86)
    if feature == "avx":
        assert cpu_features(line, X86) == ("avx",)


@pytest.mark.parametrize("name", ["vfmadd213ps", "vpcompressd", "vpshldd", "vphaddw", "vphaddsw", "vpermilps", "vprold"])
def test_what_is_named_alike_is_not_of_amd(name: str) -> None:
    assert not {"fma4", "xop", "tbm"} & set(cpu_features(f"\t{name}\t%xmm0, %xmm1, %xmm2", X86))


def test_a_field_at_a_known_place_is_not_of_bmi() -> None:
    assert cpu_features("\tbextrq\t$2056, %rax, %rcx", X86) == ("tbm",)
    assert cpu_features("\tbextrq\t%rdx, %rax, %rcx", X86) == ("bmi1",)


def test_other_processors_have_no_list() -> None:
    assert cpu_features("\tfmla\tv0.4s, v1.4s, v2.4s", "aarch64-linux-gnu") == ()


def test_c_code_can_ask_for_every_feature_that_is_ever_named() -> None:
    assert X86_64.keys() >= llvm_features.NAMES
