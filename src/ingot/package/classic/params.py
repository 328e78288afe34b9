"""`.params`: named tensors in the byte layout of TVM's `save_param_dict`, in both directions.

A tensor is a record that other files of TVM have, too: `tensor_to_bytes`, `read_tensor`. Everything is little-endian and packed.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ingot.artifact.artifact import Content
from ingot.base.errors import ArtifactError
from ingot.base.packing import pack, unpack
from ingot.base.tensor import DType
from ingot.package.byte_reader import ByteReader

MAGIC = 0xF7E58D4F05049CB7
TENSOR_MAGIC = 0xDD5E40F096B4A13F
MAX_RANK = 32
MAX_BYTES = 1 << 48  # of a tensor with extents of 1 for those of 0: what NumPy can hold as a shape
MIN_TENSOR_BYTES = 40  # of a record: two numbers of 8 bytes, four of 4, the size; a scalar has no shape, and may have no byte
CPU = 1  # the device type of every tensor that is stored

# DLPack's type code and bits of each element type.
DLPACK_TYPES: dict[DType, tuple[int, int]] = {
    DType.BOOL: (6, 8),
    DType.INT8: (0, 8),
    DType.INT16: (0, 16),
    DType.INT32: (0, 32),
    DType.INT64: (0, 64),
    DType.UINT8: (1, 8),
    DType.UINT16: (1, 16),
    DType.UINT32: (1, 32),
    DType.UINT64: (1, 64),
    DType.FLOAT16: (2, 16),
    DType.BFLOAT16: (4, 16),
    DType.FLOAT32: (2, 32),
    DType.FLOAT64: (2, 64),
    DType.COMPLEX64: (5, 64),
    DType.COMPLEX128: (5, 128),
    DType.FLOAT8E4M3FN: (10, 8),
    DType.FLOAT8E4M3FNUZ: (11, 8),
    DType.FLOAT8E5M2: (12, 8),
    DType.FLOAT8E5M2FNUZ: (13, 8),
    DType.FLOAT8E8M0: (14, 8),
    DType.FLOAT6E2M3: (15, 6),
    DType.FLOAT6E3M2: (16, 6),
    DType.FLOAT4E2M1: (17, 4),
    DType.INT4: (0, 4),
    DType.UINT4: (1, 4),
    DType.INT2: (0, 2),
    DType.UINT2: (1, 2),
}
# A bool had one bit, stored in a byte, until code 6 became bool; before that, code 6 was a float of 8 bits that ingot lacks.
# Carried types are stored in another (`TensorType.stored`).
_DTYPES = {code: dtype for dtype, code in DLPACK_TYPES.items() if not dtype.is_carried} | {(1, 1): DType.BOOL}


def params_to_bytes(arrays: Mapping[str, tuple[DType, npt.NDArray[np.generic]]]) -> bytes:
    """The file of named tensors, in the order of the mapping. bfloat16 is given as uint16, as everywhere.

    Raises:
        ArtifactError: an array that is not of its element type.
    """
    names = [name.encode("utf-8") for name in arrays]
    head = struct.pack("<QQQ", MAGIC, 0, len(names)) + b"".join(
        struct.pack("<Q", len(name)) + name for name in names
    )
    tensors = [tensor_to_bytes(dtype, array) for dtype, array in arrays.values()]
    return b"".join([head, struct.pack("<Q", len(tensors)), *tensors])


def tensor_to_bytes(dtype: DType, array: npt.NDArray[np.generic]) -> bytes:
    """One tensor as a record."""
    if array.dtype != dtype.numpy or dtype.is_carried:
        raise ArtifactError(f"params: an array of {array.dtype} cannot be stored as {dtype.value}")
    code, bits = DLPACK_TYPES[dtype]
    head = struct.pack("<QQiii", TENSOR_MAGIC, 0, CPU, 0, array.ndim) + struct.pack("<BBH", code, bits, 1)
    shape = struct.pack(f"<{array.ndim}q", *array.shape)
    content = content_of(dtype, array)
    return head + shape + struct.pack("<q", len(content)) + content


def content_of(dtype: DType, array: npt.NDArray[np.generic]) -> bytes:
    """The bytes of a dense tensor, from an array of `dtype.numpy`."""
    if dtype.is_packed:
        return pack(array, dtype).tobytes()
    return np.asarray(array, dtype.numpy.newbyteorder("<"), order="C").tobytes()


def array_of(dtype: DType, shape: tuple[int, ...], content: Content) -> npt.NDArray[np.generic]:
    """The array of `dtype.numpy` of the bytes of a dense tensor."""
    if dtype.is_packed:
        return unpack(np.frombuffer(content, np.uint8), dtype, shape)
    return (
        np.frombuffer(content, dtype.numpy.newbyteorder("<")).astype(dtype.numpy, copy=False).reshape(shape)
    )


def params_from_bytes(
    content: Content, name: str = "params"
) -> dict[str, tuple[DType, npt.NDArray[np.generic]]]:
    """Reads untrusted bytes: every tensor with its element type, in the order of the file, as a copy.

    Raises:
        ArtifactError: not such a file; cut short or with bytes left over; a name twice; an element type that ingot lacks.
    """
    reader = ByteReader(content, name)
    if reader.u64("the magic number") != MAGIC:
        reader.wrong("does not begin as a file of parameters does")
    reader.u64("the reserved field")
    names = reader.texts("parameter names")
    seen: set[str] = set()
    for parameter in names:
        if parameter in seen:
            reader.wrong(f"parameter {parameter[:80]!r} is there twice")
        seen.add(parameter)
    count = reader.count("tensors", MIN_TENSOR_BYTES)
    if count != len(names):
        reader.wrong(f"there are {len(names)} names for {count} tensors")
    tensors = {parameter: read_tensor(reader, f"parameter {parameter[:80]!r}") for parameter in names}
    if reader.left:
        reader.wrong(f"{reader.left} bytes are left over")
    return tensors


def read_tensor(reader: ByteReader, field: str) -> tuple[DType, npt.NDArray[np.generic]]:
    """One tensor record."""
    if reader.u64(f"the magic number of {field}") != TENSOR_MAGIC:
        reader.wrong(f"{field} does not begin as a tensor does")
    reader.u64("the reserved field")
    device_type, _, rank = struct.unpack("<iii", reader.raw(12, f"device and rank of {field}"))
    if device_type != CPU:
        reader.wrong(f"{field} is on device type {device_type}, expected {CPU}")
    if not 0 <= rank <= MAX_RANK:
        reader.wrong(f"{field} has the rank {rank}")
    code, bits, lanes = struct.unpack("<BBH", reader.raw(4, f"element type of {field}"))
    dtype = _DTYPES.get((code, bits))
    if dtype is None or lanes != 1:
        reader.wrong(
            f"{field} has the element type code {code}, {bits} bits, {lanes} lanes, which ingot does not have"
        )
    shape = struct.unpack(f"<{rank}q", reader.raw(8 * rank, f"shape of {field}"))
    if (
        any(extent < 0 for extent in shape)
        or math.prod(max(1, extent) for extent in shape) * dtype.size_bytes > MAX_BYTES
    ):
        reader.wrong(f"{field} has the shape {list(shape)}, which no array can have")
    size = reader.u64(f"size of {field}")
    expected = math.prod(shape) * dtype.size_bytes
    if size != expected:
        reader.wrong(
            f"{field} has {size} bytes, its shape {list(shape)} and type {dtype.value} make {expected}"
        )
    raw = reader.raw(size, field)
    return dtype, array_of(dtype, shape, raw)
