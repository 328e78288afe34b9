"""Models on OpenCL devices, through the package pyopencl.

Nothing here is imported before a library has a part for OpenCL. The sources of a library are compiled for a device when the first
session on it opens; its constants are copied there once, and every session has an arena of its own.
"""

from __future__ import annotations

import ctypes
import threading
import warnings
import weakref
from typing import Any

import numpy as np

from ingot.artifact.artifact import Artifact
from ingot.artifact.device_kind import DeviceKind
from ingot.artifact.module import BAD_CALL, LoadContext, Loader
from ingot.base.errors import ArtifactError, DeviceError, LoadError
from ingot.runtime.devices.module import DeviceModule, paired
from ingot.runtime.devices.opencl_launches import Launch, Launches, read_launches

try:
    import pyopencl as cl
except ImportError:
    cl = None

ID = "opencl"
INSTALL = "pip install 'ingot-compiler[opencl]'"
_LOG_MAX = 800  # characters of a driver's words that a message repeats
_DLPACK_KIND = 4
_MANY = 4096  # work items, on a CPU


# ─── devices ───────────────────────────────────────────────────────────────────────────────────────────────────────


def devices() -> list[Any]:
    """Every OpenCL device of this machine; `ingot.opencl(i)` is number i."""
    try:
        return [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.Error:  # no platform at all is an error in OpenCL
        return []


def _device_names() -> tuple[str, ...]:
    if cl is None:
        raise DeviceError(f"OpenCL devices need the package pyopencl: {INSTALL}")
    return tuple(map(_name, devices()))


KIND = DeviceKind(ID, "OpenCL devices, by pyopencl", _device_names)


def _find_device(index: int) -> Any:
    available = devices()
    if not 0 <= index < len(available):
        names = ", ".join(f"opencl({at}) {_name(device)}" for at, device in enumerate(available))
        raise DeviceError(
            f"there is no device opencl({index}); "
            + (
                f"there are {names}"
                if available
                else f"this machine has no OpenCL platform; {INSTALL} brings one for its CPU"
            ),
            device=f"opencl({index})",
            available=tuple(f"opencl({at})" for at in range(len(available))),
        )
    return available[index]


class _Opened:
    """A device with its context."""

    def __init__(self, index: int) -> None:
        self.index, self.device = index, _find_device(index)
        try:
            self.context = cl.Context([self.device])
        except cl.Error as error:
            raise _failed("opening", self.device, error) from error


# Libraries share the context of a device, so that a tensor of one is an input of another. It goes with the last who uses it.
_opened: weakref.WeakValueDictionary[int, _Opened] = weakref.WeakValueDictionary()
_opening = threading.Lock()


def _open(index: int) -> _Opened:
    with _opening:
        opened = _opened.get(index)
        if opened is None:
            opened = _opened[index] = _Opened(index)
        return opened


def _name(device: Any) -> str:
    return f"{device.name.strip()} ({device.platform.name.strip()})"


def _failed(action: str, device: Any, error: Exception) -> DeviceError:
    said = " ".join(str(error).split())
    return DeviceError(
        f"{action} on {_name(device)} failed: {said[:_LOG_MAX]}{'…' if len(said) > _LOG_MAX else ''}"
    )


def _sizes(device: Any, launch: Launch) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The global and the local size of a launch."""
    if not launch.items:
        local = _local_size(device, launch.groups[0])
        return (-(-launch.groups[0] // local) * local,), (local,)
    if launch.items > device.max_work_group_size:
        raise DeviceError(
            f"kernel {launch.kernel!r} has {launch.items} work items in a group, {_name(device)} runs at most"
            f" {device.max_work_group_size}; choose another device",
            items=launch.items,
            limit=device.max_work_group_size,
        )
    first, *others = launch.groups
    return (first * launch.items, *others), (launch.items, *(1 for _ in others))


def _local_size(device: Any, work_items: int) -> int:
    """How many work items make a group, where any number will do; what does not fill the last group does nothing."""
    if device.type & cl.device_type.CPU:
        # A group goes to one thread. Measured with PoCL: few large items are shared out best one by one, and many small ones
        # cost six times as much as in groups.
        return 1 if work_items < _MANY else min(16, device.max_work_group_size)
    return int(min(64, device.max_work_group_size))


# ─── code on a device ──────────────────────────────────────────────────────────────────────────────────────────────


class _Unit:
    """The calls of one model for one target key, on one device: compiled, and with its constants."""

    def __init__(self, opened: _Opened, source: str, launches: Launches, params: memoryview) -> None:
        self.opened, self.launches = opened, launches
        device, context = opened.device, opened.context
        self.device, self.context = device, context
        missing = [name for name in launches.extensions if name not in device.extensions.split()]
        if missing:
            raise DeviceError(
                f"model part {launches.symbol!r} needs {', '.join(missing)}, which {_name(device)} has not; choose another device"
                " or place the nodes that need it on the host",
                missing=tuple(missing),
            )
        if params.nbytes < launches.params_bytes:
            raise ArtifactError(
                f"the constants of {launches.symbol!r} have {params.nbytes} bytes, expected {launches.params_bytes}"
            )
        options = ["-cl-std=CL1.2"]
        if device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
            options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a driver that has something to say about good code
                self.program = cl.Program(context, source).build(options)
        except cl.Error as error:
            raise _failed(f"compiling {launches.symbol!r}", device, error) from error
        flags = cl.mem_flags
        if launches.params_bytes:
            self.params = self.buffer(
                launches.params_bytes, "constants", flags.READ_ONLY | flags.COPY_HOST_PTR, params
            )
        else:
            self.params = self.buffer(1, "constants", flags.READ_ONLY)

    def buffer(self, size_bytes: int, purpose: str, flags: int, content: memoryview | None = None) -> Any:
        """Memory of the device."""
        limit = self.device.max_mem_alloc_size
        if size_bytes > limit:
            raise DeviceError(
                f"{purpose} of {self.launches.symbol!r}: {size_bytes} bytes are more than the {limit} that {_name(self.device)}"
                " gives at once; choose another device",
                size_bytes=size_bytes,
                limit_bytes=limit,
            )
        try:
            if content is None:
                return cl.Buffer(self.context, flags, size=size_bytes)
            return cl.Buffer(self.context, flags, hostbuf=np.frombuffer(content, np.uint8, size_bytes))
        except cl.Error as error:
            raise _failed(
                f"allocating {size_bytes} bytes for {purpose} of {self.launches.symbol!r}", self.device, error
            ) from error


class OpenCLMemory:
    """A `DeviceMemory`: a buffer that is not an arena."""

    def __init__(self, device: Any, buffer: Any, owner: object = None) -> None:
        self.buffer, self._device, self._owner = buffer, device, owner
        self._queue: Any = None

    @property
    def handle(self) -> int:
        """The `cl_mem`."""
        return int(self.buffer.int_ptr)

    def write(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies host memory to it; the host memory may be changed after the return."""
        if size_bytes:
            memory = (ctypes.c_char * size_bytes).from_address(address)
            self._copy(self.buffer, memory, dst_offset=offset_bytes)

    def read(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies from it to host memory."""
        if size_bytes:
            memory = (ctypes.c_char * size_bytes).from_address(address)
            self._copy(memory, self.buffer, src_offset=offset_bytes)

    def _copy(self, to: Any, source: Any, **offsets: int) -> None:
        try:
            if self._queue is None:
                self._queue = cl.CommandQueue(self.buffer.context, self._device)
            cl.enqueue_copy(self._queue, to, source, is_blocking=True, **offsets)
        except cl.Error as error:
            raise _failed("copying a tensor", self._device, error) from error


class OpenCLSession:
    """A `DirectSession`: an arena, and a queue in which calls and copies keep their order."""

    def __init__(self, unit: _Unit, arena_bytes: int) -> None:
        self.dlpack_device = (_DLPACK_KIND, unit.opened.index)
        self._unit = unit
        self._device = unit.device
        self._symbol = unit.launches.symbol
        self._arena: Any = unit.buffer(
            max(arena_bytes, unit.launches.arena_bytes, 1), "arena", cl.mem_flags.READ_WRITE
        )
        self._queue: Any = cl.CommandQueue(unit.context, unit.device)
        self._calls: list[list[tuple[Any, tuple[int, ...], tuple[int, ...]]]] = []
        bases = {"params": unit.params, "arena": self._arena}
        for call in unit.launches.calls:
            ready = []
            for launch in call:
                try:
                    kernel = cl.Kernel(unit.program, launch.kernel)
                    args = [
                        part for arg in launch.args for part in (bases[arg.region], np.uint64(arg.offset))
                    ]
                    if kernel.num_args != len(args):
                        raise ArtifactError(
                            f"part {self._symbol!r}: the kernel {launch.kernel!r} takes {kernel.num_args} arguments, its list of "
                            f"launches has {len(args)} for it",
                            symbol=self._symbol,
                        )
                    kernel.set_args(*args)
                except cl.Error as error:
                    raise _failed(f"preparing the kernel {launch.kernel!r}", unit.device, error) from error
                ready.append((kernel, *_sizes(unit.device, launch)))
            self._calls.append(ready)

    def write(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies host memory to the arena; the memory may be changed after the return."""
        if size_bytes:
            memory = (ctypes.c_char * size_bytes).from_address(address)
            try:
                cl.enqueue_copy(self._queue, self._arena, memory, dst_offset=offset_bytes, is_blocking=True)
            except cl.Error as error:
                raise _failed(
                    f"copying {size_bytes} bytes to the arena of {self._symbol!r}", self._device, error
                ) from error

    def read(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies from the arena to host memory, after all calls made before."""
        if size_bytes:
            memory = (ctypes.c_char * size_bytes).from_address(address)
            try:
                cl.enqueue_copy(self._queue, memory, self._arena, src_offset=offset_bytes, is_blocking=True)
            except cl.Error as error:
                raise _failed(
                    f"copying {size_bytes} bytes from the arena of {self._symbol!r}", self._device, error
                ) from error

    def allocate(self, size_bytes: int) -> OpenCLMemory:
        """New memory of the device, which outlives the session."""
        buffer = self._unit.buffer(size_bytes, "a tensor", cl.mem_flags.READ_WRITE)
        return OpenCLMemory(self._device, buffer, self._unit.opened)  # later libraries are in its context too

    def adopt(self, handle: int, size_bytes: int, owner: object) -> OpenCLMemory:
        """A `cl_mem` that somebody else made in this process's context for the device.

        Raises:
            DeviceError: it is of another context, or smaller.
        """
        try:
            buffer = cl.Buffer.from_int_ptr(handle, True)
            other, size = buffer.context != self._unit.context, buffer.size
        except cl.Error as error:
            raise _failed("looking at a tensor", self._device, error) from error
        if other:
            raise DeviceError(f"it is of another OpenCL context than ingot's for {_name(self._device)}")
        if size < size_bytes:
            raise DeviceError(f"its memory has {size} bytes, expected at least {size_bytes}")
        return OpenCLMemory(self._device, buffer, owner)

    def take(self, offset_bytes: int, memory: Any, start_bytes: int, size_bytes: int) -> None:
        """Queues a copy from memory of the device to the arena."""
        if size_bytes:
            self._copy(self._arena, offset_bytes, memory.buffer, start_bytes, size_bytes)

    def give(self, offset_bytes: int, memory: Any, start_bytes: int, size_bytes: int) -> None:
        """Queues a copy from the arena to memory of the device, after all calls made before."""
        if size_bytes:
            self._copy(memory.buffer, start_bytes, self._arena, offset_bytes, size_bytes)

    def _copy(self, to: Any, to_bytes: int, source: Any, source_bytes: int, size_bytes: int) -> None:
        try:
            cl.enqueue_copy(
                self._queue, to, source, src_offset=source_bytes, dst_offset=to_bytes, byte_count=size_bytes
            )
        except cl.Error as error:
            raise _failed(
                f"copying {size_bytes} bytes on the device for {self._symbol!r}", self._device, error
            ) from error

    def call(self, number: int) -> int:
        """Queues the call of that number; 0 is good, negative says that there is no such call."""
        if not 0 <= number < len(self._calls):
            return BAD_CALL
        try:
            for kernel, global_size, local_size in self._calls[number]:
                cl.enqueue_nd_range_kernel(self._queue, kernel, global_size, local_size)
        except cl.Error as error:
            raise _failed(f"call {number} of {self._symbol!r}", self._device, error) from error
        return 0

    def finish(self) -> None:
        """Waits until all calls are done."""
        try:
            self._queue.finish()
        except cl.Error as error:
            raise _failed(f"running {self._symbol!r}", self._device, error) from error

    def close(self) -> None:
        """Frees the arena. Twice is once."""
        if self._arena is not None:
            self.finish()
            self._calls.clear()
            self._arena.release()
            self._arena = self._queue = None


class OpenCLModule(DeviceModule):
    """The parts of models that run on OpenCL devices."""

    type_key = ID

    def _open_unit(self, index: int, launches: Launches, code: str, params: memoryview) -> _Unit:
        return _Unit(_open(index), code, launches, params)

    def _open_session(self, unit: _Unit, arena_bytes: int) -> OpenCLSession:
        return OpenCLSession(unit, arena_bytes)


# ─── loading ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _load(artifacts: tuple[Artifact, ...], _context: LoadContext) -> OpenCLModule:
    parts = []
    for listed, code in paired(artifacts, ID, "cl"):
        try:
            parts.append((read_launches(listed), bytes(code.content).decode("ascii")))
        except UnicodeDecodeError as error:
            raise ArtifactError(
                f"artifact {code.file_name!r} is no text: {error}", file=code.file_name
            ) from error
    if cl is None:
        raise LoadError(
            f"this library has a part for OpenCL, which needs the package pyopencl: {INSTALL}",
            package="pyopencl",
        )
    return OpenCLModule(parts)


LOADER = Loader(ID, "opencl", _load)
