"""Element types and tensor types: the nouns that every room shares."""

import math
from enum import Enum, EnumMeta
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ingot.frozen import Frozen

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
    """An element type. The value is NumPy's and ONNX's name for it."""

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

    # Of each there is one object. Enum's own hash is that of the name, by a function of Python's: passes ask millions of times.
    __hash__ = object.__hash__

    @property
    def size_bytes(self) -> int:
        """Bytes of one stored element (a bool takes one)."""
        return _SIZE_BYTES[self._value_]

    @property
    def bits(self) -> int:
        return 8 * _SIZE_BYTES[self._value_]

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
        """The NumPy type of an array of this type; bfloat16, which NumPy lacks, is stored as uint16."""
        if self._value_ not in _NUMPY:
            _NUMPY[self._value_] = np.dtype("uint16" if self is DType.BFLOAT16 else self._value_)
        return _NUMPY[self._value_]

    @classmethod
    def from_numpy(cls, dtype: np.dtype[np.generic]) -> "DType":
        """Raises KeyError for a type that ingot does not have (strings, complex numbers, records)."""
        return DTYPES[dtype.name]


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
}
_SHORT: dict[str, str] = {}  # made when somebody asks: who only loads a library does not
_NUMPY: dict[str, np.dtype[np.generic]] = {}
DTYPES = {dtype._value_: dtype for dtype in DType}


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
        return self.size * self.dtype.size_bytes

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
