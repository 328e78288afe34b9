"""Which forms the loops of a kernel have, for a processor: found before anything is written, so that each can be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.forms import amx_sums, broadcast4, interleave, transpose
from ingot.codegen.llvm.forms.amx_sums import AmxSums, Shape
from ingot.codegen.llvm.forms.form import LoopForm, Surroundings
from ingot.codegen.llvm.forms.pack_bytes import packed_bytes, packed_halves
from ingot.loops.nodes import Alloc, Binary, Buffer, Dot4, Expr, For, Kernel, LoopKind, Space, Stmt
from ingot.loops.transform.rewrite import order_of, statements

Rule = Callable[[For, Surroundings], LoopForm | None]
# By the kind of a loop; the first that recognises a loop is its form.
RULES: Mapping[LoopKind, Sequence[Rule]] = {
    LoopKind.UNROLLED: (transpose.recognise, interleave.recognise, broadcast4.recognise),
    LoopKind.TILES: (amx_sums.recognise,),
}


@dataclass(frozen=True, slots=True)
class Forms:
    """What was recognised in a kernel.

    Attributes:
        loops: the form of each loop that has one. A loop without one is written as its kind says.
        bytes_of: the four bytes, lowest first, of each word that is packed of such.
        halves_of: the two int16, lower first, of each word of a signed dot product that is packed of such.
    """

    loops: Mapping[For, LoopForm]
    bytes_of: Mapping[Expr, tuple[Expr, ...]]
    halves_of: Mapping[Expr, tuple[Expr, Expr]]

    def amx_shapes(self, stmts: Iterable[Stmt]) -> list[Shape]:
        """How tiles are cut in some statements, each way once."""
        forms = (self.loops.get(stmt) for stmt in statements(tuple(stmts)) if isinstance(stmt, For))
        return list(dict.fromkeys(form.shape for form in forms if isinstance(form, AmxSums)))


def recognise(kernel: Kernel, chip: Chip) -> Forms:
    """The forms of all loops of a kernel."""
    around = Surroundings(chip, _local_buffers(kernel), overlapping(kernel))
    loops: dict[For, LoopForm] = {}
    bytes_of: dict[Expr, tuple[Expr, ...]] = {}
    halves_of: dict[Expr, tuple[Expr, Expr]] = {}
    for stmt in statements(kernel.body):
        if isinstance(stmt, For) and stmt not in loops:
            loops |= _forms_of(stmt, around)
        for node in order_of(stmt):
            if isinstance(node, Binary) and (bytes_ := packed_bytes(node)) is not None:
                bytes_of[node] = bytes_
            elif isinstance(node, Dot4) and node.narrow and (halves := packed_halves(node.b)) is not None:
                halves_of[node.b] = halves
    return Forms(loops, bytes_of, halves_of)


def _forms_of(stmt: For, around: Surroundings) -> dict[For, LoopForm]:
    """The form of a loop, if it has one, and those of loops inside that follow from it."""
    for rule in RULES.get(stmt.kind, ()):
        form = rule(stmt, around)
        if form is not None:
            inside = form.products() if isinstance(form, AmxSums) else ()
            return {stmt: form, **dict(inside)}
    return {}


def overlapping(kernel: Kernel) -> Set[Buffer]:
    """The parameters that may share storage with another one."""
    return {kernel.inputs[first] for first, _ in kernel.in_place} | {
        kernel.outputs[second] for _, second in kernel.in_place
    }


def _local_buffers(kernel: Kernel) -> Set[Buffer]:
    return {
        stmt.buffer
        for stmt in statements(kernel.body)
        if isinstance(stmt, Alloc) and stmt.space is Space.LOCAL
    }
