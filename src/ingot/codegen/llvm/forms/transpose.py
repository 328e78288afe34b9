"""Transposed loads: `for c in n unrolled: for lane in n vector: store(…, load(… c … stride·lane …))`.

Such a load walks memory across the lanes of its vectors, one cache line for every lane. But all of the square is wanted, so it
can be read along memory, as n vectors over c, and transposed in registers: n·log₂(n) shuffles instead of n² loads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.scope import sure
from ingot.codegen.llvm.forms.form import Surroundings
from ingot.loops.analyse.ranges import affine
from ingot.loops.nodes import Const, Expr, For, Load, LoopKind, Store, Var

_MIN_LANES = 4  # of fewer there is nothing to gain


@dataclass(frozen=True, slots=True)
class Transpose:
    """The vector loop in an unrolled loop of the same extent, and the loads that lie along memory in the unrolled loop and across
    it in the lanes.
    """

    extent: int
    inner: For
    loads: Sequence[Load]
    name: str = "transpose"

    def __str__(self) -> str:
        buffers = dict.fromkeys(load.buffer.name for load in self.loads)
        return f"{self.name} of {self.extent}×{self.extent} of {', '.join(buffers)}"


def recognise(stmt: For, around: Surroundings) -> Transpose | None:
    """The form of an unrolled loop; None if it is no square, or reads none across memory that nothing else writes."""
    inner = stmt.body[0] if len(stmt.body) == 1 else None
    extent = int(stmt.extent.value) if isinstance(stmt.extent, Const) else 0
    if (
        not isinstance(inner, For)
        or inner.kind is not LoopKind.VECTOR
        or not isinstance(inner.extent, Const)
        or inner.extent.value != extent
        or extent < _MIN_LANES
        or extent.bit_count() != 1
        or len(inner.body) != 1
    ):
        return None
    store = inner.body[0]
    if not isinstance(store, Store):
        return None
    loads = [
        node
        for node in sure(store.value, {}).values()
        if isinstance(node, Load)
        and node.dtype is not DType.BOOL
        and node.buffer is not store.buffer
        and node.buffer not in around.overlapping
        and _is_across(node, stmt.var, inner.var)
    ]
    return Transpose(extent, inner, loads) if loads else None


def _is_across(node: Load, along: Var, across: Var) -> bool:
    """Whether a load goes from element to element along the first variable, and further along the second."""
    steps = steps_of(node.index, node.buffer.strides, along, across)
    return steps is not None and steps[0] == 1 and steps[1] not in (0, 1, -1)


def steps_of(
    index: Sequence[Expr], strides: Sequence[int], along: Var, across: Var
) -> tuple[int, int] | None:
    """By how many elements an index moves for each step of two variables; None where it is not affine."""
    first, second = 0, 0
    for part, stride in zip(index, strides, strict=True):
        form = affine(part)
        if form is None:
            return None
        first += form[1].get(along, 0) * stride
        second += form[1].get(across, 0) * stride
    return first, second
