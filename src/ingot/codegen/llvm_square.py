"""Squares: `for c in n unrolled: for lane in n vector: store(…, load(… c … stride·lane …))`.

Such a load walks memory across the lanes of its vectors, one line of the cache for every lane. But all of the square is wanted,
so it can be read along memory, as n vectors over c, and turned in registers: n·log₂(n) shuffles instead of n² loads.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingot.codegen.llvm_builder import Value
from ingot.codegen.llvm_ops import Operations
from ingot.codegen.llvm_scope import sure
from ingot.loops.nodes import Const, For, Load, LoopKind, Store
from ingot.loops.ranges import affine
from ingot.tensor import DType

_LEAST = 4  # lanes; of fewer there is nothing to gain


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
    """The columns of a square of as many vectors as each has lanes, a power of two."""
    values, count, distance = list(rows), len(rows), 1
    while distance < count:
        low = [lane if not lane & distance else count + lane - distance for lane in range(count)]
        high = [lane + distance if not lane & distance else count + lane for lane in range(count)]
        for number in range(count):
            if not number & distance:
                a, b = values[number], values[number + distance]
                values[number], values[number + distance] = (ops.shuffled(a, order, b) for order in (low, high))
        distance *= 2
    return values
