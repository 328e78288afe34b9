"""Element types and tensor types: the nouns that every room shares."""

import math
from enum import Enum, EnumMeta
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ingot.base.records import Frozen

if TYPE_CHECKING:
    _Members = EnumMeta
else:

    class _Members(EnumMeta):
        """Makes a member of each word of a class, as `EnumMeta` does, which takes a fifth of a millisecond for thirteen."""

        __prepare__ = type.__prepare__

        def __new__(mcs, name, bases, written):
            cls = type.__new__(mcs, name, bases, written)
            members = {}
            for word, value in written.items():
                if word.isupper():
                    members[value] = member = object.__new__(cls)
                    member._name_, member._value_ = word, value
                    type.__setattr__(cls, word, member)
            type.__setattr__(cls, "_by_value", members)
            return cls

        def __call__(cls, value: object) -> Any:
            if value not in cls:
                raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
            return value if type(value) is cls else cls._by_value[value]

        def __getitem__(cls, name: str) -> Any:
            return cls.__members__[name]

        def __contains__(cls, value: object) -> bool:
            return type(value) is cls or (type(value) is str and value in cls._by_value)

        def __iter__(cls) -> Any:
            return iter(cls._by_value.values())

        def __len__(cls) -> int:
            return len(cls._by_value)

        def __setattr__(cls, name: str, value: object) -> NoReturn:
            raise AttributeError(f"cannot set {name!r} of {cls.__qualname__}")

        @property
        def __members__(cls) -> dict[str, Any]:
            return {member.name: member for member in cls}


