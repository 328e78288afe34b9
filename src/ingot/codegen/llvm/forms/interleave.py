"""Interleaved stores: `for part in n unrolled: for lane in … vector: store(y[… n·lane + part …], value)`, for 2 to 4 parts.

Each of such stores would write every n-th element. But together they write neighbours: their values are put side by side in
registers, and stored as whole vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.codegen.llvm.forms.form import Surroundings
from ingot.codegen.llvm.forms.transpose import steps_of
from ingot.loops.nodes import Const, For, LoopKind, Store
from ingot.loops.transform.rewrite import loads

_MAX_PARTS = 4


@dataclass(frozen=True, slots=True)
class Interleave:
    """The vector loop in an unrolled loop, and its store: the stores of all parts fill memory without gaps."""

    parts: int
    inner: For
    store: Store
    name: str = "interleave"

    def __str__(self) -> str:
        return f"{self.name} of {self.parts} parts of {self.store.buffer.name}"


def recognise(stmt: For, around: Surroundings) -> Interleave | None:
    """The form of an unrolled loop; None if its stores leave gaps, or what they write is read by what they store."""
    inner = stmt.body[0] if len(stmt.body) == 1 else None
    parts = int(stmt.extent.value) if isinstance(stmt.extent, Const) else 0
    if (
        not isinstance(inner, For)
        or inner.kind is not LoopKind.VECTOR
        or not 2 <= parts <= _MAX_PARTS
        or len(inner.body) != 1
    ):
        return None
    lanes = int(inner.extent.value) if isinstance(inner.extent, Const) else 0
    store = inner.body[0]
    if (
        not isinstance(store, Store)
        or store.buffer.dtype is DType.BOOL
        or store.buffer in around.overlapping
        or lanes < 2
        or lanes.bit_count() != 1
    ):
        return None
    if any(node.buffer is store.buffer for node in loads(store.value)):
        return None
    steps = steps_of(store.index, store.buffer.strides, stmt.var, inner.var)
    return Interleave(parts, inner, store) if steps == (1, parts) else None
