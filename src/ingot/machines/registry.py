"""All microarchitectures that have a record, and which one a CPU is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ingot.machines.arm.neoverse_n1 import NEOVERSE_N1
from ingot.machines.arm.neoverse_n2 import NEOVERSE_N2
from ingot.machines.arm.neoverse_v1 import NEOVERSE_V1
from ingot.machines.arm.neoverse_v2 import GRACE, NEOVERSE_V2
from ingot.machines.microarchitecture import Microarchitecture
from ingot.machines.x86.alderlake import ALDERLAKE, ARROWLAKE, LUNARLAKE, METEORLAKE, RAPTORLAKE
from ingot.machines.x86.diamond_rapids import DIAMOND_RAPIDS
from ingot.machines.x86.granite_rapids import GRANITE_RAPIDS
from ingot.machines.x86.icelake import ICELAKE
from ingot.machines.x86.sapphire_rapids import SAPPHIRE_RAPIDS
from ingot.machines.x86.skylake import SKYLAKE
from ingot.machines.x86.skylake_avx512 import SKYLAKE_AVX512
from ingot.machines.x86.zen3 import ZEN3
from ingot.machines.x86.zen4 import ZEN4
from ingot.machines.x86.zen5 import ZEN5

MICROARCHITECTURES = (
    ZEN3,
    ZEN4,
    ZEN5,
    SKYLAKE,
    SKYLAKE_AVX512,
    ICELAKE,
    ALDERLAKE,
    RAPTORLAKE,
    METEORLAKE,
    ARROWLAKE,
    LUNARLAKE,
    SAPPHIRE_RAPIDS,
    GRANITE_RAPIDS,
    DIAMOND_RAPIDS,
    NEOVERSE_N1,
    NEOVERSE_N2,
    NEOVERSE_V1,
    NEOVERSE_V2,
    GRACE,
)
GENERIC = Microarchitecture(name="generic")


def find(
    cpu: str, features: Sequence[str] = (), records: Sequence[Microarchitecture] = MICROARCHITECTURES
) -> Microarchitecture:
    """What is known of a CPU by LLVM's name for it; `GENERIC` where it has no record.

    A feature such as "+amx-tile" that only one kind of core has brings that kind's facts about L2, whatever the name.
    """
    named = next((record for record in records if cpu in record.cpus), GENERIC)
    marked = next((record for record in records if record.feature and record.feature in features), named)
    return replace(
        named,
        slow_l2_stores=named.slow_l2_stores or marked.slow_l2_stores,
        l2_fills_use_load_ports=named.l2_fills_use_load_ports or marked.l2_fills_use_load_ports,
        tuning_512=named.tuning_512 or marked.tuning_512,
    )
