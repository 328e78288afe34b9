"""Between a model's tensors as they lie outside, packed or in pairs, and the values that kernels compute with.

Outside, a tensor of elements of less than 8 bits is bytes (`TensorType.stored`), and a complex one has both parts of a number
side by side. Inside, each element is in its carrier, and a complex value is two values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ingot.base.packing import pack
from ingot.base.tensor import DType, TensorType, row_major
from ingot.kernels.template import Pointwise, pointwise
from ingot.loops.nodes import Binary, Const, Expr, binary, cast, compare, minimum, select
from ingot.ops.integers.minifloat import from_bits, to_bits

_INT, _BYTE = DType.INT32, DType.UINT8
Read = Callable[..., Expr]


def unpacked(type_: TensorType) -> Pointwise:
    """The elements of a packed tensor, from its bytes."""
    bits, strides, last = type_.dtype.bits, row_major(type_.shape), type_.size_bytes - 1

    def at(where: tuple[Expr, ...], read: Read) -> Expr:
        place: Expr = Const(0, DType.INT64)
        for part, stride in zip(where, strides, strict=True):
            place = place + part * stride
        byte = (place * bits) // 8
        word = cast(read(byte), _INT)
        if 8 % bits:  # an element may cross from a byte into the next
            word = Binary(
                "or", word, Binary("shl", cast(read(minimum(byte + 1, last)), _INT), Const(8, _INT))
            )
        shift = cast((place * bits) % 8, _INT)
        return from_bits(cast(Binary("shr", word, shift), _BYTE), type_.dtype)

    return pointwise([type_.stored], type_.carried, at, "unpack")


def packed(type_: TensorType) -> Pointwise:
    """The bytes of a packed tensor, from its elements in row-major order, under the shape `[size]`."""
    bits, size = type_.dtype.bits, type_.size

    def element(place: Expr, read: Read) -> Expr:
        inside = to_bits(read(place), type_.dtype)
        return cast(select(compare("lt", place, size), inside, Const(0, _BYTE)), _INT)

    def at(where: tuple[Expr, ...], read: Read) -> Expr:
        if 8 % bits:  # two of 6 bits lie around each byte
            first = (where[0] * 8) // bits
            both = Binary(
                "or", element(first, read), Binary("shl", element(first + 1, read), Const(bits, _INT))
            )
            return cast(Binary("shr", both, cast((where[0] * 8) % bits, _INT)), _BYTE)
        count = 8 // bits
        word = element(where[0] * count, read)
        for number in range(1, count):
            shifted = Binary("shl", element(where[0] * count + number, read), Const(number * bits, _INT))
            word = Binary("or", word, shifted)
        return cast(word, _BYTE)

    return pointwise([TensorType(type_.dtype.carrier, (size,))], type_.stored, at, "pack")


def part(type_: TensorType, number: int) -> Pointwise:
    """The real parts (0) or the imaginary parts (1) of a complex tensor."""
    name = ("real", "imaginary")[number]
    return pointwise([type_.stored], type_.carried, lambda where, read: read(*where, number), name)


def pairs(type_: TensorType) -> Pointwise:
    """A complex tensor from its real and its imaginary parts."""

    def at(where: tuple[Expr, ...], real: Read, imaginary: Read) -> Expr:
        return select(binary("eq", where[-1], 0), real(*where[:-1]), imaginary(*where[:-1]))

    return pointwise([type_.carried, type_.carried], type_.stored, at, "complex")


def stored(array: np.ndarray, dtype: DType) -> np.ndarray:
    """A constant of `dtype.numpy` as the array of its `TensorType.stored`."""
    if dtype.is_packed:
        return pack(array, dtype)
    return np.stack([array.real, array.imag], axis=-1) if dtype.is_complex else array


def carried_constant(array: np.ndarray, dtype: DType, number: int = 0) -> np.ndarray:
    """A constant of `dtype.numpy` in the carrier: of a complex one the real parts, or with `number` 1 the imaginary ones."""
    if not dtype.is_complex:
        return array
    return np.ascontiguousarray(array.imag if number else array.real)
