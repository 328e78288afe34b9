"""Interleaved stores: `for part in n unrolled: for lane in … vector: store(y[… n·lane + part …], value)`, for 2 to 4 parts.

Each of such stores would write every n-th element. But together they write neighbours: their values are put side by side in
registers, and stored as whole vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value
from ingot.codegen.llvm.emit.operations import Operations
from ingot.loops.analyse.ranges import affine
from ingot.loops.nodes import Const, For, LoopKind, Store
from ingot.loops.transform.rewrite import loads

_MOST = 4  # parts


def interleaved_store(stmt: For) -> tuple[For, Store] | None:
    """The vector loop in an unrolled loop, and its store, if the stores of all parts fill memory without gaps."""
    inner = stmt.body[0] if len(stmt.body) == 1 else None
    count = int(stmt.extent.value) if isinstance(stmt.extent, Const) else 0
    if (
        not isinstance(inner, For)
        or inner.kind is not LoopKind.VECTOR
        or not 2 <= count <= _MOST
        or len(inner.body) != 1
    ):
        return None
    lanes = int(inner.extent.value) if isinstance(inner.extent, Const) else 0
    store = inner.body[0]
    if (
        not isinstance(store, Store)
        or store.buffer.dtype is DType.BOOL
        or lanes < 2
        or lanes.bit_count() != 1
    ):
        return None
    if any(node.buffer is store.buffer for node in loads(store.value)):
        return None
    along, across = 0, 0
    for part, stride in zip(store.index, store.buffer.strides, strict=True):
        form = affine(part)
        if form is None:
            return None
        along += form[1].get(stmt.var, 0) * stride
        across += form[1].get(inner.var, 0) * stride
    return (inner, store) if along == 1 and across == count else None


def interleaved(ops: Operations, parts: Sequence[Value]) -> Value:
    """One vector that has the first lanes of all parts in order, then the second ones, and so on."""
    lanes = parts[0].lanes
    whole = [*parts, parts[-1]] if len(parts) == 3 else list(parts)
    order = [number * lanes + lane for lane in range(lanes) for number in range(len(parts))]
    return ops.shuffled(ops.side_by_side(whole), order)
