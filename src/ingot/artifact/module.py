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
from typing import Any, Protocol, runtime_checkable

from ingot.artifact.artifact import Artifact
from ingot.artifact.info import ModelInfo
from ingot.frozen import frozen

Function = Callable[..., Any]


class Module(Protocol):
    """Loaded code. `type_key` says what kind: "library", "native", or the loader's id."""

    @property
    def type_key(self) -> str: ...

    @property
    def imported_modules(self) -> tuple[Module, ...]: ...

    def get_function(self, name: str) -> Function | None:
        """The module's own function of that name, or None. `find_owner` also looks through imports."""
        ...

    def close(self) -> None:
        """Lets go of code and memory; functions of this module must not be called any more. Twice is once."""
        ...


@runtime_checkable
class Pooled(Protocol):
    """What a module has besides, if its code shares loops out to threads."""

    def pool(self, threads: int) -> int | None:
        """The address of the thread pool for that many threads, for `bases[2]` of this module's functions; None for NULL."""
        ...


class Session(Protocol):
    """One executor's place on a device: an arena, and the calls of one target key.

    A module of a device gives it by its function `ingot_<unit symbol>_open(device_index, params, arena_bytes)`.
    """

    def write(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies host memory to the arena; the memory may be changed after the return."""
        ...

    def read(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies from the arena to host memory, after all calls made before."""
        ...

    def call(self, number: int) -> int:
        """Makes, or queues, the call of that number among the calls of the key; 0 is good."""
        ...

    def finish(self) -> None:
        """Waits until all calls are done."""
        ...

    def close(self) -> None:
        """Frees the arena. Twice is once."""
        ...


class DeviceMemory(Protocol):
    """Memory of a device that is no session's arena. It is freed when nobody refers to it any more."""

    @property
    def handle(self) -> int:
        """What DLPack calls its data: an address on the device, or for OpenCL a `cl_mem`."""
        ...

    def write(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies host memory to it; the host memory may be changed after the return."""
        ...

    def read(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies from it to host memory, after everything that was written before."""
        ...


@runtime_checkable
class DirectSession(Protocol):
    """What a `Session` has besides, if inputs and outputs may stay on its device. Nothing here touches the memory of the host.

    A loader of another kind of device gives its sessions these five, and executors take and fill tensors there.
    """

    @property
    def dlpack_device(self) -> tuple[int, int]:
        """DLPack's kind and index of the device."""
        ...

    def allocate(self, size_bytes: int) -> DeviceMemory:
        """New memory of the device, which outlives the session."""
        ...

    def adopt(self, handle: int, size_bytes: int, owner: object) -> DeviceMemory:
        """Memory that somebody else made on this device, and that stays while `owner` does.

        Raises:
            DeviceError: it cannot be reached from here, or is smaller.
        """
        ...

    def take(self, offset_bytes: int, memory: DeviceMemory, start_bytes: int, size_bytes: int) -> None:
        """Copies, or queues a copy, from memory of the device to the arena."""
        ...

    def give(self, offset_bytes: int, memory: DeviceMemory, start_bytes: int, size_bytes: int) -> None:
        """Copies, or queues a copy, from the arena to memory of the device, after all calls made before."""
        ...


@frozen
class LoadContext:
    """What a loader may know besides its artifacts: which target they are for, and every model of the set."""

    target_key: str
    models: tuple[ModelInfo, ...]


@frozen
class Loader:
    """Loads artifacts. `load` gets all artifacts of its (loader, target key) group and nothing else; it raises LoadError or
    ArtifactError.

    `device_kind` says where the code runs: "cpu", "opencl", "cuda" or a plug-in's own word.
    """

    id: str
    device_kind: str
    load: Callable[[tuple[Artifact, ...], LoadContext], Module]


def find_owner(module: Module, name: str) -> Module | None:
    """The module itself or, depth first, the one among what it imports that has the function; None if nobody has it."""
    if module.get_function(name) is not None:
        return module
    for imported in module.imported_modules:
        found = find_owner(imported, name)
        if found is not None:
            return found
    return None
