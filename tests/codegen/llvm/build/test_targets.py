"""Targets become definite, and wrong ones are refused with the nearest names."""

from __future__ import annotations

import subprocess
import sys

import llvmlite.binding as llvm
import pytest

from ingot.base.errors import TargetError
from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.llvm.build.objects import target_machine
from ingot.codegen.llvm.build.processors import CPUS, FEATURES, IMPOSSIBLE, UNFIT, WITH_VECTORS
from ingot.codegen.llvm.build.targets import chip, family, machine, processor, resolve
from ingot.codegen.llvm.generator import CODEGEN
from ingot.loops.nodes import Call, For, Kernel, LoopKind, Var, buffer, cast, index, load, store
from tests.support.kernel_llvm import assembly


def test_native_becomes_this_processor() -> None:
    resolved = resolve(Target.parse("llvm -mcpu=native"))
    assert resolved.cpu in CPUS[family(resolved.triple)[1]]
    assert resolved.cpu != "native" and resolved.triple == llvm.get_default_triple()
    host = llvm.get_host_cpu_features()
    assert all(host[feature[1:]] == (feature[0] == "+") for feature in resolved.features)


def test_a_resolved_target_is_its_own_resolution() -> None:
    for text in ("llvm", "llvm -mcpu=native", "llvm -mcpu=skylake-avx512 -mattr=-fma,+avx2,+fma"):
        resolved = resolve(Target.parse(text))
        assert resolve(resolved) == resolved == Target.parse(str(resolved))


def test_the_last_word_about_a_feature_counts() -> None:
    assert resolve(Target.parse("llvm -mtriple=x86_64-linux-gnu -mattr=+fma,+avx2,-fma")).features == (
        "+avx2",
        "-fma",
    )
    assert "-fma" in resolve(Target.parse("llvm -mcpu=native -mtriple=x86_64-linux-gnu -mattr=-fma")).features


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("llvm -mcpu=skylak", ["'skylak'", "'skylake'"]),
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a71", ["'cortex-a71'", "did you mean 'cortex-a7"]),
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=znver3", ["aarch64"]),
        ("llvm -mtriple=x86_64-linux-gnu -mattr=+avx512", ["'avx512'", "'avx512f'"]),
        ("llvm -mtriple=x86-64-linux-gnu", ["'x86_64'"]),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=pentium4", ["pentium4 has no x86_64 code"]),
        ("llvm -mtriple=riscv64-linux-gnu -mcpu=rp2350-hazard3", ["rp2350-hazard3 has no riscv64 code"]),
        (
            "llvm -mtriple=riscv64-linux-gnu -mcpu=syntacore-scr5-rv32",
            ["syntacore-scr5-rv32 has no riscv64 code"],
        ),
        ("llvm -mtriple=riscv32-none-elf -mcpu=sifive-u74", ["sifive-u74 has no riscv32 code"]),
        ("llvm -mtriple=x86_64-linux-gnu -mattr=-sse2", ["cannot be made with -sse2"]),
        ("llvm -mtriple=riscv64-linux-gnu -mattr=+32bit", ["cannot be made with +32bit"]),
        ("llvm -mtriple=riscv32-none-elf -mattr=+zvl256b", ["+zvl256b is a length of vectors"]),
        ("llvm -mtriple=riscv64-linux-gnu -mattr=+v,-v,+zvl256b", ["+zvl256b is a length of vectors"]),
        ("llvm -mtriple=riscv64-linux-gnu -mcpu=spacemit-x60 -mattr=-zve32x", ["-zve32x takes away"]),
        ("llvm -mtriple=i686-linux-gnu -mattr=-x87", ["cannot be made with -x87"]),
        ("llvm -mtriple=arm-linux-gnueabihf -mcpu=cortex-a9 -mattr=+noarm", ["cannot be made with +noarm"]),
        ("llvm -mtriple=x86_64-linux-gnu -mattr=+egpr", ["no code is made of egpr"]),
        ("llvm --unroll=4", ["'unroll'"]),
        ("llvm -mtriple=thumbv7em-none-eabihf", ["passes floats in registers", "name another CPU"]),
        ("llvm -mtriple=arm-linux-gnueabihf -mcpu=arm926ej-s", ["arm926ej-s has none"]),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_ones(text: str, words: list[str]) -> None:
    with pytest.raises(TargetError) as caught:
        resolve(Target.parse(text))
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize(
    ("text", "vector_bytes", "registers", "has_fma"),
    [
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64", 16, 16, False),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=sandybridge", 32, 16, False),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3", 32, 16, True),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -mattr=-fma", 32, 16, False),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512", 64, 32, True),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512 -mattr=-avx512f", 32, 16, True),
        # As `-mcpu=native -mattr=-avx512f` is on a machine with AVX-512: what goes takes what needs it along.
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=znver4 -mattr=+avx512bw,+avx512vl,-avx512f", 32, 16, True),
        ("llvm -mtriple=aarch64-linux-gnu", 16, 32, True),
    ],
)
def test_templates_are_told_what_the_processor_has(
    text: str, vector_bytes: int, registers: int, has_fma: bool
) -> None:
    machine = CODEGEN.machine(Target.parse(text))
    assert (machine.vector_bytes, machine.vector_registers, machine.has_fma) == (
        vector_bytes,
        registers,
        has_fma,
    )


