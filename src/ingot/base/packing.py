"""Elements of less than 8 bits in NumPy: one to a byte where people see them, packed where a model takes and gives them.

Packed, a tensor is one run of bits in row-major order: the first element is in the lowest bits of the first byte, as in ONNX's
`raw_data` and in DLPack. The last byte is filled up with zeros.
"""

from typing import Any

import numpy as np

from ingot.base.tensor import DType, tensor_bytes

Array = np.ndarray[Any, Any]


def carriers_of(array: Array, dtype: DType) -> Array:
    """An array of a type of the package ml_dtypes as one of `dtype.numpy`: integers by value, floats by their bits.

    It must be of that element type. ml_dtypes leaves the upper bits of short integers as they come, so that a view would not do.
    """
    values: Array = array.astype(dtype.numpy) if dtype.is_integer else array.view(dtype.numpy)
    return values


def limits(dtype: DType) -> tuple[int, int]:
    """The least and the largest number that an element of an array of `dtype.numpy` may be, for a packed type."""
    minimum = -(1 << dtype.bits - 1) if dtype.is_signed else 0
    return minimum, minimum + (1 << dtype.bits) - 1


def pack(array: Array, dtype: DType) -> Array:
    """The bytes of a dense tensor, from an array of `dtype.numpy` of any shape, whose elements are within `limits`."""
    bits = dtype.bits
    values = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    together, size = (4, 3) if bits == 6 else (8 // bits, 1)  # elements that fill whole bytes
    rows = np.zeros((-(-values.size // together), together), np.uint32)
    rows.reshape(-1)[: values.size] = values & (1 << bits) - 1
    words = np.bitwise_or.reduce(rows << np.arange(together, dtype=np.uint32) * np.uint32(bits), axis=1)
    packed = words.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :size]
    return np.ascontiguousarray(packed).reshape(-1)[: tensor_bytes(dtype, (values.size,))]


def unpack(packed: Array, dtype: DType, shape: tuple[int, ...]) -> Array:
    """The array of `dtype.numpy` of the bytes that `pack` gives."""
    bits, count = dtype.bits, int(np.prod(shape, dtype=np.int64))
    place = np.arange(count, dtype=np.int64) * bits
    padded = np.append(packed.reshape(-1).view(np.uint8), np.uint8(0)).astype(np.uint16)
    words = padded[place >> 3]
    if bits == 6:  # the only one that crosses from a byte into the next
        words = words | padded[(place >> 3) + 1] << 8
    values = (words >> (place & 7).astype(np.uint16) & (1 << bits) - 1).astype(np.uint8)
    if dtype.is_signed:
        half = np.uint8(1 << bits - 1)
        values = (values ^ half) - half
    unpacked: Array = values.view(dtype.numpy).reshape(shape)
    return unpacked
