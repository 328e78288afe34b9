"""Instructions of x86 that LLVM does not make of plain code: scaling by powers of two, and tables in registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value, constant, register_type
from ingot.codegen.llvm.emit.memory import Place, address, load
from ingot.codegen.llvm.emit.operations import Operations

TABLE_BYTES = 256


def scaled(ops: Operations, x: Value, n: Value) -> Value:
    """`x * 2^n` of float32 for whole numbers `n`, rounded once: also where the result is subnormal, infinite or 0.

    For chips with `has_scalef`.
    """
    x, n = ops.plain(x, n)
    if not x.lanes:
        wide = _scaled_vector(ops, _resized(ops, x, 1, 4), _resized(ops, n, 1, 4))
        return ops.lane(wide, 0)
    lanes_max = ops.chip.machine.vector_bytes // 4
    return _by_parts(ops, x.lanes, lanes_max, lambda start, count: _some_scaled(ops, x, n, start, count))


def _some_scaled(ops: Operations, x: Value, n: Value, start: int, count: int) -> Value:
    lanes = max(4, count)
    parts = (_resized(ops, value, count, lanes, start) for value in (x, n))
    return _resized(ops, _scaled_vector(ops, *parts), count, count)


def _scaled_vector(ops: Operations, x: Value, n: Value) -> Value:
    bits = {4: "i8", 8: "i8", 16: "i16"}[x.lanes]
    args = [(x.type, x.text), (n.type, n.text), (x.type, "zeroinitializer"), (bits, "-1")]
    if x.lanes == 16:
        args.append(("i32", "4"))  # rounding as everywhere
    return Value(
        ops.fn.call(f"llvm.x86.avx512.mask.scalef.ps.{32 * x.lanes}", x.type, *args), DType.FLOAT32, x.lanes
    )


def looked_up_floats(ops: Operations, table: Sequence[float], index: Value) -> Value:
    """The elements of a table of 16 float32 by the lowest four bits of indices (int32), for chips with `looks_floats_up`."""
    (index,) = ops.plain(index)
    elements = ", ".join(constant(element, DType.FLOAT32).typed for element in table)

    def some(start: int, count: int) -> Value:
        where = _resized(ops, index, count, 16, start)
        held = (register_type(DType.FLOAT32, 16), f"<{elements}>")
        floats = ops.fn.call("llvm.x86.avx512.permvar.sf.512", held[0], held, (where.type, where.text))
        return _resized(ops, Value(floats, DType.FLOAT32, 16), count, count)

    return _by_parts(ops, index.lanes, 16, some) if index.lanes else ops.lane(some(0, 1), 0)


def is_byte_table(place: Place) -> bool:
    """Whether `looked_up` can read it."""
    held = place.buffer
    whole = held.span == TABLE_BYTES and held.type.size == TABLE_BYTES
    return whole and held.dtype in (DType.INT8, DType.UINT8) and not place.lanes


def looked_up(ops: Operations, table: Place, index: Value) -> Value:
    """The elements of a dense table of TABLE_BYTES bytes at a vector of indices that lie in it, for chips with `lookup_bytes`.

    The table stays in registers if there are enough: its loads are the same in every iteration of a loop, out of which LLVM moves
    them.
    """
    width, in_registers = (64, _in_four) if ops.chip.lookup_bytes == 64 else (16, _in_eight)
    if index.lanes < ops.chip.machine.tuning.lookup_min_lanes and in_registers is _in_eight:
        return load(ops, table, index, None)
    pointer = address(ops, table, constant(0, DType.INT64))
    parts = []
    for start in range(0, TABLE_BYTES, ops.chip.lookup_bytes):
        at = ops.fn.emit(f"getelementptr inbounds i8, ptr {pointer}, i64 {start}") if start else pointer
        parts.append(
            ops.fn.emit(f"load {register_type(DType.UINT8, ops.chip.lookup_bytes)}, ptr {at}, align 1")
        )
    # Only the low byte counts.
    where = Value(
        ops.fn.emit(f"trunc {index.typed} to {register_type(DType.UINT8, index.lanes)}"),
        DType.UINT8,
        index.lanes,
    )

    def some(start: int, count: int) -> Value:
        elements = in_registers(ops, parts, _resized(ops, where, count, width, start))
        return _resized(ops, Value(elements, table.buffer.dtype, width), count, count)

    return _by_parts(ops, index.lanes, width, some)


def _in_four(ops: Operations, quarters: Sequence[str], indices: Value) -> str:
    """The bytes for 64 indices: an instruction looks six bits up in a register, and the next one in a second register."""
    whole = indices.type
    halves = [
        ops.fn.call(
            "llvm.x86.avx512.vpermi2var.qi.512", whole, (whole, low), (whole, indices.text), (whole, high)
        )
        for low, high in (quarters[:2], quarters[2:])
    ]
    return _by_sign(ops, indices, halves[1], halves[0])


def _in_eight(ops: Operations, eighths: Sequence[str], indices: Value) -> str:
    """The bytes for 16 indices: an instruction looks four bits up in both halves of a register, of eight of them. Then the
    highest three bits say which register it is, and the one below them which half.
    """
    both = ops.shuffled(indices, [*range(16), *range(16)])
    whole = both.type
    low = ops.fn.emit(f"and {whole} {both.text}, splat (i8 15)")
    candidates = [
        ops.fn.call("llvm.x86.avx2.pshuf.b", whole, (whole, eighth), (whole, low)) for eighth in eighths
    ]
    for bit in (5, 6, 7):
        sign = _moved_up(ops, both, 7 - bit)
        candidates = [
            _by_sign(ops, sign, upper, lower)
            for lower, upper in zip(candidates[::2], candidates[1::2], strict=True)
        ]
    halves = [
        ops.shuffled(Value(candidates[0], DType.UINT8, 32), range(first, first + 16)).text
        for first in (0, 16)
    ]
    return _by_sign(ops, _moved_up(ops, indices, 3), halves[1], halves[0])


def _moved_up(ops: Operations, value: Value, bits: int) -> Value:
    return ops.make(f"shl {value.typed}, splat (i8 {bits})", value) if bits else value


def _by_sign(ops: Operations, selector: Value, negative: str, other: str) -> str:
    """The bytes of one vector or of another by the highest bits of a selector."""
    is_negative = ops.fn.emit(f"icmp slt {selector.typed}, zeroinitializer")
    return ops.fn.emit(
        f"select <{selector.lanes} x i1> {is_negative}, {selector.type} {negative}, {selector.type} {other}"
    )


def _by_parts(ops: Operations, lanes: int, lanes_max: int, part: Callable[[int, int], Value]) -> Value:
    """A vector of `lanes` from parts of at most `lanes_max`; `part(start, count)` makes one."""
    result = part(0, min(lanes, lanes_max))
    for start in range(lanes_max, lanes, lanes_max):
        count = min(lanes_max, lanes - start)
        following = _resized(ops, part(start, count), count, start)
        result = ops.shuffled(_resized(ops, result, start, start), range(start + count), following)
    return result


def _resized(ops: Operations, value: Value, count: int, lanes: int, start: int = 0) -> Value:
    """`count` lanes of a vector (or a scalar) from `start` on, as the first ones of a vector of `lanes`."""
    if value.lanes == lanes and not start:
        return value
    if not value.lanes:
        kind = register_type(value.dtype, lanes)
        return Value(ops.fn.emit(f"insertelement {kind} poison, {value.typed}, i64 0"), value.dtype, lanes)
    return ops.shuffled(value, (start + lane if lane < count else None for lane in range(lanes)))