@pytest.mark.parametrize(
    ("words", "fma_by_element", "dot_i8x4", "dot_i8x4_signed"),
    [
        ("aarch64-linux-gnu -mcpu=cortex-a72", True, False, False),
        ("aarch64-linux-gnu -mcpu=neoverse-n1", True, True, True),
        ("aarch64-linux-gnu -mcpu=neoverse-v1", True, True, False),
        ("aarch64-linux-gnu -mattr=-neon", False, False, False),
        ("arm-linux-gnueabihf -mcpu=cortex-a9", False, False, False),
        ("x86_64-linux-gnu -mcpu=znver4", False, True, False),
    ],
)
def test_templates_and_emitter_are_told_what_vectors_of_arm_can_do(
    words: str, fma_by_element: bool, dot_i8x4: bool, dot_i8x4_signed: bool
) -> None:
    target = Target.parse(f"llvm -mtriple={words}")
    machine = CODEGEN.machine(target)
    assert (machine.fma_by_element, machine.dot_i8x4, machine.dot_i8x4_signed) == (
        fma_by_element,
        dot_i8x4,
        dot_i8x4_signed,
    )
    assert chip(resolve(target)).machine.fma_by_element == fma_by_element


def test_without_vectors_of_arm_nothing_asks_for_their_instructions() -> None:
    """LLVM would end the process."""
    x = buffer("x", DType.FLOAT32, (8,))
    y = buffer("y", DType.INT32, (8,))
    lane = Var("lane")
    rounded = cast(Call("rint", (load(x, lane),)), DType.INT32)
    kernel = Kernel("k", (x,), (y,), (For(lane, index(8), (store(y, (lane,), rounded),), LoopKind.VECTOR),))
    assert "fcvtns" in assembly(kernel, "llvm -mtriple=aarch64-linux-gnu")
    assert "fcvtns" not in assembly(kernel, "llvm -mtriple=aarch64-linux-gnu -mattr=-neon")


@pytest.mark.parametrize(
    ("words", "double_pumped_512"),
    [
        ("-mcpu=znver4", True),
        ("-mcpu=znver4 -mattr=-avx512f", False),
        ("-mcpu=znver5", False),
        ("-mcpu=znver3", False),
        ("-mcpu=skylake-avx512", False),
        ("-mcpu=icelake-server", False),
    ],
)
def test_templates_and_emitter_are_told_where_the_longest_vectors_are_two(
    words: str, double_pumped_512: bool
) -> None:
    target = Target.parse(f"llvm -mtriple=x86_64-linux-gnu {words}")
    assert (
        CODEGEN.machine(target).double_pumped_512
        == chip(resolve(target)).machine.double_pumped_512
        == double_pumped_512
    )
    assert (
        CODEGEN.machine(target).separate_fadd_pipes == double_pumped_512
    )  # of none of the others it was measured


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-mcpu=graniterapids", True),
        ("-mcpu=sapphirerapids -mattr=-avx512f", False),
        ("-mcpu=rocketlake -mattr=+amx-tile", True),
        ("-mcpu=rocketlake", False),
        ("-mcpu=znver5", False),
    ],
)
def test_templates_are_told_where_fills_from_the_second_level_cache_use_load_ports(
    words: str, expected: bool
) -> None:
    machine = CODEGEN.machine(Target.parse(f"llvm -mtriple=x86_64-linux-gnu {words}"))
    assert machine.l2_fills_use_load_ports == expected


