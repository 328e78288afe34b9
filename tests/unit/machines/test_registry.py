"""One record a microarchitecture: which CPU is found, and that LLVM knows the names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.base.target import Target
from ingot.codegen.llvm.build.processors import CPUS, FEATURES
from ingot.codegen.llvm.build.targets import machine
from ingot.machines.microarchitecture import Microarchitecture
from ingot.machines.registry import GENERIC, MICROARCHITECTURES, find
from ingot.machines.tuning import Threads, Tuning
from ingot.machines.x86.zen4 import ZEN4

MADE_UP = Microarchitecture(name="Zen 99", cpus=("znver99",), l2_bytes=3 << 20, double_pumped_512=True)

by_name = pytest.mark.parametrize("record", MICROARCHITECTURES, ids=lambda record: record.name)


def test_a_made_up_cpu_needs_one_record() -> None:
    assert find("znver99") == GENERIC
    assert find("znver99", records=(*MICROARCHITECTURES, MADE_UP)) == MADE_UP


@by_name
def test_llvm_knows_the_names_of_each_record(record: Microarchitecture) -> None:
    assert record.cpus
    assert set(record.cpus) <= frozenset().union(*CPUS.values())
    assert not record.feature or record.feature[1:] in FEATURES["x86"]


def test_no_two_records_have_one_cpu_or_one_name() -> None:
    cpus = [cpu for record in MICROARCHITECTURES for cpu in record.cpus]
    assert len(cpus) == len(set(cpus))
    assert len(MICROARCHITECTURES) == len({record.name for record in MICROARCHITECTURES})


@by_name
def test_each_record_is_found_by_its_cpus(record: Microarchitecture) -> None:
    assert [find(cpu) for cpu in record.cpus] == [record] * len(record.cpus)


def test_a_feature_brings_the_facts_of_the_one_kind_of_core_that_has_it() -> None:
    renamed = find("rocketlake", ("+amx-tile",))
    assert (renamed.slow_l2_stores, renamed.l2_fills_use_load_ports) == (True, True)
    assert renamed.l2_bytes == GENERIC.l2_bytes  # what the machine has is asked of its system
    assert find("rocketlake", ("-amx-tile",)) == GENERIC


def test_flags_count_for_vectors_of_64_bytes_alone() -> None:
    assert MADE_UP.with_vectors_of(64) == MADE_UP
    short = MADE_UP.with_vectors_of(32)
    assert (short.double_pumped_512, short.l2_bytes) == (False, MADE_UP.l2_bytes)


def test_what_was_measured_with_vectors_of_64_bytes_counts_for_these_alone() -> None:
    slow, usual = Tuning(threads=Threads(task_cycles=9)), Tuning(threads=Threads(task_cycles=8))
    record = replace(MADE_UP, tuning=usual, tuning_512=slow)
    assert record.with_vectors_of(64).measured == slow
    assert record.with_vectors_of(32).measured == usual


def test_a_target_reads_what_was_measured_on_its_processor() -> None:
    target = "llvm -mtriple=x86_64-linux-gnu -mcpu="
    assert machine(Target.parse(target + "znver4")).tuning == ZEN4.measured != Tuning()
    assert machine(Target.parse(target + "znver4 -mattr=-avx512f")).tuning == Tuning()
    assert machine(Target.parse(target + "x86-64-v4")).tuning == Tuning()
