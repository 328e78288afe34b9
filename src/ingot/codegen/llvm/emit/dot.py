"""Dot products of bytes and of 16-bit numbers: `Word`, `Dot4` and `Dot2` of the loop IR.

One instruction where the processor has one for exactly this (`vpdpbusd` of AVX-512 VNNI and AVX-VNNI, `usdot` of Arm's matrix
instructions for int8), two for `sdot` of Armv8.2; elsewhere x86 multiplies pairs of 16-bit numbers, for which it always has an
instruction, and all others one by one. All of them are exact, so a kernel's results do not depend on which it was.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value, constant, number
from ingot.codegen.llvm.emit.memory import Place, address, load
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.emit.values import Dot

_BYTES = 4
_NEON_SUMS = 4  # int32 in a register
# Instructions by the number of int32 that a register holds.
_VNNI = {16: "x86.avx512.vpdpbusd.512", 8: "x86.avx512.vpdpbusd.256", 4: "x86.avx512.vpdpbusd.128"}
_VNNI_PAIRS = {16: "x86.avx512.vpdpwssd.512", 8: "x86.avx512.vpdpwssd.256", 4: "x86.avx512.vpdpwssd.128"}
_PAIRS = {16: "x86.avx512.pmaddw.d.512", 8: "x86.avx2.pmadd.wd", 4: "x86.sse2.pmadd.wd"}


def load_word(ops: Operations, place: Place, offset: Value, mask: Value | None) -> Value:
    """The four bytes from an element on. Places of one local for each lane, and lanes behind a mask, are read one by one."""
    size = place.buffer.dtype.size_bytes
    if not place.lanes and mask is None:
        if offset.is_uniform:
            return Value(ops.fn.emit(f"load i32, ptr {address(ops, place, offset)}, align 1"), DType.INT32)
        if offset.step == _BYTES // size:
            pointer = address(ops, place, offset.base)
            return Value(
                ops.fn.emit(f"load <{offset.lanes} x i32>, ptr {pointer}, align 1"), DType.INT32, offset.lanes
            )
    word: Value | None = None
    for further in range(_BYTES // size):
        part = load(ops, place, ops.add(offset, number(further)), mask)
        wide = ops.cast(ops.bitcast(part, DType.UINT8 if size == 1 else DType.UINT16), DType.INT32)
        moved = ops.binary("shl", wide, constant(8 * size * further, DType.INT32))
        word = moved if word is None else ops.binary("or", word, moved)
    assert word is not None
    return word


def dot4(ops: Operations, a: Value, b: Value, total: Value, signed: bool = False) -> Value:
    """`total + Σ a[i] * b[i]` over the bytes of `a` (unsigned unless it is `signed`) and `b` (signed)."""
    a, b, total = ops.plain(a, b, total)
    dot = ops.chip.dot
    lanes = total.lanes
    if not lanes and dot is not Dot.NONE:
        return _in_a_vector(ops, partial(dot4, signed=signed), a, b, total)
    if dot in (Dot.USDOT, Dot.SDOT) and lanes == 4:
        return _arm(ops, dot, a, b, total, signed)
    if not signed and dot is Dot.VNNI and lanes in _VNNI and lanes * 4 <= ops.chip.machine.vector_bytes:
        return _call(ops, _VNNI[lanes], total, a, b)
    if not signed and lanes in _PAIRS and lanes * 4 <= ops.chip.pair_bytes:
        return _pairs(ops, a, b, total)
    for shift in (0, 8, 16, 24):
        y = _byte(ops, b, shift)
        x = (
            _byte(ops, a, shift)
            if signed
            else ops.binary("and", _shifted(ops, "lshr", a, shift), constant(255, DType.INT32))
        )
        total = ops.binary("add", total, ops.binary("mul", x, y))
    return total


def has_short_sums(ops: Operations, lanes: int) -> bool:
    """Whether NEON adds products of bytes in 16 bits, for so many int32."""
    return ops.chip.machine.fma_by_element and lanes == _NEON_SUMS


def dot4_of_halves(ops: Operations, a: Value, low: Value, high: Value, total: Value) -> Value:
    """`total + Σ a[i] * b[i]` over the bytes of `a` and of two int16 that are `b`, all of them signed: `smull`, `smlal` and
    `sadalp`. Products 0 and 2 fit 16 bits together, and 1 and 3.
    """
    shorts, bytes_ = f"<{2 * _NEON_SUMS} x i16>", f"<{2 * _NEON_SUMS} x i8>"
    sums: list[str] = []
    for half, weights in zip(_halves(ops, a), (low, high), strict=True):
        pair = [
            ops.fn.emit(f"bitcast {factor.typed} to {bytes_}")
            for factor in (ops.vector(weights, _NEON_SUMS), half)
        ]
        sums.append(
            ops.fn.call("llvm.aarch64.neon.smull.v8i16", shorts, *((bytes_, factor) for factor in pair))
        )
    both = ops.fn.emit(f"add {shorts} {sums[0]}, {sums[1]}")
    total = ops.vector(total, _NEON_SUMS)
    added = ops.fn.call("llvm.aarch64.neon.saddlp.v4i32.v8i16", total.type, (shorts, both))
    total = ops.make(f"add {total.typed}, {added}", total)
    # LLVM would add the sums of several steps in an order of its own, behind all products, for which there are no registers.
    return ops.hidden(total)


def _halves(ops: Operations, word: Value) -> list[Value]:
    """The lower halves of words as a vector, and the upper ones. LLVM does not see through a word that was spread over all lanes
    before it was halved.
    """
    source, lane = ops.spread_from.get(word.text, (word, 0))
    if not source.lanes:
        high = ops.make(f"lshr {word.typed}, 16", word)
        parts = [Value(ops.fn.emit(f"trunc {scalar.typed} to i16"), DType.INT16) for scalar in (word, high)]
        return [ops.vector(part, _NEON_SUMS) for part in parts]
    halved = ops.fn.emit(f"bitcast {source.typed} to <{2 * _NEON_SUMS} x i16>")
    value = Value(halved, DType.INT16, 2 * _NEON_SUMS)
    step = 2 if source is word else 0
    return [
        ops.shuffled(value, [2 * lane + half + step * each for each in range(_NEON_SUMS)]) for half in (0, 1)
    ]


def _byte(ops: Operations, value: Value, shift: int) -> Value:
    """A byte of each lane, signed."""
    return _shifted(ops, "ashr", _shifted(ops, "shl", value, 24 - shift), 24)


def dot2(ops: Operations, a: Value, b: Value, total: Value) -> Value:
    """`total + Σ a[i] * b[i]` over the halves of `a` and `b`, which are signed."""
    a, b, total = ops.plain(a, b, total)
    dot, lanes = ops.chip.dot, total.lanes
    if not lanes and dot in (Dot.VNNI, Dot.PAIRS):
        return _in_a_vector(ops, dot2, a, b, total)
    if dot is Dot.VNNI and lanes in _VNNI_PAIRS and lanes * 4 <= ops.chip.machine.vector_bytes:
        return _call(ops, _VNNI_PAIRS[lanes], total, a, b)
    if lanes in _PAIRS and lanes * 4 <= ops.chip.pair_bytes:
        shorts = f"<{2 * lanes} x i16>"
        halves = [(shorts, ops.fn.emit(f"bitcast {value.typed} to {shorts}")) for value in (a, b)]
        sums = ops.fn.call(f"llvm.{_PAIRS[lanes]}", total.type, *halves)
        return ops.make(f"add {total.typed}, {sums}", total)
    for left in (16, 0):
        x, y = (_shifted(ops, "ashr", _shifted(ops, "shl", value, left), 16) for value in (a, b))
        total = ops.binary("add", total, ops.binary("mul", x, y))
    return total


def _in_a_vector(
    ops: Operations, function: Callable[[Operations, Value, Value, Value], Value], *args: Value
) -> Value:
    """One product in the first lane of a vector: an instruction instead of a dozen.

    LLVM 20, moreover, makes vectors of the dozen where several of them are side by side, and then mixes up lanes: a byte from
    128 on counts as -1.
    """
    wide = [ops.fn.emit(f"insertelement <4 x i32> zeroinitializer, {arg.typed}, i64 0") for arg in args]
    a, b, total = (Value(text, DType.INT32, 4) for text in wide)
    return Value(ops.fn.emit(f"extractelement {function(ops, a, b, total).typed}, i64 0"), DType.INT32)


def _call(ops: Operations, name: str, *args: Value) -> Value:
    first = args[0]
    return Value(
        ops.fn.call(f"llvm.{name}", first.type, *((arg.type, arg.text) for arg in args)),
        first.dtype,
        first.lanes,
    )


def _shifted(ops: Operations, how: str, value: Value, count: int) -> Value:
    if not count:
        return value
    return ops.make(
        f"{how} {value.typed}, {ops.vector(constant(count, DType.INT32), value.lanes).text}", value
    )


def _pairs(ops: Operations, a: Value, b: Value, total: Value) -> Value:
    """Bytes 0 and 2, and bytes 1 and 3, as pairs of 16-bit numbers, whose products are summed in 32 bits."""
    shorts = f"<{2 * total.lanes} x i16>"
    name = f"llvm.{_PAIRS[total.lanes]}"

    def pair(value: str, *steps: tuple[str, int]) -> str:
        text = value
        for how, by in steps:
            text = ops.fn.emit(f"{how} {shorts} {text}, splat (i16 {by})")
        return text

    x, y = (ops.fn.emit(f"bitcast {value.typed} to {shorts}") for value in (a, b))
    even = pair(x, ("and", 255)), pair(y, ("shl", 8), ("ashr", 8))
    odd = pair(x, ("lshr", 8)), pair(y, ("ashr", 8))
    for left, right in (even, odd):
        sums = ops.fn.call(name, total.type, (shorts, left), (shorts, right))
        total = ops.make(f"add {total.typed}, {sums}", total)
    return total


def _arm(ops: Operations, dot: Dot, a: Value, b: Value, total: Value, signed: bool) -> Value:
    """Of unsigned bytes without `usdot`: Σ a·b = Σ (a - 128)·b + 128·Σ b."""
    bytes_ = "<16 x i8>"
    x, y = (ops.fn.emit(f"bitcast {value.typed} to {bytes_}") for value in (a, b))
    # A lane can be the second factor of `sdot`, and the first of none: what is the same in all lanes is `a`.
    if dot is Dot.USDOT and not signed:
        name = "llvm.aarch64.neon.usdot.v4i32.v16i8"
        return ops.make_call(name, total, (total.type, total.text), (bytes_, x), (bytes_, y))
    name = "llvm.aarch64.neon.sdot.v4i32.v16i8"
    if signed:
        return ops.make_call(name, total, (total.type, total.text), (bytes_, y), (bytes_, x))
    moved = ops.fn.emit(f"xor {bytes_} {x}, splat (i8 -128)")
    result = ops.make_call(name, total, (total.type, total.text), (bytes_, moved), (bytes_, y))
    sums = ops.make_call(name, total, (total.type, "zeroinitializer"), (bytes_, y), (bytes_, "splat (i8 1)"))
    return ops.binary("add", result, _shifted(ops, "shl", sums, 7))
