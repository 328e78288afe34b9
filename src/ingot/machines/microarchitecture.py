"""`Microarchitecture`: facts about one kind of core that LLVM cannot be asked for."""

from __future__ import annotations

from dataclasses import replace

from ingot.base.records import Frozen
from ingot.machines.tuning import Tuning


class Microarchitecture(metaclass=Frozen):
    """What is known of one kind of core, and LLVM's names for the CPUs that have it.

    The defaults hold for a CPU without a record.
    """

    name: str
    cpus: tuple[str, ...] = ()  # as LLVM spells them
    l2_bytes: int = 512 << 10  # L2 of one core, in most of the machines that are sold with it
    amx: bool = False  # has AMX: LLVM cannot be asked by compiling, since it ends the process over what it cannot make
    # Such as "+amx-tile": no other kind of core has it, and virtual machines may rename the CPU.
    feature: str = ""

    # As in `Machine`, all of vectors of 64 bytes.
    double_pumped_512: bool = False
    separate_fadd_pipes: bool = False
    slow_l2_stores: bool = False
    l2_fills_use_load_ports: bool = False

    # What was measured on it, where it differs from the defaults; and with vectors of 64 bytes, where these differ again.
    tuning: Tuning = Tuning()
    tuning_512: Tuning | None = None

    def with_vectors_of(self, vector_bytes: int) -> Microarchitecture:
        """The record for code whose vectors are so long: the flags and `tuning_512` count for vectors of 64 bytes alone."""
        if vector_bytes == 64:
            return self
        return replace(
            self,
            double_pumped_512=False,
            separate_fadd_pipes=False,
            slow_l2_stores=False,
            l2_fills_use_load_ports=False,
            tuning_512=None,
        )

    @property
    def measured(self) -> Tuning:
        """What was measured with the longest vectors of the record."""
        return self.tuning_512 or self.tuning
