"""Neighbours: `for part in 4 unrolled: for lane … vector: sum[lane] = fma(x[… part …], …, sum[lane])`.

All lanes take the same element of `x`, the next one in the next part. LLVM loads each into all lanes of a register by itself.
Where loads are what a loop runs out of, one load brings all four into every block of 16 bytes of a register, and a shuffle inside
of the blocks, by a number in the instruction, fills them with one of the four.
"""

from __future__ import annotations

from collections.abc import Callable

from ingot.codegen.llvm_builder import Value
from ingot.codegen.llvm_ops import Operations
from ingot.loops.nodes import Buffer, Const, Fma, For, Load, LoopKind, Store, Var
from ingot.loops.ranges import affine
from ingot.tensor import DType

TOGETHER = 4  # elements of a block
_Where = tuple[Buffer, int, frozenset[tuple[Var, int]]]  # an affine form of the place in a buffer


def neighbour_loads(stmt: For, most_lanes: int, is_local: Callable[[Buffer], bool]) -> tuple[list[list[Load]], int]:
    """The factors that lie side by side along an unrolled loop and are equal in all lanes, those of the same place together, and
    the number of lanes; none where the loop has anything but such sums of whole registers in it, of at most `most_lanes`.
    """
    if not isinstance(stmt.extent, Const) or stmt.extent.value != TOGETHER:
        return [], 0
    found: dict[_Where, list[Load]] = {}
    sums: set[Buffer] = set()
    widths: set[int] = set()
    for inner in stmt.body:
        if not isinstance(inner, For) or inner.kind is not LoopKind.VECTOR or len(inner.body) != 1:
            return [], 0
        single = inner.body[0]
        if not isinstance(single, Store) or not isinstance(single.value, Fma) or not is_local(single.buffer):
            return [], 0
        sums.add(single.buffer)
        widths.add(int(inner.extent.value) if isinstance(inner.extent, Const) else 0)
        for factor in (single.value.a, single.value.b):
            if isinstance(factor, Load) and (where := _neighbours(factor, stmt.var, inner.var)) is not None:
                found.setdefault(where, []).append(factor)
    lanes = widths.pop() if len(widths) == 1 else 0
    if not TOGETHER <= lanes <= most_lanes or lanes.bit_count() != 1 or any(buffer in sums for buffer, *_ in found):
        return [], 0
    return list(found.values()), lanes


def _neighbours(node: Load, along: Var, across: Var) -> _Where | None:
    """The place of a load of float32, if it steps by one along the first variable and does not know of the second."""
    fixed, moving = 0, dict[Var, int]()
    for part, stride in zip(node.index, node.buffer.strides, strict=True):
        form = affine(part)
        if form is None:
            return None
        fixed += form[0] * stride
        for term, times in form[1].items():
            moving[term] = moving.get(term, 0) + times * stride
    if node.dtype is not DType.FLOAT32 or moving.get(along) != 1 or across in moving:
        return None
    return node.buffer, fixed, frozenset(moving.items())


def spread(ops: Operations, four: Value, lanes: int) -> list[Value]:
    """Four elements as four vectors, which have one of them in all lanes."""
    blocks = ops.shuffled(four, [lane % TOGETHER for lane in range(lanes)])
    # LLVM, if it knew where they are from, would load each by itself after all.
    text = ops.fn.emit(f'call {blocks.type} asm "", "=v,0"({blocks.typed})')
    hidden = Value(text, blocks.dtype, lanes)
    return [ops.shuffled(hidden, [lane // TOGETHER * TOGETHER + part for lane in range(lanes)]) for part in range(TOGETHER)]
