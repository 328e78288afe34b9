"""The features that an object needs are read from its machine code, and are those that its assembly names."""

from __future__ import annotations

import itertools
import random

import pytest

from ingot.base.target import Target
from ingot.codegen.llvm.build.features import NAMES, cpu_features
from ingot.codegen.llvm.build.objects import Compiled, Form, Job, ObjectCode, Processor, build, compiled
from ingot.codegen.llvm.build.targets import processor, resolve
from ingot.codegen.llvm.build.x86_features import _needed, _rows, object_features
from ingot.codegen.llvm.build.x86_instructions import Kind, UnknownCodeError, kinds
from tests.support import emitted_forms

TRIPLE = "x86_64-unknown-linux-gnu"
ZEN4 = Processor(TRIPLE, "znver4", "")
# Each has what others lack: AVX-512, AVX-VNNI and AVX-IFMA, no AVX, XOP and FMA4, SSE4a without SSE4, nothing.
CPUS = ["znver4", "sierraforest", "x86-64-v2", "bdver4", "amdfam10", "x86-64"]
ADDS = "define void @f(ptr %p, <16 x float> %x) {\n store <16 x float> %x, ptr %p ret void }\n"
ZEROS = """
declare i32 @llvm.cttz.i32(i32, i1)
define i32 @f(i32 %x) { %y = call i32 @llvm.cttz.i32(i32 %x, i1 true) ret i32 %y }
"""
HALVES = "define <8 x half> @f(<8 x half> %x) { %y = fadd <8 x half> %x, %x ret <8 x half> %y }\n"


@pytest.mark.parametrize("cpu", CPUS)  # 3 s in all
def test_an_object_needs_what_its_assembly_names(cpu: str) -> None:
    target = processor(resolve(Target.parse(f"llvm -mtriple={TRIPLE} -mcpu={cpu}")))
    for text in emitted_forms.texts(TRIPLE, cpu, set()):
        made = compiled(text, target, own_vectors=True)
        assert object_features(made.content) == cpu_features(made.assembly, TRIPLE)


def test_no_assembly_is_made_where_the_object_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compiled, "assembly", property(lambda _: pytest.fail("assembly was made")))
    assert build(Job(ADDS, own_vectors=True), ZEN4).cpu_features == ("avx", "avx512f")
    assert build(Job(ADDS, own_vectors=True), ZEN4, Form.BITCODE).cpu_features == ("avx", "avx512f")


def built(text: str, target: Processor) -> ObjectCode:
    return build(Job(text, own_vectors=True), target)


def test_what_the_object_does_not_tell_the_assembly_does() -> None:
    rapids = Processor(TRIPLE, "sapphirerapids", "")
    assert object_features(built(HALVES, rapids).content) is None
    assert "avx512_fp16" in built(HALVES, rapids).cpu_features
    windows = Processor("x86_64-pc-windows-msvc", "znver4", "")
    assert object_features(built(ADDS, windows).content) is None  # no ELF
    assert built(ADDS, windows).cpu_features == ("avx", "avx512f")


def test_trailing_zeros_are_of_bmi_only_where_it_is_meant() -> None:
    """TZCNT is BSF to a processor without BMI, and LLVM writes the same bytes for both."""
    baseline, later = (built(ZEROS, Processor(TRIPLE, cpu, "")) for cpu in ("x86-64", "x86-64-v3"))
    assert b"\xf3\x0f\xbc" in baseline.content and b"\xf3\x0f\xbc" in later.content
    assert baseline.cpu_features == ()
    assert later.cpu_features == ("bmi1",)


@pytest.mark.parametrize(
    ("code", "features"),
    [
        ("c5fc58c1", {"avx"}),  # vaddps %ymm1, %ymm0, %ymm0
        ("c5f9fec1", {"avx"}),  # vpaddd %xmm1, %xmm0, %xmm0
        ("c5fdfec1", {"avx", "avx2"}),  # vpaddd %ymm1, %ymm0, %ymm0
        ("62f17c4858c1", {"avx512f"}),  # vaddps %zmm1, %zmm0, %zmm0
        ("62f17c0958c1", {"avx512f", "avx512vl"}),  # vaddps %xmm1, %xmm0, %xmm0 {%k1}
        ("62f17c1858c1", {"avx512f"}),  # vaddps {rn-sae}, %zmm1, %zmm0, %zmm0: its length says how it rounds
        ("62f17e0958c1", {"avx512f"}),  # vaddss %xmm1, %xmm0, %xmm0 {%k1}
        ("62f27d4840c1", {"avx512f"}),  # vpmulld %zmm1, %zmm0, %zmm0
        ("62f2fd4840c1", {"avx512f", "avx512dq"}),  # vpmullq %zmm1, %zmm0, %zmm0
        ("62f17d4873d801", {"avx512f", "avx512bw"}),  # vpsrldq $1, %zmm0, %zmm0
        ("62f1fd4873d001", {"avx512f"}),  # vpsrlq $1, %zmm0, %zmm0
        ("c4e27d18c0", {"avx", "avx2"}),  # vbroadcastss %xmm0, %ymm0
        ("c4e27d1807", {"avx"}),  # vbroadcastss (%rdi), %ymm0
        ("660f3a150701", {"sse4_1"}),  # pextrw $1, %xmm0, (%rdi)
        ("660fc5c001", set()),  # pextrw $1, %xmm0, %eax
        ("660f78c00508", {"sse4a"}),  # extrq $8, $5, %xmm0
        ("c4e27b5ec1", {"amx_int8"}),  # tdpbssd
    ],
)
def test_an_instruction_is_known_by_its_encoding(code: str, features: set[str]) -> None:
    found = {feature for kind in kinds(bytes.fromhex(code)) for feature in _needed(kind)}
    assert found == features


def test_instructions_end_where_the_next_ones_begin() -> None:
    """Constants, distances and scaled indices of all lengths, each before an instruction of AVX."""
    before = (
        "48b80102030405060708 6681c10102 81c101020304 f6450001 f7450001020304 8b04253412cd00 8b840801020304 488d0501020304 "
        "0f8401020304 66662e0f1f840000000000 e801020304 b801020304 66b80102"
    )
    for code in before.split():
        found = kinds(bytes.fromhex(code + "c5fc58c1" + code))
        assert len(found) == 2 and Kind("vex", 1, 0, 0x58, False, 1) in found, code


def test_bytes_that_are_no_instructions_are_unknown_and_nothing_else() -> None:
    chance = random.Random(3)
    for _ in range(3000):
        try:
            kinds(chance.randbytes(chance.randrange(1, 40)))
        except UnknownCodeError:
            continue
    for cut in ("c5", "62f17c48", "81c101", "0f", "8b84"):
        with pytest.raises(UnknownCodeError):
            kinds(bytes.fromhex(cut))


def test_every_row_is_the_only_one_for_its_instructions() -> None:
    assert {name for rows in _rows().values() for row in rows for name in row.features | row.longer} <= NAMES
    for place, rows in _rows().items():
        for one, other in itertools.combinations(rows, 2):
            both = one.conditions | other.conditions
            apart = (
                {"w0", "w1"} <= both
                or {"mem", "reg"} <= both
                or sum(word.startswith("/") for word in both) > 1
            )
            assert apart, place
