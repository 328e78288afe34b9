"""`Module`: loaded code. `Loader`: the record of functions that turns artifacts into a module.

A model with the C symbol `m` runs through two functions of its modules, found by name:

    ingot_m_run(bases) → int              one inference
    ingot_m_call(number, bases) → int     one call of the program; -1 for a number that is no call

`bases` is a `ctypes` array of `c_void_p` in the order of the calling convention (constants, arena, thread pool or NULL,
inputs, outputs): compiled code gets its address, code in Python reads the addresses as integers (`bases[3]`, None for NULL).
The result is 0, or negative for an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ingot.artifact.artifact import Artifact
from ingot.artifact.model_info import ModelInfo
from ingot.base.records import Frozen

Function = Callable[..., Any]
BAD_CALL = -1
"""What `ingot_<symbol>_call` returns for a number that is no call."""


class Module(Protocol):
    """Loaded code. `type_key` says what kind: "library", "native", or the loader's id."""

    @property
    def type_key(self) -> str: ...

    @property
    def imported_modules(self) -> tuple[Module, ...]: ...

    def get_function(self, name: str) -> Function | None:
        """The module's own function of that name, or None, without looking through imports."""
        ...

    def close(self) -> None:
        """Lets go of code and memory; functions of this module must not be called any more. Twice is once."""
        ...


class Pooled(Protocol):
    """What a module has besides, if its code shares loops out to threads."""

    def pool(self, threads: int) -> int | None:
        """The address of the thread pool for that many threads, for `bases[2]` of this module's functions; None for NULL."""
        ...


class OnDevices(Protocol):
    """What a module has besides, if the functions of regions in it are for devices that an executor chooses."""

    def on(self, devices: tuple[Any, ...]) -> Module:
        """A module whose functions use these devices, each with a `kind` and an `index`: those of the target key, in the order in
        which this executor is to prefer them. It is closed with the executor. DeviceError says that a device is not there.
        """
        ...


class LoadContext(metaclass=Frozen):
    """What a loader may know besides its artifacts: which target they are for, and every model of the set."""

    target_key: str
    models: tuple[ModelInfo, ...]


class Loader(metaclass=Frozen):
    """Loads artifacts. `load` gets all artifacts of its (loader, target key) group and nothing else; it raises LoadError or
    ArtifactError.

    `device_kind` says where the code runs: "cpu", "opencl", "cuda" or a plug-in's own word.
    """

    id: str
    device_kind: str
    load: Callable[[tuple[Artifact, ...], LoadContext], Module]
