"""Which GPUs code is made for: compute capabilities, and the version of PTX that first knew each."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ingot.base.errors import TargetError, nearest
from ingot.base.target import Target

TRIPLE = "nvptx64-nvidia-cuda"
DEFAULT = "sm_75"
"""PTX for it runs on every GPU that NVIDIA's current drivers know: a driver compiles PTX for its own, newer GPU."""


@dataclass(frozen=True, slots=True)
class Capability:
    """A compute capability: the version of PTX that its code is written in, and the first Linux driver to read that."""

    ptx: tuple[int, int]
    driver: int


# Source: "PTX ISA", release notes; "CUDA Toolkit Release Notes", minimum driver versions.
CAPABILITIES = {
    "sm_70": Capability((6, 0), 384),
    "sm_72": Capability((6, 1), 390),
    "sm_75": Capability((6, 3), 410),
    "sm_80": Capability((7, 0), 450),
    "sm_86": Capability((7, 1), 455),
    "sm_87": Capability((7, 4), 470),
    "sm_89": Capability((7, 8), 520),
    "sm_90": Capability((7, 8), 520),
    "sm_100": Capability((8, 6), 565),
    "sm_103": Capability((8, 8), 575),
    "sm_120": Capability((8, 7), 570),
    "sm_121": Capability((8, 8), 575),
}


def resolve(target: Target) -> Target:
    """The target with a compute capability.

    Raises:
        TargetError: an unknown one, or flags that this code generator has not.
    """
    if target.triple or target.features or target.options:
        flag = "-mtriple" if target.triple else "-mattr" if target.features else f"--{target.options[0][0]}"
        raise TargetError(
            f"target {str(target)!r}: the code generator cuda has no flag {flag}; it has -mcpu, a compute capability such as"
            f" {DEFAULT}",
            target=str(target),
            flag=flag,
        )
    cpu = target.cpu or DEFAULT
    if cpu not in CAPABILITIES:
        why = nearest(cpu, CAPABILITIES)
        if re.fullmatch(r"sm_\d+[af]", cpu):
            why = "; code for a letter after the number runs on no other GPU, so it is not made"
        raise TargetError(
            f"target {str(target)!r}: no compute capability {cpu!r}{why} (known: {', '.join(CAPABILITIES)})",
            cpu=cpu,
            known=tuple(CAPABILITIES),
        )
    return replace(target, cpu=cpu)
