"""Instructions of AVX-512 that LLVM does not make of plain code: scaling by powers of two, and looking bytes up in registers."""

from __future__ import annotations

from collections.abc import Callable

from ingot.codegen.llvm_builder import Value, constant, register_type
from ingot.codegen.llvm_ops import Operations
from ingot.codegen.llvm_vector import Place, address
from ingot.tensor import DType

TABLE_BYTES = 256
_REGISTER_BYTES = 64


def scaled(ops: Operations, x: Value, n: Value) -> Value:
    """`x * 2^n` of float32 for whole numbers `n`, rounded once: also where the result is subnormal, infinite or 0.

    For chips with `has_scalef`.
    """
    x, n = ops.plain(x, n)
    if not x.lanes:
        wide = _scaled_vector(ops, _resized(ops, x, 1, 4), _resized(ops, n, 1, 4))
        return ops.lane(wide, 0)
    most = ops.chip.vector_bytes // 4
    return _by_parts(ops, x.lanes, most, lambda start, count: _some_scaled(ops, x, n, start, count))


def _some_scaled(ops: Operations, x: Value, n: Value, start: int, count: int) -> Value:
    lanes = max(4, count)
    parts = (_resized(ops, value, count, lanes, start) for value in (x, n))
    return _resized(ops, _scaled_vector(ops, *parts), count, count)


def _scaled_vector(ops: Operations, x: Value, n: Value) -> Value:
    bits = {4: "i8", 8: "i8", 16: "i16"}[x.lanes]
    args = [(x.type, x.text), (n.type, n.text), (x.type, "zeroinitializer"), (bits, "-1")]
    if x.lanes == 16:
        args.append(("i32", "4"))  # rounding as everywhere
    return Value(ops.fn.call(f"llvm.x86.avx512.mask.scalef.ps.{32 * x.lanes}", x.type, *args), DType.FLOAT32, x.lanes)


def is_byte_table(place: Place) -> bool:
    """Whether `looked_up` can read it."""
    held = place.buffer
    whole = held.span == TABLE_BYTES and held.type.size == TABLE_BYTES
    return whole and held.dtype in (DType.INT8, DType.UINT8) and not place.lanes


def looked_up(ops: Operations, table: Place, index: Value) -> Value:
    """The elements of a dense table of TABLE_BYTES bytes at a vector of indices that lie in it, for chips with `has_byte_table`.

    The table stays in four registers; the loads are the same in every iteration of a loop, so LLVM moves them out of it.
    """
    dtype = table.buffer.dtype
    whole = register_type(DType.UINT8, _REGISTER_BYTES)
    pointer = address(ops, table, constant(0, DType.INT64))
    quarters = []
    for quarter in range(TABLE_BYTES // _REGISTER_BYTES):
        at = pointer if not quarter else ops.fn.emit(f"getelementptr inbounds i8, ptr {pointer}, i64 {quarter * _REGISTER_BYTES}")
        quarters.append(ops.fn.emit(f"load {whole}, ptr {at}, align 1"))
    # Only the low byte counts.
    where = Value(ops.fn.emit(f"trunc {index.typed} to {register_type(DType.UINT8, index.lanes)}"), DType.UINT8, index.lanes)

    def some(start: int, count: int) -> Value:
        codes = _resized(ops, where, count, _REGISTER_BYTES, start)
        halves = [
            ops.fn.call("llvm.x86.avx512.vpermi2var.qi.512", whole, (whole, low), (whole, codes.text), (whole, high))
            for low, high in (quarters[:2], quarters[2:])
        ]
        upper = ops.fn.emit(f"icmp slt {codes.typed}, zeroinitializer")
        both = ops.fn.emit(f"select <{_REGISTER_BYTES} x i1> {upper}, {whole} {halves[1]}, {whole} {halves[0]}")
        return _resized(ops, Value(both, dtype, _REGISTER_BYTES), count, count)

    return _by_parts(ops, index.lanes, _REGISTER_BYTES, some)


def _by_parts(ops: Operations, lanes: int, most: int, part: Callable[[int, int], Value]) -> Value:
    """A vector of `lanes` from parts of at most `most`; `part(start, count)` makes one."""
    result = part(0, min(lanes, most))
    for start in range(most, lanes, most):
        count = min(most, lanes - start)
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
