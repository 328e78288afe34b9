"""Models on NVIDIA GPUs, through the driver's own interface in the package cuda-bindings.

Nothing here is imported before a library has a part for CUDA. The driver compiles the PTX of a library for a device when the
first session on it opens; its constants are copied there once, and every session has an arena and a stream of its own. All share
the device's primary context with whatever else in the process uses that.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ingot.artifact.artifact import Artifact
from ingot.artifact.device_kind import DeviceKind
from ingot.artifact.module import BAD_CALL, LoadContext, Loader
from ingot.artifact.session import DeviceMemory
from ingot.base.errors import ArtifactError, DeviceError, LoadError
from ingot.runtime.devices.cuda_launches import Launch, Launches, read_launches
from ingot.runtime.devices.module import DeviceModule, paired

try:
    from cuda.bindings import driver
except ImportError:
    driver = None

ID = "cuda"
INSTALL = "pip install 'ingot-compiler[cuda]'"
_LOG_BYTES = 8192
_LOG_MAX = 800  # characters of the driver's words that a message repeats
_DLPACK_KIND = 2


# ─── the driver ────────────────────────────────────────────────────────────────────────────────────────────────────


def _words(api: Any, result: Any) -> str:
    """The driver's name of an error, and what it says about it."""
    name, said = (
        answer[1] if answer[1] else b""
        for answer in (api.cuGetErrorName(result), api.cuGetErrorString(result))
    )
    return (
        f"{name.decode(errors='replace') or result} ({said.decode(errors='replace')})"
        if said
        else str(name or result)
    )


def _ask(api: Any, action: str, answer: tuple[Any, ...]) -> Any:
    """The one value of an answer of the driver, or None.

    Raises:
        DeviceError: the answer is an error.
    """
    if answer[0] != api.CUresult.CUDA_SUCCESS:
        raise DeviceError(f"{action} failed: {_words(api, answer[0])}", code=int(answer[0]))
    return answer[1] if len(answer) > 1 else None


def device_count(api: Any) -> int:
    """How many devices a driver has.

    Raises:
        DeviceError: there is no driver, or no device that it can use.
    """
    try:
        answer = api.cuInit(0)
    except (RuntimeError, ImportError, OSError) as error:  # the package looks for the driver's library now
        raise DeviceError(
            "there is no device cuda(0); this machine has no NVIDIA driver (libcuda): install one, or choose another device",
            device="cuda(0)",
            available=(),
        ) from error
    if answer[0] == api.CUresult.CUDA_ERROR_NO_DEVICE:
        return 0
    _ask(api, "starting the NVIDIA driver", answer)
    return int(_ask(api, "counting devices", api.cuDeviceGetCount()))


class _Gpu:
    """A device with its primary context."""

    def __init__(self, api: Any, index: int) -> None:
        self.api = api  # kept: whoever closes late, while Python shuts down, needs it still
        count = device_count(api)
        names = ", ".join(f"cuda({at}) {_device_name(api, at)}" for at in range(count))
        if not 0 <= index < count:
            raise DeviceError(
                f"there is no device cuda({index}); "
                + (f"there are {names}" if count else "the NVIDIA driver has found no GPU"),
                device=f"cuda({index})",
                available=tuple(f"cuda({at})" for at in range(count)),
            )
        self.index = index
        self.name = f"cuda({index}) {_device_name(api, index)}"
        self._handle = _ask(api, f"finding {self.name}", api.cuDeviceGet(index))
        kinds = api.CUdevice_attribute
        major, minor = (
            int(_ask(api, f"asking {self.name}", api.cuDeviceGetAttribute(kind, self._handle)))
            for kind in (
                kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
            )
        )
        self.capability = (major, minor)
        self._context: Any = self.ask("opening", api.cuDevicePrimaryCtxRetain(self._handle))
        self._users, self._lock = 1, threading.Lock()

    def ask(self, action: str, answer: tuple[Any, ...]) -> Any:
        """The value of an answer; an error says what was tried on this device."""
        return _ask(self.api, f"{action} on {self.name}", answer)

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """Within it this thread's calls of the driver are for this device; afterwards for the one they were for before."""
        self.ask("entering the context", self.api.cuCtxPushCurrent(self._context))
        try:
            yield
        finally:
            self.api.cuCtxPopCurrent()

    def allocate(self, size_bytes: int, purpose: str) -> int:
        """The address of memory of the device. The context must be current."""
        return int(
            self.ask(f"allocating {size_bytes} bytes for {purpose}", self.api.cuMemAlloc(max(size_bytes, 1)))
        )

    def keep(self) -> None:
        """One more needs the context: whoever calls this lets go later, once."""
        with self._lock:
            self._users += 1

    def let_go(self, free: Callable[[], None] | None = None) -> None:
        """One fewer needs the context, after it has freed what it has there. The last one gives the context back. A device that
        has failed keeps nobody from letting go of it.
        """
        if free is not None:
            with contextlib.suppress(DeviceError), self.current():
                free()
        with self._lock:
            self._users -= 1
            if not self._users:
                self.api.cuDevicePrimaryCtxRelease(self._handle)


