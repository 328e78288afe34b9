"""`Session`: one executor's place on a device. What a loader of devices gives and executors use."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


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
