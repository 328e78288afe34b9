"""LLVM assembly, written line by line: values, types, and one function under construction.

Text is what the LLVM library parses anyway, so there is no second object model between the loops and it.
"""

from __future__ import annotations

import ctypes
import functools
import math
import struct
from collections.abc import Callable
from typing import NamedTuple

from ingot.base.tensor import DType

_REGISTER = {
    DType.BOOL: "i1",
    DType.INT8: "i8",
    DType.UINT8: "i8",
    DType.INT16: "i16",
    DType.UINT16: "i16",
    DType.INT32: "i32",
    DType.UINT32: "i32",
    DType.INT64: "i64",
    DType.UINT64: "i64",
    # Short floats live in registers as float32 values that the short type can hold: not every processor can compute with them.
    DType.FLOAT16: "float",
    DType.BFLOAT16: "float",
    DType.FLOAT32: "float",
    DType.FLOAT64: "double",
}
_MEMORY = {**_REGISTER, DType.BOOL: "i8", DType.FLOAT16: "i16", DType.BFLOAT16: "i16"}
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


def vector_of(scalar: str, lanes: int) -> str:
    """`<8 x float>`, or the scalar type itself for no lanes."""
    return f"<{lanes} x {scalar}>" if lanes else scalar


def register_type(dtype: DType, lanes: int = 0) -> str:
    """The LLVM type of a value of an element type."""
    return vector_of(_REGISTER[dtype], lanes)


def memory_type(dtype: DType, lanes: int = 0) -> str:
    """The LLVM type of a stored element."""
    return vector_of(_MEMORY[dtype], lanes)


class Value(NamedTuple):
    """What an expression evaluates to. A tuple, because a kernel has tens of thousands of them.

    Three forms: a scalar (`lanes == 0`; in a vector loop: the same in every lane); a vector (`lanes > 0`, `step == 0`); an
    affine vector of int64 (`step != 0`): lane `l` holds `text + step * l`, where `text` is a scalar. Affine
    vectors are what indices into memory are made of, and cost nothing.

    `low`, `high` bound a scalar int64 (or the base of an affine vector), and it is a multiple of `multiple`.
    """

    text: str
    dtype: DType
    lanes: int = 0
    step: int = 0
    const: int | float | bool | None = None
    low: int = INT64_MIN
    high: int = INT64_MAX
    multiple: int = 1

    @property
    def is_uniform(self) -> bool:
        return self.lanes == 0

    @property
    def is_affine(self) -> bool:
        """Whether it is a scalar or an affine vector."""
        return self.lanes == 0 or self.step != 0

    @property
    def type(self) -> str:
        """The LLVM type of `text`."""
        return register_type(self.dtype, 0 if self.step else self.lanes)

    @property
    def typed(self) -> str:
        return f"{self.type} {self.text}"

    @property
    def base(self) -> Value:
        """Lane 0 of an affine vector."""
        return (
            Value(self.text, self.dtype, 0, 0, self.const, self.low, self.high, self.multiple)
            if self.lanes
            else self
        )

    @property
    def ends(self) -> tuple[int, int]:
        """Bounds of all lanes of a scalar or affine vector, over the integers (nothing wraps)."""
        last = self.step * max(self.lanes - 1, 0)
        return self.low + min(0, last), self.high + max(0, last)

    @property
    def is_sure(self) -> bool:
        """Whether no lane wraps, whatever lane 0 is."""
        low, high = self.ends
        return low >= INT64_MIN and high <= INT64_MAX

    def stepping(self, lanes: int, step: int) -> Value:
        """The affine vector of which this scalar is lane 0; for a step of 0 the scalar."""
        return (
            Value(self.text, self.dtype, lanes, step, None, self.low, self.high, self.multiple)
            if step
            else self
        )