class DType(Enum, metaclass=_Members):
    """An element type. The value is ONNX's name for it, and NumPy's where NumPy has it.

    Kernels compute with the types whose `carrier` is the type itself. Others are carried: what that means is said in
    `docs/decisions/carried-types.md`.
    """

    BOOL = "bool"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    FLOAT8E4M3FN = "float8e4m3fn"
    FLOAT8E4M3FNUZ = "float8e4m3fnuz"
    FLOAT8E5M2 = "float8e5m2"
    FLOAT8E5M2FNUZ = "float8e5m2fnuz"
    FLOAT8E8M0 = "float8e8m0"
    FLOAT6E2M3 = "float6e2m3"
    FLOAT6E3M2 = "float6e3m2"
    FLOAT4E2M1 = "float4e2m1"
    INT4 = "int4"
    UINT4 = "uint4"
    INT2 = "int2"
    UINT2 = "uint2"
    COMPLEX64 = "complex64"
    COMPLEX128 = "complex128"

    # Of each there is one object. Enum's own hash is that of the name, by a function of Python's: passes ask millions of times.
    __hash__ = object.__hash__

    @property
    def size_bytes(self) -> int:
        """Bytes of one element by itself (a bool takes one, and so does an element of less than 8 bits)."""
        return _SIZE_BYTES[self._value_]

    @property
    def bits(self) -> int:
        """Bits of one element in a dense tensor."""
        return _PACKED_BITS.get(self._value_) or 8 * _SIZE_BYTES[self._value_]

    @property
    def is_packed(self) -> bool:
        """Whether elements are shorter than a byte, and a dense tensor has several in each: the first in the lowest bits."""
        return self._value_ in _PACKED_BITS

    @property
    def carrier(self) -> "DType":
        """The type that kernels hold an element in: an integer of 8 bits for packed and short types, a float for each part of a
        complex number, and for all others the type itself.
        """
        word = _CARRIERS.get(self._value_)
        return self if word is None else DTYPES[word]

    @property
    def is_carried(self) -> bool:
        """Whether kernels hold elements in another type."""
        return self._value_ in _CARRIERS

    @property
    def is_complex(self) -> bool:
        return self._value_.startswith("complex")

    @property
    def is_float(self) -> bool:
        return "float" in self._value_

    @property
    def is_signed(self) -> bool:
        """Whether this is a signed integer."""
        return self.value.startswith("int")

    @property
    def is_unsigned(self) -> bool:
        return self.value.startswith("uint")

    @property
    def is_integer(self) -> bool:
        return self.is_signed or self.is_unsigned

    @property
    def short(self) -> str:
        """The name in the text form of the loop IR: `f32`, `i8`, `u64`, `bool`, `bf16`."""
        if self._value_ not in _SHORT:
            word = {"bool": "bool", "bfloat16": "bf16"}.get(self._value_, self._value_)
            _SHORT[self._value_] = word.replace("float", "f").replace("uint", "u").replace("int", "i")
        return _SHORT[self._value_]

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The NumPy type of an array of this type. What NumPy lacks is stored in an integer of its own: bfloat16 in uint16 and
        shorter floats in uint8, both as bit patterns; integers of less than 8 bits in int8 or uint8, as values.
        """
        if self._value_ not in _NUMPY:
            word = (
                "uint16"
                if self is DType.BFLOAT16
                else self._value_
                if self.is_complex
                else self.carrier._value_
            )
            _NUMPY[self._value_] = np.dtype(word)
        return _NUMPY[self._value_]

    @property
    def ml_name(self) -> str:
        """What the package ml_dtypes calls a type that NumPy lacks."""
        return next((name for name, dtype in ML_DTYPES.items() if dtype is self), self._value_)

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """The same as `numpy`: `numpy.dtype(x)` and everything in NumPy that takes a dtype ask for an attribute of this name."""
        return self.numpy

    @classmethod
    def from_numpy(cls, dtype: np.dtype[np.generic]) -> "DType":
        """The element type of arrays of a dtype: of NumPy's own, or of the package ml_dtypes, which need not be imported.

        Raises:
            KeyError: a type that ingot does not have (strings, records).
        """
        return ML_DTYPES.get(dtype.name) or DTYPES[dtype.name]


_SIZE_BYTES = {
    "bool": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "uint8": 1,
    "uint16": 2,
    "uint32": 4,
    "uint64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "float8e4m3fn": 1,
    "float8e4m3fnuz": 1,
    "float8e5m2": 1,
    "float8e5m2fnuz": 1,
    "float8e8m0": 1,
    "float6e2m3": 1,
    "float6e3m2": 1,
    "float4e2m1": 1,
    "int4": 1,
    "uint4": 1,
    "int2": 1,
    "uint2": 1,
    "complex64": 8,
    "complex128": 16,
}
_PACKED_BITS = {
    "float6e2m3": 6,
    "float6e3m2": 6,
    "float4e2m1": 4,
    "int4": 4,
    "uint4": 4,
    "int2": 2,
    "uint2": 2,
}
_CARRIERS = {
    "float8e4m3fn": "uint8",
    "float8e4m3fnuz": "uint8",
    "float8e5m2": "uint8",
    "float8e5m2fnuz": "uint8",
    "float8e8m0": "uint8",
    "float6e2m3": "uint8",
    "float6e3m2": "uint8",
    "float4e2m1": "uint8",
    "int4": "int8",
    "uint4": "uint8",
    "int2": "int8",
    "uint2": "uint8",
    "complex64": "float32",
    "complex128": "float64",
}
_SHORT: dict[str, str] = {}  # filled on first use: loading a library does not need it
_NUMPY: dict[str, np.dtype[np.generic]] = {}
DTYPES = {dtype._value_: dtype for dtype in DType}
KERNEL_DTYPES = tuple(dtype for dtype in DType if not dtype.is_carried)  # in which kernels compute
# The floats that NumPy lacks and that the package ml_dtypes calls by another name than ONNX.
ML_DTYPES = {
    "float8_e4m3fn": DType.FLOAT8E4M3FN,
    "float8_e4m3fnuz": DType.FLOAT8E4M3FNUZ,
    "float8_e5m2": DType.FLOAT8E5M2,
    "float8_e5m2fnuz": DType.FLOAT8E5M2FNUZ,
    "float8_e8m0fnu": DType.FLOAT8E8M0,
    "float6_e2m3fn": DType.FLOAT6E2M3,
    "float6_e3m2fn": DType.FLOAT6E3M2,
    "float4_e2m1fn": DType.FLOAT4E2M1,
}


def tensor_bytes(dtype: DType, shape: tuple[int, ...]) -> int:
    """Bytes of a dense tensor. Of elements of less than 8 bits the last byte may be filled in part."""
    return -(-math.prod(shape) * dtype.bits // 8)


class TensorType(metaclass=Frozen):
    """Element type and shape of a dense tensor. A scalar has the shape `()`."""

    dtype: DType
    shape: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def size_bytes(self) -> int:
        return tensor_bytes(self.dtype, self.shape)

    @property
    def carried(self) -> "TensorType":
        """The same tensor in the type that kernels hold elements in; of a complex one, its real part."""
        return TensorType(self.dtype.carrier, self.shape) if self.dtype.is_carried else self

    @property
    def stored(self) -> "TensorType":
        """The tensor as kernels find it where a model takes and gives it: bytes of packed elements, pairs of complex ones."""
        if self.dtype.is_packed:
            return TensorType(DType.UINT8, (self.size_bytes,))
        return TensorType(self.dtype.carrier, (*self.shape, 2)) if self.dtype.is_complex else self.carried

    def __str__(self) -> str:
        return f"{self.dtype.value}[{', '.join(map(str, self.shape))}]"


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Element strides of a dense tensor whose last dimension is contiguous."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))