@pytest.mark.parametrize(
    ("cpu", "pair_bytes", "has_pairs"),
    [
        ("x86-64", 16, True),
        ("sandybridge", 16, False),
        ("haswell", 32, True),
        ("knl", 32, False),
        ("skylake-avx512", 64, True),
    ],
)
def test_pairs_are_multiplied_in_vectors_that_hold_16_bit_numbers(
    cpu: str, pair_bytes: int, has_pairs: bool
) -> None:
    """AVX computes with 32 bytes of floats, and AVX-512F with 64 bytes, but not of short numbers: LLVM ended the process."""
    target = resolve(Target.parse(f"llvm -mtriple=x86_64-unknown-linux-gnu -mcpu={cpu}"))
    assert (chip(target).pair_bytes, machine(target).dot_i16x2) == (pair_bytes, has_pairs)


def test_a_linux_triple_without_a_cpu_has_what_every_distribution_counts_on() -> None:
    assert resolve(Target.parse("llvm -mtriple=arm-linux-gnueabihf")).features == ("+v7", "+vfp3d16")
    assert resolve(Target.parse("llvm -mtriple=armv6-linux-gnueabihf")).features == ("+vfp2",)
    assert resolve(Target.parse("llvm -mtriple=arm-linux-gnueabi")).features == ()
    assert "+d" in resolve(Target.parse("llvm -mtriple=riscv64-linux-gnu")).features


@pytest.mark.parametrize(
    ("kind", "triple"),
    [
        ("x86", "x86_64-linux-gnu"),
        ("aarch64", "aarch64-linux-gnu"),
        ("arm", "armv7-linux-gnueabihf"),
        ("riscv", "riscv64-linux-gnu"),
    ],
)
def test_llvm_knows_every_name_in_the_tables(kind: str, triple: str) -> None:
    # In a process of its own, because LLVM prints its tables only once.
    script = (
        "import llvmlite.binding as llvm; llvm.initialize_all_targets(); llvm.initialize_all_asmprinters()\n"
        f"llvm.Target.from_triple({triple!r}).create_target_machine(cpu='help', features='')"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stderr
    cpus, features = (
        {line.split()[0] for line in part.splitlines() if " - " in line}
        for part in printed.split("Available features", 1)
    )
    assert CPUS[kind] <= cpus, CPUS[kind] - cpus
    assert FEATURES[kind] <= features, FEATURES[kind] - features


def test_no_cache_is_counted_on_where_no_operating_system_is():
    assert CODEGEN.machine(Target.parse("llvm -mtriple=thumbv7em-none-eabihf -mcpu=cortex-m4")).l2_bytes == 0
    assert CODEGEN.machine(Target.parse("llvm -mtriple=arm-linux-gnueabihf")).l2_bytes > 0


def test_the_cache_of_this_machine_is_in_its_resolved_target_and_reproduces_it_elsewhere(monkeypatch):
    monkeypatch.setattr("ingot.base.environment.cache_bytes", lambda level: {2: 1280 * 1024}[level])
    monkeypatch.setattr("ingot.codegen.llvm.build.targets.available_threads", lambda: 2)
    here = CODEGEN.resolve(Target.parse("llvm"))
    assert dict(here.options) == {"l2": "1280K"}
    monkeypatch.setattr("ingot.base.environment.cache_bytes", lambda level: 0)
    assert CODEGEN.resolve(Target.parse(str(here))) == here
    assert CODEGEN.machine(Target.parse(str(here))).l2_bytes == 1280 * 1024
    assert CODEGEN.resolve(Target.parse("llvm")).options == ()


def test_what_a_target_says_of_its_cache_wins():
    assert CODEGEN.machine(Target.parse("llvm --l2=2048K")).l2_bytes == 2 << 20
    assert dict(CODEGEN.resolve(Target.parse("llvm -mcpu=x86-64-v3 --l2=2097152")).options) == {"l2": "2M"}
    assert CODEGEN.machine(Target.parse("llvm -mcpu=x86-64-v3 --l2=0")).l2_bytes == 0
    assert CODEGEN.machine(Target.parse("llvm -mcpu=sapphirerapids")).l2_bytes == 2 << 20
    assert CODEGEN.resolve(Target.parse("llvm -mcpu=sapphirerapids")).options == ()


@pytest.mark.parametrize(
    ("words", "cores", "in_tiles"),
    [
        ("", 0, False),
        ("--cores=1", 1, True),
        ("--cores=1 --float32-tiles=off", 1, False),
        ("--cores=2", 2, False),
        ("--cores=2 --float32-tiles=on", 2, True),
        ("--float32-tiles=on", 0, True),
        ("--cores=4", 4, False),
        ("--cores=16 -mattr=-amx-bf16", 16, False),
    ],
)
def test_float32_goes_through_tiles_on_one_core_or_where_asked_for(words, cores, in_tiles):
    machine = CODEGEN.machine(Target.parse(f"llvm -mcpu=sapphirerapids {words}"))
    assert (machine.cores, machine.amx_bf16, machine.amx_int8) == (cores, in_tiles, True)


@pytest.mark.parametrize(("cores", "option"), [(1, None), (3, None), (4, "4"), (16, "16"), (5000, "1024")])
def test_the_native_target_says_that_there_are_many_cores(monkeypatch, cores, option):
    monkeypatch.setattr("ingot.codegen.llvm.build.targets.available_threads", lambda: cores)
    here = CODEGEN.resolve(Target.parse("llvm"))
    assert dict(here.options).get("cores") == option
    assert dict(CODEGEN.resolve(Target.parse("llvm --cores=7")).options)["cores"] == "7"
    assert CODEGEN.machine(here).cores == int(option or 0)
    monkeypatch.setattr("ingot.codegen.llvm.build.targets.available_threads", lambda: 64)
    assert "cores" not in dict(CODEGEN.resolve(Target.parse("llvm -mcpu=x86-64-v3")).options)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--l2=many", "no size of a cache"),
        ("--l2=2000M", "up to 1024M"),
        ("--l3=1M", "'l2'"),
        ("--cores=0", "no number of cores; give one from 1 to 1024"),
        ("--cores=all", "no number of cores"),
        ("--core=4", "'cores'"),
        ("-mcpu=sapphirerapids --float32-tiles=yes", "neither on nor off"),
        ("-mcpu=x86-64-v3 --float32-tiles=on", "has no AMX tiles for float32"),
        ("-mcpu=x86-64-v3 --float32-tile=on", "'float32-tiles'"),
    ],
)
def test_a_cache_of_no_size_no_number_of_cores_and_other_options_are_refused(words, said):
    with pytest.raises(TargetError, match=said):
        CODEGEN.resolve(Target.parse(f"llvm {words}"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("x86_64", "x86"), ("i686", "x86"), ("riscv64", "riscv"), ("riscv32", "riscv"), ("arm", "arm")],
)
def test_what_is_refused_for_a_triple_is_known_elsewhere(name: str, kind: str) -> None:
    assert UNFIT.get(name, frozenset()) <= CPUS[kind]
    assert {feature[1:] for feature in IMPOSSIBLE[name]} <= FEATURES[kind]


