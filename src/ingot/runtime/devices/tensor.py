"""`DeviceTensor`: an input or output that stays on its device."""

from __future__ import annotations

from typing import Any

import numpy as np

from ingot.artifact.model_info import TensorInfo
from ingot.artifact.session import DeviceMemory
from ingot.base.tensor import DType
from ingot.package.classic.params import DLPACK_TYPES
from ingot.runtime.devices.dlpack import Outside, to_capsule
from ingot.runtime.memory import Array, address_of, stored_dtype
from ingot.runtime.packed import as_stored, seen

# DLPack's kind of devices on which a handle is a piece of memory; elsewhere it is an address, and two may have bytes in common.
_OPENCL = 4


def dlpack_dtype(dtype: DType) -> tuple[int, int]:
    """DLPack's code and bits of an element type."""
    return DLPACK_TYPES[dtype]


class DeviceTensor:
    """A dense, row-major tensor in the memory of a device.

    An executor makes it (`executor.device_tensor`); every executor of that device takes it, as an input or as `out`. Others take
    it through DLPack. It is freed when nobody uses it any more.
    """

    def __init__(
        self, info: TensorInfo, memory: DeviceMemory, device: tuple[int, int], start_bytes: int = 0
    ) -> None:
        self._info, self.memory, self._device, self.start_bytes = info, memory, device, start_bytes

    @property
    def dtype(self) -> DType:
        return self._info.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self._info.shape

    @property
    def size_bytes(self) -> int:
        return self._info.size_bytes

    def numpy(self) -> Array:
        """A copy in the memory of the host."""
        copy = np.empty(self._info.stored_shape, stored_dtype(self._info))
        self.memory.read(self.start_bytes, address_of(copy), copy.nbytes)
        return seen(copy, self._info)

    def copy_from(self, array: object) -> None:
        """Overwrites the tensor with an array of its type.

        Raises:
            InputError: another dtype or shape.
        """
        content = np.ascontiguousarray(as_stored(array, self._info, "tensor"))
        self.memory.write(self.start_bytes, address_of(content), content.nbytes)

    def overlaps(self, other: DeviceTensor) -> bool:
        """Whether both have a byte in common."""
        if self._device != other._device or not self.size_bytes or not other.size_bytes:
            return False
        begin, other_begin = self.start_bytes, other.start_bytes
        if self._device[0] != _OPENCL:
            begin, other_begin = begin + self.memory.handle, other_begin + other.memory.handle
        elif self.memory.handle != other.memory.handle:
            return False
        return begin < other_begin + other.size_bytes and other_begin < begin + self.size_bytes

    def outside(self) -> Outside:
        """The tensor as others see it through DLPack."""
        dtype = dlpack_dtype(self.dtype)
        return Outside(self.memory.handle, self._device, *dtype, 1, self.shape, None, self.start_bytes, self)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: object = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule for a consumer that works on the device. What ingot wrote is there: `stream` need not wait.

        Raises:
            BufferError: a copy, or another device, is asked for.
        """
        if copy or dl_device not in (None, self._device):
            raise BufferError(
                f"this tensor is on the DLPack device {self._device} and is not copied; numpy() gives a copy"
            )
        return to_capsule(self.outside())

    def __repr__(self) -> str:
        return f"<ingot.DeviceTensor {self._info.type} on the DLPack device {self._device}>"
