"""Squares: `for c in n unrolled: for lane in n vector: store(…, load(… c … stride·lane …))`.

Such a load walks memory across the lanes of its vectors, one line of the cache for every lane. But all of the square is wanted,
so it can be read along memory, as n vectors over c, and turned in registers: n·log₂(n) shuffles instead of n² loads.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.emit.scope import sure
from ingot.codegen.llvm.emit.values import SHORT_FLOATS
from ingot.loops.analyse.ranges import affine
from ingot.loops.nodes import Const, For, Load, LoopKind, Store

_LEAST = 4  # lanes; of fewer there is nothing to gain
_BLOCK_BYTES = 16  # what instructions interleave; wider vectors are several such blocks


def square_loads(stmt: For) -> list[Load]:
    """The loads of a square that lie along memory in the unrolled loop and across it in the lanes; none if it is no square."""
    inner = stmt.body[0] if len(stmt.body) == 1 else None
    count = stmt.extent.value if isinstance(stmt.extent, Const) else 0
    if (
        not isinstance(inner, For)
        or inner.kind is not LoopKind.VECTOR
        or not isinstance(inner.extent, Const)
        or inner.extent.value != count
        or count < _LEAST
        or int(count).bit_count() != 1
        or len(inner.body) != 1
    ):
        return []
    store = inner.body[0]
    if not isinstance(store, Store):
        return []
    found = []
    for node in sure(store.value, {}).values():
        if not isinstance(node, Load) or node.dtype is DType.BOOL or node.buffer is store.buffer:
            continue
        along, across = 0, 0
        for part, stride in zip(node.index, node.buffer.strides, strict=True):
            form = affine(part)
            if form is None:
                break
            along += form[1].get(stmt.var, 0) * stride
            across += form[1].get(inner.var, 0) * stride
        else:
            if along == 1 and across not in (0, 1, -1):
                found.append(node)
    return found


def turned(ops: Operations, rows: Sequence[Value]) -> list[Value]:
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
        low, high = _interleaved(count, block) if bit < inside else _exchanged(count, distance)
        for number in range(count):
            if not number & distance:
                a, b = values[number], values[number + distance]
                values[number], values[number + distance] = (
                    ops.shuffled(a, order, b) for order in (low, high)
                )
    return values


def _interleaved(count: int, block: int) -> tuple[list[int], list[int]]:
    """Lanes of two vectors, for a pair of vectors that have those of each first half block, and of each second one, in turns."""

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
