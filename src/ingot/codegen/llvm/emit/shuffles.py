"""Vectors put into another order in registers: what the forms of `codegen/llvm/forms` are made of."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value, constant
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.emit.values import SHORT_FLOATS
from ingot.codegen.llvm.forms.broadcast4 import TOGETHER

_BLOCK_BYTES = 16  # what instructions interleave; wider vectors are several such blocks


def transposed(ops: Operations, rows: Sequence[Value]) -> list[Value]:
    """The columns of a square of as many vectors as each has lanes, a power of two.

    Each step exchanges a bit of the number of a row for one of the number of a lane. Inside of blocks of 16 bytes it interleaves
    two vectors, which is one instruction on every processor: that exchanges the highest bit of the lane and moves the others up,
    so that they are in place when all had their turn. Blocks are exchanged as they are.
    """
    values, count = list(rows), len(rows)
    size_bytes = (
        4 if rows[0].dtype in SHORT_FLOATS else rows[0].dtype.size_bytes
    )  # in registers those are float32
    block = min(count, _BLOCK_BYTES // size_bytes)
    bits = count.bit_length() - 1
    inside = block.bit_length() - 1
    for bit in (*reversed(range(inside)), *range(inside, bits)):
        distance = 1 << bit
        low, high = _interleaved_blocks(count, block) if bit < inside else _exchanged(count, distance)
        for number in range(count):
            if not number & distance:
                a, b = values[number], values[number + distance]
                values[number], values[number + distance] = (
                    ops.shuffled(a, order, b) for order in (low, high)
                )
    return values


def _interleaved_blocks(count: int, block: int) -> tuple[list[int], list[int]]:
    """Lanes of two vectors, for a pair of vectors that have those of each first half block, and of each second one, in
    alternation.
    """

    def order(half: int) -> list[int]:
        starts = range(half * block // 2, count, block)
        return [
            lane for start in starts for at in range(start, start + block // 2) for lane in (at, count + at)
        ]

    return order(0), order(1)


def _exchanged(count: int, distance: int) -> tuple[list[int], list[int]]:
    """Lanes of two vectors, for a pair in which those of the first with a bit of their number, and of the second without it, have
    changed places.
    """
    low = [lane if not lane & distance else count + lane - distance for lane in range(count)]
    high = [lane + distance if not lane & distance else count + lane for lane in range(count)]
    return low, high


def interleaved(ops: Operations, parts: Sequence[Value]) -> Value:
    """One vector that has the first lanes of all parts in order, then the second ones, and so on."""
    lanes = parts[0].lanes
    whole = [*parts, parts[-1]] if len(parts) == 3 else list(parts)
    order = [number * lanes + lane for lane in range(lanes) for number in range(len(parts))]
    return ops.shuffled(ops.side_by_side(whole), order)


def broadcast4(ops: Operations, four: Value, lanes: int) -> list[Value]:
    """Four elements as four vectors, which have one of them in all lanes."""
    blocks = ops.shuffled(four, [lane % TOGETHER for lane in range(lanes)])
    if not ops.chip.machine.fma_by_element:
        # LLVM, if it knew where they are from, would load each by itself after all.
        blocks = ops.hidden(blocks)
    vectors = [
        ops.shuffled(blocks, [lane // TOGETHER * TOGETHER + part for lane in range(lanes)])
        for part in range(TOGETHER)
    ]
    ops.spread_from.update({vector.text: (blocks, part) for part, vector in enumerate(vectors)})
    return vectors


def pack_bytes(ops: Operations, parts: Sequence[Value], dtype: DType) -> Value:
    """The words of four bytes each, the lowest first."""
    lanes = max(part.lanes for part in parts)
    if not lanes:
        result = ops.cast(parts[0], dtype)
        for at, part in enumerate(parts[1:], 1):
            result = ops.binary(
                "or", result, ops.binary("shl", ops.cast(part, dtype), constant(8 * at, dtype))
            )
        return result
    side_by_side = interleaved(ops, [ops.vector(part, lanes) for part in parts])
    return Value(ops.fn.emit(f"bitcast {side_by_side.typed} to <{lanes} x i32>"), dtype, lanes)
