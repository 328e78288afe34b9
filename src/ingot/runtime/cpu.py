"""What this processor can do, and the refusal of code that needs more: checked before any code is mapped."""

from __future__ import annotations

import functools
import os
import struct

from ingot.artifact.artifact import Content
from ingot.errors import LoadError

CPUINFO = "/proc/cpuinfo"
# /proc/cpuinfo repeats itself for every core; the first one is within this, and reading all takes milliseconds on big machines.
_FIRST_CORE_BYTES = 16384

# Words in one text: a constant that could be a name is interned, and in a small program the table of these names is all but full
# (first-answer.md): as dicts, these had it doubled before the first answer.
_MACHINES = "3 i386 40 arm 62 x86_64 183 aarch64 243 riscv 22 s390x 21 ppc64le"
_SAME_MACHINE = "i686 i386 i586 i386 armv6l arm armv7l arm armv8l arm riscv64 riscv amd64 x86_64"


@functools.cache
def cpu_features() -> frozenset[str] | None:
    """The features of this processor, named as in /proc/cpuinfo; None where the system does not say."""
    try:
        descriptor = os.open(CPUINFO, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return features_in(os.read(descriptor, _FIRST_CORE_BYTES).decode("ascii", "replace"))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def features_in(cpuinfo: str) -> frozenset[str] | None:
    """The features of the first core in the text of a /proc/cpuinfo."""
    for name in ("flags", "Features"):
        _, found, rest = f"\n{cpuinfo}".partition(f"\n{name}")
        head, colon, value = rest.partition("\n")[0].partition(":")
        if found and colon and not head.strip():
            return frozenset(value.split())
    return None


def require_features(needed: tuple[str, ...], name: str) -> None:
    """Raises LoadError if this processor lacks a feature that the code of `name` uses."""
    have = cpu_features() if needed else None
    if have is None:
        return
    missing = [feature for feature in needed if feature not in have]
    if missing:
        raise LoadError(
            f"{name} was built for a processor with {', '.join(missing)}, which this one has not; "
            "build it for this processor (-mcpu=native here, or -mcpu with this processor's name)",
            name=name,
            missing=tuple(missing),
            needed=needed,
        )


def require_machine(content: Content, name: str) -> None:
    """Raises LoadError if the shared library is ELF for another kind of machine than this one."""
    view = memoryview(content)
    if bytes(view[:4]) != b"\x7fELF" or len(view) < 20:
        return
    machine = struct.unpack_from("<H" if view[5] == 1 else ">H", view, 18)[0]
    here = os.uname().machine.lower()
    here = _pairs(_SAME_MACHINE).get(here, here)
    machines = _pairs(_MACHINES)
    built_for = machines.get(str(machine), f"ELF machine {machine}")
    if built_for != here and here in machines.values():
        raise LoadError(f"{name} was built for {built_for}, this machine is {here}", name=name, built_for=built_for, here=here)


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))
