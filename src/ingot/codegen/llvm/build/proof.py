"""What LLVM must be tried on in another process before it compiles it in this one.

LLVM ends its process when it cannot make instructions of what it was given. Of plain code it can, for every processor that it
knows: the tests try each. For features that nobody tried it may refuse inline assembly, whose registers it may not find, and
intrinsics of a processor, which others lack. So a kernel with such forms is compiled by another process until each of them has
been compiled for the same processor and features once. The cache remembers that.

*Does not handle:* a program that can start no process (`BuildContext.worker` is None). There the tests vouch for all forms: they
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
    names: set[str] = set()
    if " asm " in text:
        names.update(_ASSEMBLY.findall(text))
    if "@llvm." in text:
        names.update(_INTRINSIC.findall(text))
    return frozenset(names)


class Proofs:
    """The forms that were compiled for one processor by another process, in this one's memory and in the cache."""

    def __init__(self, processor: Processor, makers: Callable[[], str], cache: KernelCache | None) -> None:
        self._known = _proven.setdefault(processor, set())
        self._processor, self._makers, self._cache = processor, makers, cache
        self._has_looked = False

    def lacking(self, text: str) -> frozenset[str]:
        """The forms of a text that were never compiled for this processor."""
        missing = forms(text) - self._known
        if missing and not self._has_looked:
            self._has_looked = True
            self._known |= self._stored()
        return missing - self._known

    def add(self, names: frozenset[str]) -> None:
        """Notes that forms were compiled."""
        if names <= self._known:
            return
        self._known |= names
        if self._cache is not None:
            self._cache.put(self._key(), json.dumps(sorted(self._known | self._stored())).encode())

    def _stored(self) -> set[str]:
        stored = self._cache.get(self._key()) if self._cache is not None else None
        try:
            names = json.loads(stored) if stored is not None else []
        except ValueError:
            return set()
        return set(map(str, names)) if isinstance(names, list) else set()

    def _key(self) -> str:
        parts = [
            "forms",
            self._makers(),
            self._processor.triple,
            self._processor.cpu,
            self._processor.features,
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()
