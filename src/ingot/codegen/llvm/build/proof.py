"""What LLVM must be tried on in another process before it compiles it in this one.

LLVM ends its process when it cannot make instructions of what it was given. Of plain code it can, for every processor that it
knows: the tests try each. For features that nobody tried it may refuse inline assembly, whose registers it may not find, and
intrinsics of a processor, which others lack. So a kernel with such forms is compiled by another process until each of them has
been compiled for the same processor and features once. The cache remembers that.

*Does not handle:* a program that can start no process (`Workshop.helper` is None). There the tests vouch for all forms: they
compile each for every processor in `ingot list cpus`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable

from ingot.codegen.llvm.build.objects import Processor
from ingot.codegen.record import KernelCache

_ASSEMBLY = re.compile(r'call ([^"\n]* asm [a-z ]*"[^"\n]*", "[^"\n]*")')
_INTRINSIC = re.compile(r"^declare .*@llvm\.(?:aarch64|arm|nvvm|riscv|wasm|x86)\..*$", re.MULTILINE)

_proven: dict[Processor, set[str]] = {}


def forms(text: str) -> frozenset[str]:
    """The forms in an LLVM text that not every processor has: inline assembly with its types, and intrinsics of processors."""
    found: set[str] = set()
    if " asm " in text:
        found.update(_ASSEMBLY.findall(text))
    if "@llvm." in text:
        found.update(_INTRINSIC.findall(text))
    return frozenset(found)


class Proofs:
    """The forms that were compiled for one processor by another process, in this one's memory and in the cache."""

    def __init__(self, what: Processor, makers: Callable[[], str], cache: KernelCache | None) -> None:
        self._known = _proven.setdefault(what, set())
        self._what, self._makers, self._cache = what, makers, cache
        self._has_looked = False

    def lacking(self, text: str) -> frozenset[str]:
        """The forms of a text that were never compiled for this processor."""
        missing = forms(text) - self._known
        if missing and not self._has_looked:
            self._has_looked = True
            self._known |= self._stored()
        return missing - self._known

    def add(self, found: frozenset[str]) -> None:
        """Notes that forms were compiled."""
        if found <= self._known:
            return
        self._known |= found
        if self._cache is not None:
            self._cache.put(self._key(), json.dumps(sorted(self._known | self._stored())).encode())

    def _stored(self) -> set[str]:
        stored = self._cache.get(self._key()) if self._cache is not None else None
        try:
            found = json.loads(stored) if stored is not None else []
        except ValueError:
            return set()
        return set(map(str, found)) if isinstance(found, list) else set()

    def _key(self) -> str:
        parts = ["forms", self._makers(), self._what.triple, self._what.cpu, self._what.features]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()