def _device_name(api: Any, index: int) -> str:
    handle = _ask(api, f"finding cuda({index})", api.cuDeviceGet(index))
    name: bytes = _ask(api, f"asking cuda({index})", api.cuDeviceGetName(256, handle))
    return name.split(b"\0")[0].decode(errors="replace").strip()


def _device_names() -> tuple[str, ...]:
    if driver is None:
        raise DeviceError(f"NVIDIA GPUs need the package cuda-bindings: {INSTALL}")
    return tuple(_device_name(driver, index) for index in range(device_count(driver)))


KIND = DeviceKind(ID, "NVIDIA GPUs, by cuda-bindings", _device_names)


# ─── code on a device ──────────────────────────────────────────────────────────────────────────────────────────────


class _Unit:
    """The calls of one model for one target key, on one device: compiled, and with its constants."""

    def __init__(self, gpu: _Gpu, ptx: bytes, launches: Launches, params: memoryview) -> None:
        self.gpu, self.launches = gpu, launches
        symbol = launches.symbol
        if gpu.capability < launches.capability:
            (major, minor), (has, tenths) = launches.capability, gpu.capability
            raise DeviceError(
                f"model part {symbol!r} needs compute capability {major}.{minor}, {gpu.name} has {has}.{tenths}; build it for"
                f" 'cuda -mcpu=sm_{has}{tenths}', or choose another device",
                needed=launches.capability,
                capability=gpu.capability,
            )
        if params.nbytes < launches.params_bytes:
            raise ArtifactError(
                f"the constants of {symbol!r} have {params.nbytes} bytes, expected {launches.params_bytes}"
            )
        self.params = 0
        with gpu.current():
            self._module: Any = self._compile(ptx)
            self._entries: dict[str, Any] = {}
            try:
                for name in sorted({launch.kernel for call in launches.calls for launch in call}):
                    answer = gpu.api.cuModuleGetFunction(self._module, name.encode())
                    self._entries[name] = gpu.ask(f"finding the kernel {name!r}", answer)
                if launches.params_bytes:
                    self.params = gpu.allocate(launches.params_bytes, f"constants of {symbol!r}")
                    content = _address_of(params)
                    answer = gpu.api.cuMemcpyHtoD(self.params, content, launches.params_bytes)
                    gpu.ask(f"copying constants of {symbol!r}", answer)
            except DeviceError:
                self._free()
                raise
        gpu.keep()

    def _compile(self, ptx: bytes) -> Any:
        api = self.gpu.api
        log, option = bytearray(_LOG_BYTES), api.CUjit_option
        options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        answer = api.cuModuleLoadDataEx(ptx + b"\0", len(options), options, [log, len(log)])
        if answer[0] == api.CUresult.CUDA_SUCCESS:
            return answer[1]
        said = " ".join(bytes(log).split(b"\0")[0].decode(errors="replace").split())
        launches = self.launches
        hint = ""
        if answer[0] == api.CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
            hint = f"; PTX {launches.ptx[0]}.{launches.ptx[1]} needs driver {launches.driver} or later"
        raise DeviceError(
            f"compiling {launches.symbol!r} on {self.gpu.name} failed: {_words(api, answer[0])}{hint}"
            + (f": {said[:_LOG_MAX]}{'…' if len(said) > _LOG_MAX else ''}" if said else ""),
            code=int(answer[0]),
        )

    def entry(self, name: str) -> Any:
        """The function of the driver for an entry of the PTX."""
        return self._entries[name]

    def close(self) -> None:
        """Frees code and constants."""
        if self._module is not None:
            self.gpu.let_go(self._free)

    def _free(self) -> None:
        if self.params:
            self.gpu.api.cuMemFree(self.params)
        self.gpu.api.cuModuleUnload(self._module)
        self._module, self.params = None, 0


def _address_of(memory: memoryview) -> int:
    """Where the bytes of a memoryview are, also of one that may not be written."""
    return int(np.frombuffer(memory, np.uint8).ctypes.data)


