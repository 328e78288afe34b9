"""DLPack's exchange of tensors that lie on a device: capsules out and in. NumPy does this for the memory of the CPU.

*Source:* `dlpack.h` of DLPack 1.1, and its Python specification. Capsules are of the plain kind (`dltensor`), which every
producer and consumer knows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from ingot.base.records import Frozen

_NAME, _USED = b"dltensor", b"used_dltensor"


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_index", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))


class Outside(metaclass=Frozen):
    """A tensor of somebody else. `data` is what its kind of device calls memory: an address, or a handle. It stays while `owner`
    does.
    """

    data: int
    device: tuple[int, int]
    code: int
    bits: int
    lanes: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    byte_offset: int
    owner: object


# ─── capsules ──────────────────────────────────────────────────────────────────────────────────────────────────────

_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_SetName", ctypes.pythonapi)
)


class _Unread:
    """Stands for memory that NumPy is told of and never reads."""

    def __init__(self, tensor: Outside) -> None:
        self._tensor = tensor  # and so its owner stays
        self.__array_interface__ = {
            "version": 3,
            "data": (tensor.data, False),
            "shape": tensor.shape,
            "typestr": "|u1",  # the capsule is told the type
        }


def to_capsule(tensor: Outside) -> object:
    """A capsule of a dense tensor. Its owner lives until the consumer lets go.

    NumPy makes the capsule, of an array at that address. Who lets go may be in the middle of an error, when no code in Python can
    run but NumPy's can. Then the capsule is told what the tensor really is.
    """
    capsule: object = np.asarray(_Unread(tensor)).__dlpack__()
    given = _Managed.from_address(_pointer_of(capsule, _NAME)).tensor
    given.data, given.byte_offset = tensor.data, tensor.byte_offset
    given.device_type, given.device_index = tensor.device
    given.code, given.bits, given.lanes = tensor.code, tensor.bits, tensor.lanes
    return capsule


class _Consumed:
    """A tensor whose producer is notified when it is not needed any more."""

    def __init__(self, managed: _Managed, address: int, producer: object) -> None:
        self._managed, self._address, self._producer = managed, address, producer

    def __del__(self) -> None:
        deleter: Callable[[int], None] | None = self._managed.deleter
        if deleter:
            deleter(self._address)


def from_producer(producer: Any, stream: int | None = None) -> Outside:
    """The tensor that an object with `__dlpack__` gives. It is ready for what is queued on the `stream`, by the number that the
    array API standard gives it: of CUDA, 1 is the legacy default stream. Without one, the producer waits for nothing.

    Raises:
        TypeError: what it gives is no capsule of the plain kind, or was used before.
    """
    capsule: object = producer.__dlpack__() if stream is None else producer.__dlpack__(stream=stream)
    if not _is_valid(capsule, _NAME):
        raise TypeError(f"{type(producer).__name__}.__dlpack__ gives no capsule 'dltensor'")
    address = _pointer_of(capsule, _NAME)
    managed = _Managed.from_address(address)
    _rename(capsule, _USED)
    tensor = managed.tensor
    return Outside(
        tensor.data or 0,
        (tensor.device_type, tensor.device_index),
        tensor.code,
        tensor.bits,
        tensor.lanes,
        tuple(tensor.shape[: tensor.rank]),
        tuple(tensor.strides[: tensor.rank]) if tensor.strides else None,
        tensor.byte_offset,
        _Consumed(managed, address, producer),
    )
