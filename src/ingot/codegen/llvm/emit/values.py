"""The forms a value may have, and how to get from one to another: scalar, vector, affine vector."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Function, Value, register_type
from ingot.machines.machine import Machine

SHORT_FLOATS = (DType.FLOAT16, DType.BFLOAT16)


class Dot(enum.Enum):
    """The instructions for dot products of four bytes."""

    NONE = "none"
    PAIRS = "pairs"  # x86: products of 16-bit numbers, summed in pairs
    VNNI = "vnni"
    SDOT = "sdot"
    USDOT = "usdot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """What the emitted instructions may count on: what kernels may, and what only code generation asks for."""

    machine: Machine
    has_half: bool  # conversions between float16 and float32 in hardware
    has_gather: bool = False
    dot: Dot = Dot.NONE
    pair_bytes: int = 0  # of the longest vectors whose pairs of 16-bit numbers are multiplied
    has_scalef: bool = False  # multiplies floats by powers of two: AVX-512 for vectors of all lengths
    # Of the registers in which tables of bytes are looked up: 64 (AVX-512 VBMI), 32 (AVX2), 0: in none.
    lookup_bytes: int = 0
    looks_floats_up: bool = False  # 16 floats in a register: AVX-512
    has_doubles: bool = False  # computes with vectors of float64
    has_amx_bf16: bool = (
        False  # whether there are such tiles; `machine.amx_bf16` says whether kernels are to use them
    )
    # A prefetch that stops at the second-level cache waits for the translation of its page.
    prefetches_far: bool = False


def suffix(dtype: DType, lanes: int) -> str:
    """The part of an intrinsic's name that states its type: `v8f32`."""
    letter = ("f" if dtype.is_float else "i") + ("1" if dtype is DType.BOOL else str(bits_of(dtype)))
    return f"v{lanes}{letter}" if lanes else letter


def bits_of(dtype: DType) -> int:
    """Bits of a value in a register."""
    return 32 if dtype in SHORT_FLOATS else dtype.bits


class VectorBuilder:
    """Writes instructions into one function: the base of `Operations`."""

    def __init__(self, function: Function, chip: Chip) -> None:
        self.fn = function
        self.chip = chip
        self.spread_from: dict[
            str, tuple[Value, int]
        ] = {}  # vectors of one element in all lanes: of which vector, which lane

    # ─── forms ────────────────────────────────────────────────────────────────────────────────────────────────────

    def vector(self, value: Value, lanes: int) -> Value:
        """The value as a plain vector, one element per lane; for no lanes as it is."""
        if not lanes or (value.lanes and not value.step):
            return value
        if not value.lanes:
            return self.splat(value, lanes)
        base = self.splat(value.base, lanes)
        steps = ", ".join(f"i64 {value.step * lane}" for lane in range(lanes))
        return Value(
            self.fn.emit(f"add{' nsw' if value.is_sure else ''} {base.typed}, <{steps}>"), DType.INT64, lanes
        )

    def splat(self, value: Value, lanes: int) -> Value:
        type_ = register_type(value.dtype, lanes)
        if value.const is not None:
            return Value(f"splat ({value.typed})", value.dtype, lanes, const=value.const)
        first = self.fn.emit(f"insertelement {type_} poison, {value.typed}, i64 0")
        return Value(
            self.fn.emit(f"shufflevector {type_} {first}, {type_} poison, <{lanes} x i32> zeroinitializer"),
            value.dtype,
            lanes,
        )

    def plain(self, *values: Value) -> tuple[Value, ...]:
        """The values in one form: all scalars, or all plain vectors."""
        lanes = max(value.lanes for value in values)
        return tuple(self.vector(value, lanes) for value in values)

    def lane(self, value: Value, lane: int) -> Value:
        """One lane as a scalar."""
        if not value.lanes:
            return value
        if value.step:
            flags = " nsw" if value.is_sure else ""
            return Value(self.fn.emit(f"add{flags} {value.base.typed}, {value.step * lane}"), DType.INT64)
        return Value(self.fn.emit(f"extractelement {value.typed}, i64 {lane}"), value.dtype)

    def join(self, lanes: Sequence[Value]) -> Value:
        """A vector of scalars."""
        dtype, count = lanes[0].dtype, len(lanes)
        type_, text = register_type(dtype, count), "poison"
        for position, value in enumerate(lanes):
            text = self.fn.emit(f"insertelement {type_} {text}, {value.typed}, i64 {position}")
        return Value(text, dtype, count)

    def part(self, value: Value, first: int, lanes: int) -> Value:
        """Some neighbouring lanes of a plain vector."""
        return self.shuffled(value, range(first, first + lanes))

    def shuffled(self, value: Value, order: Iterable[int | None], other: Value | None = None) -> Value:
        """The lanes of a plain vector, and then of another like it, in this order; None for a lane in which anything may be."""
        lanes = ["i32 poison" if lane is None else f"i32 {lane}" for lane in order]
        second = f"{value.type} poison" if other is None else other.typed
        text = self.fn.emit(
            f"shufflevector {value.typed}, {second}, <{len(lanes)} x i32> <{', '.join(lanes)}>"
        )
        return Value(text, value.dtype, len(lanes))

    def hidden(self, value: Value) -> Value:
        """A plain vector that LLVM knows nothing of any more: an empty instruction gives it back, so that nothing is moved past
        it or read anew in its place.

        The instruction takes whole registers and nothing else: LLVM ends the process over a vector that fills none, or several.
        """
        size = bits_of(value.dtype) // 8
        whole = max(1 << (value.lanes - 1).bit_length(), 16 // size)
        register = min(whole, self.chip.machine.vector_bytes // size)
        wide = (
            value
            if whole == value.lanes
            else self.shuffled(value, [*range(value.lanes), *[None] * (whole - value.lanes)])
        )
        parts = (
            [wide]
            if register == whole
            else [self.part(wide, first, register) for first in range(0, whole, register)]
        )
        result = self.side_by_side([self._hidden_register(part) for part in parts])
        return result if whole == value.lanes else self.part(result, 0, value.lanes)

    def _hidden_register(self, value: Value) -> Value:
        kind = (
            "w" if self.chip.machine.fma_by_element else "v"
        )  # any register for vectors, as GCC calls them for AArch64 and for x86
        return self.make(f'call {value.type} asm "", "={kind},0"({value.typed})', value)

    def side_by_side(self, parts: Sequence[Value]) -> Value:
        """Plain vectors of equally many lanes as one; there are 1, 2, 4, … of them."""
        while len(parts) > 1:
            parts = [
                self.shuffled(a, range(2 * a.lanes), b) for a, b in zip(parts[::2], parts[1::2], strict=True)
            ]
        return parts[0]

    def make(self, instruction: str, like: Value, dtype: DType | None = None) -> Value:
        return Value(self.fn.emit(instruction), dtype or like.dtype, like.lanes)

    def make_call(self, name: str, like: Value, *args: tuple[str, str]) -> Value:
        """Calls a function that gives a value like another one."""
        return Value(self.fn.call(name, like.type, *args), like.dtype, like.lanes)

    def intrinsic(self, name: str, *args: Value) -> Value:
        """Calls `llvm.<name>` on values of one form."""
        first = args[0]
        text = self.fn.call(
            f"llvm.{name}.{suffix(first.dtype, first.lanes)}",
            first.type,
            *((arg.type, arg.text) for arg in args),
        )
        return Value(text, first.dtype, first.lanes)