class _Ready:
    """A launch with its arguments in memory, as the driver wants them: an array of pointers to values."""

    def __init__(self, unit: _Unit, launch: Launch, bases: dict[str, int]) -> None:
        count = len(launch.args)
        self._values = (ctypes.c_uint64 * count)(
            *(bases[arg.region] + arg.offset * arg.element_bytes for arg in launch.args)
        )
        first = ctypes.addressof(self._values)
        self._pointers = (ctypes.c_void_p * count)(*(first + 8 * position for position in range(count)))
        self.given = (unit.entry(launch.kernel), *launch.grid, *launch.block, 0)
        self.pointers = ctypes.addressof(self._pointers)


class CudaMemory:
    """A `DeviceMemory`: memory that is no arena. With an `owner` it is somebody else's; without one it is freed at the end."""

    def __init__(self, gpu: _Gpu, handle: int, owner: object = None) -> None:
        self._gpu, self.handle, self._owner = gpu, handle, owner
        gpu.keep()  # it may outlive whoever made it

    def write(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies host memory to it; the host memory may be changed after the return."""
        if size_bytes:
            action, api = f"copying {size_bytes} bytes to a tensor", self._gpu.api
            with self._gpu.current():
                self._gpu.ask(action, api.cuMemcpyHtoD(self.handle + offset_bytes, address, size_bytes))
                self._gpu.ask(action, api.cuStreamSynchronize(_default_stream(api)))

    def read(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies from it to host memory."""
        if size_bytes:
            action = f"copying {size_bytes} bytes from a tensor"
            with self._gpu.current():
                self._gpu.ask(
                    action, self._gpu.api.cuMemcpyDtoH(address, self.handle + offset_bytes, size_bytes)
                )

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if not is_ending():  # this module may have no `sys` any more then
            own = self._owner is None
            self._gpu.let_go((lambda: self._gpu.api.cuMemFree(self.handle)) if own else None)


def _default_stream(api: Any) -> Any:
    """The legacy default stream: by DLPack's rules a tensor that is handed over is ready for work on it."""
    return api.CUstream(api.CU_STREAM_LEGACY)


class CudaSession:
    """A `DirectSession`: an arena, and a stream in which calls and copies keep their order."""

    def __init__(self, unit: _Unit, arena_bytes: int) -> None:
        self.dlpack_device = (_DLPACK_KIND, unit.gpu.index)
        self._unit, self._gpu = unit, unit.gpu
        self._symbol = unit.launches.symbol
        self._arena = 0
        self._stream: Any = None
        with self._gpu.current():
            # A stream that does not wait for what others in this process do on the default one.
            flags = int(self._gpu.api.CUstream_flags.CU_STREAM_NON_BLOCKING)
            self._stream = self._gpu.ask("making a stream", self._gpu.api.cuStreamCreate(flags))
            try:
                size = max(arena_bytes, unit.launches.arena_bytes)
                self._arena = self._gpu.allocate(size, f"arena of {self._symbol!r}")
            except DeviceError:
                self._gpu.api.cuStreamDestroy(self._stream)
                self._stream = None
                raise
        self._gpu.keep()  # a session may be closed after the module that opened it
        bases = {"params": unit.params, "arena": self._arena}
        self._calls = [[_Ready(unit, launch, bases) for launch in call] for call in unit.launches.calls]

    def write(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies host memory to the arena; the memory may be changed after the return."""
        if size_bytes:
            action = f"copying {size_bytes} bytes to the arena of {self._symbol!r}"
            with self._gpu.current():
                answer = self._gpu.api.cuMemcpyHtoDAsync(
                    self._arena + offset_bytes, address, size_bytes, self._stream
                )
                self._gpu.ask(action, answer)
                self._gpu.ask(action, self._gpu.api.cuStreamSynchronize(self._stream))

    def read(self, offset_bytes: int, address: int, size_bytes: int) -> None:
        """Copies from the arena to host memory, after all calls made before."""
        if size_bytes:
            action = f"copying {size_bytes} bytes from the arena of {self._symbol!r}"
            with self._gpu.current():
                answer = self._gpu.api.cuMemcpyDtoHAsync(
                    address, self._arena + offset_bytes, size_bytes, self._stream
                )
                self._gpu.ask(action, answer)
                self._gpu.ask(action, self._gpu.api.cuStreamSynchronize(self._stream))

    def allocate(self, size_bytes: int) -> CudaMemory:
        """New memory of the device, which outlives the session."""
        with self._gpu.current():
            return CudaMemory(self._gpu, self._gpu.allocate(size_bytes, "a tensor"))

    def adopt(self, handle: int, size_bytes: int, owner: object) -> CudaMemory:
        """Memory that somebody else made on this device. Waits until it is written.

        Raises:
            DeviceError: it is no memory of the device, or smaller.
        """
        api = self._gpu.api
        with self._gpu.current():
            answer = api.cuMemGetAddressRange(handle)
            self._gpu.ask("looking at a tensor", answer)
            end = int(answer[1]) + int(answer[2])
            if handle + size_bytes > end:
                raise DeviceError(f"its memory has {end - handle} bytes, expected at least {size_bytes}")
            self._gpu.ask("waiting for a tensor", api.cuStreamSynchronize(_default_stream(api)))
        return CudaMemory(self._gpu, handle, owner)

    def take(self, offset_bytes: int, memory: DeviceMemory, start_bytes: int, size_bytes: int) -> None:
        """Queues a copy from memory of the device to the arena."""
        self._copy(self._arena + offset_bytes, memory.handle + start_bytes, size_bytes)

    def give(self, offset_bytes: int, memory: DeviceMemory, start_bytes: int, size_bytes: int) -> None:
        """Queues a copy from the arena to memory of the device, after all calls made before."""
        self._copy(memory.handle + start_bytes, self._arena + offset_bytes, size_bytes)

    def _copy(self, to: int, source: int, size_bytes: int) -> None:
        if size_bytes:
            with self._gpu.current():
                answer = self._gpu.api.cuMemcpyDtoDAsync(to, source, size_bytes, self._stream)
                self._gpu.ask(f"copying {size_bytes} bytes on the device for {self._symbol!r}", answer)

    def call(self, number: int) -> int:
        """Queues the call of that number; 0 is good, negative says that there is no such call."""
        if not 0 <= number < len(self._calls):
            return BAD_CALL
        with self._gpu.current():
            for ready in self._calls[number]:
                answer = self._gpu.api.cuLaunchKernel(*ready.given, self._stream, ready.pointers, 0)
                if answer[0] != self._gpu.api.CUresult.CUDA_SUCCESS:
                    self._gpu.ask(f"call {number} of {self._symbol!r}", answer)
        return 0

    def finish(self) -> None:
        """Waits until all calls are done."""
        with self._gpu.current():
            self._gpu.ask(f"running {self._symbol!r}", self._gpu.api.cuStreamSynchronize(self._stream))

    def close(self) -> None:
        """Frees the arena. Twice is once."""
        if self._stream is not None:
            stream, self._stream = self._stream, None
            self._calls.clear()

            def free() -> None:
                # An error of calls that nobody waited for has nobody left to tell.
                self._gpu.api.cuStreamSynchronize(stream)
                self._gpu.api.cuMemFree(self._arena)
                self._gpu.api.cuStreamDestroy(stream)

            self._gpu.let_go(free)


class CudaModule(DeviceModule):
    """The parts of models that run on NVIDIA GPUs."""

    type_key = ID

    def __init__(self, parts: Sequence[tuple[Launches, bytes]]) -> None:
        super().__init__(parts)
        self._gpus: dict[int, _Gpu] = {}

    def _open_unit(self, index: int, launches: Launches, code: bytes, params: memoryview) -> _Unit:
        gpu = self._gpus.get(index)
        if gpu is None:
            gpu = self._gpus[index] = _Gpu(driver, index)
        return _Unit(gpu, code, launches, params)

    def _open_session(self, unit: _Unit, arena_bytes: int) -> CudaSession:
        return CudaSession(unit, arena_bytes)

    def close(self) -> None:
        for unit in self._units.values():
            unit.close()
        for gpu in self._gpus.values():
            gpu.let_go()
        self._gpus.clear()
        super().close()


# ─── loading ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _load(artifacts: tuple[Artifact, ...], _context: LoadContext) -> CudaModule:
    parts = []
    for listed, code in paired(artifacts, ID, "ptx"):
        text = bytes(code.content)
        if not text.isascii() or b"\0" in text:
            raise ArtifactError(f"artifact {code.file_name!r} is no PTX text", file=code.file_name)
        parts.append((read_launches(listed), text))
    if driver is None:
        needed = "cuda-bindings"
        raise LoadError(
            f"this library has a part for CUDA, which needs the package {needed}: {INSTALL}", package=needed
        )
    return CudaModule(parts)


LOADER = Loader(ID, "cuda", _load)
