"""Broadcasts of four: `for part in 4 unrolled: for lane … vector: sum[lane] = fma(x[… part …], …, sum[lane])`.

All lanes take the same element of `x`, the next one in the next part; or the same packed int8x4. LLVM loads each into all lanes
of a register by itself. Where loads are what a loop runs out of, one load brings all four into every block of 16 bytes of a
register, and a shuffle inside of the blocks, by a number in the instruction, fills them with one of the four. NEON needs no
shuffle: its multiply-add takes one of the four as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.codegen.llvm.forms.form import Surroundings
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


@dataclass(frozen=True, slots=True)
class Broadcast4:
    """The factors that lie side by side along an unrolled loop and are equal in all lanes: those of the same place together."""

    lanes: int
    factors: Sequence[Sequence[Expr]]
    name: str = "broadcast4"

    def __str__(self) -> str:
        buffers = dict.fromkeys(_element(nodes[0]).buffer.name for nodes in self.factors)
        return f"{self.name} of {', '.join(buffers)} to {self.lanes} lanes"


def recognise(stmt: For, around: Surroundings) -> Broadcast4 | None:
    """The form of an unrolled loop; None where it has anything in it but such sums of whole registers, and what is kept in local
    buffers for them, or where the processor gains nothing by it.
    """
    chip = around.chip
    if not (chip.machine.l2_fills_use_load_ports or chip.machine.fma_by_element):
        return None
    if not isinstance(stmt.extent, Const) or stmt.extent.value != TOGETHER:
        return None
    factors: dict[_Where, list[Expr]] = {}
    written: set[Buffer] = set()
    widths: set[int] = set()
    for inner in stmt.body:
        if not isinstance(inner, For) or inner.kind is not LoopKind.VECTOR or len(inner.body) != 1:
            return None
        single = inner.body[0]
        if not isinstance(single, Store) or single.buffer not in around.local_buffers:
            return None
        written.add(single.buffer)
        if not isinstance(single.value, Fma | Dot4):
            continue
        widths.add(int(inner.extent.value) if isinstance(inner.extent, Const) else 0)
        for factor in (single.value.a, single.value.b):
            # What widens a number does so for each lane, as part of what multiplies.
            read = factor.operand if isinstance(factor, Cast) else factor
            if (where := _neighbours(read, stmt.var, inner.var)) is not None:
                factors.setdefault(where, []).append(read)
    lanes = widths.pop() if len(widths) == 1 else 0
    if (
        not factors
        or not TOGETHER <= lanes <= chip.machine.vector_bytes // DType.FLOAT32.size_bytes
        or lanes.bit_count() != 1
        or any(buffer in written for buffer, *_ in factors)
    ):
        return None
    return Broadcast4(lanes, list(factors.values()))


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
        atom in (along, across) or isinstance(atom, Load) for atom in postorder(*others)
    ):
        return None
    return node.buffer, place.constant, frozenset(place.terms.items()), change


def _element(factor: Expr) -> Load:
    """What a factor reads."""
    return next(node for node in postorder(factor) if isinstance(node, Load))
