"""Which forms the loops of a kernel have, for a processor: found before anything is written, so that each can be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.forms import amx_sums, broadcast4, interleave, transpose
from ingot.codegen.llvm.forms.amx_sums import AmxSums, Shape
from ingot.codegen.llvm.forms.form import LoopForm, Surroundings
from ingot.codegen.llvm.forms.pack_bytes import packed_bytes, packed_halves
from ingot.loops.nodes import Alloc, Binary, Buffer, Dot4, Expr, For, If, Kernel, LoopKind, Space, Stmt
from ingot.loops.text import body_text, named_text
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

    def names(self, loop: For) -> list[str]:
        """The forms of a loop: its own, and those of the words that its statements make."""
        form = self.loops.get(loop)
        nodes = [node for stmt in _own(loop.body) for node in order_of(stmt)]
        return [
            *([form.name] if form is not None else []),
            *(["pack_bytes"] if any(node in self.bytes_of for node in nodes) else []),
            *(["pack_halves"] if any(node in self.halves_of for node in nodes) else []),
        ]

    def remark(self, loop: For) -> str:
        """The forms of a loop in words, and the one that it should have and has not."""
        form, names = self.loops.get(loop), self.names(loop)
        words = [str(form), *names[1:]] if form is not None else names
        if self.is_lost(loop):
            words.append(f"expects {loop.expects}, which was not recognised")
        return "; ".join(words)

    def is_lost(self, loop: For) -> bool:
        """Whether a loop has not the form that its kernel counts on."""
        return bool(loop.expects) and loop.expects not in self.names(loop)

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


def _own(stmts: Sequence[Stmt]) -> Iterator[Stmt]:
    """The statements of a block without those of loops in it."""
    for stmt in stmts:
        if not isinstance(stmt, For):
            yield stmt
        if isinstance(stmt, If):
            yield from _own((*stmt.then, *stmt.otherwise))


def lost_forms(kernel: Kernel, chip: Chip) -> list[str]:
    """A sentence for each loop that has not the form that its kernel counts on: it is right all the same, but slow."""
    forms = recognise(kernel, chip)
    return [
        f"kernel {kernel.name!r}: the {stmt.kind.value} loop {stmt.var.name!r} expects the form {stmt.expects}, and has "
        f"{' and '.join(forms.names(stmt)) or 'none'}"
        for stmt in statements(kernel.body)
        if isinstance(stmt, For) and forms.is_lost(stmt)
    ]


def forms_text(kernel: Kernel, chip: Chip) -> str:
    """The text form of a kernel with the form of each loop beside it."""
    return named_text(kernel, body_text(kernel, recognise(kernel, chip).remark))


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
