"""`Codegen`: the record of functions that every code generator is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ingot.artifact.artifact import Artifact
from ingot.artifact.artifact_set import InMemoryArtifact
from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.loops.nodes import Kernel
from ingot.machines.machine import Machine
from ingot.plan.program import CompileUnit
from ingot.plan.regions import Wants


class KernelCache(Protocol):
    """Compiled kernels by the digest of everything that decides them."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, content: bytes) -> None: ...


class WorkerProcess(Protocol):
    """A process that runs a module and answers what it is asked (`link.child`), or raises a ToolchainError."""

    def ask(self, request: Mapping[str, Any], last: str, seconds: float) -> Iterator[dict[str, Any]]: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class BuildContext:
    """What a code generator may use while it works; none of it changes its result. `worker` makes a process of the name of its
    module, which starts when it is asked something; None where there shall be none.
    """

    observer: Observer = field(default_factory=Observer)
    cache: KernelCache | None = None
    worker: Callable[[str], WorkerProcess] | None = None


@dataclass(frozen=True, slots=True)
class Generated:
    """The artifacts of one unit, and the CPU features that their code really uses (names as in Linux's /proc/cpuinfo: `avx2`,
    `fma`, `avx512f`).
    """

    artifacts: tuple[Artifact, ...]
    cpu_features: tuple[str, ...] = ()
    in_memory: tuple[InMemoryArtifact, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """How single kernels are run here to see how long they take.

    `why_not` says why what is measured here would not hold for a target, empty if it does. `compiled` gives for each kernel of a
    model (by its symbol) what `module`, run as a process, takes as an "object" (see `llvm.build.trial`), and the symbol in it.
    """

    module: str
    why_not: Callable[[Target], str]
    compiled: Callable[[str, Sequence[Kernel], Target, BuildContext], list[tuple[str, bytes]]]


@dataclass(frozen=True, slots=True)
class Codegen:
    """A code generator. `generate` is pure: the same unit and target give the same bytes.

    `resolve` makes a target definite ("native" becomes the CPU's name and features) and raises TargetError for a CPU, feature
    or option it does not know. `machine` says what templates may count on. `device_kind` is where the code runs; code
    generators for "cpu" work in the host's memory, all others in memory of their own. `no_library` says why its artifacts
    cannot be in a library, and what to do; empty if they can. `levels`: a library may have its code for several CPUs, of which
    one is chosen when it is loaded. An `opaque` one computes nodes as wholes: they are not lowered,
    its kernels are only signatures. One with `regions` is opaque, and gets what it wants there as calls of ONNX functions, whose
    operands are in the host's memory, whatever device its code uses. `trial` is None if its kernels cannot be measured one by
    one. `control`: programs may have loops and branches.
    """

    id: str
    summary: str
    resolve: Callable[[Target], Target]
    machine: Callable[[Target], Machine]
    generate: Callable[[CompileUnit, Target, BuildContext], Generated]
    device_kind: str = "cpu"
    no_library: str = ""
    opaque: bool = False
    trial: Trial | None = None
    levels: bool = False
    control: bool = False
    regions: Wants | None = None
