"""Neighbours: `for part in 4 unrolled: for lane … vector: sum[lane] = fma(x[… part …], …, sum[lane])`.

All lanes take the same element of `x`, the next one in the next part; or the same word of codes. LLVM loads each into all lanes
of a register by itself. Where loads are what a loop runs out of, one load brings all four into every block of 16 bytes of a
register, and a shuffle inside of the blocks, by a number in the instruction, fills them with one of the four. NEON needs no
shuffle: its multiply-add takes one of the four as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value
from ingot.codegen.llvm.emit.operations import Operations
from ingot.loops.analyse.ranges import Linear, Ranges
from ingot.loops.nodes import (
    Binary,
    Buffer,
    Cast,
    Const,
    Dot4,
    Expr,
    Fma,
    For,
    Load,
    LoopKind,
    Store,
    Var,
    Word,
)
from ingot.loops.transform.rewrite import postorder

TOGETHER = 4  # elements of a block
_Where = tuple[
    Buffer, int, frozenset[tuple[Expr, int]], str
]  # an affine form of the place in a buffer, what changes it then


def neighbour_loads(
    stmt: For, most_lanes: int, is_local: Callable[[Buffer], bool]
) -> tuple[list[list[Expr]], int]:
    """The factors that lie side by side along an unrolled loop and are equal in all lanes, those of the same place together, and
    the number of lanes; none where the loop has anything in it but such sums of whole registers, of at most `most_lanes`, and
    what is kept in local buffers for them.
    """
    if not isinstance(stmt.extent, Const) or stmt.extent.value != TOGETHER:
        return [], 0
    found: dict[_Where, list[Expr]] = {}
    written: set[Buffer] = set()
    widths: set[int] = set()
    for inner in stmt.body:
        if not isinstance(inner, For) or inner.kind is not LoopKind.VECTOR or len(inner.body) != 1:
            return [], 0
        single = inner.body[0]
        if not isinstance(single, Store) or not is_local(single.buffer):
            return [], 0
        written.add(single.buffer)
        if not isinstance(single.value, Fma | Dot4):
            continue
        widths.add(int(inner.extent.value) if isinstance(inner.extent, Const) else 0)
        for factor in (single.value.a, single.value.b):
            # What widens a number does so for each lane, as part of what multiplies.
            read = factor.operand if isinstance(factor, Cast) else factor
            if (where := _neighbours(read, stmt.var, inner.var)) is not None:
                found.setdefault(where, []).append(read)
    lanes = widths.pop() if len(widths) == 1 else 0
    if (
        not TOGETHER <= lanes <= most_lanes
        or lanes.bit_count() != 1
        or any(buffer in written for buffer, *_ in found)
    ):
        return [], 0
    return list(found.values()), lanes


def _neighbours(factor: Expr, along: Var, across: Var) -> _Where | None:
    """The place of a number or word that is read, if the next one along the first variable lies behind it, and it does not know
    of the second. A word may have its signs changed.
    """
    read, change = factor, ""
    if isinstance(factor, Binary) and isinstance(factor.right, Const):
        read, change = factor.left, f"{factor.op} {factor.right.value}"
    node = read.element if isinstance(read, Word) else factor
    if not isinstance(node, Load) or not (
        isinstance(read, Word) or node.dtype in (DType.FLOAT32, DType.INT16)
    ):
        return None
    step = DType.INT32.size_bytes // node.dtype.size_bytes if isinstance(read, Word) else 1
    place = Linear(0, {})
    for part, stride in zip(node.index, node.buffer.strides, strict=True):
        place = place.plus(Ranges({}).linear(part), stride)
    others = [term for term in place.terms if term != along]
    if place.terms.get(along) != step or any(
        one in (along, across) or isinstance(one, Load) for one in postorder(*others)
    ):
        return None
    return node.buffer, place.constant, frozenset(place.terms.items()), change


def spread(ops: Operations, four: Value, lanes: int) -> list[Value]:
    """Four elements as four vectors, which have one of them in all lanes."""
    blocks = ops.shuffled(four, [lane % TOGETHER for lane in range(lanes)])
    if not ops.chip.machine.fma_by_element:
        # LLVM, if it knew where they are from, would load each by itself after all.
        blocks = ops.hidden(blocks)
    found = [
        ops.shuffled(blocks, [lane // TOGETHER * TOGETHER + part for lane in range(lanes)])
        for part in range(TOGETHER)
    ]
    ops.spread_from.update({one.text: (blocks, part) for part, one in enumerate(found)})
    return found
