"""Every CPU of LLVM has the record of its microarchitecture, or is known to have none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from ingot.base.target import Target
from ingot.codegen.llvm.build import targets
from ingot.codegen.llvm.build.processors import CPUS
from ingot.codegen.llvm.build.targets import machine
from ingot.machines.microarchitecture import Microarchitecture
from ingot.machines.registry import GENERIC, MICROARCHITECTURES, find
from ingot.machines.tuning import Threads, Tuning

RECORDS = {
    "Zen 3": "znver3",
    "Zen 4": "znver4",
    "Zen 5": "znver5",
    "Skylake": "haswell core-avx2 core_4th_gen_avx core_4th_gen_avx_tsx broadwell core_5th_gen_avx"
    " core_5th_gen_avx_tsx skylake",
    "Skylake-SP": "skylake-avx512 skylake_avx512 skx cascadelake cooperlake",
    "Ice Lake-SP": "icelake-server icelake_server",
    "Alder Lake": "tigerlake alderlake",
    "Raptor Lake": "raptorlake",
    "Meteor Lake": "meteorlake",
    "Arrow Lake": "arrowlake arrowlake-s arrowlake_s",
    "Lunar Lake": "lunarlake",
    "Sapphire Rapids": "sapphirerapids emeraldrapids",
    "Granite Rapids": "graniterapids graniterapids-d graniterapids_d",
    "Diamond Rapids": "diamondrapids",
    "Neoverse N1": "neoverse-n1",
    "Neoverse N2": "neoverse-n2 cobalt-100",
    "Neoverse V1": "neoverse-v1",
    "Neoverse V2": "neoverse-v2",
    "Grace": "grace",
}
# With FMA or for servers, and yet without a record: what it would say is the default, or nobody knows it.
WITHOUT = {
    "znver1 znver2 icelake-client icelake_client rocketlake": "512 KB of L2, as the default says",
    "bdver1 bdver2 bdver3 bdver4 cannonlake knl knm mic_avx512 x86-64-v3 x86-64-v4": "nobody serves models with one",
    "gracemont grandridge sierraforest clearwaterforest": "small cores that share an L2",
    "pantherlake wildcatlake novalake": "nobody said what their cores have",
    "neoverse-512tvb neoverse-e1 neoverse-n3 neoverse-v3 neoverse-v3ae": "nobody said what their cores have",
}


def _names(*texts: str) -> Iterator[str]:
    for text in texts:
        yield from text.split()


def test_every_cpu_has_the_record_that_it_should() -> None:
    expected = {cpu: name for name, text in RECORDS.items() for cpu in text.split()}
    for family in ("x86", "aarch64", "arm"):
        assert {cpu: find(cpu).name for cpu in CPUS[family]} == {
            cpu: expected.get(cpu, GENERIC.name) for cpu in CPUS[family]
        }
    assert {record.name for record in MICROARCHITECTURES} == set(RECORDS)


def test_a_new_cpu_of_llvm_is_looked_at() -> None:
    """Two seconds: LLVM is asked which have FMA."""
    x86 = {cpu for cpu in CPUS["x86"] - targets.UNFIT["x86_64"] if _has_fma(cpu)}
    servers = {cpu for cpu in CPUS["aarch64"] if cpu.startswith("neoverse")}
    unknown = {cpu for cpu in x86 | servers if find(cpu) == GENERIC}
    assert unknown == set(_names(*WITHOUT)), "give it a record, or say here why it has none"


def _has_fma(cpu: str) -> bool:
    return machine(Target.parse(f"llvm -mtriple=x86_64-linux-gnu -mcpu={cpu}")).has_fma


@pytest.mark.parametrize("family", ["x86", "aarch64", "arm"])
def test_two_spellings_of_a_cpu_have_one_record(family: str) -> None:
    spelled = {cpu: cpu.replace("-", "_") for cpu in CPUS[family]}
    assert all(find(other) == find(cpu) for cpu, other in spelled.items() if other in CPUS[family])


def test_a_processor_is_added_by_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """As CONTRIBUTING says: the record decides what kernels read, and nothing else names the CPU."""
    target = Target.parse("llvm -mtriple=x86_64-linux-gnu -mcpu=znver2")
    record = Microarchitecture(
        name="Zen 2 of a test",
        cpus=("znver2",),
        l2_bytes=3 << 20,
        tuning=Tuning(threads=Threads(task_cycles=9_999)),
    )
    before = machine(target)
    monkeypatch.setattr(targets, "find", partial(find, records=(*MICROARCHITECTURES, record)))
    after = machine(target)
    assert (before.l2_bytes, after.l2_bytes) == (GENERIC.l2_bytes, record.l2_bytes)
    assert after.tuning == targets.chip(targets.resolve(target)).machine.tuning == record.tuning
    assert before.tuning == Tuning()
