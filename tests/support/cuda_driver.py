"""A double of NVIDIA's driver, as the package cuda-bindings shows it: devices without a GPU, on which PTX runs in `ptx_machine`.

Faithful where a loader can go wrong: nothing works without a current context; a stream does its work as late as it may, so that
memory changed too early, or read too early, is wrong; arguments of a launch are read when it is made; addresses outside of what
was allocated, and launches that an entry was not compiled for, are errors; an error of queued work is told by the next call that
waits, and the context stays broken after it.
"""

from __future__ import annotations

import ctypes
import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.support import ptx_machine
from tests.support.ptx_machine import BadAddressError, Memory, Module, PtxError


class CUresult(enum.IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_NOT_INITIALIZED = 3
    CUDA_ERROR_NO_DEVICE = 100
    CUDA_ERROR_INVALID_DEVICE = 101
    CUDA_ERROR_INVALID_CONTEXT = 201
    CUDA_ERROR_INVALID_PTX = 218
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222
    CUDA_ERROR_NOT_FOUND = 500
    CUDA_ERROR_ILLEGAL_ADDRESS = 700
    CUDA_ERROR_LAUNCH_FAILED = 719


class CUdevice_attribute(enum.IntEnum):  # noqa: N801
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76


class CUjit_option(enum.IntEnum):  # noqa: N801
    CU_JIT_ERROR_LOG_BUFFER = 5
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6


class CUstream_flags(enum.IntEnum):  # noqa: N801
    CU_STREAM_DEFAULT = 0
    CU_STREAM_NON_BLOCKING = 1


class Handle:
    """Something of the driver's, to be given back to it and nothing else."""


class Pointer(Handle):
    def __init__(self, address: int) -> None:
        self._address = address

    def __int__(self) -> int:
        return self._address


@dataclass(eq=False)
class Gpu(Handle):
    name: str = "Paper GPU"
    capability: tuple[int, int] = (7, 5)
    memory: Memory = field(default_factory=Memory)
    total_bytes: int = 1 << 28
    retained: int = 0
    broken: CUresult = CUresult.CUDA_SUCCESS


@dataclass(eq=False)
class Context(Handle):
    gpu: Gpu


@dataclass(eq=False)
class Stream(Handle):
    gpu: Gpu
    queue: list[Callable[[], None]] = field(default_factory=list)


@dataclass(eq=False)
class Loaded(Handle):
    module: Module


@dataclass(eq=False)
class Entry(Handle):
    module: Module
    name: str


class Driver:
    """The functions of `cuda.bindings.driver` that the loader calls."""

    CUresult, CUdevice_attribute = CUresult, CUdevice_attribute
    CUjit_option, CUstream_flags = CUjit_option, CUstream_flags
    CU_STREAM_LEGACY = 1

    def __init__(self, *gpus: Gpu, ptx: tuple[int, int] = (9, 9)) -> None:
        self.gpus = gpus
        self.ptx = ptx  # the latest version that it reads
        self.started = False
        self.stack: list[Context] = []
        self.streams: list[Stream] = []
        self.default = Stream(gpus[0] if gpus else Gpu())
        self.modules: list[Loaded] = []
        self.launched: list[str] = []
        self.fails: dict[str, CUresult] = {}  # what a function answers instead of doing anything

    # ─── as the package has them ──────────────────────────────────────────────────────────────────────────────────

    def cuInit(self, flags: int) -> tuple[Any, ...]:  # noqa: N802
        assert flags == 0
        if not self.gpus:
            return (CUresult.CUDA_ERROR_NO_DEVICE,)
        self.started = True
        return (CUresult.CUDA_SUCCESS,)

    def cuGetErrorName(self, error: CUresult) -> tuple[Any, ...]:  # noqa: N802
        return CUresult.CUDA_SUCCESS, error.name.encode()

    def cuGetErrorString(self, error: CUresult) -> tuple[Any, ...]:  # noqa: N802
        return CUresult.CUDA_SUCCESS, error.name.removeprefix("CUDA_ERROR_").lower().replace(
            "_", " "
        ).encode()

    def cuDeviceGetCount(self) -> tuple[Any, ...]:  # noqa: N802
        return self._first("cuDeviceGetCount", lambda: len(self.gpus), context=False)

    def cuDeviceGet(self, ordinal: int) -> tuple[Any, ...]:  # noqa: N802
        if not 0 <= ordinal < len(self.gpus):
            return CUresult.CUDA_ERROR_INVALID_DEVICE, None
        return self._first("cuDeviceGet", lambda: self.gpus[ordinal], context=False)

    def cuDeviceGetName(self, length: int, dev: Gpu) -> tuple[Any, ...]:  # noqa: N802
        return self._first("cuDeviceGetName", lambda: dev.name.encode().ljust(length, b"\0"), context=False)

    def cuDeviceGetAttribute(self, attrib: CUdevice_attribute, dev: Gpu) -> tuple[Any, ...]:  # noqa: N802
        return self._first("cuDeviceGetAttribute", lambda: dev.capability[int(attrib) - 75], context=False)

    def cuDevicePrimaryCtxRetain(self, dev: Gpu) -> tuple[Any, ...]:  # noqa: N802
        def retain() -> Context:
            dev.retained += 1
            return Context(dev)

        return self._first("cuDevicePrimaryCtxRetain", retain, context=False)

    def cuDevicePrimaryCtxRelease(self, dev: Gpu) -> tuple[Any, ...]:  # noqa: N802
        dev.retained -= 1
        assert dev.retained >= 0
        return (CUresult.CUDA_SUCCESS,)

    def cuCtxPushCurrent(self, ctx: Context) -> tuple[Any, ...]:  # noqa: N802
        return self._first("cuCtxPushCurrent", lambda: self.stack.append(ctx), context=False)[:1]

    def cuCtxPopCurrent(self) -> tuple[Any, ...]:  # noqa: N802
        return self._first("cuCtxPopCurrent", self.stack.pop)

    def cuModuleLoadDataEx(  # noqa: N802
        self, image: bytes, num_options: int, options: list[Any], values: list[Any]
    ) -> tuple[Any, ...]:
        assert image.endswith(b"\0") and num_options == len(options) == len(values) == 2
        assert options == [
            CUjit_option.CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ]
        if "cuModuleLoadDataEx" in self.fails:
            return self.fails["cuModuleLoadDataEx"], None
        try:
            module = Module(image[:-1].decode("ascii"))
        except PtxError as error:
            said = f"ptxas fatal: {error}".encode()[: values[1] - 1]
            values[0][: len(said)] = said
            return CUresult.CUDA_ERROR_INVALID_PTX, None
        if module.version > self.ptx:
            return CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION, None

        def keep() -> Loaded:
            self.modules.append(Loaded(module))
            return self.modules[-1]

        return self._first("cuModuleLoadDataEx", keep)

    def cuModuleUnload(self, hmod: Loaded) -> tuple[Any, ...]:  # noqa: N802
        self.modules.remove(hmod)
        return (CUresult.CUDA_SUCCESS,)

    def cuModuleGetFunction(self, hmod: Loaded, name: bytes) -> tuple[Any, ...]:  # noqa: N802
        if name.decode() not in hmod.module.entries:
            return CUresult.CUDA_ERROR_NOT_FOUND, None
        return self._first("cuModuleGetFunction", lambda: Entry(hmod.module, name.decode()))

    def cuMemAlloc(self, bytesize: int) -> tuple[Any, ...]:  # noqa: N802
        gpu = self.stack[-1].gpu if self.stack else None
        if gpu is not None and gpu.memory.in_use + bytesize > gpu.total_bytes:
            return CUresult.CUDA_ERROR_OUT_OF_MEMORY, None
        if bytesize <= 0:
            return CUresult.CUDA_ERROR_INVALID_VALUE, None
        return self._first("cuMemAlloc", lambda: Pointer(self.stack[-1].gpu.memory.allocate(bytesize)))

    def cuMemFree(self, dptr: int) -> tuple[Any, ...]:  # noqa: N802
        return self._first("cuMemFree", lambda: self.stack[-1].gpu.memory.free(int(dptr)))[:1]

    def cuMemcpyHtoD(self, dst: int, src: int, count: int) -> tuple[Any, ...]:  # noqa: N802
        return self._first("cuMemcpyHtoD", lambda: _copy_to(self.stack[-1].gpu, dst, src, count))[:1]

    def cuMemcpyHtoDAsync(self, dst: int, src: int, count: int, stream: Stream) -> tuple[Any, ...]:  # noqa: N802
        return self._queue("cuMemcpyHtoDAsync", stream, lambda: _copy_to(stream.gpu, dst, src, count))

    def cuMemcpyDtoHAsync(self, dst: int, src: int, count: int, stream: Stream) -> tuple[Any, ...]:  # noqa: N802
        def copy() -> None:
            ctypes.memmove(dst, stream.gpu.memory.view(src, count).ctypes.data, count)

        return self._queue("cuMemcpyDtoHAsync", stream, copy)

    def cuMemcpyDtoH(self, dst: int, src: int, count: int) -> tuple[Any, ...]:  # noqa: N802
        def copy() -> None:
            ctypes.memmove(dst, self.stack[-1].gpu.memory.view(src, count).ctypes.data, count)

        return self._first("cuMemcpyDtoH", copy)[:1]

    def cuMemcpyDtoDAsync(self, dst: int, src: int, count: int, stream: Stream) -> tuple[Any, ...]:  # noqa: N802
        def copy() -> None:
            stream.gpu.memory.view(dst, count)[:] = stream.gpu.memory.view(src, count).copy()

        return self._queue("cuMemcpyDtoDAsync", stream, copy)

    def cuMemGetAddressRange(self, dptr: int) -> tuple[Any, ...]:  # noqa: N802
        for begin, size in self.stack[-1].gpu.memory.ranges():
            if begin <= dptr < begin + size:
                return CUresult.CUDA_SUCCESS, Pointer(begin), size
        return CUresult.CUDA_ERROR_NOT_FOUND, None, None

    def CUstream(self, value: int) -> Stream:  # noqa: N802
        """The stream of that number; only the default one has one."""
        assert value == self.CU_STREAM_LEGACY
        return self.default

    def cuStreamCreate(self, flags: int) -> tuple[Any, ...]:  # noqa: N802
        def make() -> Stream:
            assert flags == CUstream_flags.CU_STREAM_NON_BLOCKING
            self.streams.append(Stream(self.stack[-1].gpu))
            return self.streams[-1]

        return self._first("cuStreamCreate", make)

    def cuStreamDestroy(self, stream: Stream) -> tuple[Any, ...]:  # noqa: N802
        self.streams.remove(stream)
        return (CUresult.CUDA_SUCCESS,)

    def cuStreamSynchronize(self, stream: Stream) -> tuple[Any, ...]:  # noqa: N802
        queue, stream.queue = stream.queue, []
        for work in queue:
            if stream.gpu.broken:
                break
            try:
                work()
            except BadAddressError:
                stream.gpu.broken = CUresult.CUDA_ERROR_ILLEGAL_ADDRESS
            except PtxError:
                stream.gpu.broken = CUresult.CUDA_ERROR_LAUNCH_FAILED
                raise  # a test wants to know
        return self._first("cuStreamSynchronize", lambda: None)[:1]

    def cuLaunchKernel(  # noqa: N802
        self,
        f: Entry,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        block_x: int,
        block_y: int,
        block_z: int,
        shared_bytes: int,
        stream: Stream,
        params: int,
        extra: int,
    ) -> tuple[Any, ...]:
        assert shared_bytes == 0 and extra == 0
        count = len(f.module.functions[f.name].params)
        pointers = (ctypes.c_void_p * count).from_address(params) if count else ()
        values = [ctypes.c_uint64.from_address(pointer).value for pointer in pointers]
        grid, block = (grid_x, grid_y, grid_z), (block_x, block_y, block_z)
        if int(np.prod(block)) > 1024 or f.module.functions[f.name].threads not in (None, block):
            return (CUresult.CUDA_ERROR_INVALID_VALUE,)

        def run() -> None:
            self.launched.append(f.name)
            ptx_machine.launch(f.module, f.name, grid, block, values, stream.gpu.memory)

        return self._queue("cuLaunchKernel", stream, run)

    # ─── inside ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _first(self, name: str, do: Callable[[], Any], context: bool = True) -> tuple[Any, ...]:
        if name in self.fails:
            return self.fails[name], None
        if not self.started:
            return CUresult.CUDA_ERROR_NOT_INITIALIZED, None
        if context and not self.stack:
            return CUresult.CUDA_ERROR_INVALID_CONTEXT, None
        if context and self.stack[-1].gpu.broken and name != "cuCtxPopCurrent":
            return self.stack[-1].gpu.broken, None
        return CUresult.CUDA_SUCCESS, do()

    def _queue(self, name: str, stream: Stream, work: Callable[[], None]) -> tuple[Any, ...]:
        if self.stack and stream.gpu is not self.stack[-1].gpu:
            return (CUresult.CUDA_ERROR_INVALID_CONTEXT,)
        return self._first(name, lambda: stream.queue.append(work))[:1]


def _copy_to(gpu: Gpu, dst: int, src: int, count: int) -> None:
    gpu.memory.view(dst, count)[:] = np.frombuffer((ctypes.c_uint8 * count).from_address(src), np.uint8)