def round_to(value: float, dtype: DType) -> float:
    """A Python float rounded to a float type."""
    value = float(value)
    if dtype is DType.FLOAT64 or math.isnan(value) or math.isinf(value):
        return value
    if dtype is DType.FLOAT32:
        return float(ctypes.c_float(value).value)
    if dtype is DType.FLOAT16:
        try:
            return float(struct.unpack("<e", struct.pack("<e", value))[0])
        except OverflowError:
            return math.copysign(math.inf, value)
    # bfloat16: nearest even on the float32 pattern; rounding to odd on the way there avoids rounding twice.
    nearest = float(ctypes.c_float(value).value)
    bits = int(struct.unpack("<I", struct.pack("<f", nearest))[0])
    if math.isinf(nearest):
        return nearest
    if nearest != value:
        bits = (bits - (abs(nearest) > abs(value))) | 1
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def literal(value: float | bool, dtype: DType) -> str:
    """The text of a scalar constant."""
    if dtype is DType.BOOL:
        return "true" if value else "false"
    if dtype.is_float:
        return f"0x{struct.unpack('>Q', struct.pack('>d', round_to(value, dtype)))[0]:016X}"
    bits = dtype.bits
    wrapped = int(value) & (1 << bits) - 1
    return str(wrapped - (1 << bits) if wrapped >> bits - 1 else wrapped)


def constant(value: float | bool, dtype: DType) -> Value:
    """A scalar constant."""
    if dtype is DType.INT64:
        return number(int(value))
    if dtype.is_float:
        value = round_to(value, dtype)
    return Value(literal(value, dtype), dtype, const=value)


@functools.lru_cache(4096)
def number(value: int) -> Value:
    """An int64 constant."""
    return Value(
        literal(value, DType.INT64), DType.INT64, const=value, low=value, high=value, multiple=abs(value)
    )


class Function:
    """One LLVM function while it is written. `emit` appends an instruction to the current block and names its result."""

    def __init__(self, header: str, declarations: dict[str, str]) -> None:
        self.header = header
        self.block = "entry"
        self._declarations = declarations
        self._allocas: list[str] = []
        self._lines: list[str] = []
        self._count = 0

    def text(self) -> str:
        return "\n".join([f"define {self.header} {{", "entry:", *self._allocas, *self._lines, "}"])

    def name(self) -> str:
        self._count += 1
        return f"%t{self._count}"

    def emit(self, instruction: str) -> str:
        """Appends `%name = instruction`."""
        name = self.name()
        self._lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        """Appends an instruction without a result."""
        self._lines.append(f"  {instruction}")

    def alloca(self, type_: str, count: int, align: int = 64) -> str:
        """Memory on the stack, made once on entry."""
        name = self.name()
        self._allocas.append(f"  {name} = alloca [{max(count, 1)} x {type_}], align {align}")
        return name

    def label(self) -> str:
        self._count += 1
        return f"b{self._count}"

    def begin(self, label: str) -> None:
        """Starts a block."""
        self._lines.append(f"{label}:")
        self.block = label

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def reserve(self) -> int:
        """A place in the text for a line that is known later."""
        self._lines.append("")
        return len(self._lines) - 1

    def fill(self, place: int, line: str) -> None:
        self._lines[place] = f"  {line}"

    def aside(self, write: Callable[[], Value]) -> tuple[Value, list[str]]:
        """Runs `write`, but returns what it appended instead of keeping it."""
        start = len(self._lines)
        result = write()
        lines = self._lines[start:]
        del self._lines[start:]
        return result, [line.strip() for line in lines]

    def declare(self, name: str, signature: str) -> None:
        """Declares another function; `signature` has `@` in the place of the name: `float @(float)`."""
        self._declarations[name] = f"declare {signature.replace('@', '@' + name, 1)}"

    def call(self, name: str, result: str, *args: tuple[str, str], attributes: str = "") -> str:
        """Calls a function with (type, text) arguments, declaring it by their types."""
        self.declare(name, f"{result} @({', '.join(type_ for type_, _ in args)}){attributes}")
        given = ", ".join(f"{type_} {text}" for type_, text in args)
        if result == "void":
            self.do(f"call void @{name}({given})")
            return ""
        return self.emit(f"call {result} @{name}({given})")