@pytest.mark.parametrize(
    "words", [f"-mcpu={cpu} -mattr=+zvl512b" for cpu in sorted(WITH_VECTORS)] + ["-mattr=+zvfh,+zvl256b"]
)
def test_where_there_are_vectors_their_length_may_be_said(words: str) -> None:
    resolved = resolve(Target.parse(f"llvm -mtriple=riscv64-linux-gnu {words}"))
    module = llvm.parse_assembly(
        f'target triple = "{resolved.triple}"\ndefine i64 @f(i64 %a) {{ ret i64 %a }}'
    )
    assert "ret" in target_machine(processor(resolved)).emit_assembly(module)


@pytest.mark.parametrize("cpu", sorted(CPUS["x86"] - UNFIT["x86_64"]))
def test_no_code_is_made_of_what_no_library_could_ask_for(cpu: str) -> None:
    """APX, whose registers a system must save, and AVX10.2: /proc/cpuinfo has no word for them."""
    resolved = resolve(Target.parse(f"llvm -mtriple=x86_64-linux-gnu -mcpu={cpu} -mattr=+sse2"))
    text = """
define i64 @sum(ptr %p, i64 %n, i64 %m) { %x = load i64, ptr %p %y = add i64 %x, %n %z = mul i64 %y, %m ret i64 %z }
define <4 x float> @least(<4 x float> %a, <4 x float> %b) {
 %m = call <4 x float> @llvm.minimum.v4f32(<4 x float> %a, <4 x float> %b) ret <4 x float> %m }
declare <4 x float> @llvm.minimum.v4f32(<4 x float>, <4 x float>)
"""
    module = llvm.parse_assembly(f'target triple = "{resolved.triple}"\n{text}')
    assembly = target_machine(processor(resolved)).emit_assembly(module)
    assert "addq" in assembly
    assert "{nf}" not in assembly and "vminmax" not in assembly
